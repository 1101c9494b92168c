package org.flowmon.udaf.lowlevel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.bytes.LittleEndian;
import org.flowmon.udaf.RandomFlows;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.partial.PartialLayout;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.window.TwoLevelsTest;
import org.junit.jupiter.api.Test;

/**
 * Queries that share low-level tables have the same results as a plain run over the flows of their
 * time, even if they come, go and fail while flows come.
 */
class SharedTablesTest extends SharedTablesFixture {
  private static final List<String> FILTERS =
      List.of("", " WHERE outgoing IS NOT TRUE", " WHERE dst_port > 52");

  private static final List<String> KEYS =
      List.of("src_addr", "src_addr, dst_port", "service", "protocol, service", "bytes / packets");

  private static final List<String> AGGREGATES =
      List.of(
          "COUNT(*) AS n",
          "SUM(bytes) AS b, COUNT(*) AS n",
          "MIN(bytes / packets) AS least, MAX(packets) AS most, AVG(bytes) AS mean",
          "COUNT(reverse_bytes) AS r, SUM(reverse_bytes) AS rb",
          "COUNT(DISTINCT dst_port) AS ports, SUM(bytes) AS b",
          "COUNT(DISTINCT protocol, service) AS kinds, COUNT(DISTINCT dst_port) AS ports",
          "MAX(src_addr) AS high, MIN(dst_addr) AS low, STDDEV(packets) AS d");

  // Equal for the same rows in the same order; another order of merging gives other states.
  private static final List<String> FUNCTIONS =
      List.of(
          "CARDINALITY(APPROX_COUNT_DISTINCT(dst_addr)) AS targets",
          "SUM(bytes) AS b, CARDINALITY(APPROX_COUNT_DISTINCT(dst_addr)) AS targets",
          "QUANTILE(QUANTILES(bytes), 0.5) AS middle, MAX(bytes) AS most");

  private static String sql(Random random, String filter) {
    return sql(random, filter, AGGREGATES.get(random.nextInt(AGGREGATES.size())));
  }

  private static String sql(Random random, String filter, String aggregates) {
    String keys = KEYS.get(random.nextInt(KEYS.size()));
    String having = random.nextInt(3) == 0 ? " HAVING COUNT(*) > 1" : "";
    return "SELECT "
        + keys
        + ", "
        + aggregates
        + " FROM flows"
        + filter
        + " GROUP BY "
        + keys
        + having
        + " ORDER BY "
        + keys
        + (random.nextBoolean() ? " LIMIT " + (1 + random.nextInt(50)) : "");
  }

