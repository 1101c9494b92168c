package org.flowmon.jobs.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.types.WatermarkTime;
import org.flowmon.jobs.window.WindowNetwork;
import org.junit.jupiter.api.Test;

/** Results with a limit, whose groups change until the last moment. */
class LateChangesTest {
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
