package org.flowmon.udaf.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.RandomFlows;
import org.flowmon.udaf.lowlevel.LowLevelCounts;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.GroupCollector;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/**
 * The low level's tables, the bytes between, and the high level give the same results as a plain
 * run over each window's flows.
 */
public class TwoLevelsTest {
  private static final long MINUTE = 60_000_000L;
  private static final List<String> QUERIES =
      List.of(
          "SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE NOT outgoing"
              + " GROUP BY src_addr ORDER BY bytes DESC LIMIT 3",
          "SELECT src_addr, dst_addr, dst_port, COUNT(*) AS n, SUM(bytes) AS b, AVG(packets) AS p"
              + " FROM flows GROUP BY src_addr, dst_addr, dst_port ORDER BY n DESC, b LIMIT 10",
          "SELECT service, outgoing, MIN(dst_addr) AS low, MAX(dst_addr) AS high, MIN(bytes) AS mb,"
              + " MAX(duration) AS md, COUNT(reverse_bytes) AS r FROM flows GROUP BY service,"
              + " outgoing",
          "SELECT COUNT(*) AS n, SUM(bytes) AS b, SUM(reverse_bytes) AS r, MAX(bytes / packets) AS"
              + " q FROM flows",
          "SELECT NETWORK(src_addr, 24, 64) AS net, bytes / packets AS ratio, SUM(0 - bytes) AS"
              + " minus, STDDEV(bytes) AS deviation, STDDEV_POP(0 - packets) FROM flows GROUP BY"
              + " net, ratio ORDER BY minus NULLS FIRST LIMIT 20",
          "SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr HAVING SUM(packets) >"
              + " 200 AND bytes > 9223372036854775807 ORDER BY bytes DESC LIMIT 3",
          "SELECT COUNT(*) AS n, SUM(bytes) AS b FROM flows HAVING n < 700",
          "SELECT service, COUNT(DISTINCT src_addr, dst_port) AS targets, SUM(bytes) AS b,"
              + " COUNT(DISTINCT state) AS states, MAX(dst_addr) AS high FROM flows GROUP BY"
              + " service HAVING targets > 2 ORDER BY targets DESC LIMIT 4",
          "SELECT COUNT(DISTINCT service, outgoing) AS n, COUNT(DISTINCT bytes / packets) AS ratios"
              + " FROM flows",
          "SELECT service, COUNT(DISTINCT src_addr, dst_port) FILTER (WHERE outgoing) AS sent,"
              + " COUNT(DISTINCT src_addr, dst_port) AS targets, COUNT(*) FILTER (WHERE outgoing)"
              + " AS n, COUNT(DISTINCT state) FILTER (WHERE packets > 50) AS states,"
              + " COUNT(DISTINCT dst_addr) AS peers, COUNT(DISTINCT dst_addr) FILTER (WHERE NOT"
              + " outgoing) AS received, COUNT(DISTINCT dst_addr) FILTER (WHERE packets > 50) AS"
              + " busy FROM flows GROUP BY service HAVING targets > sent ORDER BY peers DESC",
          "SELECT service, COUNT(DISTINCT dst_addr) AS hosts, COUNT(DISTINCT dst_addr,"
              + " COALESCE(dst_port, 65536 + protocol)) AS targets, COUNT(DISTINCT dst_port) FILTER"
              + " (WHERE outgoing) AS ports, COUNT(DISTINCT dst_addr) FILTER (WHERE NOT outgoing"
              + " AND packets > 5) AS got, COUNT(DISTINCT dst_port, dst_addr) AS pairs, SUM(bytes)"
              + " AS b FROM flows GROUP BY service HAVING targets > 2 ORDER BY targets DESC, pairs",
          "SELECT protocol, COUNT(DISTINCT bytes) AS sizes, COUNT(DISTINCT state) AS states,"
              + " COUNT(DISTINCT service, state) AS both, COUNT(DISTINCT state) FILTER (WHERE"
              + " packets > 50) AS busy, COUNT(DISTINCT dst_addr, dst_port) AS targets,"
              + " COUNT(DISTINCT dst_port, protocol) AS ports, COUNT(*) AS n FROM flows GROUP BY"
              + " protocol ORDER BY n, sizes",
          "SELECT dst_port, protocol, COUNT(*) % 10 AS digit FROM flows GROUP BY dst_port,"
              + " protocol, src_addr HAVING digit BETWEEN 3 AND 7 OR protocol IS NULL ORDER BY"
              + " digit DESC",
          "SELECT src_addr, dst_port, service, SUM(bytes) AS b FROM flows GROUP BY src_addr,"
              + " dst_port, service ORDER BY b DESC LIMIT 2 BY src_addr LIMIT 9",
          "SELECT service, dst_addr, COUNT(*) AS n FROM flows GROUP BY service, dst_addr HAVING n"
              + " > 1 ORDER BY n LIMIT 1 BY service",
          "SELECT src_addr, dst_addr, COUNT(*) AS n FROM flows GROUP BY src_addr, dst_addr ORDER"
              + " BY n DESC LIMIT 3 BY dst_addr LIMIT 20");

