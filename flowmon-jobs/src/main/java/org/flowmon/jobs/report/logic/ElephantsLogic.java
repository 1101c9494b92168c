package org.flowmon.jobs.report.logic;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.Cells;
import org.flowmon.jobs.report.LiveColumns;
import org.flowmon.jobs.report.LogicRules;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportParameters;
import org.flowmon.jobs.report.SameHourDays;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/**
 * Elephants: keys that send much now and did not before ({@code logic: elephants}).
 *
 * <p>A row of the window's top k is {@code new} if its measure (bytes) is above {@code share} of
 * the window's total over all groups, and its rate is at least {@code factor} times the median of
 * its own rates in the same hour of the past days. Every day inside history counts: on a day
 * without a row of this key its rate was 0, so a key never seen is new. Days whose hour is not
 * wholly inside history are left out and named. Without any day inside, it is unknown whether the
 * row is new: {@code no_history}. All other rows are {@code usual}.
 *
 * <p>A rate is the measure per second: divided by the window's length now, and by an hour then. All
 * comparisons are exact.
 *
 * <p>Parameters:
 *
 * <ul>
 *   <li>{@code share}: 0 … 1, default 0.01
 *   <li>{@code factor}: default 3
 *   <li>{@code measure}: a column of both queries, default {@code bytes}
 *   <li>{@code emit}: {@code all} (default) rows of the top k with their verdict, or {@code
 *       significant}: the new ones only
 *   <li>{@code emit_no_history}: whether {@code significant} also lets {@code no_history} rows
 *       through, default false
 * </ul>
 *
 * <p>The live query groups by one or more columns. The history query gives the same columns, the
 * measure, and {@code DAYS_BEFORE(…) AS day}, and its filter has a SAME_HOUR.
 */
final class ElephantsLogic implements ReportLogic {

  private BigDecimal share;
  private BigDecimal factor;
  private String measure;
  private boolean emitAll;
  private boolean emitNoHistory;
  private int days;
  private AnalysisConfig.History pastConfig;
  private List<ReportColumn> keys;

  @Override
  public List<ReportColumn> open(AnalysisConfig analysis) {
    ReportParameters parameters = new ReportParameters(analysis);
    share = parameters.decimal("share", "0.01", "0", "1");
    factor = parameters.decimal("factor", "3", "0", "1000000");
    measure = parameters.text("measure", "bytes");
    emitAll = parameters.choice("emit", "all", "significant").equals("all");
    emitNoHistory = parameters.bool("emit_no_history", false);
    parameters.end();
    LogicRules rules = new LogicRules(analysis);
    keys = LiveColumns.of(analysis).stream().filter(ReportColumn::key).toList();
    rules.item("live.query", rules.live(), measure, ValueKind.LONG);
    requireTotal(rules);
    openHistory(analysis, rules);
    List<ReportColumn> columns = new ArrayList<>();
    columns.add(ReportColumn.of("rank", ValueKind.LONG));
    columns.addAll(keys);
    columns.add(ReportColumn.sum(measure));
    columns.add(ReportColumn.of("share", ValueKind.DOUBLE));
    columns.add(ReportColumn.of("rate", ValueKind.DOUBLE));
    columns.add(ReportColumn.of("median_rate", ValueKind.DOUBLE));
    columns.add(ReportColumn.of("days_used", ValueKind.LONG));
    columns.add(ReportColumn.of("days_missing", ValueKind.TEXT));
    columns.add(ReportColumn.of("verdict", ValueKind.TEXT));
    return rules.distinct(columns);
  }

  /** Requires a total of the measure: windows have totals of aggregates that are select items. */
  private void requireTotal(LogicRules rules) {
    FlowQuery query = rules.live();
    boolean isAggregate =
        query.select().stream()
            .anyMatch(
                item ->
                    item.name().equals(measure)
                        && item.what() instanceof AggregateCall call
                        && query.hasTotal(call));
    if (!isAggregate) {
      throw rules.error(
          "live.query",
          "expected an aggregate alone, such as SUM(bytes), as "
              + measure
              + ", the measure of logic elephants: its shares are of the total over all groups,"
              + " which a COUNT(DISTINCT …) has only where its arguments hold all keys");
    }
  }

