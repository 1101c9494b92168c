package org.flowmon.jobs.report.logic;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
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
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/**
 * Beacons: pairs that speak at regular intervals over most of a long window ({@code logic:
 * beacons}). Without a history.
 *
 * <p>The live query groups by a pair (or any keys) and a slot, {@code TIME_BUCKET(…, INTERVAL …)},
 * with the times of its {@code first} and {@code last} flow; other aggregates are sums and counts,
 * added over slots. {@link Beats} defines the beats and their regularity.
 *
 * <p>Parameters: {@code beats}, at least (12); {@code jitter}, how far an interval may lie from the
 * median, as a share of it (0.3); {@code share} of the intervals that must lie so near (0.9);
 * {@code span} of the window between first and last beat (0.5); {@code burst}, flows that begin
 * within so many seconds after one another are one beat (10); {@code limit}, rows at most (1000).
 */
final class BeaconsLogic implements ReportLogic {
  private static final String FIRST = "first";
  private static final String LAST = "last";

  private Beats.Rule rule;
  private int limit;
  private List<String> keys;
  private List<ReportColumn> measures;
  private List<ReportColumn> columns;

  /** A pair with regular beats; its rows are those of {@code order} from…to. */
  private record Beacon(int from, int to, Beats beats) {
    static final Comparator<Beacon> ORDER =
        Comparator.comparingDouble((Beacon beacon) -> -beacon.beats().regularity())
            .thenComparingInt(beacon -> -beacon.beats().count())
            .thenComparingInt(Beacon::from);
  }

  @Override
  public List<ReportColumn> open(AnalysisConfig analysis) {
    LogicRules rules = new LogicRules(analysis);
    rules.noHistory();
    ReportParameters parameters = new ReportParameters(analysis);
    rule =
        new Beats.Rule(
            parameters.integer("beats", 12, 3, 1_000_000),
            parameters.decimal("jitter", "0.3", "0", "1"),
            parameters.decimal("share", "0.9", "0", "1"),
            parameters.decimal("span", "0.5", "0", "1"),
            1_000_000L * parameters.integer("burst", 10, 0, 86_400));
    limit = parameters.integer("limit", 1000, 1, 1_000_000);
    parameters.end();
    FlowQuery query = rules.live();
    rules.noLimit("live.query", query, "logic beacons needs every slot");
    rules.item("live.query", query, FIRST, ValueKind.TIMESTAMP);
    rules.item("live.query", query, LAST, ValueKind.TIMESTAMP);
    String slot = slot(rules, query);
    List<ReportColumn> live = LiveColumns.of(analysis);
    List<ReportColumn> keyColumns =
        live.stream().filter(column -> column.key() && !column.name().equals(slot)).toList();
    keys = keyColumns.stream().map(ReportColumn::name).toList();
    measures =
        live.stream()
            .filter(column -> !column.key())
            .filter(column -> !column.name().equals(FIRST) && !column.name().equals(LAST))
            .toList();
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
    all.add(ReportColumn.of("period", ValueKind.DURATION));
    all.add(ReportColumn.of("shortest", ValueKind.DURATION));
    all.add(ReportColumn.of("longest", ValueKind.DURATION));
    all.add(ReportColumn.of("beats", ValueKind.LONG));
    all.add(ReportColumn.of("regularity", ValueKind.DOUBLE));
    all.add(ReportColumn.of("first_beat", ValueKind.TIMESTAMP));
    all.add(ReportColumn.of("last_beat", ValueKind.TIMESTAMP));
    all.addAll(measures);
    all.add(ReportColumn.of("verdict", ValueKind.TEXT));
    return all;
  }

  @Override
  public ResultTable report(WindowHistory window) {
    ResultTable rows = window.window().rows();
    long length = window.window().windowEnd() - window.window().windowStart();
    RowKeys pairs = new RowKeys(rows, keys);
    int[] order = pairs.order();
    ReportRows out = new ReportRows(columns);
    long rank = 0;
    for (Beacon beacon : beacons(rows, pairs, order, length)) {
      if (rank == limit) {
        break;
      }
      out.row().set("rank", ++rank);
      for (String key : keys) {
        out.copy(key, rows, order[beacon.from()]);
      }
      Beats beats = beacon.beats();
      out.set("period", beats.period());
      out.set("shortest", beats.shortest()).set("longest", beats.longest());
      out.set("beats", beats.count()).set("regularity", beats.regularity());
      out.set("first_beat", beats.first()).set("last_beat", beats.last());
      for (ReportColumn measure : measures) {
        addSum(out, measure.name(), rows, order, beacon);
      }
      out.set("verdict", "beacon");
    }
    return out.build();
  }

  private List<Beacon> beacons(ResultTable rows, RowKeys pairs, int[] order, long length) {
    int first = rows.column(FIRST);
    int last = rows.column(LAST);
    List<Beacon> found = new ArrayList<>();
    long[] times = new long[64];
    int to;
    for (int from = 0; from < order.length; from = to) {
      int count = 0;
      for (to = from; to < order.length && pairs.isSame(order[from], order[to]); to++) {
        int row = order[to];
        if (rows.isNull(row, first) || rows.isNull(row, last)) {
          continue; // flows without a time, by either expression
        }
        if (count + 2 > times.length) {
          times = Arrays.copyOf(times, 2 * times.length);
        }
        times[count++] = rows.longValue(row, first);
        times[count++] = rows.longValue(row, last);
      }
      // Two times a slot: fewer slots cannot hold enough beats.
      Beats beats = count < rule.beats() ? null : Beats.of(times, count, rule);
      if (beats != null && beats.isRegular(rule, length)) {
        found.add(new Beacon(from, to, beats));
      }
    }
    found.sort(Beacon.ORDER);
    return found;
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
