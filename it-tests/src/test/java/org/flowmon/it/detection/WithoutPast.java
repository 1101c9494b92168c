package org.flowmon.it.detection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.FlowWindows;
import org.flowmon.udaf.lowlevel.LowLevelCounts;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.window.WindowPart;

/**
 * An analysis that comes along, over flows through both levels of its live query and its report,
 * with a history that reaches back for ever and in which nobody occurs.
 */
final class WithoutPast {
  final AnalysisConfig analysis;
  private final ReportLogic logic;

  private WithoutPast(AnalysisConfig analysis) {
    this.analysis = analysis;
    logic = ReportLogics.of(analysis);
    logic.open(analysis);
  }

  static WithoutPast of(String name) {
    return of(name, AnalysisConfig.textOf(name));
  }

  static WithoutPast of(String name, String text) {
    // Old captures were exported years later: nothing is to be late.
    return new WithoutPast(
        AnalysisConfig.parse(name + ".yaml", text.replace("lateness: 1s", "lateness: 36000d")));
  }

  /** A window and the rows of its report. */
  record Reported(WindowPart window, ResultTable rows) {}

  List<Reported> reports(List<FlowBatch> batches) {
    LiveQuery live = LiveQuery.of(analysis);
    FlowWindows windows = FlowWindows.run(batches, live.query(), live.window(), 256, 8);
    LowLevelCounts counts = windows.counts();
    assertEquals(counts.selected(), counts.counted(), "no flow is late or ahead");
    List<Reported> reports = new ArrayList<>();
    for (WindowPart part : windows.windows().values()) {
      reports.add(new Reported(part, logic.report(window(part))));
    }
    return reports;
  }

  private WindowHistory window(WindowPart part) {
    long end = part.windowEnd();
    return new WindowHistory(
        new WindowResult(
            analysis.name(),
            end - analysis.live().windowMicros(),
            end,
            part.result(),
            part.totals(),
            part.groups(),
            new ArrivalCounts(0, 0, 0, 0)),
        analysis.history() == null
            ? HistoryAnswer.NONE
            : new HistoryAnswer(
                HistoryStatus.EXACT,
                end,
                0,
                end,
                LongRanges.NONE,
                Optional.of(nobody(part.result(), end)),
                null));
  }

  /** The history query over no flows. */
  private ResultTable nobody(ResultTable live, long end) {
    Query history = QueryParser.parseQuery(analysis.requiredHistory().query());
    Parameters values = Parameters.NONE.with("now", Value.ofTimestamp(end)).with("live", live);
    return FlowQueries.run(List.of(), (FlowQuery) history.bind(values));
  }

  /** Who has one of some verdicts in any window, by a column of the report. */
  Set<String> named(List<FlowBatch> batches, String column, Set<String> verdicts) {
    Set<String> named = new TreeSet<>();
    for (Reported one : reports(batches)) {
      ResultTable rows = one.rows();
      for (int row = 0; row < rows.rowCount(); row++) {
        if (verdicts.contains(rows.text(row, rows.column("verdict")))) {
          named.add(rows.formatted(row, rows.column(column)));
        }
      }
    }
    return named;
  }
}