  @Test
  void queriesThatComeAndGoHaveTheResultsOfAPlainRunOverTheFlowsOfTheirTime() {
    int shared = 0;
    long evictions = 0;
    for (long seed = 1; seed <= 9 * Integer.getInteger("flowmon.test.times", 1); seed++) {
      Random random = new Random(seed);
      List<FlowBatch> flows = new RandomFlows(seed).within(20 * MINUTE).batches(6, 2500);
      boolean follow = random.nextBoolean();
      if (follow) {
        flows = TwoLevelsTest.split(flows);
      }
      List<String> filters = new ArrayList<>();
      List<WindowSpec> windows = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        filters.add(FILTERS.get(random.nextInt(FILTERS.size())));
        windows.add(window(random));
      }
      int slots = 2 << random.nextInt(6);
      int keyGroups = 1 + random.nextInt(20);
      LowLevel low = new LowLevel();
      List<Live> running = new ArrayList<>();
      List<Live> all = new ArrayList<>();
      for (FlowBatch batch : flows) {
        while (running.size() < 2 || random.nextInt(3) == 0) {
          FlowQuery query = QueryParser.parse(sql(random, filters.get(random.nextInt(2))));
          WindowSpec some = windows.get(random.nextInt(2));
          WindowSpec window = some.withWidth(some.slideMicros() * (1 + random.nextInt(3)));
          running.add(new Live(all.size(), query, window, slots, keyGroups, low));
          all.add(running.get(running.size() - 1));
        }
        if (running.size() > 8 || random.nextInt(4) == 0) {
          Live going = running.remove(random.nextInt(running.size()));
          low.drainAll(going.member);
          low.remove(going.member);
          evictions += going.member.counts().evictions();
        }
        int groupings = running.stream().mapToInt(live -> tables(live.query)).sum();
        shared += groupings - low.tables();
        low.process(batch);
        running.forEach(live -> live.given.add(batch));
        if (random.nextInt(10) == 0) {
          low.drainAll();
          assertTrue(low.isDrained());
        }
        if (follow) {
          long watermark = batch.maxArrival() - 1;
          low.closePanesUpTo(watermark);
          for (int some = 0; some < slots && !low.isDrained(); some++) {
            low.drainSome(1 + random.nextInt(8));
          }
          assertTrue(low.isDrained(), "seed " + seed);
          running.forEach(live -> live.close(watermark));
        }
      }
      low.drainAll();
      for (Live live : all) {
        assertNull(live.member.failure());
        live.check("seed " + seed);
      }
    }
    assertTrue(shared > 90, "only " + shared + " groupings had no table of their own");
    assertTrue(evictions > 600, "only " + evictions + " evictions");
  }

  /** The removed query loses its undrained groups, and the others lose nothing. */
  @Test
  void aQueryThatGoesTakesNothingOfTheOthersAlong() {
    List<FlowBatch> flows = new RandomFlows(5).within(20 * MINUTE).batches(6, 1500);
    WindowSpec window = WindowSpec.tumbling(5 * MINUTE, MINUTE);
    LowLevel low = new LowLevel();
    Live stays = live(1, "src_addr, SUM(bytes) AS b", "src_addr", window, low);
    Live goes = live(2, "src_addr, MAX(packets) AS p", "src_addr", window, low);
    assertEquals(1, low.tables());
    for (int b = 0; b < flows.size(); b++) {
      if (b == 3) {
        low.remove(goes.member);
        low.remove(goes.member);
      }
      low.process(flows.get(b));
      stays.given.add(flows.get(b));
    }
    long rows = flows.subList(0, 3).stream().mapToLong(FlowBatch::rows).sum();
    assertEquals(rows, goes.member.counts().flows());
    long sent = goes.partials;
    low.drainAll();
    assertEquals(sent, goes.partials);
    assertEquals(sent, goes.member.counts().partials());
    assertTrue(sent < 100, sent + " sent, as if all had been drained");
    stays.check("seed 5");
    low.remove(stays.member);
    assertEquals(0, low.tables());
  }

  @Test
  void oneTableIsForEqualKeysOfEqualFiltersWindowsAndSlots() {
    WindowSpec window = WindowSpec.tumbling(MINUTE, 0);
    String bySource = "SELECT src_addr, SUM(bytes) AS b FROM flows%s GROUP BY src_addr";
    LowLevel low = new LowLevel();
    assertEquals(1, tablesWith(low, bySource.formatted(""), window, 64));
    assertEquals(1, tablesWith(low, bySource.formatted(""), window, 64));
    assertEquals(
        1,
        tablesWith(
            low,
            "SELECT src_addr, MAX(bytes) - MIN(bytes) AS d FROM flows GROUP BY src_addr"
                + " HAVING COUNT(*) > 3 ORDER BY d LIMIT 3",
            window,
            64));
    assertEquals(2, tablesWith(low, bySource.formatted(" WHERE outgoing"), window, 64));
    assertEquals(2, tablesWith(low, bySource.formatted(" WHERE outgoing"), window, 64));
    assertEquals(3, tablesWith(low, bySource.formatted(""), window, 128));
    assertEquals(
        4, tablesWith(low, bySource.formatted(""), WindowSpec.tumbling(2 * MINUTE, 0), 64));
    assertEquals(
        4,
        tablesWith(
            low, bySource.formatted(""), WindowSpec.tumbling(MINUTE, 0).withWidth(5 * MINUTE), 64),
        "panes are the same");
    assertEquals(
        5, tablesWith(low, bySource.formatted(""), WindowSpec.tumbling(MINUTE, MINUTE), 64));
    // The key group of a group of COUNT(DISTINCT ...) is that of the query's keys.
    String pairs =
        "SELECT src_addr, dst_addr, COUNT(*) AS n FROM flows GROUP BY src_addr, dst_addr";
    assertEquals(6, tablesWith(low, pairs, window, 64));
    String fan = "SELECT src_addr, COUNT(DISTINCT dst_addr) AS n%s FROM flows GROUP BY src_addr";
    assertEquals(7, tablesWith(low, fan.formatted(""), window, 64));
    assertEquals(8, tablesWith(low, fan.formatted(", COUNT(DISTINCT dst_port)"), window, 64));
    assertEquals(8, tablesWith(low, fan.formatted(", SUM(bytes) AS b"), window, 64));
    String states =
        "SELECT src_addr, CARDINALITY(APPROX_COUNT_DISTINCT(dst_addr))%s AS n FROM flows"
            + " GROUP BY src_addr";
    assertEquals(9, tablesWith(low, states.formatted(""), window, 64));
    assertEquals(9, tablesWith(low, states.formatted(" + SUM(bytes)"), window, 64));
    String quantiles = "SELECT src_addr, COUNT(QUANTILES(bytes)) AS n FROM flows GROUP BY src_addr";
    assertEquals(9, tablesWith(low, quantiles, window, 64));
  }

  private static int tablesWith(LowLevel low, String sql, WindowSpec window, int slots) {
    var unused = low.add(1, QueryParser.parse(sql), window, slots, 16, (keyGroup, bytes) -> {});
    return low.tables();
  }

  @Test
  void whereNoneComesOrGoesEachIsSentWhatItIsSentAlone() {
    int compared = 0;
    for (long seed = 1; seed <= 15; seed++) {
      Random random = new Random(seed);
      String filter = FILTERS.get(random.nextInt(FILTERS.size()));
      WindowSpec plain = window(random);
      boolean spread = plain.timeColumn() == FlowColumn.END_TIME && random.nextBoolean();
      WindowSpec window =
          new WindowSpec(
              plain.widthMicros(),
              plain.slideMicros(),
              plain.timeColumn(),
              plain.latenessMicros(),
              plain.aheadMicros(),
              random.nextBoolean(),
              spread);
      int slots = 2 << random.nextInt(6);
      List<FlowQuery> queries = new ArrayList<>();
      for (int q = 0; q < 8; q++) {
        queries.add(
            QueryParser.parse(
                q < 4
                    ? sql(random, filter)
                    : sql(random, filter, FUNCTIONS.get((int) (seed % FUNCTIONS.size())))));
      }
      List<FlowBatch> flows = new RandomFlows(seed).within(20 * MINUTE).batches(5, 2500);
      List<List<byte[]>> together = sent(queries, window, slots, flows);
      for (int q = 0; q < queries.size(); q++) {
        List<byte[]> alone = sent(queries.subList(q, q + 1), window, slots, flows).get(0);
        assertEquals(alone.size(), together.get(q).size());
        for (int m = 0; m < alone.size(); m++) {
          byte[] expected = alone.get(m);
          LittleEndian.putLong(expected, PartialLayout.QUERY_AT, q);
          byte[] found = together.get(q).get(m);
          LittleEndian.putInt(expected, PartialLayout.CRC_AT, 0);
          LittleEndian.putInt(found, PartialLayout.CRC_AT, 0);
          assertArrayEquals(
              expected, found, "seed " + seed + ", message " + m + " of " + queries.get(q));
        }
        compared += alone.size();
      }
    }
    assertTrue(compared > 1000, "only " + compared + " messages were compared");
  }

  /** The messages of queries, by query, for each grouping in order. */
  private static List<List<byte[]>> sent(
      List<FlowQuery> queries, WindowSpec window, int slots, List<FlowBatch> flows) {
    LowLevel low = new LowLevel();
    List<List<byte[]>> sent = new ArrayList<>();
    for (int q = 0; q < queries.size(); q++) {
      List<byte[]> messages = new ArrayList<>();
      sent.add(messages);
      var unused = low.add(q, queries.get(q), window, slots, 8, (k, bytes) -> messages.add(bytes));
    }
    flows.forEach(low::process);
    low.drainAll();
    sent.forEach(
        messages -> messages.sort(Comparator.comparing(m -> PartialGroups.open(m).grouping())));
    return sent;
  }

  @Test
  void aQueryThatComesIsNotGivenFlowsOfPanesThatTheWatermarkHasClosed() {
    LowLevel low = new LowLevel();
    WindowSpec window = WindowSpec.tumbling(5 * MINUTE, 0);
    String select = "src_addr, COUNT(*) AS n";
    Live first = live(1, select, "src_addr", window, low);
    low.closePanesUpTo(RandomFlows.START);
    Live shares = live(2, select, "src_addr", window, low);
    Live other = live(3, "dst_port, COUNT(*) AS n", "dst_port", window.withWidth(10 * MINUTE), low);
    Live alone = live(4, select, "src_addr", WindowSpec.tumbling(10 * MINUTE, 0), low);
    FlowBatchBuilder builder = new FlowBatchBuilder(1);
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, RandomFlows.START - 1);
    builder.endRow();
    low.process(FlowBatch.open(builder.build(1, 0, 1, 0)));
    for (Live live : List.of(first, shares, other, alone)) {
      assertEquals(1, live.member.counts().behindWatermark(), live.query.toString());
      assertEquals(0, live.member.counts().counted(), live.query.toString());
    }
  }
}
