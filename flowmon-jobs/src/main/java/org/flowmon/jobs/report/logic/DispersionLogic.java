package org.flowmon.jobs.report.logic;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.LiveColumns;
import org.flowmon.jobs.report.LogicRules;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportParameters;
import org.flowmon.jobs.report.ReportRows;
import org.flowmon.jobs.report.SameHourDays;
import org.flowmon.jobs.report.matrix.RowKeys;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/**
 * Dispersion: prefixes that appear again, their lag, and their past traffic ({@code logic:
 * dispersion}).
 *
 * <p>The window slides; the live query groups by the prefix (or any keys) and {@code
 * TIME_BUCKET(end_time, slide)}. A prefix in the window's last slide and an earlier one is
 * reported: each pair of successive appearances once, in the window that ends with the later.
 * {@link Sighting} defines the columns of lags.
 *
 * <p>The history query groups by the same keys without the slide; sums and counts are per day of
 * the time asked for inside history.
 *
 * <p>Parameters: {@code min_lag}, slides between the two appearances (1; with 2, prefixes that
 * appear all the time are left out); {@code limit}, rows at most (1000).
 */
final class DispersionLogic implements ReportLogic {
  private static final int MAX_SLIDES = 64; // bits of a Sighting
  private static final double DAY_MICROS = 24.0 * SameHourDays.HOUR_MICROS;

  private int minLag;
  private int limit;
  private long slide;
  private int slides;
  private String bucket;
  private List<String> keys;
  private List<ReportColumn> measures;
  private List<Past> pasts;
  private List<ReportColumn> columns;
  private PastRange range;

  /** A column of the history query, by its name there; sums and counts are given per day. */
  private record Past(String name, ReportColumn column, boolean perDay) {}

  @Override
  public List<ReportColumn> open(AnalysisConfig analysis) {
    LogicRules rules = new LogicRules(analysis);
    openLive(analysis, rules);
    ReportParameters parameters = new ReportParameters(analysis);
    minLag = parameters.integer("min_lag", 1, 1, slides - 1);
    limit = parameters.integer("limit", 1000, 1, 1_000_000);
    parameters.end();
    FlowQuery past = rules.history();
    List<ReportColumn> live = LiveColumns.of(analysis);
    range = PastRange.of(analysis, past, live);
    measures = live.stream().filter(column -> !column.key()).toList();
    List<ReportColumn> keyColumns =
        live.stream().filter(column -> column.key() && !column.name().equals(bucket)).toList();
    keys = keyColumns.stream().map(ReportColumn::name).toList();
    pasts = pasts(rules, past, keyColumns);
    columns = rules.distinct(columns(keyColumns));
    return columns;
  }

  private void openLive(AnalysisConfig analysis, LogicRules rules) {
    slide = analysis.live().slideMicros();
    long count = analysis.live().windowMicros() / slide;
    if (count < 2 || count > MAX_SLIDES) {
      throw rules.error(
          "live.slide",
          "logic dispersion needs a window of 2…%d slides, found %d".formatted(MAX_SLIDES, count));
    }
    slides = (int) count;
    FlowQuery live = rules.live();
    rules.noLimit("live.query", live, "logic dispersion needs every appearance");
    FlowColumn time = analysis.live().time().column();
    bucket =
        live.select().stream()
            .filter(
                item ->
                    item.what() instanceof TimeBucket b
                        && b.widthMicros() == slide
                        && reads(b.time(), time))
            .map(SelectItem::name)
            .findFirst()
            .orElseThrow(
                () ->
                    rules.error(
                        "live.query",
                        "logic dispersion needs a column TIME_BUCKET(%s, INTERVAL …), of the time that windows are over and the slide, %s"
                            .formatted(time.sqlName(), analysis.live().slide())));
  }

  /** Whether a value depends on a column, as COALESCE(end_time, arrival) on end_time. */
  private static boolean reads(Expression expression, FlowColumn column) {
    return (expression instanceof Expression.Column read && read.column() == column)
        || ExpressionParts.of(expression).stream().anyMatch(part -> reads(part, column));
  }

  private static List<Past> pasts(LogicRules rules, FlowQuery query, List<ReportColumn> keys) {
    rules.historyItems(query, keys);
    List<Past> pasts = new ArrayList<>();
    for (SelectItem item : query.select()) {
      if (ExpressionParts.hasAggregate(item.what())) {
        pasts.add(past(rules, item));
      } else if (keys.stream().noneMatch(key -> key.name().equals(item.name()))) {
        throw rules.error(
            "history.query",
            "logic dispersion joins by the live query's keys without the slide: expected %s and aggregates, found %s"
                .formatted(keys.stream().map(ReportColumn::name).toList(), item.name()));
      }
    }
    return pasts;
  }

