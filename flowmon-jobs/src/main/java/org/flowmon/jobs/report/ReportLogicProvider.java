package org.flowmon.jobs.report;

import java.util.Map;
import java.util.function.Supplier;

/**
 * Brings logics by their names. Found by {@link java.util.ServiceLoader}: the full name of the
 * class, public and with a public constructor without parameters, stands in a file {@code
 * META-INF/services/org.flowmon.jobs.report.ReportLogicProvider} of its jar.
 */
public interface ReportLogicProvider {
  /**
   * What makes a new, unopened logic, by the name that {@code report.logic} of an analysis says.
   * Names are lower-case letters, digits and {@code _}, beginning with a letter, and no other
   * provider's.
   */
  Map<String, Supplier<ReportLogic>> logics();
}
