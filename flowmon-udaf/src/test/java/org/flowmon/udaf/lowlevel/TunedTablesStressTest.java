package org.flowmon.udaf.lowlevel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.tuning.TableSize;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.Test;

/**
 * Tables that retune their slots and low halves give the same results as tables that never change:
 * over tumbling, sliding and revised windows, divided flows, late flows, COUNT(DISTINCT …), text
 * keys, FILTER, shared tables, queries that come and go, and checkpoints between.
 */
class TunedTablesStressTest {
  private static final long SECOND = 1_000_000L;
  private static final long START = 1_768_478_400_000_000L;
  private static final int SEEDS = 4 * Integer.getInteger("flowmon.test.times", 1);
  private static final int SECONDS = 30;
  private static final int ROWS = 1000;
  private static final int QUERIES = 12;
  private static final int[] SLOTS = {16, 512, 4096, 32_768, 65_536};
  private static final int[] GROUPS = {5, 300, 2500};
  private static final List<String> SELECTS =
      List.of(
          "SELECT src_addr, COUNT(*) AS n, SUM(bytes) AS b, MAX(packets) AS m FROM flows GROUP BY"
              + " src_addr",
          "SELECT src_addr, COUNT(*) AS n, SUM(bytes) AS b, TOTAL(HEAVY_HITTERS(dst_port, bytes))"
              + " AS t, COUNT(QUANTILES(bytes)) AS c FROM flows GROUP BY src_addr",
          "SELECT src_addr, COUNT(*) AS n, MEDIAN(QUANTILES(packets, 0)) AS m,"
              + " QUANTILE(QUANTILES(bytes, 0), 0.9) AS p FROM flows GROUP BY src_addr",
          "SELECT src_addr, COUNT(*) AS n, COUNT(DISTINCT dst_port) AS b, COUNT(DISTINCT packets)"
              + " AS p FROM flows GROUP BY src_addr",
          "SELECT COUNT(*) AS n, SUM(bytes) AS b, COUNT(QUANTILES(packets)) AS c FROM flows",
          "SELECT CASE WHEN packets > 2 THEN 'big' ELSE 'small' END AS k, dst_port, COUNT(*) AS n,"
              + " SUM(bytes) AS b, CARDINALITY(APPROX_COUNT_DISTINCT(src_addr)) AS c FROM flows"
              + " GROUP BY k, dst_port",
          "SELECT src_addr, COUNT(*) AS n, COUNT(QUANTILES(bytes) FILTER (WHERE packets > 2)) AS c"
              + " FROM flows WHERE dst_port < 150 GROUP BY src_addr");

  private static final WindowSpec[] WINDOWS = {
    WindowSpec.tumbling(SECOND, 0),
    new WindowSpec(4 * SECOND, SECOND, FlowColumn.END_TIME, 0, WindowSpec.DEFAULT_AHEAD_MICROS),
    new WindowSpec(
        4 * SECOND,
        SECOND,
        FlowColumn.END_TIME,
        2 * SECOND,
        WindowSpec.DEFAULT_AHEAD_MICROS,
        true,
        false),
    new WindowSpec(
        2 * SECOND, SECOND, FlowColumn.END_TIME, 0, WindowSpec.DEFAULT_AHEAD_MICROS, false, true),
  };

  /** The identity of a part of a result; a later part replaces an earlier one. */
  private record PartKey(long query, long windowEnd, int keyGroup) {}

  /** A message of the low level. */
  private record Sent(int query, PartialGroups groups) {}

  /** The levels with one kind of tuning, fed with the same flows as the other. */
  private static final class Run {
    private final boolean isTuned;
    private final FlowQuery[] queries;
    private final WindowSpec[] windows;
    private final LowLevel level;
    private final TreeMap<Integer, LowLevelMember> members = new TreeMap<>();
    private final Map<Integer, Map<Integer, WindowTables>> high = new TreeMap<>();
    private final Map<PartKey, WindowPart> parts = new HashMap<>();
    private final List<Sent> sent = new ArrayList<>();
    private long switches;
    private long resizes;

    Run(boolean isTuned, FlowQuery[] queries, WindowSpec[] windows) {
      this.isTuned = isTuned;
      this.queries = queries;
      this.windows = windows;
      long[] nanos = new long[1];
      int[] calls = new int[1];
      // The choices are cheap in turn, for some steps each.
      this.level =
          new LowLevel(
              () -> {
                if (++calls[0] % 2 == 0) {
                  nanos[0] += 1 + ((calls[0] / 32 * 0x9E37_79B9_7F4A_7C15L) >>> 54);
                }
                return nanos[0];
              });
    }

    void add(int query, int slots) {
      TableSize size = isTuned ? TableSize.upTo(slots) : TableSize.of(slots);
      members.put(
          query,
          level.add(
              query,
              queries[query],
              windows[query],
              size,
              8,
              (keyGroup, bytes) -> sent.add(new Sent(query, PartialGroups.open(bytes)))));
    }

    void removeFirst() {
      LowLevelMember first = members.remove(members.firstKey());
      level.drainAll(first);
      count(first);
      level.remove(first);
    }

