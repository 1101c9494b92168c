package org.flowmon.jobs.lowlevel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.BruteForce;
import org.flowmon.jobs.TestAnalyses;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.lowlevel.LowLevel;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.Test;

/** Analyses whose queries share tables start, change and stop without affecting one another. */
class HostedQueriesTest {
  private static final int KEY_GROUPS = 8;
  private static final int ROWS = 100;
  private static final long SECOND = TestFlow.SECOND;

  /** Keeps the gauges of all analyses, by analysis and name. */
  private static final class Gauges extends UnregisteredMetricsGroup {
    private final String prefix;
    private final Map<String, Gauge<?>> all;

    Gauges(String prefix, Map<String, Gauge<?>> all) {
      this.prefix = prefix;
      this.all = all;
    }

    @Override
    public MetricGroup addGroup(String key, String value) {
      return new Gauges(value + ".", all);
    }

    @Override
    public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
      all.put(prefix + name, gauge);
      return gauge;
    }
  }

  private final List<Partial> sent = new ArrayList<>();
  private final Map<String, Gauge<?>> gauges = new HashMap<>();
  private final Map<String, List<TestFlow>> given = new TreeMap<>();
  private final Map<String, AnalysisConfig> known = new HashMap<>();
  private LowLevel level;

  private static String text(String name, int slots) {
    return TestAnalyses.text(name, "1s", "1s", "0s", slots, "", 10);
  }

  private static AnalysisConfig analysis(String name, int slots) {
    return AnalysisConfig.parse(name + ".yaml", text(name, slots));
  }

  private void process(HostedQueries queries, PositionedBatch record) {
    level.process(record.batch());
    queries.processed(record);
  }

  private void closePanesUpTo(HostedQueries queries, long micros) {
    level.closePanesUpTo(micros);
    queries.closed(micros);
  }

  private boolean drainSome(HostedQueries queries, int slots) {
    level.drainSome(slots);
    queries.drained();
    return level.isDrained();
  }

  private void drainAll(HostedQueries queries) {
    level.drainAll();
    queries.drainedAll();
  }

  private HostedQueries host(AnalysisConfig... analyses) {
    for (AnalysisConfig analysis : analyses) {
      known.put(analysis.name(), analysis);
      given.put(analysis.name(), new ArrayList<>());
    }
    level = new LowLevel();
    return new HostedQueries(
        level,
        new AnalysisSet(List.of(analyses)),
        Enrichment.NONE,
        false,
        Long.MIN_VALUE,
        KEY_GROUPS,
        0,
        1,
        sent::add,
        new Gauges("", gauges));
  }

  @Test
  void analysesThatShareATableComeChangeAndGoAndEachHasTheFlowsOfItsTime() {
    for (long seed = 21; seed <= 26; seed++) {
      sent.clear();
      given.clear();
      Random random = new Random(seed);
      List<TestFlow> flows = TestFlow.random(seed, 6_000, 5, 400);
      List<FlowBatch> batches = TestFlow.batches(flows, ROWS, 1);
      HostedQueries queries = host(analysis("a", 16), analysis("b", 16), analysis("c", 32));
      Map<String, Integer> slots = new HashMap<>(Map.of("a", 16, "b", 16, "c", 32));
      for (int b = 0; b < batches.size(); b++) {
        if (b == 15) {
          known.put("d", analysis("d", 16));
          given.put("d", new ArrayList<>());
          slots.put("d", 16);
          queries.apply(new AnalysisChange("d", 1, text("d", 16)), Long.MIN_VALUE);
        } else if (b == 30) {
          drainAll(queries); // a stopped query's groups are not sent
          slots.remove("b");
          queries.apply(new AnalysisChange("b", 1, null), Long.MIN_VALUE);
        } else if (b > 30 && b % 5 == 0) {
          // From one table into another.
          String name = random.nextBoolean() ? "a" : "c";
          slots.put(name, 48 - slots.get(name));
          queries.apply(new AnalysisChange(name, b, text(name, slots.get(name))), Long.MIN_VALUE);
        }
        queries.announce();
        process(queries, new PositionedBatch("t:0", b, batches.get(b), 0));
        List<TestFlow> rows = flows.subList(b * ROWS, (b + 1) * ROWS);
        slots.keySet().forEach(name -> given.get(name).addAll(rows));
        if (random.nextInt(4) == 0) {
          closePanesUpTo(queries, rows.get(ROWS - 1).arrival() - 1);
          while (!drainSome(queries, 3)) {
            // until all closed panes are out
          }
        }
      }
      drainAll(queries);
      for (String name : given.keySet()) {
        assertEquals(expected(name), windows(name), "seed " + seed + ", analysis " + name);
        assertEquals(selected(name), arrived(name), "seed " + seed + ", analysis " + name);
      }
    }
  }

  @Test
  void eachFlowCountsInThePaneOfItsArrivalWhateverBatchItIsIn() {
    for (long seed = 31; seed <= 36; seed++) {
      sent.clear();
      given.clear();
      Random random = new Random(seed);
      List<TestFlow> flows = TestFlow.random(seed, 4_000, 20, 100);
      // The query with wider windows shares a table with the other, and fewer flows are late for
      // it.
      HostedQueries queries = host(analysis("a", 16), wide("b"));
      List<FlowBatch> batches = TestFlow.batches(flows, 1 + random.nextInt(700), 1);
      for (int b = 0; b < batches.size(); b++) {
        process(queries, new PositionedBatch("t:0", b, batches.get(b), b % 3));
        if (random.nextInt(4) == 0) {
          closePanesUpTo(queries, batches.get(b).minArrival() - 1);
        }
      }
      drainAll(queries);
      for (String name : List.of("a", "b")) {
        Map<Long, String> expected = new TreeMap<>();
        Map<Long, long[]> counts = new TreeMap<>();
        long width = LiveQuery.of(known.get(name)).window().widthMicros();
        for (TestFlow flow : flows) {
          if (!Boolean.TRUE.equals(flow.outgoing())) {
            long pane = Math.floorDiv(flow.arrival(), SECOND) * SECOND;
            long[] of = counts.computeIfAbsent(pane, p -> new long[2]);
            of[0]++;
            long last = Math.floorDiv(flow.time(), SECOND) * SECOND + width;
            of[1] += flow.arrival() > last ? 1 : 0;
          }
        }
        counts.forEach((pane, of) -> expected.put(pane, of[0] + " flows, " + of[1] + " late"));
        Map<Long, String> found = new TreeMap<>();
        arrivals(name)
            .forEach(
                (pane, of) -> {
                  if (of.flows() > 0) {
                    found.put(pane, of.flows() + " flows, " + of.late() + " late");
                  }
                });
        assertEquals(expected, found, "seed " + seed + ", analysis " + name);
        long lost = 0;
        for (int b = 0; b < batches.size(); b++) {
          lost += b % 3;
        }
        assertEquals(
            lost,
            arrivals(name).values().stream().mapToLong(ArrivalCounts::lost).sum(),
            "seed " + seed + ", analysis " + name);
      }
    }
  }

  private static AnalysisConfig wide(String name) {
    return AnalysisConfig.parse(
        name + ".yaml", TestAnalyses.text(name, "4s", "1s", "0s", 16, "", 10));
  }

  private Map<Long, ArrivalCounts> arrivals(String name) {
    Map<Long, ArrivalCounts> arrivals = new TreeMap<>();
    for (Partial partial : sent) {
      if (partial instanceof Partial.Counts counts
          && counts.queryId() == LiveQuery.of(known.get(name)).id()) {
        arrivals.merge(counts.paneStart(), counts.counts(), ArrivalCounts::plus);
      }
    }
    return arrivals;
  }

  @Test
  void theMetricsOfAnAnalysisAreItsOwnWhereItSharesATable() {
    List<TestFlow> flows = TestFlow.random(27, 3_000, 3, 300);
    HostedQueries queries = host(analysis("a", 16), analysis("b", 16));
    int number = 0;
    for (FlowBatch batch : TestFlow.batches(flows, ROWS, 1)) {
      if (number == 10) {
        known.put("c", analysis("c", 16));
        given.put("c", new ArrayList<>());
        queries.apply(new AnalysisChange("c", 1, text("c", 16)), Long.MIN_VALUE);
      }
      process(queries, new PositionedBatch("t:0", number++, batch, 0));
      List<TestFlow> rows = flows.subList((number - 1) * ROWS, number * ROWS);
      given.values().forEach(of -> of.addAll(rows));
    }
    drainAll(queries);
    for (String name : given.keySet()) {
      long groups = 0;
      long messages = 0;
      for (Partial partial : sent) {
        if (partial instanceof Partial.Groups of
            && PartialGroups.open(of.bytes()).queryId() == LiveQuery.of(known.get(name)).id()) {
          groups += PartialGroups.open(of.bytes()).groups();
          messages++;
        }
      }
      assertEquals(groups, gauges.get(name + ".partials").getValue(), name);
      assertEquals(messages, gauges.get(name + ".partial_messages").getValue(), name);
      assertEquals(selected(name), gauges.get(name + ".selected_flows").getValue(), name);
      assertTrue((long) gauges.get(name + ".evictions").getValue() > 0, name);
      assertEquals(16L, gauges.get(name + ".table_slots").getValue(), name);
      assertEquals(0L, gauges.get(name + ".table_resizes").getValue(), name);
      assertEquals("", gauges.get(name + ".low_halves").getValue(), name);
      double counted = (long) gauges.get(name + ".selected_flows").getValue();
      for (String lost : List.of("late_flows", "ahead_flows", "behind_watermark_flows")) {
        counted -= (long) gauges.get(name + "." + lost).getValue();
      }
      assertEquals(counted / groups, gauges.get(name + ".rows_per_partial").getValue(), name);
    }
    assertEquals(
        gauges.get("a.evictions").getValue(),
        gauges.get("b.evictions").getValue(),
        "of one table, and both saw all of it");
  }

  private long selected(String name) {
    return given.get(name).stream().filter(flow -> !Boolean.TRUE.equals(flow.outgoing())).count();
  }

  /** Returns the number of arrived flows in the counts. */
  private long arrived(String name) {
    ArrivalCounts total = ArrivalCounts.NONE;
    for (Partial partial : sent) {
      if (partial instanceof Partial.Counts counts
          && counts.queryId() == LiveQuery.of(known.get(name)).id()) {
        total = total.plus(counts.counts());
      }
    }
    return total.flows();
  }

  /** Returns by window the number of groups, and their bytes. */
  private Map<Long, String> expected(String name) {
    return BruteForce.windows(given.get(name), SECOND, SECOND, 0, 0);
  }

  private Map<Long, String> windows(String name) {
    LiveQuery live = LiveQuery.of(known.get(name));
    WindowTables tables = new WindowTables(live.id(), live.query(), live.window());
    for (Partial partial : sent) {
      if (partial instanceof Partial.Groups groups
          && PartialGroups.open(groups.bytes()).queryId() == live.id()) {
        assertTrue(tables.merge(PartialGroups.open(groups.bytes())));
      }
    }
    Map<Long, String> windows = new TreeMap<>();
    tables.closeUpTo(
        Long.MAX_VALUE / 4,
        part ->
            windows.put(
                part.windowEnd(),
                "end "
                    + part.windowEnd()
                    + " groups "
                    + part.groups()
                    + " total "
                    + part.totals().longValue(0, part.totals().column("bytes"))));
    return windows;
  }
}