  private long passed;

  @Test
  void evictedGroupsAreCompletedAtTheHighLevel() {
    for (long seed = 1; seed <= 16; seed++) {
      Random random = new Random(seed);
      String sql = QUERIES.get((int) seed % QUERIES.size());
      long slide = (1 + random.nextInt(10)) * MINUTE;
      WindowSpec window =
          new WindowSpec(
              slide * (seed % 3 == 0 ? 1 + random.nextInt(4) : 1),
              slide,
              seed % 4 == 0 ? FlowColumn.ARRIVAL : FlowColumn.END_TIME,
              random.nextInt(30) * MINUTE / 20,
              MINUTE / 2 + random.nextInt(100) * MINUTE);
      check(seed, QueryParser.parse(sql), window, random);
    }
    assertTrue(passed > 100_000, passed + " rows passed on without being looked for");
  }

  private void check(long seed, FlowQuery query, WindowSpec window, Random random) {
    String at = "seed " + seed + ": " + query + " " + window;
    List<FlowBatch> flows =
        new ArrayList<>(new RandomFlows(seed).within(60 * MINUTE).batches(30, 1500));
    flows.addAll(strangers(seed));
    Map<Long, ResultTable> expected = expected(flows, query, window);
    int keyGroups = 1 + random.nextInt(40);
    Map<Long, WindowPart> windows = new TreeMap<>();
    LowLevelCounts counts = twoLevels(flows, query, window, keyGroups, random, windows);
    assertEquals(
        counts.selected(),
        counts.counted() + counts.late() + counts.ahead() + counts.behindWatermark(),
        at);
    assertEquals(expected.keySet(), windows.keySet(), at);
    windows.forEach(
        (end, part) -> assertEquals(expected.get(end), part.result(), at + " window " + end));
    assertTrue(query.groupBy().isEmpty() || counts.evictions() > 0, at);
    passed += counts.passedRows();
  }

