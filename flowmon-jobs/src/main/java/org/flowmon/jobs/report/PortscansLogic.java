package org.flowmon.jobs.report;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.query.ValueKind;

/**
 * Portscans: who tries many destinations and ports now and does not usually ({@code logic:
 * portscans}).
 *
 * <p>A row of the window is a {@code scan} where it has at least {@code targets} of them, and at
 * least {@code factor} times the median of its own in the same hour of the past days. An hour is
 * compared with a window that is shorter: what a source does within an hour as a rule makes no
 * window a scan. Days whose hour history does not hold whole are left out and named; where none is
 * left nobody knows: {@code no_history}. All else is {@code usual}. Comparisons are exact.
 *
 * <p>What a target is, and which flows count, is said by the queries: those of the file that comes
 * along leave out flows that answer others, so that a victim is no scanner.
 *
 * <p>Parameters:
 *
 * <ul>
 *   <li>{@code targets}: at least so many, default 100
 *   <li>{@code factor}: default 3
 *   <li>{@code emit}: {@code all} (default) rows with their verdict, or {@code scans} only
 *   <li>{@code emit_no_history}: whether {@code scans} also lets {@code no_history} rows through,
 *       default false
 * </ul>
 *
 * <p>The live query groups by one or more columns and has {@code targets}, a whole number; the
 * history query gives the same columns, {@code targets} and {@code DAYS_BEFORE(…) AS day}, and its
 * filter has a SAME_HOUR.
 */
final class PortscansLogic implements ReportLogic {
  private static final String TARGETS = "targets";

  private BigDecimal atLeast;
  private BigDecimal factor;
  private boolean emitAll;
  private boolean emitNoHistory;
  private int days;
  private AnalysisConfig.History past;
  private List<ReportColumn> live;
  private List<ReportColumn> keys;
  private List<ReportColumn> columns;

  @Override
  public List<ReportColumn> open(AnalysisConfig analysis) {
    ReportParameters parameters = new ReportParameters(analysis);
    atLeast = parameters.decimal("targets", "100", "1", "1000000000");
    factor = parameters.decimal("factor", "3", "0", "1000000");
    emitAll = parameters.choice("emit", "all", "scans").equals("all");
    emitNoHistory = parameters.bool("emit_no_history", false);
    parameters.end();
    LogicRules rules = new LogicRules(analysis);
    rules.item("live.query", rules.live(), TARGETS, ValueKind.LONG);
    live = LiveColumns.of(analysis);
    keys = live.stream().filter(ReportColumn::key).toList();
    past = analysis.history();
    openHistory(rules);
    List<ReportColumn> all = new ArrayList<>();
    all.add(ReportColumn.of("rank", ValueKind.LONG));
    all.addAll(live);
    all.add(ReportColumn.of("median_targets", ValueKind.DOUBLE));
    all.add(ReportColumn.of("days_used", ValueKind.LONG));
    all.add(ReportColumn.of("days_missing", ValueKind.TEXT));
    all.add(ReportColumn.of("verdict", ValueKind.TEXT));
    columns = rules.distinct(all);
    return columns;
  }

  private void openHistory(LogicRules rules) {
    String place = "history.query";
    FlowQuery query = rules.history();
    for (ReportColumn key : keys) {
      rules.item(place, query, key.name(), key.kind());
    }
    rules.item(place, query, TARGETS, ValueKind.LONG);
    rules.item(place, query, PastMedians.DAY, ValueKind.LONG);
    SameHourDays range = SameHourDays.of(query);
    if (range == null) {
      throw rules.error(
          place, "expected … AND SAME_HOUR(end_time, :now, 7): logic portscans compares days");
    }
    days = range.days();
  }

  @Override
  public ResultTable report(WindowHistory window) {
    ResultTable rows = window.window().rows();
    DaysInside inside =
        DaysInside.of(window.history(), past.now(window.window().windowEnd()), days);
    PastMedians medians = new PastMedians(inside, days, keys, window.history().rows(), TARGETS);
    ReportRows out = new ReportRows(columns);
    for (int row = 0; row < rows.rowCount(); row++) {
      BigInteger twiceMedian = medians.twice(rows, row);
      String verdict = verdict(rows.bigValue(row, rows.column(TARGETS)), twiceMedian);
      boolean isScan = verdict.equals("scan") || (emitNoHistory && verdict.equals("no_history"));
      if (!emitAll && !isScan) {
        continue;
      }
      out.row().set("rank", row + 1);
      for (ReportColumn column : live) {
        out.copy(column.name(), rows, row);
      }
      if (twiceMedian != null) {
        out.set("median_targets", twiceMedian.doubleValue() / 2);
      }
      out.set("days_used", inside.used());
      out.set("days_missing", inside.missing()).set("verdict", verdict);
    }
    return out.build();
  }

  private String verdict(BigInteger targets, BigInteger twiceMedian) {
    if (new BigDecimal(targets).compareTo(atLeast) < 0) {
      return "usual";
    }
    if (twiceMedian == null) {
      return "no_history";
    }
    BigDecimal twice = new BigDecimal(targets.shiftLeft(1));
    return twice.compareTo(factor.multiply(new BigDecimal(twiceMedian))) >= 0 ? "scan" : "usual";
  }
}
