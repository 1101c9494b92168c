package org.flowmon.jobs.report.logic;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.LiveColumns;
import org.flowmon.jobs.report.LogicRules;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportParameters;
import org.flowmon.jobs.report.ReportRows;
import org.flowmon.jobs.report.SameHourDays;
import org.flowmon.jobs.report.logic.Measure.Comparison;
import org.flowmon.jobs.report.matrix.TopChanges;
import org.flowmon.jobs.report.matrix.TrafficMatrix;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * Anomaly: whether the window's traffic matrix differs from that of the past ({@code logic:
 * anomaly}).
 *
 * <p>The live query's groups are the matrix of now, the history query's that of the past: GROUP BY
 * columns of the live one are the pair, the measured column its value. They are compared by each
 * {@link Measure}; some decide. The report has a row {@code part = summary} for the window, and
 * {@code part = change} for each pair whose rate changed most.
 *
 * <p>With SAME_HOUR the history query gives {@code DAYS_BEFORE(…) AS day} too, and days whose hours
 * are wholly inside history count. It should tell slots of the window's length apart, {@code
 * TIME_BUCKET(…) AS slot}: their distances from all of the past say what is usual, and the window
 * is anomalous if by one of the measures it is farther away than the {@link PastDistances#limit}.
 * Otherwise the query's filter bounds {@code end_time}, all rows count, rates are by the part of
 * that range inside history, and a threshold decides.
 *
 * <p>Parameters: {@code measure}, a column of both queries ({@code bytes}); {@code decides}, one or
 * more of {@link Measure} ({@code jensen_shannon}); {@code factor} (6), of the limit; 0 for the
 * threshold; {@code threshold}, 0 … 1 (0.5), above which, for cosine below, it is anomalous; {@code
 * changes}, rows of these at most (20).
 */
final class AnomalyLogic implements ReportLogic {
  private static final String DAY = "day";
  private static final String SLOT = "slot";

  private String measure;
  private List<Measure> decides;
  private double threshold;
  private double factor;
  private boolean hasSlots; // whether the history query tells the slots of a day apart
  private int changes;
  private List<ReportColumn> keys;
  private List<String> keyNames;
  private List<ReportColumn> columns;
  private AnalysisConfig.History history;
  private Optional<SameHourDays> days; // empty if the history query asks for a range
  private @Nullable PastRange range; // null if it asks for days
  // Successive windows mostly have the same past.
  private @Nullable Known known;

  /** What an answer's {@code rows} say, of the days inside; null: of all. */
  private record Known(ResultTable rows, @Nullable DaysInside inside, MatrixPast past) {
    // Compares by identity: comparing all rows would take as long as summing them.
    @SuppressWarnings("ReferenceEquality")
    boolean isOf(ResultTable others, @Nullable DaysInside ofThem) {
      return rows == others
          && ((inside == null || ofThem == null) ? inside == ofThem : inside.isSame(ofThem));
    }
  }

  /**
   * The past, null if nothing is inside history: {@code seconds} of traffic; {@code coverage}, 0 …
   * 1, the share of the time asked for inside history; {@code missing} days outside, null if none
   * or none asked for.
   */
  private record Past(
      @Nullable MatrixPast matrix, double seconds, double coverage, @Nullable String missing) {}

  @Override
  public List<ReportColumn> open(AnalysisConfig analysis) {
    ReportParameters parameters = new ReportParameters(analysis);
    measure = parameters.text("measure", "bytes");
    decides = Measure.list(parameters, "decides");
    threshold = parameters.decimal("threshold", "0.5", "0", "1").doubleValue();
    factor = parameters.decimal("factor", "6", "0", "1000").doubleValue();
    changes = parameters.integer("changes", 20, 0, 10_000);
    parameters.end();
    LogicRules rules = new LogicRules(analysis);
    FlowQuery live = rules.live();
    List<ReportColumn> liveColumns = LiveColumns.of(analysis);
    keys = liveColumns.stream().filter(ReportColumn::key).toList();
    keyNames = keys.stream().map(ReportColumn::name).toList();
    rules.item("live.query", live, measure, ValueKind.LONG);
    rules.noLimit("live.query", live, "logic anomaly compares whole matrices");
    openHistory(analysis, rules, liveColumns);
    checkThreshold(parameters);
    columns = rules.distinct(columns());
    return columns;
  }

  private void openHistory(
      AnalysisConfig analysis, LogicRules rules, List<ReportColumn> liveColumns) {
    FlowQuery query = rules.history();
    history = analysis.requiredHistory();
    rules.historyItems(query, keys, measure);
    rules.noLimit("history.query", query, "logic anomaly compares whole matrices");
    days = rules.sameHourIfAny(query);
    if (days.isPresent()) {
      rules.historyItems(query, List.of(), DAY);
      hasSlots = query.select().stream().anyMatch(item -> item.name().equals(SLOT));
      if (hasSlots) {
        rules.item("history.query", query, SLOT, ValueKind.TIMESTAMP);
      }
    } else {
      range = PastRange.of(analysis, query, liveColumns);
    }
  }

  /** A threshold is for one measure, and for none that compares with parts of the past. */
  private void checkThreshold(ReportParameters parameters) {
    if (days.isPresent() && factor > 0) {
      return;
    }
    if (decides.size() > 1 || decides.get(0).isOfParts()) {
      throw parameters.error(
          "decides",
          "expected jensen_shannon, l1 or cosine alone, as a threshold decides without SAME_HOUR"
              + " in history.query and with factor 0");
    }
  }

  private List<ReportColumn> columns() {
    List<ReportColumn> all = new ArrayList<>();
    all.add(ReportColumn.key("part", ValueKind.TEXT));
    all.add(ReportColumn.of("rank", ValueKind.LONG));
    all.addAll(keys);
    all.add(ReportColumn.sum(measure));
    for (String name :
        List.of("share", "usual_share", "rate", "usual_rate", "change", "cosine", "l1")) {
      all.add(ReportColumn.of(name, ValueKind.DOUBLE));
    }
    for (String name : List.of("jensen_shannon", "records", "excess")) {
      all.add(ReportColumn.of(name, ValueKind.DOUBLE));
    }
    all.add(ReportColumn.of("decided_by", ValueKind.TEXT));
    all.add(ReportColumn.of("usual_distance", ValueKind.DOUBLE));
    all.add(ReportColumn.of("distance_limit", ValueKind.DOUBLE));
    for (String name : List.of("pairs_both", "pairs_now", "pairs_then")) {
      all.add(ReportColumn.of(name, ValueKind.LONG));
    }
    all.add(ReportColumn.of("coverage", ValueKind.DOUBLE));
    all.add(ReportColumn.of("days_missing", ValueKind.TEXT));
    all.add(ReportColumn.of("verdict", ValueKind.TEXT));
    return all;
  }

  @Override
  public ResultTable report(WindowHistory window) {
    WindowResult live = window.window();
    TrafficMatrix now = TrafficMatrix.of(live.rows(), keyNames, measure, row -> true);
    double seconds = (live.windowEnd() - live.windowStart()) / 1e6;
    Past past = past(window);
    ReportRows out = new ReportRows(columns);
    MatrixPast matrix = past.matrix();
    out.row().set("part", "summary").set("rank", 0).set("coverage", past.coverage());
    out.set(measure, now.totalHigh(), now.totalLow()).set("rate", now.total() / seconds);
    out.set("days_missing", past.missing());
    if (matrix == null) {
      out.set("pairs_now", now.size()).set("verdict", "no_history");
      return out.build();
    }
    TrafficMatrix then = matrix.all();
    double usual = then.total() / past.seconds();
    out.set("usual_rate", usual).set("change", now.total() / seconds - usual);
    TopChanges top = new TopChanges(now, then, seconds, past.seconds(), changes);
    summary(out, matrix.compare(now, seconds, top), matrix.usual());
    changes(out, window, now, then, top);
    return out.build();
  }

  private Past past(WindowHistory window) {
    Optional<ResultTable> rows = window.history().rows();
    if (range != null) {
      PastRange.Held held = range.held(window);
      MatrixPast matrix = held.micros() == 0 ? null : known(rows.orElseThrow(), null, 0);
      return new Past(matrix, held.micros() / 1e6, held.share(), null);
    }
    SameHourDays asked = days.orElseThrow();
    long now = history.now(window.window().windowEnd());
    DaysInside inside = DaysInside.of(window.history(), now, asked);
    long micros = window.window().windowEnd() - window.window().windowStart();
    double partSeconds = (hasSlots ? micros : asked.lengthMicros()) / 1e6;
    return new Past(
        inside.used() == 0 ? null : known(rows.orElseThrow(), inside, partSeconds),
        inside.used() * (asked.lengthMicros() / 1e6),
        (double) inside.used() / asked.days(),
        inside.missing());
  }

  private MatrixPast known(ResultTable rows, @Nullable DaysInside inside, double partSeconds) {
    if (known == null || !known.isOf(rows, inside)) {
      TrafficMatrix all = matrix(rows, inside);
      MatrixPast past =
          inside == null || factor == 0
              ? new MatrixPast(all, List.of(), partSeconds, List.of())
              : new MatrixPast(all, parts(rows, inside, all), partSeconds, decides);
      known = new Known(rows, inside, past);
    }
    return known.past();
  }

  /** Of each slot, or each day without slots, of the days inside. */
  private List<TrafficMatrix> parts(ResultTable rows, DaysInside inside, TrafficMatrix all) {
    int day = rows.column(DAY);
    return all.parts(
        rows,
        measure,
        hasSlots ? SLOT : DAY,
        row -> !rows.isNull(row, day) && inside.contains(rows.longValue(row, day)));
  }

  private TrafficMatrix matrix(ResultTable rows, @Nullable DaysInside inside) {
    if (inside == null) {
      return TrafficMatrix.of(rows, keyNames, measure, row -> true);
    }
    int day = rows.column(DAY);
    return TrafficMatrix.of(
        rows,
        keyNames,
        measure,
        row -> !rows.isNull(row, day) && inside.contains(rows.longValue(row, day)));
  }

  private void summary(ReportRows out, Comparison comparison, Map<Measure, PastDistances> usual) {
    out.set("cosine", comparison.similarity().cosine()).set("l1", comparison.similarity().l1());
    out.set("jensen_shannon", comparison.similarity().jensenShannon());
    out.set("pairs_both", comparison.similarity().both());
    out.set("pairs_now", comparison.similarity().onlyFirst());
    out.set("pairs_then", comparison.similarity().onlySecond());
    if (usual.isEmpty()) {
      out.set("decided_by", decides.get(0).word());
      out.set("verdict", isBeyondThreshold(comparison) ? "anomalous" : "usual");
      return;
    }
    out.set("records", comparison.records()).set("excess", comparison.excess());
    Measure farthest = farthest(comparison, usual);
    PastDistances past = Objects.requireNonNull(usual.get(farthest));
    double limit = farthest.limit(past, factor);
    out.set("decided_by", farthest.word());
    out.set("usual_distance", past.mean()).set("distance_limit", limit);
    String verdict = farthest.distance(comparison) > limit ? "anomalous" : "usual";
    out.set("verdict", canDecide(farthest, past) ? verdict : "little_history");
  }

  /** Of the measures that can decide, if there are some, that nearest to its limit, or beyond. */
  private Measure farthest(Comparison comparison, Map<Measure, PastDistances> usual) {
    Measure farthest = decides.get(0);
    double most = Double.NEGATIVE_INFINITY;
    for (Measure one : decides) {
      PastDistances past = Objects.requireNonNull(usual.get(one));
      double way =
          (one.distance(comparison) - past.mean()) / (one.limit(past, factor) - past.mean());
      if (canDecide(one, past) && way > most) {
        most = way;
        farthest = one;
      }
    }
    return farthest;
  }

  /** Whether something could be beyond the limit. */
  private boolean canDecide(Measure measure, PastDistances past) {
    return past.areEnough() && (!measure.isBounded() || measure.limit(past, factor) < 1);
  }

  private boolean isBeyondThreshold(Comparison comparison) {
    Measure one = decides.get(0);
    return one == Measure.COSINE
        ? comparison.similarity().cosine() < threshold
        : one.distance(comparison) > threshold;
  }

  private void changes(
      ReportRows out, WindowHistory window, TrafficMatrix now, TrafficMatrix then, TopChanges top) {
    long rank = 0;
    for (TopChanges.Change change : top.largest()) {
      boolean isNow = change.now() >= 0;
      ResultTable rows = isNow ? window.window().rows() : window.history().rows().orElseThrow();
      int row = isNow ? now.row(change.now()) : then.row(change.then());
      out.row().set("part", "change").set("rank", ++rank);
      for (String key : keyNames) {
        out.copy(key, rows, row);
      }
      out.set(measure, isNow ? now.high(change.now()) : 0, isNow ? now.low(change.now()) : 0);
      out.set("share", isNow ? now.value(change.now()) / now.total() : 0.0);
      out.set("usual_share", change.then() >= 0 ? then.value(change.then()) / then.total() : 0.0);
      out.set("rate", change.nowRate()).set("usual_rate", change.thenRate());
      out.set("change", change.difference()).set("verdict", change.verdict());
    }
  }
}