  /** Flows whose clocks are years off. */
  private static List<FlowBatch> strangers(long seed) {
    FlowBatchBuilder builder = new FlowBatchBuilder(8);
    for (long end : new long[] {0, Long.MIN_VALUE, Long.MAX_VALUE, RandomFlows.START * 3}) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, RandomFlows.START);
      builder.set(FlowColumn.END_TIME, end);
      builder.set(FlowColumn.BYTES, seed);
      builder.set(FlowColumn.OUTGOING, 0);
      builder.endRow();
    }
    return List.of(FlowBatch.open(builder.build(1, 0, 4, 0)));
  }

  /** By the rules of the specification, one flow at a time. */
  public static Map<Long, ResultTable> expected(
      List<FlowBatch> flows, FlowQuery query, WindowSpec window) {
    Map<Long, FlowBatchBuilder> members = new TreeMap<>();
    for (FlowBatch batch : flows) {
      for (int row = 0; row < batch.rows(); row++) {
        long arrival = batch.getLong(FlowColumn.ARRIVAL, row);
        boolean timed =
            window.timeColumn() == FlowColumn.END_TIME && !batch.isNull(FlowColumn.END_TIME, row);
        long time = timed ? batch.getLong(FlowColumn.END_TIME, row) : arrival;
        if (time > arrival + window.aheadMicros() || time < 0 || time > RandomFlows.START * 2) {
          continue;
        }
        long end =
            Math.floorDiv(time, window.slideMicros()) * window.slideMicros() + window.slideMicros();
        for (; end - window.widthMicros() <= time; end += window.slideMicros()) {
          if (arrival <= end + window.latenessMicros()) {
            members.computeIfAbsent(end, e -> new FlowBatchBuilder(60_000)).appendRow(batch, row);
          }
        }
      }
    }
    Map<Long, ResultTable> results = new TreeMap<>();
    members.forEach(
        (end, builder) -> {
          FlowBatch batch = FlowBatch.open(builder.build(1, 0, 0, 0));
          FlowQuery count = QueryParser.parse("SELECT COUNT(*) FROM flows");
          FlowQuery kept = new FlowQuery(count.select(), query.where(), List.of(), List.of(), -1);
          if (FlowQueries.run(List.of(batch), kept).longValue(0, 0) > 0) {
            results.put(end, FlowQueries.run(List.of(batch), query));
          }
        });
    return results;
  }

  private static LowLevelCounts twoLevels(
      List<FlowBatch> flows,
      FlowQuery query,
      WindowSpec window,
      int keyGroups,
      Random random,
      Map<Long, WindowPart> windows) {
    List<byte[]> sent = new ArrayList<>();
    LowLevelQuery low =
        new LowLevelQuery(
            7,
            query,
            window,
            2 << random.nextInt(5),
            keyGroups,
            (keyGroup, bytes) -> {
              assertEquals(keyGroup, PartialGroups.open(bytes).keyGroup());
              sent.add(bytes);
            });
    Map<Integer, WindowTables> tables = new HashMap<>();
    // In the order of arrival, so that the watermark may follow; in any order if it does not.
    List<FlowBatch> ordered = new ArrayList<>(split(flows));
    boolean follow = random.nextBoolean();
    if (!follow) {
      Collections.shuffle(ordered, random);
    }
    for (FlowBatch batch : ordered) {
      low.process(batch);
      if (follow) {
        low.closePanesUpTo(batch.maxArrival() - 1);
      }
      if (random.nextInt(10) == 0) {
        low.drainAll();
      }
      while (!low.drainSome(5)) {
        // until all closed panes are out
      }
      deliver(sent, tables, query, window, random);
      if (follow) {
        close(tables, batch.maxArrival() - 1, windows);
      }
      if (random.nextInt(20) == 0) {
        tables.replaceAll(
            (keyGroup, table) -> WindowTables.fromBytes(table.toBytes(), 7, query, window));
      }
    }
    low.drainAll();
    assertTrue(low.isDrained());
    assertEquals(0, low.panes());
    deliver(sent, tables, query, window, random);
    close(tables, Long.MAX_VALUE / 4, windows);
    tables.values().forEach(table -> assertTrue(table.isEmpty()));
    return low.counts();
  }

  /** All flows in ascending order of arrival, in batches. */
  public static List<FlowBatch> split(List<FlowBatch> flows) {
    record Row(FlowBatch batch, int row) {}
    List<Row> rows = new ArrayList<>();
    for (FlowBatch batch : flows) {
      for (int row = 0; row < batch.rows(); row++) {
        rows.add(new Row(batch, row));
      }
    }
    rows.sort(
        (a, b) ->
            Long.compare(
                a.batch.getLong(FlowColumn.ARRIVAL, a.row),
                b.batch.getLong(FlowColumn.ARRIVAL, b.row)));
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(300);
    for (Row row : rows) {
      builder.appendRow(row.batch, row.row);
      if (builder.isFull()) {
        batches.add(FlowBatch.open(builder.build(1, 0, 0, 0)));
        builder.clear();
      }
    }
    if (!builder.isEmpty()) {
      batches.add(FlowBatch.open(builder.build(1, 0, 0, 0)));
    }
    return batches;
  }

  private static void deliver(
      List<byte[]> sent,
      Map<Integer, WindowTables> tables,
      FlowQuery query,
      WindowSpec window,
      Random random) {
    Collections.shuffle(sent, random);
    for (byte[] bytes : sent) {
      PartialGroups groups = PartialGroups.open(bytes);
      assertTrue(
          tables
              .computeIfAbsent(groups.keyGroup(), k -> new WindowTables(7, query, window))
              .merge(groups));
    }
    sent.clear();
  }

  private static void close(
      Map<Integer, WindowTables> tables, long watermark, Map<Long, WindowPart> windows) {
    tables
        .values()
        .forEach(
            table ->
                table.closeUpTo(
                    watermark,
                    part -> {
                      WindowPart copy =
                          WindowPart.open(part.toBytes(), QueryParser.parse(queryOf(part)));
                      WindowPart known = windows.putIfAbsent(part.windowEnd(), copy);
                      if (known != null) {
                        known.merge(copy);
                      }
                    }));
  }

  private static String queryOf(WindowPart part) {
    return part.query().toString();
  }

  @Test
  void aPartCountsAllGroupsAndTotalsBeyondHavingAndTheLimit() {
    FlowQuery query =
        QueryParser.parse(
            "SELECT src_addr, SUM(bytes) AS b, COUNT(*) AS n FROM flows GROUP BY src_addr"
                + " HAVING COUNT(*) < 300 ORDER BY b DESC LIMIT 2");
    List<FlowBatch> flows = new RandomFlows(3).batches(5, 900);
    GroupCollector all = new GroupCollector(query);
    Map<Integer, GroupCollector> parts = new HashMap<>();
    for (FlowBatch batch : flows) {
      for (int row = 0; row < batch.rows(); row++) {
        int keyGroup =
            Math.floorMod(String.valueOf(batch.getAddress(FlowColumn.SRC_ADDR, row)).hashCode(), 5);
        parts
            .computeIfAbsent(keyGroup, k -> new GroupCollector(query))
            .add(batch, row, new int[1], 1);
        all.add(batch, row, new int[1], 1);
      }
    }
    WindowPart merged = null;
    for (GroupCollector part : parts.values()) {
      WindowPart next = WindowPart.of(1, 60, query, part.table());
      if (merged == null) {
        merged = next;
      } else {
        merged.merge(next);
      }
    }
    assertEquals(all.finish(), merged.result());
    assertEquals(all.table().size(), merged.groups());
    FlowQuery sums = QueryParser.parse("SELECT SUM(bytes) AS b, COUNT(*) AS n FROM flows");
    assertEquals(FlowQueries.run(flows, sums), merged.totals());
  }

  @Test
  void aFlowOfAClosedPaneIsCountedAndNotTaken() {
    WindowSpec window = WindowSpec.tumbling(MINUTE, 0);
    FlowQuery query = QueryParser.parse("SELECT COUNT(*) AS n FROM flows");
    List<byte[]> sent = new ArrayList<>();
    LowLevelQuery low =
        new LowLevelQuery(1, query, window, 16, 4, (keyGroup, bytes) -> sent.add(bytes));
    FlowBatchBuilder builder = new FlowBatchBuilder(1);
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, 30 * MINUTE);
    builder.endRow();
    FlowBatch batch = FlowBatch.open(builder.build(1, 0, 1, 0));
    low.process(batch);
    low.closePanesUpTo(31 * MINUTE - 1);
    assertTrue(low.isDrained(), "the window is still open");
    assertEquals(1, low.panes());
    low.closePanesUpTo(31 * MINUTE);
    assertFalse(low.isDrained());
    assertTrue(low.drainSome(Integer.MAX_VALUE));
    assertEquals(1, sent.size());
    low.process(batch);
    assertEquals(1, low.counts().behindWatermark());
    assertEquals(1, low.counts().counted());
  }
}