  private void openHistory(AnalysisConfig analysis, LogicRules rules) {
    String place = "history.query";
    FlowQuery query = rules.history();
    pastConfig = analysis.history();
    for (ReportColumn key : keys) {
      rules.item(place, query, key.name(), key.kind());
    }
    rules.item(place, query, measure, ValueKind.LONG);
    rules.item(place, query, PastMedians.DAY, ValueKind.LONG);
    days = rules.sameHourDays(place, query);
  }

  @Override
  public ResultTable report(WindowHistory window) {
    WindowResult live = window.window();
    HistoryAnswer history = window.history();
    DaysInside inside = DaysInside.of(history, pastConfig.now(live.windowEnd()), days);
    PastMedians medians = new PastMedians(inside, days, keys, history.rows(), measure);
    BigInteger total = live.totals().bigValue(0, live.totals().column(measure));
    ResultTable.Builder out = table(live.rows());
    for (int row = 0; row < live.rows().rowCount(); row++) {
      BigInteger twiceMedian = medians.twice(live.rows(), row);
      add(out, live, row, total, twiceMedian, inside.used(), inside.missing());
    }
    return out.build();
  }

  private ResultTable.Builder table(ResultTable live) {
    ResultTable.Builder out = new ResultTable.Builder().column("rank", ValueKind.LONG);
    for (ReportColumn key : keys) {
      out.column(key.name(), live.kind(live.column(key.name())));
    }
    return out.column(measure, ValueKind.LONG)
        .column("share", ValueKind.DOUBLE)
        .column("rate", ValueKind.DOUBLE)
        .column("median_rate", ValueKind.DOUBLE)
        .column("days_used", ValueKind.LONG)
        .column("days_missing", ValueKind.TEXT)
        .column("verdict", ValueKind.TEXT);
  }

  /**
   * Adds a row of the report.
   *
   * @param twiceMedian twice the median of the measure in the hours, null without days
   */
  private void add(
      ResultTable.Builder out,
      WindowResult live,
      int row,
      BigInteger total,
      BigInteger twiceMedian,
      int used,
      String missing) {
    ResultTable rows = live.rows();
    int measured = rows.column(measure);
    BigInteger value = rows.isNull(row, measured) ? null : rows.bigValue(row, measured);
    long length = live.windowEnd() - live.windowStart();
    String verdict = verdict(value, total, twiceMedian, length);
    boolean significant = verdict.equals("new") || (emitNoHistory && verdict.equals("no_history"));
    if (!emitAll && !significant) {
      return;
    }
    out.row().set(0, row + 1);
    int c = 1;
    for (ReportColumn key : keys) {
      Cells.copy(rows, row, rows.column(key.name()), out, c++);
    }
    if (value != null) {
      out.set(c, value.shiftRight(64).longValue(), value.longValue());
      out.set(c + 2, bits(value.doubleValue() / length * 1e6));
    }
    if (value != null && total.signum() > 0) {
      out.set(c + 1, bits(value.doubleValue() / total.doubleValue()));
    }
    c += 3;
    if (twiceMedian != null) {
      out.set(c, bits(twiceMedian.doubleValue() / 2 / SameHourDays.HOUR_MICROS * 1e6));
    }
    out.set(++c, used);
    out.set(++c, missing);
    out.set(++c, verdict);
  }

  private String verdict(
      BigInteger value, BigInteger total, BigInteger twiceMedian, long windowMicros) {
    if (value == null
        || new BigDecimal(value).compareTo(share.multiply(new BigDecimal(total))) <= 0) {
      return "usual";
    }
    if (twiceMedian == null) {
      return "no_history";
    }
    // value / window >= factor · median / hour, without a division
    BigDecimal now =
        new BigDecimal(value).multiply(BigDecimal.valueOf(2 * SameHourDays.HOUR_MICROS));
    BigDecimal then =
        factor.multiply(new BigDecimal(twiceMedian)).multiply(BigDecimal.valueOf(windowMicros));
    return now.compareTo(then) >= 0 ? "new" : "usual";
  }

  private static long bits(double value) {
    return Double.doubleToRawLongBits(value);
  }
}
