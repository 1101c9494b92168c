package org.flowmon.jobs.report.logic;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.LiveColumns;
import org.flowmon.jobs.report.LogicRules;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportParameters;
import org.flowmon.jobs.report.ReportRows;
import org.flowmon.jobs.report.matrix.RowKeys;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/**
 * Mice: rows of the window without the usual top hosts ({@code logic: mice}).
 *
 * <p>The history query names past top hosts by some of the live query's GROUP BY columns ({@code
 * src_addr}). Rows with these values, NULL among them, are left out; the first of the others, in
 * the live query's order, are {@code mouse}. If nothing of its time is inside history, none is left
 * out and the verdict is {@code no_history}.
 *
 * <p>Parameter {@code limit}: rows at most (100). The live query's LIMIT must not cut off the mice:
 * {@code LIMIT 100 BY src_addr LIMIT 10100} leaves 100 rows whichever 100 sources are left out.
 */
final class MiceLogic implements ReportLogic {
  private int limit;
  private List<ReportColumn> live;
  private List<ReportColumn> columns;
  private List<String> joined;
  private PastRange range;

  @Override
  public List<ReportColumn> open(AnalysisConfig analysis) {
    ReportParameters parameters = new ReportParameters(analysis);
    limit = parameters.integer("limit", 100, 1, 1_000_000);
    parameters.end();
    LogicRules rules = new LogicRules(analysis);
    live = LiveColumns.of(analysis);
    FlowQuery history = rules.history();
    range = PastRange.of(analysis, history, live);
    joined = rules.joined(history, live);
    rules.enoughRows(history, joined, limit);
    List<ReportColumn> all = new ArrayList<>();
    all.add(ReportColumn.of("rank", ValueKind.LONG));
    all.addAll(live);
    all.add(ReportColumn.of("coverage", ValueKind.DOUBLE));
    all.add(ReportColumn.of("verdict", ValueKind.TEXT));
    columns = rules.distinct(all);
    return columns;
  }

  @Override
  public ResultTable report(WindowHistory window) {
    ResultTable now = window.window().rows();
    double coverage = range.held(window).share();
    boolean isKnown = coverage > 0;
    RowKeys keys = new RowKeys(now, joined);
    RowKeys heavy = isKnown ? new RowKeys(window.history().rows().orElseThrow(), joined) : keys;
    ReportRows out = new ReportRows(columns);
    long rank = 0;
    for (int row = 0; row < now.rowCount() && rank < limit; row++) {
      if (isKnown && heavy.find(keys, row) >= 0) {
        continue;
      }
      out.row().set("rank", ++rank).copy(live, now, row);
      out.set("coverage", coverage).set("verdict", isKnown ? "mouse" : "no_history");
    }
    return out.build();
  }
}
