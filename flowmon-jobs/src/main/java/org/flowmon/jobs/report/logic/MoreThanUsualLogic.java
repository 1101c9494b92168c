package org.flowmon.jobs.report.logic;

import java.math.BigDecimal;
import java.math.BigInteger;
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
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * Keys with a large count now and not usually: {@code logic: portscans}, of targets, and {@code
 * logic: fan_out}, of peers.
 *
 * <p>A row is a {@code scan}, or has {@code more}, if its count is at least {@code targets} (or
 * {@code peers}) and {@code factor} times the median of its own in the same hour of past days. The
 * window may be shorter than an hour: what a source usually reaches in an hour is nothing new. Days
 * not wholly inside history are left out and named. Without any a scan is a scan, but nobody can
 * say what is more than usual: {@code no_history}. Others are {@code usual}. Comparisons are exact.
 *
 * <p>The queries define the count and its flows: the bundled ones leave out answers to others, so
 * that a victim is no scanner.
 *
 * <p>Parameters: {@code targets}, {@code peers}, the least count (100, 20); {@code factor} (3);
 * {@code emit}, {@code all} (default) rows or {@code scans}, {@code more}, those; of fan_out {@code
 * emit_no_history}, whether that has {@code no_history} rows too (false).
 *
 * <p>The live query groups by some columns and has a whole-number count; the history query has
 * these, {@code DAYS_BEFORE(…) AS day} and a filter with SAME_HOUR.
 */
final class MoreThanUsualLogic implements ReportLogic {
  private static final String NO_HISTORY = "no_history";

  private final String measure;
  private final String least; // the default
  private final String found;
  private final String foundOnly;
  private final String withoutPast; // the verdict if it reaches the count and no day is known

  private BigDecimal atLeast;
  private BigDecimal factor;
  private boolean emitAll;
  private boolean emitNoHistory;
  private PastMedians.SameHour past;
  private List<ReportColumn> live;
  private List<ReportColumn> columns;

  private MoreThanUsualLogic(
      String measure, String least, String found, String foundOnly, String withoutPast) {
    this.measure = measure;
    this.least = least;
    this.found = found;
    this.foundOnly = foundOnly;
    this.withoutPast = withoutPast;
  }

  static ReportLogic portscans() {
    return new MoreThanUsualLogic("targets", "100", "scan", "scans", "scan");
  }

  static ReportLogic fanOut() {
    return new MoreThanUsualLogic("peers", "20", "more", "more", NO_HISTORY);
  }

  @Override
  public List<ReportColumn> open(AnalysisConfig analysis) {
    ReportParameters parameters = new ReportParameters(analysis);
    atLeast = parameters.decimal(measure, least, "1", "1000000000");
    factor = parameters.decimal("factor", "3", "0", "1000000");
    emitAll = parameters.choice("emit", "all", foundOnly).equals("all");
    emitNoHistory = withoutPast.equals(NO_HISTORY) && parameters.bool("emit_no_history", false);
    parameters.end();
    LogicRules rules = new LogicRules(analysis);
    rules.item("live.query", rules.whole(), measure, ValueKind.LONG);
    live = LiveColumns.of(analysis);
    List<ReportColumn> keys = live.stream().filter(ReportColumn::key).toList();
    past = PastMedians.SameHour.of(analysis, keys, measure);
    List<ReportColumn> all = new ArrayList<>();
    all.add(ReportColumn.of("rank", ValueKind.LONG));
    all.addAll(live);
    all.add(ReportColumn.of("median_" + measure, ValueKind.DOUBLE));
    all.add(ReportColumn.of("days_used", ValueKind.LONG));
    all.add(ReportColumn.of("days_missing", ValueKind.TEXT));
    all.add(ReportColumn.of("verdict", ValueKind.TEXT));
    columns = rules.distinct(all);
    return columns;
  }

  @Override
  public ResultTable report(WindowHistory window) {
    ResultTable rows = window.window().rows();
    PastMedians medians = past.medians(window);
    ReportRows out = new ReportRows(columns);
    for (int row = 0; row < rows.rowCount(); row++) {
      BigInteger twiceMedian = medians.twice(rows, row);
      String verdict = verdict(rows.bigValue(row, rows.column(measure)), twiceMedian);
      boolean isFound = verdict.equals(found) || (emitNoHistory && verdict.equals(NO_HISTORY));
      if (!emitAll && !isFound) {
        continue;
      }
      out.row().set("rank", row + 1L).copy(live, rows, row);
      if (twiceMedian != null) {
        out.set("median_" + measure, twiceMedian.doubleValue() / 2);
      }
      out.set("days_used", medians.inside().used());
      out.set("days_missing", medians.inside().missing()).set("verdict", verdict);
    }
    return out.build();
  }

  private String verdict(BigInteger count, @Nullable BigInteger twiceMedian) {
    if (new BigDecimal(count).compareTo(atLeast) < 0) {
      return "usual";
    }
    if (twiceMedian == null) {
      return withoutPast;
    }
    BigDecimal twice = new BigDecimal(count.shiftLeft(1));
    return twice.compareTo(factor.multiply(new BigDecimal(twiceMedian))) >= 0 ? found : "usual";
  }
}
