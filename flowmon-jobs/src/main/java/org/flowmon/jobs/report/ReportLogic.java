package org.flowmon.jobs.report;

import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.udaf.value.ResultTable;

/**
 * Turns a window's result and its history into the rows of a report. An analysis names its logic in
 * its YAML: one that a {@link ReportLogicProvider} brings, such as {@code elephants}, or the full
 * name of a public class with a public constructor without parameters.
 *
 * <p>A logic depends on nothing but the window that it is given: the same window gives the same
 * rows on any machine and in any replay. One instance serves one analysis in one task; it is never
 * called by two threads at once.
 */
public interface ReportLogic {
  /**
   * Called once, before any report, and when a job is built.
   *
   * @return the columns of its reports, the same for all windows
   * @throws org.flowmon.jobs.config.ConfigException where the analysis does not fit this logic,
   *     saying what does not and what was expected
   */
  List<ReportColumn> open(AnalysisConfig analysis);

  /** The rows for one window: the columns that {@link #open} gave, in their order. */
  ResultTable report(WindowHistory window);
}
