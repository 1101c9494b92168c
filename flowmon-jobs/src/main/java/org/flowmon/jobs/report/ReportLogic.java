package org.flowmon.jobs.report;

import java.util.List;
import java.util.Optional;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.udaf.parser.SeenCall;
import org.flowmon.udaf.query.Query;
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

  /**
   * After {@link #open}, the query that makes its rows of those of the live query, for its
   * approximate columns; empty: columns named as the live query's have its values.
   */
  default Optional<Query> query() {
    return Optional.empty();
  }

  /**
   * After {@link #open}, which addresses of the window's rows are looked up for it, by the places
   * of the live query's columns: {@link org.flowmon.jobs.history.SeenLookup#addresses} has the
   * answer.
   */
  default List<SeenCall> seen() {
    return List.of();
  }

  /** The rows for one window: the columns of {@link #open}, in their order. */
  ResultTable report(WindowHistory window);
}
