package org.flowmon.jobs.report.logic;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.LiveColumns;
import org.flowmon.jobs.report.LogicRules;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportParameters;
import org.flowmon.jobs.report.ReportRows;
import org.flowmon.jobs.report.matrix.RowKeys;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * Beacons: a list of the pairs that speak most regularly over a long window, ranked by {@link
 * BeaconScore} and RITA's modifiers ({@code logic: beacons}).
 *
 * <p>The live query groups by a pair (or any keys) and a slot, {@code TIME_BUCKET(…, INTERVAL …)},
 * with the times of its {@code first} and {@code last} flow, {@code flows} and {@code bytes}; other
 * aggregates are sums and counts, added over slots. A pair is scored by all of these times, and by
 * the first of each burst; over all the time that is observed and, if it has spoken regularly since
 * it began, over the time since then. The best score counts. Pairs of which there is little come
 * after all others.
 *
 * <p>Modifiers, each of 0.15, up or down: of a server that few or many of the hosts inside speak
 * with, if the live query has {@code inside}, flows of clients inside; and of one that was first
 * seen some days or long ago, if there is a history query, by {@code dst_addr} with {@code
 * first_seen}.
 *
 * <p>Parameters: {@code score}, at least (0.85); {@code beats}, at least (4); {@code burst}, times
 * within so many seconds after one another are one burst (10); {@code limit}, rows at most (100).
 */
final class BeaconsLogic implements ReportLogic {
  private static final String FIRST = "first";
  private static final String LAST = "last";
  private static final String FLOWS = "flows";
  private static final String BYTES = "bytes";
  private static final String CLIENT = "src_addr";
  private static final String SERVER = "dst_addr";
  private static final String INSIDE = "inside";
  private static final String FIRST_SEEN = "first_seen";

  /** Observed for so long, in microseconds, and with so many beats, a score is to be trusted. */
  private static final double TRUSTED_TIME = 6 * 3_600_000_000.0;

  private static final int TRUSTED_BEATS = 12;

  /** A pair that began later is scored since then if it has done so for ten minutes. */
  private static final long LEAST_AGE = 600_000_000;

  /** RITA's modifiers: thousandths, shares of the hosts inside, and times in microseconds. */
  private static final int MODIFIER = 150;

  private static final double RARE = 0.02;
  private static final double COMMON = 0.5;
  private static final long RECENT = 7 * 86_400_000_000L;
  private static final long LONG_AGO = 30 * 86_400_000_000L;

  private double least;
  private int beats;
  private long burst;
  private int limit;
  private List<String> keys;
  private List<ReportColumn> measures;
  private List<ReportColumn> columns;
  private boolean hasInside;
  private boolean hasHistory;

  /** A pair; its rows are those of {@code order} from…to. */
  private record Beacon(int from, int to, BeaconScore score, Server server) {
    static final Comparator<Beacon> ORDER =
        Comparator.comparing((Beacon beacon) -> !isTrusted(beacon.score()))
            .thenComparingLong(beacon -> -beacon.thousandths())
            .thenComparingInt(beacon -> -beacon.score().beats())
            .thenComparingInt(Beacon::from);

    private long thousandths() {
      return Math.round(1000 * score.score()) + server.modifier();
    }

    Beacon of(Server other) {
      return new Beacon(from, to, score, other);
    }
  }

  /**
   * What is known of a server.
   *
   * @param prevalence the share of the hosts inside that speak with it; null if it is unknown
   * @param firstSeen null if history does not have it
   * @param modifier of a score, in thousandths
   */
  private record Server(@Nullable Double prevalence, @Nullable Long firstSeen, int modifier) {
    static final Server UNKNOWN = new Server(null, null, 0);
  }

  @Override
  public List<ReportColumn> open(AnalysisConfig analysis) {
    LogicRules rules = new LogicRules(analysis);
    ReportParameters parameters = new ReportParameters(analysis);
    least = parameters.decimal("score", "0.85", "0", "1").doubleValue();
    beats = parameters.integer("beats", 4, 4, 1_000_000);
    burst = 1_000_000L * parameters.integer("burst", 10, 0, 86_400);
    limit = parameters.integer("limit", 100, 1, 1_000_000);
    parameters.end();
    FlowQuery query = rules.live();
    rules.noLimit("live.query", query, "logic beacons needs every slot");
    rules.item("live.query", query, FIRST, ValueKind.TIMESTAMP);
    rules.item("live.query", query, LAST, ValueKind.TIMESTAMP);
    rules.item("live.query", query, FLOWS, ValueKind.LONG);
    rules.item("live.query", query, BYTES, ValueKind.LONG);
    String slot = slot(rules, query);
    List<ReportColumn> live = LiveColumns.of(analysis);
    List<ReportColumn> keyColumns =
        live.stream().filter(column -> column.key() && !column.name().equals(slot)).toList();
    keys = keyColumns.stream().map(ReportColumn::name).toList();
    measures =
        live.stream()
            .filter(column -> !column.key())
            .filter(column -> !List.of(FIRST, LAST, INSIDE).contains(column.name()))
            .toList();
    hasHistory = analysis.history() != null;
    if (hasHistory) {
      requireFirstSeen(rules);
    }
    hasInside = live.stream().anyMatch(column -> column.name().equals(INSIDE));
    if (hasInside) {
      rules.item("live.query", query, INSIDE, ValueKind.LONG);
      rules.item("live.query", query, CLIENT, ValueKind.ADDRESS);
      rules.item("live.query", query, SERVER, ValueKind.ADDRESS);
    }
    query.select().forEach(item -> requireSum(rules, item));
    columns = rules.distinct(columns(keyColumns));
    return columns;
  }