  private static Past past(LogicRules rules, SelectItem item) {
    if (!LogicRules.isSum(item)) {
      return new Past(item.name(), rules.historyColumn(item), false);
    }
    String perDay = item.name() + "_per_day";
    return new Past(item.name(), rules.column("history.query", perDay, ValueKind.DOUBLE), true);
  }

  private List<ReportColumn> columns(List<ReportColumn> keyColumns) {
    List<ReportColumn> all = new ArrayList<>();
    all.add(ReportColumn.of("rank", ValueKind.LONG));
    all.addAll(keyColumns);
    all.add(ReportColumn.of("lag", ValueKind.DURATION));
    all.add(ReportColumn.of("repeats", ValueKind.LONG));
    all.add(ReportColumn.of("appearances", ValueKind.LONG));
    all.add(ReportColumn.of("pattern", ValueKind.TEXT));
    all.add(ReportColumn.of("regular", ValueKind.BOOLEAN));
    all.addAll(measures);
    pasts.forEach(past -> all.add(past.column()));
    all.add(ReportColumn.of("coverage", ValueKind.DOUBLE));
    all.add(ReportColumn.of("verdict", ValueKind.TEXT));
    return all;
  }

  @Override
  public ResultTable report(WindowHistory window) {
    WindowResult live = window.window();
    HistoryAnswer answer = window.history();
    PastRange.Held held = range.held(window);
    boolean hasPast = held.micros() > 0;
    RowKeys now = new RowKeys(live.rows(), keys);
    RowKeys before = hasPast ? new RowKeys(answer.rows().orElseThrow(), keys) : now;
    ReportRows out = new ReportRows(columns);
    long rank = 0;
    for (Sighting sighting : sightings(live, now)) {
      if (rank == limit) {
        break;
      }
      out.row().set("rank", ++rank);
      addLive(out, live.rows(), sighting);
      out.set("coverage", held.share());
      int row = hasPast ? before.find(now, sighting.row()) : -1;
      if (hasPast) {
        addPast(out, answer.rows().orElseThrow(), row, held.micros() / DAY_MICROS);
      }
      out.set("verdict", !hasPast ? "no_history" : row < 0 ? "new" : "known");
    }
    return out.build();
  }

  private List<Sighting> sightings(WindowResult live, RowKeys now) {
    ResultTable rows = live.rows();
    int column = rows.column(bucket);
    List<Sighting> all = new ArrayList<>();
    int[] order = now.order();
    for (int from = 0; from < order.length; ) {
      long seen = 0;
      int newest = -1;
      int to = from;
      for (; to < order.length && now.isSame(order[from], order[to]); to++) {
        int row = order[to];
        long age =
            rows.isNull(row, column)
                ? -1
                : Math.floorDiv(live.windowEnd() - rows.longValue(row, column), slide) - 1;
        if (age >= 0 && age < slides) {
          seen |= 1L << age;
          newest = age == 0 ? row : newest;
        }
      }
      Sighting sighting = new Sighting(newest, seen, from);
      if (sighting.isAgain() && sighting.lag() >= minLag) {
        all.add(sighting);
      }
      from = to;
    }
    all.sort(Sighting.ORDER);
    return all;
  }

  private void addLive(ReportRows out, ResultTable rows, Sighting sighting) {
    for (String key : keys) {
      out.copy(key, rows, sighting.row());
    }
    out.set("lag", sighting.lag() * slide);
    out.set("repeats", sighting.repeats()).set("appearances", sighting.appearances());
    out.set("pattern", sighting.pattern(slides)).set("regular", sighting.isRegular() ? 1 : 0);
    out.copy(measures, rows, sighting.row());
  }

  /** Adds a key's history over {@code days} inside it; row −1: the key sent nothing. */
  private void addPast(ReportRows out, ResultTable rows, int row, double days) {
    for (Past past : pasts) {
      String name = past.column().name();
      if (row < 0) {
        if (past.perDay()) {
          out.set(name, 0.0);
        }
      } else if (!past.perDay()) {
        out.copy(name, past.name(), rows, row);
      } else if (!rows.isNull(row, rows.column(past.name()))) {
        out.set(name, rows.doubleValue(row, rows.column(past.name())) / days);
      }
    }
  }
}
