package org.flowmon.jobs.report.logic;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.LiveColumns;
import org.flowmon.jobs.report.LogicRules;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportParameters;
import org.flowmon.jobs.report.ReportRows;
import org.flowmon.jobs.report.SameHourDays;
import org.flowmon.jobs.report.matrix.RowKeys;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/**
 * New talkers: rows of a window that are not in the history query's past ({@code logic:
 * new_talkers}).
 *
 * <p>The history query groups by some or all of the live query's columns. A row with one in history
 * is {@code known}. Without, it is {@code new} if history holds at least {@code coverage} of the
 * query's time, {@code unseen} if less, as the rest may have held it, {@code no_history} if none.
 *
 * <p>Parameters: {@code coverage}, 0 … 1 (1); {@code emit}, {@code all} (default) or {@code new};
 * {@code limit}, rows at most (1000).
 */
final class NewTalkersLogic implements ReportLogic {
  private static final double DAY_MICROS = 24.0 * SameHourDays.HOUR_MICROS;

  private double least;
  private boolean emitAll;
  private int limit;
  private List<ReportColumn> live;
  private List<String> joined;
  private List<String> aggregates; // of the history query
  private List<ReportColumn> columns;
  private PastRange range;

  @Override
  public List<ReportColumn> open(AnalysisConfig analysis) {
    ReportParameters parameters = new ReportParameters(analysis);
    least = parameters.decimal("coverage", "1", "0", "1").doubleValue();
    emitAll = parameters.choice("emit", "all", "new").equals("all");
    limit = parameters.integer("limit", 1000, 1, 1_000_000);
    parameters.end();
    LogicRules rules = new LogicRules(analysis);
    live = LiveColumns.of(analysis);
    FlowQuery history = rules.history();
    rules.noLimit("history.query", history, "what lies beyond it would be taken for new");
    range = PastRange.of(analysis, history, live);
    joined = rules.joined(history, live);
    List<ReportColumn> all = new ArrayList<>();
    all.add(ReportColumn.of("rank", ValueKind.LONG));
    all.addAll(live);
    List<String> names = new ArrayList<>();
    for (SelectItem item : history.select()) {
      if (ExpressionParts.hasAggregate(item.what())) {
        names.add(item.name());
        all.add(rules.historyColumn(item));
      }
    }
    aggregates = List.copyOf(names);
    all.add(ReportColumn.of("past_days", ValueKind.DOUBLE));
    all.add(ReportColumn.of("coverage", ValueKind.DOUBLE));
    all.add(ReportColumn.of("verdict", ValueKind.TEXT));
    columns = rules.distinct(all);
    return columns;
  }

  @Override
  public ResultTable report(WindowHistory window) {
    ResultTable now = window.window().rows();
    HistoryAnswer answer = window.history();
    PastRange.Held held = range.held(window);
    RowKeys keys = new RowKeys(now, joined);
    Optional<RowKeys> before = answer.rows().map(rows -> new RowKeys(rows, joined));
    ReportRows out = new ReportRows(columns);
    long rank = 0;
    for (int row = 0; row < now.rowCount() && rank < limit; row++) {
      int known = before.isPresent() ? before.get().find(keys, row) : -1;
      String verdict = known >= 0 ? "known" : verdict(held);
      if (!emitAll && !verdict.equals("new")) {
        continue;
      }
      out.row().set("rank", ++rank).copy(live, now, row);
      if (known >= 0) {
        for (String aggregate : aggregates) {
          out.copy("history_" + aggregate, aggregate, answer.rows().orElseThrow(), known);
        }
      }
      out.set("past_days", held.micros() / DAY_MICROS);
      out.set("coverage", held.share()).set("verdict", verdict);
    }
    return out.build();
  }

  private String verdict(PastRange.Held held) {
    return held.micros() == 0 ? "no_history" : held.share() >= least ? "new" : "unseen";
  }
}
