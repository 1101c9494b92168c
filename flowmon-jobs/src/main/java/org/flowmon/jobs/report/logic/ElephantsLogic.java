package org.flowmon.jobs.report.logic;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.LiveColumns;
import org.flowmon.jobs.report.LogicRules;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportParameters;
import org.flowmon.jobs.report.ReportRows;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * Elephants: keys that send much now and did not before ({@code logic: elephants}).
 *
 * <p>A row of the window's top k is {@code new} if its measure is above {@code share} of the total
 * over all groups and its rate at least {@code factor} times the median of its own in the same hour
 * of past days. On a day inside history without a row its rate was 0, so a key never seen is new.
 * Days not wholly inside are left out and named; without any it is {@code no_history}. Others are
 * {@code usual}. Rates are per second, by the window's length or an hour; comparisons are exact.
 *
 * <p>Parameters: {@code share}, 0 … 1 (0.01); {@code factor} (3); {@code measure}, a column of both
 * queries ({@code bytes}); {@code emit}, {@code all} (default) rows of the top k or {@code
 * significant}, the new; {@code emit_no_history}, whether that has {@code no_history} too (false).
 *
 * <p>The live query groups by some columns; the history query has them, the measure, {@code
 * DAYS_BEFORE(…) AS day} and a filter with SAME_HOUR.
 */
final class ElephantsLogic implements ReportLogic {

  private BigDecimal share;
  private BigDecimal factor;
  private String measure;
  private boolean emitAll;
  private boolean emitNoHistory;
  private List<ReportColumn> keys;
  private List<ReportColumn> columns;
  private PastMedians.SameHour past;

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
    past = PastMedians.SameHour.of(analysis, keys, measure);
    List<ReportColumn> all = new ArrayList<>();
    all.add(ReportColumn.of("rank", ValueKind.LONG));
    all.addAll(keys);
    all.add(ReportColumn.sum(measure));
    all.add(ReportColumn.of("share", ValueKind.DOUBLE));
    all.add(ReportColumn.of("rate", ValueKind.DOUBLE));
    all.add(ReportColumn.of("median_rate", ValueKind.DOUBLE));
    all.add(ReportColumn.of("days_used", ValueKind.LONG));
    all.add(ReportColumn.of("days_missing", ValueKind.TEXT));
    all.add(ReportColumn.of("verdict", ValueKind.TEXT));
    columns = rules.distinct(all);
    return columns;
  }

  /** Windows have totals of aggregates that are select items. */
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
          "expected an aggregate alone, such as SUM(bytes), as %s, the measure of logic elephants: its shares are of the total over all groups, which a COUNT(DISTINCT …) has only if its arguments hold all keys"
              .formatted(measure));
    }
  }

  @Override
  public ResultTable report(WindowHistory window) {
    WindowResult live = window.window();
    ResultTable rows = live.rows();
    PastMedians medians = past.medians(window);
    BigInteger total = live.totals().bigValue(0, live.totals().column(measure));
    int measured = rows.column(measure);
    long length = live.windowEnd() - live.windowStart();
    ReportRows out = new ReportRows(columns);
    for (int row = 0; row < rows.rowCount(); row++) {
      BigInteger value = rows.isNull(row, measured) ? null : rows.bigValue(row, measured);
      BigInteger twiceMedian = medians.twice(rows, row);
      String verdict = verdict(value, total, twiceMedian, length);
      boolean isSignificant =
          verdict.equals("new") || (emitNoHistory && verdict.equals("no_history"));
      if (!emitAll && !isSignificant) {
        continue;
      }
      out.row().set("rank", row + 1L).copy(keys, rows, row).set(measure, value);
      if (value != null) {
        out.set("rate", value.doubleValue() / length * 1e6);
      }
      if (value != null && total.signum() > 0) {
        out.set("share", value.doubleValue() / total.doubleValue());
      }
      if (twiceMedian != null) {
        out.set("median_rate", twiceMedian.doubleValue() / 2 / past.days().lengthMicros() * 1e6);
      }
      out.set("days_used", medians.inside().used());
      out.set("days_missing", medians.inside().missing()).set("verdict", verdict);
    }
    return out.build();
  }

  /** Null {@code value} is NULL; null {@code twiceMedian}, of the hours: no days. */
  private String verdict(
      @Nullable BigInteger value,
      BigInteger total,
      @Nullable BigInteger twiceMedian,
      long windowMicros) {
    if (value == null
        || new BigDecimal(value).compareTo(share.multiply(new BigDecimal(total))) <= 0) {
      return "usual";
    }
    if (twiceMedian == null) {
      return "no_history";
    }
    // value / window >= factor · median / hour, without a division
    BigDecimal now =
        new BigDecimal(value).multiply(BigDecimal.valueOf(2 * past.days().lengthMicros()));
    BigDecimal then =
        factor.multiply(new BigDecimal(twiceMedian)).multiply(BigDecimal.valueOf(windowMicros));
    return now.compareTo(then) >= 0 ? "new" : "usual";
  }
}
