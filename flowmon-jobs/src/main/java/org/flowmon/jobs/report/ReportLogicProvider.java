package org.flowmon.jobs.report;

import java.util.Map;
import java.util.function.Supplier;

/**
 * Provides logics by name. Found by {@link java.util.ServiceLoader}: the full name of the class,
 * public and with a public constructor without parameters, stands in a file {@code
 * META-INF/services/org.flowmon.jobs.report.ReportLogicProvider} of its jar.
 */
public interface ReportLogicProvider {
  /**
   * Returns factories of new, unopened logics, by the name in {@code report.logic} of an analysis.
   * Names are lower-case letters, digits and {@code _}, beginning with a letter, and no other
   * provider's.
   */
  Map<String, Supplier<ReportLogic>> logics();
}