    private void count(LowLevelMember member) {
      assertNull(member.failure());
      switches += member.tuning().switches();
      resizes += member.tuning().resizes();
    }

    void closeUpTo(long watermark) {
      level.closePanesUpTo(watermark);
      while (!level.drainSome(512)) {
        // until all closed panes are out
      }
      for (Sent one : sent) {
        int query = one.query();
        WindowTables tables =
            high.computeIfAbsent(query, q -> new TreeMap<>())
                .computeIfAbsent(
                    one.groups().keyGroup(),
                    k -> new WindowTables(query, queries[query], windows[query]));
        assertTrue(tables.merge(one.groups()), "behind the watermark");
      }
      sent.clear();
      high.forEach(
          (query, tables) ->
              tables.forEach(
                  (keyGroup, table) ->
                      table.closeUpTo(
                          watermark,
                          part ->
                              parts.put(
                                  new PartKey(query, part.windowEnd(), keyGroup),
                                  WindowPart.open(part.toBytes(), queries[query])))));
    }

    /** By query and window: the result, once all has ended. */
    Map<String, String> end() {
      level.drainAll();
      closeUpTo(START + 1000 * SECOND);
      members.values().forEach(this::count);
      Map<String, WindowPart> merged = new TreeMap<>();
      parts.forEach(
          (key, part) -> {
            String name =
                queries[(int) key.query()] + " until " + key.windowEnd() + " " + key.query();
            WindowPart known = merged.putIfAbsent(name, part);
            if (known != null) {
              known.merge(part);
            }
          });
      Map<String, String> results = new TreeMap<>();
      merged.forEach((name, part) -> results.put(name, part.result().toString()));
      return results;
    }
  }

  private static FlowBatch batch(long second, int part, int groups, Random random) {
    FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
    for (int row = 0; row < ROWS; row++) {
      long arrival = START + second * SECOND + part * 100_000L + row;
      long late =
          random.nextInt(5) == 0 ? random.nextInt((int) (4 * SECOND)) : random.nextInt(1000);
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, arrival);
      builder.set(FlowColumn.END_TIME, arrival - late);
      builder.set(FlowColumn.START_TIME, arrival - late - random.nextInt((int) (3 * SECOND)));
      builder.setIpv4(FlowColumn.SRC_ADDR, random.nextInt(groups));
      builder.set(FlowColumn.DST_PORT, random.nextInt(300));
      builder.set(FlowColumn.BYTES, random.nextInt(1 << 20));
      builder.set(FlowColumn.PACKETS, 1 + random.nextInt(4));
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, 0, 0));
  }

  @Test
  void tunedTablesGiveWhatFixedOnesGive() {
    long results = 0;
    long changes = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      FlowQuery[] queries = new FlowQuery[QUERIES];
      WindowSpec[] windows = new WindowSpec[QUERIES];
      WindowSpec most = WINDOWS[seed % WINDOWS.length]; // so that queries share tables
      for (int query = 0; query < QUERIES; query++) {
        queries[query] = QueryParser.parse(SELECTS.get(random.nextInt(SELECTS.size())));
        windows[query] = random.nextInt(3) == 0 ? WINDOWS[random.nextInt(WINDOWS.length)] : most;
      }
      Run tuned = new Run(true, queries, windows);
      Run fixed = new Run(false, queries, windows);
      feed(List.of(tuned, fixed), SLOTS[random.nextInt(SLOTS.length)], random);
      Map<String, String> expected = fixed.end();
      Map<String, String> found = tuned.end();
      assertEquals(expected.keySet(), found.keySet(), "seed " + seed);
      for (Map.Entry<String, String> one : expected.entrySet()) {
        assertEquals(one.getValue(), found.get(one.getKey()), "seed " + seed + ", " + one.getKey());
      }
      results += found.size();
      changes += tuned.resizes + tuned.switches;
      assertEquals(0, fixed.resizes);
    }
    assertTrue(results > 300, results + " results");
    assertTrue(changes > 6, changes + " changes");
  }

  private static void feed(List<Run> runs, int slots, Random random) {
    int next = 2 + random.nextInt(4);
    for (Run run : runs) {
      for (int query = 0; query < next; query++) {
        run.add(query, slots);
      }
    }
    for (int second = 0; second < SECONDS; second++) {
      int groups = GROUPS[random.nextInt(GROUPS.length)];
      for (int part = 2 + random.nextInt(4); part > 0; part--) {
        FlowBatch batch = batch(second, part, groups, random);
        runs.forEach(run -> run.level.process(batch));
      }
      if (random.nextInt(4) == 0) {
        runs.forEach(run -> run.level.drainAll()); // as a checkpoint does
      }
      if (random.nextInt(8) == 0 && next < QUERIES) {
        int query = next++;
        runs.forEach(run -> run.add(query, slots));
      }
      if (random.nextInt(12) == 0 && runs.get(0).members.size() > 1) {
        runs.forEach(Run::removeFirst);
      }
      if (random.nextInt(5) > 0) {
        long watermark = START + (second + 1) * SECOND - 1;
        runs.forEach(run -> run.closeUpTo(watermark));
      }
    }
  }
}
