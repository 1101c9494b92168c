package org.flowmon.jobs.report;

import java.util.Map;
import java.util.function.Supplier;

/**
 * Provides logics by name. Found by {@link java.util.ServiceLoader}: a public class with a public
 * constructor without parameters, named in its jar's {@code
 * META-INF/services/org.flowmon.jobs.report.ReportLogicProvider}.
 */
public interface ReportLogicProvider {
  /**
   * Factories of new, unopened logics by the name in {@code report.logic}: lower-case letters,
   * digits and {@code _}, beginning with a letter, no other provider's.
   */
  Map<String, Supplier<ReportLogic>> logics();
}
