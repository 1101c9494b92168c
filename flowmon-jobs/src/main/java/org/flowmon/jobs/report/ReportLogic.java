package org.flowmon.jobs.report;

import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.udaf.value.ResultTable;

/**
 * Turns a window's result and history into a report's rows. An analysis names it in its YAML: one
 * of a {@link ReportLogicProvider}, such as {@code elephants}, or the full name of a public class
 * with a public constructor without parameters. It depends on its window alone: the same gives the
 * same rows on any machine and in any replay. An instance serves one analysis in one task, never
 * two threads at once.
 */
public interface ReportLogic {
  /**
   * Called once, before any report, and when a job is built; returns the columns of all reports.
   *
   * @throws org.flowmon.jobs.config.ConfigException if the analysis does not fit, naming the fault
   *     and the expected value
   */
  List<ReportColumn> open(AnalysisConfig analysis);

  /** The rows for one window: the columns of {@link #open}, in their order. */
  ResultTable report(WindowHistory window);
}