  private static String slot(LogicRules rules, FlowQuery query) {
    return query.select().stream()
        .filter(item -> item.what() instanceof TimeBucket)
        .map(SelectItem::name)
        .findFirst()
        .orElseThrow(
            () ->
                rules.error(
                    "live.query",
                    "logic beacons needs a column TIME_BUCKET(start_time, INTERVAL '1' MINUTE),"
                        + " say, of slots that are shorter than the intervals to be found"));
  }

  private static void requireFirstSeen(LogicRules rules) {
    FlowQuery history = rules.history();
    rules.noLimit("history.query", history, "what lies beyond it would be taken for new");
    rules.item("history.query", history, FIRST_SEEN, ValueKind.TIMESTAMP);
    rules.item("history.query", history, SERVER, ValueKind.ADDRESS);
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < history.select().size(); i++) {
      if (history.isKey(i)) {
        keys.add(history.select().get(i).name());
      }
    }
    if (!keys.equals(List.of(SERVER))) {
      throw rules.error(
          "history.query",
          "logic beacons asks for servers: expected dst_addr alone, found " + keys);
    }
  }

  private void requireSum(LogicRules rules, SelectItem item) {
    boolean isMeasure = measures.stream().anyMatch(one -> one.name().equals(item.name()));
    if (isMeasure && !LogicRules.isSum(item)) {
      throw rules.error(
          "live.query",
          "logic beacons adds the slots of a pair: expected SUM(…) or COUNT(…) alone, of whole"
              + " numbers, as "
              + item.name());
    }
  }

  private List<ReportColumn> columns(List<ReportColumn> keyColumns) {
    List<ReportColumn> all = new ArrayList<>();
    all.add(ReportColumn.of("rank", ValueKind.LONG));
    all.addAll(keyColumns);
    all.add(ReportColumn.of("score", ValueKind.DOUBLE));
    all.add(ReportColumn.of("interval_score", ValueKind.DOUBLE));
    all.add(ReportColumn.of("size_score", ValueKind.DOUBLE));
    all.add(ReportColumn.of("histogram_score", ValueKind.DOUBLE));
    all.add(ReportColumn.of("duration_score", ValueKind.DOUBLE));
    all.add(ReportColumn.of("prevalence", ValueKind.DOUBLE));
    all.add(ReportColumn.of(FIRST_SEEN, ValueKind.TIMESTAMP));
    all.add(ReportColumn.of("modifier", ValueKind.DOUBLE));
    all.add(ReportColumn.of("confidence", ValueKind.DOUBLE));
    all.add(ReportColumn.of("period", ValueKind.DURATION));
    all.add(ReportColumn.of("beats", ValueKind.LONG));
    all.add(ReportColumn.of("first_beat", ValueKind.TIMESTAMP));
    all.add(ReportColumn.of("last_beat", ValueKind.TIMESTAMP));
    all.addAll(measures);
    all.add(ReportColumn.of("verdict", ValueKind.TEXT));
    return all;
  }

  @Override
  public ResultTable report(WindowHistory window) {
    ResultTable rows = window.window().rows();
    RowKeys pairs = new RowKeys(rows, keys);
    int[] order = pairs.order();
    ReportRows out = new ReportRows(columns);
    long[] observed = observed(rows);
    long rank = 0;
    List<Beacon> found = beacons(rows, pairs, order, observed);
    found = modified(found, window, pairs, order);
    found.sort(Beacon.ORDER);
    for (Beacon beacon : found) {
      if (rank == limit) {
        break;
      }
      out.row().set("rank", ++rank);
      for (String key : keys) {
        out.copy(key, rows, order[beacon.from()]);
      }
      BeaconScore score = beacon.score();
      out.set("score", score.score());
      out.set("interval_score", score.intervals()).set("size_score", score.sizes());
      out.set("histogram_score", score.histogram()).set("duration_score", score.duration());
      setServer(out, beacon.server());
      out.set("confidence", confidence(score));
      out.set("period", score.period()).set("beats", score.beats());
      out.set("first_beat", score.first()).set("last_beat", score.last());
      for (ReportColumn measure : measures) {
        addSum(out, measure.name(), rows, order, beacon);
      }
      out.set("verdict", isTrusted(score) ? "beacon" : "candidate");
    }
    return out.build();
  }

  private static double confidence(BeaconScore score) {
    double time = Math.min(1, score.observed() / TRUSTED_TIME);
    return time * Math.min(1, (double) score.beats() / TRUSTED_BEATS);
  }

  private static boolean isTrusted(BeaconScore score) {
    return confidence(score) >= 0.5;
  }

  /** When the first and the last of all times was. */
  private static long[] observed(ResultTable rows) {
    long[] observed = {Long.MAX_VALUE, Long.MIN_VALUE};
    int first = rows.column(FIRST);
    int last = rows.column(LAST);
    for (int row = 0; row < rows.rowCount(); row++) {
      if (isTimed(rows, row, first, last)) {
        observed[0] = Math.min(observed[0], rows.longValue(row, first));
        observed[1] = Math.max(observed[1], rows.longValue(row, last));
      }
    }
    return observed;
  }

  /** Flows may lack a time, by either expression. */
  private static boolean isTimed(ResultTable rows, int row, int first, int last) {
    return !rows.isNull(row, first) && !rows.isNull(row, last);
  }

  private List<Beacon> beacons(ResultTable rows, RowKeys pairs, int[] order, long[] observed) {
    Times times = new Times(rows);
    List<Beacon> found = new ArrayList<>();
    int to;
    for (int from = 0; from < order.length; from = to) {
      times.clear();
      for (to = from; to < order.length && pairs.isSame(order[from], order[to]); to++) {
        times.add(order[to]);
      }
      BeaconScore score = times.score(observed);
      if (score != null && score.score() >= least) {
        found.add(new Beacon(from, to, score, Server.UNKNOWN));
      }
    }
    return found;
  }

  private static void setServer(ReportRows out, Server server) {
    if (server.prevalence() != null) {
      out.set("prevalence", server.prevalence());
    }
    if (server.firstSeen() != null) {
      out.set(FIRST_SEEN, server.firstSeen());
    }
    out.set("modifier", server.modifier() / 1000.0);
  }

  private List<Beacon> modified(
      List<Beacon> found, WindowHistory window, RowKeys pairs, int[] order) {
    ResultTable rows = window.window().rows();
    int server = rows.column(SERVER);
    if (server < 0) {
      return found;
    }
    Map<Value, Server> servers = new HashMap<>();
    found.forEach(beacon -> servers.put(rows.value(order[beacon.from()], server), Server.UNKNOWN));
    Map<Value, Double> prevalences = prevalences(rows, pairs, order, servers.keySet());
    Map<Value, Long> seen = firstSeen(window, servers.keySet());
    long now = window.window().windowEnd();
    boolean isRecentKnown = window.history().covers(now - RECENT, window.history().asOf());
    servers.replaceAll(
        (address, unknown) -> {
          Double prevalence = prevalences.get(address);
          Long first = seen.get(address);
          int modifier =
              prevalence == null ? 0 : modifier(prevalence <= RARE, prevalence >= COMMON);
          boolean isRecent = isRecentKnown && (first == null || first >= now - RECENT);
          modifier += modifier(isRecent, first != null && first <= now - LONG_AGO);
          return new Server(prevalence, first, modifier);
        });
    List<Beacon> modified = new ArrayList<>();
    for (Beacon beacon : found) {
      Value address = rows.value(order[beacon.from()], server);
      modified.add(beacon.of(servers.getOrDefault(address, Server.UNKNOWN)));
    }
    return modified;
  }

  private static int modifier(boolean isUp, boolean isDown) {
    return isUp ? MODIFIER : isDown ? -MODIFIER : 0;
  }

  /** Of the hosts inside that speak with anybody the share that speaks with each of the servers. */
  private Map<Value, Double> prevalences(
      ResultTable rows, RowKeys pairs, int[] order, Set<Value> servers) {
    if (!hasInside) {
      return Map.of();
    }
    int client = rows.column(CLIENT);
    int server = rows.column(SERVER);
    int inside = rows.column(INSIDE);
    Set<Value> hosts = new HashSet<>();
    Map<Value, Set<Value>> of = new HashMap<>();
    for (int i = 0; i < order.length; i++) {
      boolean isInside = !rows.isNull(order[i], inside) && rows.longValue(order[i], inside) > 0;
      // Most slots of a pair are alike: of those that follow one another the first suffices.
      boolean isSame =
          i > 0 && pairs.isSame(order[i - 1], order[i]) && rows.longValue(order[i - 1], inside) > 0;
      if (isInside && !isSame) {
        Value host = rows.value(order[i], client);
        hosts.add(host);
        Value address = rows.value(order[i], server);
        if (servers.contains(address)) {
          of.computeIfAbsent(address, s -> new HashSet<>()).add(host);
        }
      }
    }
    Map<Value, Double> prevalences = new HashMap<>();
    of.forEach((address, own) -> prevalences.put(address, (double) own.size() / hosts.size()));
    return prevalences;
  }

  private Map<Value, Long> firstSeen(WindowHistory window, Set<Value> servers) {
    Map<Value, Long> seen = new HashMap<>();
    if (hasHistory && window.history().rows().isPresent()) {
      ResultTable rows = window.history().rows().get();
      int server = rows.column(SERVER);
      int first = rows.column(FIRST_SEEN);
      for (int row = 0; row < rows.rowCount(); row++) {
        Value address = rows.value(row, server);
        if (servers.contains(address) && !rows.isNull(row, first)) {
          seen.put(address, rows.longValue(row, first));
        }
      }
    }
    return seen;
  }

  /** The times of a pair with the bytes of a flow. */
  private final class Times {
    private final ResultTable rows;
    private final int first;
    private final int last;
    private final int flows;
    private final int bytes;
    private final SortedMap<Long, Slot> slots = new TreeMap<>();

    /** What began then and until {@code last}. */
    private record Slot(long last, long flows, long bytes) {}

    Times(ResultTable rows) {
      this.rows = rows;
      first = rows.column(FIRST);
      last = rows.column(LAST);
      flows = rows.column(FLOWS);
      bytes = rows.column(BYTES);
    }

    void clear() {
      slots.clear();
    }

    void add(int row) {
      if (isTimed(rows, row, first, last)) {
        long sum = rows.isNull(row, bytes) ? 0 : rows.bigValue(row, bytes).longValue();
        slots.put(
            rows.longValue(row, first),
            new Slot(rows.longValue(row, last), rows.longValue(row, flows), sum));
      }
    }

    @Nullable BeaconScore score(long[] observed) {
      return 2 * slots.size() < beats ? null : better(each(observed), bursts(observed));
    }

    private static @Nullable BeaconScore better(
        @Nullable BeaconScore one, @Nullable BeaconScore other) {
      if (one == null || other == null) {
        return one == null ? other : one;
      }
      return other.score() >= one.score() ? other : one;
    }

    /** Null also if the times between the first and the last of many slots are not known. */
    private @Nullable BeaconScore each(long[] observed) {
      if (10 * slots.values().stream().filter(slot -> slot.flows() > 2).count() > slots.size()) {
        return null;
      }
      long[] times = new long[2 * slots.size()];
      long[] sizes = new long[times.length];
      int n = 0;
      for (Map.Entry<Long, Slot> one : slots.entrySet()) {
        Slot slot = one.getValue();
        sizes[n] = slot.bytes() / Math.max(1, slot.flows());
        times[n++] = one.getKey();
        if (slot.last() > one.getKey()) {
          sizes[n] = sizes[n - 1];
          times[n++] = slot.last();
        }
      }
      return scored(times, sizes, n, observed);
    }

    private @Nullable BeaconScore bursts(long[] observed) {
      long[] times = new long[slots.size()];
      long[] sizes = new long[times.length];
      int n = 0;
      long before = 0;
      for (Map.Entry<Long, Slot> one : slots.entrySet()) {
        if (n == 0 || one.getKey() - before > burst) {
          times[n++] = one.getKey();
        }
        sizes[n - 1] += one.getValue().bytes();
        before = one.getValue().last();
      }
      return scored(times, sizes, n, observed);
    }

    private @Nullable BeaconScore scored(long[] times, long[] sizes, int n, long[] observed) {
      if (n < beats) {
        return null;
      }
      BeaconScore score = BeaconScore.of(times, sizes, n, observed[0], observed[1]);
      boolean isYoung =
          score != null
              && n >= TRUSTED_BEATS
              && observed[1] - times[0] >= LEAST_AGE
              && observed[1] - times[n - 1] <= 2 * score.period();
      return isYoung
          ? better(score, BeaconScore.of(times, sizes, n, times[0], observed[1]))
          : score;
    }
  }

  private static void addSum(
      ReportRows out, String name, ResultTable rows, int[] order, Beacon beacon) {
    int column = rows.column(name);
    BigInteger sum = null;
    for (int i = beacon.from(); i < beacon.to(); i++) {
      if (!rows.isNull(order[i], column)) {
        BigInteger value = rows.bigValue(order[i], column);
        sum = sum == null ? value : sum.add(value);
      }
    }
    out.set(name, sum);
  }
}
