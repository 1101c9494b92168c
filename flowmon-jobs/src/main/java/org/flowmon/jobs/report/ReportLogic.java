package org.flowmon.jobs.report;

import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.udaf.value.ResultTable;

/**
 * Turns a window's result and its history into the rows of a report. An analysis names its logic in
 * its YAML: one of a {@link ReportLogicProvider}, such as {@code elephants}, or the full name of a
 * public class with a public constructor without parameters.
 *
 * <p>A logic depends on its window alone: the same window gives the same rows on any machine and in
 * any replay. One instance serves one analysis in one task; it is never called by two threads at
 * once.
 */
public interface ReportLogic {
  /**
   * Opens the logic. Called once, before any report, and when a job is built.
   *
   * @return the columns of its reports, the same for all windows
   * @throws org.flowmon.jobs.config.ConfigException if the analysis does not fit this logic, naming
   *     the fault and the expected value
   */
  List<ReportColumn> open(AnalysisConfig analysis);

  /** Returns the rows for one window: the columns of {@link #open}, in their order. */
  ResultTable report(WindowHistory window);
}
