package org.flowmon.jobs.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.types.WatermarkTime;
import org.flowmon.jobs.window.WindowNetwork;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.GroupCollector;
import org.flowmon.udaf.window.WindowPart;
import org.junit.jupiter.api.Test;

/** Bounds learned in advance of a window's result, and groups that change until then. */
class AdvancesTest {
  private static final long SECOND = TestFlow.SECOND;
  private static final AnalysisConfig FEWEST =
      AnalysisConfig.parse(
          "fewest.yaml",
          """
          name: fewest
          live:
            query: |
              SELECT src_addr, COUNT(*) AS flows FROM flows GROUP BY src_addr
              ORDER BY flows LIMIT 1
            window: 2s
            lateness: 1s
            revisions: false
          report:
            logic: live
          """);
  private static final long BEGIN = TestFlow.START - TestFlow.START % (2 * SECOND);
  private static final long END = BEGIN + 2 * SECOND;

  private static FlowBatch flows(int number, int... sources) {
    List<TestFlow> flows = new ArrayList<>();
    for (int source : sources) {
      for (int i = 0; i < number; i++) {
        flows.add(new TestFlow(END + SECOND / 4, BEGIN + 1, IpAddress.ofIpv4(source), 1, null));
      }
    }
    return FlowBatch.open(TestFlow.batch(flows, 1, number, number));
  }

  /** Returns the part of a window with some sources, each with this number of flows. */
  private static WindowPart part(int number, int... sources) {
    FlowQuery query = QueryParser.parse(FEWEST.live().query());
    GroupCollector groups = new GroupCollector(query);
    if (sources.length > 0) {
      FlowBatch batch = flows(number, sources);
      groups.add(batch, 0, IntStream.range(0, batch.rows()).toArray(), batch.rows());
    }
    return WindowPart.of(1, END, query, groups.table());
  }

  @Test
  void ofWhatIsLearnedOfAWindowTheTighterBoundHolds() {
    Advances advances = new Advances();
    assertNull(advances.bound(1, END));
    int[] numbers = {9, 7, 8, 5, 6, 9};
    int least = Integer.MAX_VALUE;
    for (int i = 0; i < numbers.length; i++) {
      advances.learn(part(numbers[i], i));
      advances.learn(part(0)); // no groups give no bound
      least = Math.min(least, numbers[i]);
      int[] chosen = new int[6];
      int n = advances.bound(1, END).choose(new long[] {5, 6, 7, 8, 9}, 0, 1, 5, chosen);
      assertEquals(least - 4, n, "after " + (i + 1) + " parts");
    }
  }

  private static String fewest(int parallelism, int later, int... changed) throws Exception {
    try (WindowNetwork network =
        new WindowNetwork(List.of(FEWEST), 1, parallelism, null, false, new SplittableRandom(1))) {
      network.batch(0, flows(1, 1, 2));
      network.batch(0, flows(5, 3));
      network.batch(0, flows(6, 4, 5, 6, 7));
      network.watermark(0, WatermarkTime.watermark(END + SECOND / 3, 0));
      network.batch(0, flows(later, changed));
      network.end();
      WindowResult result =
          network.results().stream().filter(r -> !r.isAnnouncement()).toList().get(0);
      return result.rows().address(0, 0) + " " + result.rows().longValue(0, 1);
    }
  }

  @Test
  void whatWasAmongTheFirstAndIsNoMoreGivesWayToOthers() throws Exception {
    for (int parallelism : new int[] {1, 2}) {
      assertEquals("0.0.0.2 1", fewest(parallelism, 10, 1));
      assertEquals("0.0.0.3 5", fewest(parallelism, 10, 1, 2));
      assertEquals("0.0.0.4 6", fewest(parallelism, 10, 1, 2, 3));
      assertEquals("0.0.0.1 1", fewest(parallelism, 10, 4, 5, 6, 7, 8));
      assertEquals("0.0.0.1 1", fewest(parallelism, 1, 8));
    }
  }
}
