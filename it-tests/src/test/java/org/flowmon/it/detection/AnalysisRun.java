package org.flowmon.it.detection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
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
import org.flowmon.udaf.NestedQueries;
import org.flowmon.udaf.lowlevel.LowLevelCounts;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.window.WindowPart;

/** An analysis that comes along over flows: both levels of its live query, history, report. */
final class AnalysisRun {
  private final AnalysisConfig analysis;
  private final List<FlowBatch> history;
  private final long from;

  private AnalysisRun(AnalysisConfig analysis, List<FlowBatch> history, long from) {
    this.analysis = analysis;
    this.history = history;
    this.from = from;
  }

  /** With a history that reaches back for ever and in which nobody occurs. */
  static AnalysisRun withoutPast(String name, String... replaced) {
    return new AnalysisRun(bundled(name, replaced), List.of(), 0);
  }

  /** With a history of these flows, which begins with them. */
  static AnalysisRun withPast(List<FlowBatch> history, String name, String... replaced) {
    long from = Long.MAX_VALUE;
    for (FlowBatch batch : history) {
      for (int row = 0; row < batch.rows(); row++) {
        if (!batch.isNull(FlowColumn.END_TIME, row)) {
          from = Math.min(from, batch.getLong(FlowColumn.END_TIME, row));
        }
      }
    }
    return new AnalysisRun(bundled(name, replaced), history, from);
  }

  /** Of a file's text; it asks for no history. */
  static AnalysisRun of(String text) {
    return new AnalysisRun(analysis(text), List.of(), 0);
  }

  private static AnalysisConfig analysis(String text) {
    // Old captures were exported years later: nothing is to be late.
    return AnalysisConfig.parse(
        "analysis.yaml", text.replaceFirst("lateness: [01]s", "lateness: 36000d"));
  }

  /** A file that comes along, with some of its text replaced. */
  private static AnalysisConfig bundled(String name, String... replaced) {
    String text = AnalysisConfig.wholeTextOf(name);
    for (int i = 0; i < replaced.length; i += 2) {
      assertEquals(true, text.contains(replaced[i]), name + ".yaml says " + replaced[i]);
      text = text.replace(replaced[i], replaced[i + 1]);
    }
    return analysis(text);
  }

  /** By the window's end. */
  SortedMap<Long, ResultTable> reports(List<FlowBatch> flows) {
    return reports(flows, end -> true);
  }

  /** Of the window that ends then. */
  ResultTable report(List<FlowBatch> flows, long at) {
    return reports(flows, end -> end == at).get(at);
  }

  private SortedMap<Long, ResultTable> reports(List<FlowBatch> flows, LongPredicate ends) {
    ReportLogic logic = ReportLogics.of(analysis);
    logic.open(analysis);
    LiveQuery live = LiveQuery.of(analysis);
    FlowWindows windows = FlowWindows.run(flows, live.query(), live.window(), 256, 8);
    LowLevelCounts counts = windows.counts();
    assertEquals(counts.selected(), counts.counted(), "no flow is late or ahead");
    SortedMap<Long, ResultTable> reports = new TreeMap<>();
    for (WindowPart part : windows.windows().values()) {
      if (ends.test(part.windowEnd())) {
        reports.put(part.windowEnd(), logic.report(window(part)));
      }
    }
    return reports;
  }

  private WindowHistory window(WindowPart part) {
    long end = part.windowEnd();
    WindowResult window =
        new WindowResult(
            analysis.name(),
            end - analysis.live().windowMicros(),
            end,
            part.result(),
            part.totals(),
            part.groups(),
            new ArrivalCounts(0, 0, 0, 0));
    return new WindowHistory(
        window,
        analysis.history() == null
            ? HistoryAnswer.NONE
            : new HistoryAnswer(
                HistoryStatus.EXACT,
                end,
                from,
                end,
                LongRanges.NONE,
                Optional.of(past(window)),
                null));
  }

  private ResultTable past(WindowResult window) {
    Query query = QueryParser.parseQuery(analysis.requiredHistory().query());
    Parameters parameters = Parameters.NONE.with("now", Value.ofTimestamp(window.windowEnd()));
    for (String name : query.parameters()) {
      if (name.startsWith("live.")) {
        List<Value> values = new ArrayList<>();
        int column = window.rows().column(name.substring("live.".length()));
        for (int row = 0; row < window.rows().rowCount(); row++) {
          values.add(window.rows().value(row, column));
        }
        parameters = parameters.with(name, values);
      }
    }
    return NestedQueries.answer(
        query.bind(parameters), of -> FlowQueries.run(history, of), () -> {});
  }

  /** Who has a verdict in any window. */
  Set<String> named(List<FlowBatch> flows, String verdict, String... keys) {
    Set<String> named = new TreeSet<>();
    reports(flows).values().forEach(rows -> named.addAll(named(rows, verdict, keys)));
    return named;
  }

  /** Who has a verdict in a report. */
  static Set<String> named(ResultTable rows, String verdict, String... keys) {
    Set<String> named = new TreeSet<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      if (rows.text(row, rows.column("verdict")).equals(verdict)) {
        List<String> cells = new ArrayList<>();
        for (String key : keys) {
          cells.add(rows.formatted(row, rows.column(key)));
        }
        named.add(String.join(" ", cells));
      }
    }
    return named;
  }
}
