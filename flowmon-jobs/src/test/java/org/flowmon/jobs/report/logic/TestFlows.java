package org.flowmon.jobs.report.logic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.FlowWindows;
import org.flowmon.udaf.NestedQueries;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.window.WindowPart;

/**
 * Flows as plain values, and an analysis over them: its live query over both levels, its history
 * query over the flows that had arrived by as-of.
 */
final class TestFlows {
  /** A flow: values by column, addresses as text; missing ones are NULL. */
  record Flow(Map<FlowColumn, Object> values) {
    Long number(FlowColumn column) {
      return (Long) values.get(column);
    }

    long number(FlowColumn column, long otherwise) {
      Long value = number(column);
      return value == null ? otherwise : value;
    }

    String text(FlowColumn column) {
      return (String) values.get(column);
    }

    long end() {
      return number(FlowColumn.END_TIME);
    }
  }

  private final List<Flow> flows = new ArrayList<>();
  private Enrichment enrichment = Enrichment.NONE;

  /** With the tables of enriched columns of live queries. */
  void enrich(Enrichment tables) {
    enrichment = tables;
  }

  List<Flow> all() {
    return flows;
  }

  /** Adds a flow that arrives when it ends: pairs of column and value, null being NULL. */
  void add(long end, Object... pairs) {
    Map<FlowColumn, Object> values = new HashMap<>();
    values.put(FlowColumn.END_TIME, end);
    values.put(FlowColumn.ARRIVAL, end);
    for (int i = 0; i < pairs.length; i += 2) {
      Object value = pairs[i + 1];
      if (value != null) {
        values.put(
            (FlowColumn) pairs[i], value instanceof Number n ? (Object) n.longValue() : value);
      }
    }
    flows.add(new Flow(values));
  }

  private static List<FlowBatch> batches(List<Flow> flows) {
    List<FlowBatch> batches = new ArrayList<>();
    for (int from = 0; from < flows.size(); from += 500) {
      List<Flow> some = flows.subList(from, Math.min(flows.size(), from + 500));
      FlowBatchBuilder builder = new FlowBatchBuilder(some.size());
      for (Flow flow : some) {
        builder.beginRow();
        flow.values()
            .forEach(
                (column, value) -> {
                  if (value instanceof String address) {
                    builder.setAddress(column, IpAddress.parse(address));
                  } else {
                    builder.set(column, (Long) value);
                  }
                });
        builder.endRow();
      }
      batches.add(FlowBatch.open(builder.build(1, 0, 0, 0)));
    }
    return batches;
  }

  /** Adds a flow of TCP, of one direction. */
  void tcp(long end, String source, int sourcePort, String target, int port, int flags) {
    add(
        end,
        FlowColumn.SRC_ADDR,
        source,
        FlowColumn.SRC_PORT,
        sourcePort,
        FlowColumn.DST_ADDR,
        target,
        FlowColumn.DST_PORT,
        port,
        FlowColumn.PROTOCOL,
        6,
        FlowColumn.TCP_FLAGS,
        flags);
  }

  /** Returns the windows of an analysis's live query, by their end. */
  Map<Long, WindowResult> windows(AnalysisConfig analysis) {
    return windows(analysis, flows);
  }

  private Map<Long, WindowResult> windows(AnalysisConfig analysis, List<Flow> flows) {
    LiveQuery live = LiveQuery.all(analysis, enrichment).get(0);
    SortedMap<Long, WindowPart> parts =
        FlowWindows.run(batches(flows), live.query(), live.window(), 64, 8).windows();
    Map<Long, WindowResult> windows = new TreeMap<>();
    parts.forEach(
        (end, part) ->
            windows.put(
                end,
                new WindowResult(
                    analysis.name(),
                    end - analysis.live().windowMicros(),
                    end,
                    part.result(),
                    part.totals(),
                    part.groups(),
                    new ArrivalCounts(0, 0, 0, 0))));
    return windows;
  }

  /**
   * Returns a window and its history.
   *
   * @param from start of history
   */
  WindowHistory window(AnalysisConfig analysis, long end, long from) {
    long begin = end - analysis.live().windowMicros();
    // Alone, as each window of other flows costs as much; they arrive when they end.
    List<Flow> within =
        flows.stream().filter(flow -> flow.end() >= begin && flow.end() < end).toList();
    WindowResult window = windows(analysis, within).get(end);
    if (analysis.history() == null) {
      return new WindowHistory(window, HistoryAnswer.NONE);
    }
    Duration delay = analysis.history().delay();
    long asOf = end - (delay == null ? 20_000_000 : delay.toNanos() / 1000);
    Query query = QueryParser.parseQuery(analysis.history().query());
    Parameters parameters = Parameters.NONE.with("now", Value.ofTimestamp(end));
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
    List<Flow> arrived =
        flows.stream()
            .filter(flow -> flow.number(FlowColumn.ARRIVAL) <= asOf)
            .filter(flow -> flow.number(FlowColumn.ARRIVAL) >= from)
            .toList();
    List<FlowBatch> past = batches(arrived);
    ResultTable rows =
        NestedQueries.answer(query.bind(parameters), of -> FlowQueries.run(past, of), () -> {});
    HistoryAnswer answer =
        new HistoryAnswer(
            HistoryStatus.EXACT, asOf, from, end, LongRanges.NONE, Optional.of(rows), null);
    return new WindowHistory(window, answer);
  }

  /** Returns the report of a window, checked against the logic's columns. */
  static ResultTable report(AnalysisConfig analysis, WindowHistory window) {
    ReportLogic logic = ReportLogics.of(analysis);
    List<ReportColumn> columns = logic.open(analysis);
    ResultTable rows = logic.report(window);
    assertEquals(columns.stream().map(ReportColumn::name).toList(), rows.names());
    for (ReportColumn column : columns) {
      assertEquals(column.kind(), rows.kind(rows.column(column.name())), column.name());
    }
    return rows;
  }

  /** Returns some columns of a report, a line for each row; NULL as {@code null}. */
  static List<String> lines(ResultTable rows, String... names) {
    List<String> lines = new ArrayList<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      List<String> cells = new ArrayList<>();
      for (String name : names) {
        int column = rows.column(name);
        cells.add(rows.isNull(row, column) ? "null" : rows.formatted(row, column));
      }
      lines.add(String.join(" ", cells));
    }
    return lines;
  }

  /** Returns an offered file, with some of its text replaced. */
  static AnalysisConfig offered(String name, String... replaced) {
    String text = AnalysisConfig.wholeTextOf(name);
    for (int i = 0; i < replaced.length; i += 2) {
      if (!text.contains(replaced[i])) {
        throw new IllegalArgumentException(name + ".yaml does not say " + replaced[i]);
      }
      text = text.replace(replaced[i], replaced[i + 1]);
    }
    return AnalysisConfig.parse(name + ".yaml", text);
  }
}
