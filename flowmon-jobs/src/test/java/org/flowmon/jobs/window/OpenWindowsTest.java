package org.flowmon.jobs.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.TestAnalyses;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.jobs.types.WatermarkTime;
import org.junit.jupiter.api.Test;

/** However many windows are open, each has all of its messages, and losses are reported once. */
class OpenWindowsTest {
  private static final int WINDOWS = 70_000; // more than 2^16
  private static final int ROWS = 5_000;
  private static final long SECOND = TestFlow.SECOND;

  /** A flow a second, some late for all windows, and lost flows before batches. */
  private static final class Stream {
    final List<PositionedBatch> batches = new ArrayList<>();
    // Windows of the flows that are not late.
    final Set<Long> ends = new HashSet<>();
    ArrivalCounts total = ArrivalCounts.NONE;

    Stream(SplittableRandom random, long latenessSeconds) {
      for (int from = 0; from < WINDOWS; from += ROWS) {
        List<TestFlow> flows = new ArrayList<>();
        int late = 0;
        for (int i = from; i < from + ROWS; i++) {
          boolean isLate = random.nextInt(10) == 0;
          long arrival = TestFlow.START + i * SECOND + random.nextLong(SECOND);
          long end = arrival - (isLate ? (latenessSeconds + 3) * SECOND : 0);
          late += isLate ? 1 : 0;
          if (!isLate) {
            ends.add(Math.floorDiv(end, SECOND) * SECOND + SECOND);
          }
          flows.add(new TestFlow(arrival, end, IpAddress.ofIpv4(7 + i % 5), 1, false));
        }
        int lost = random.nextInt(3);
        FlowBatch batch =
            FlowBatch.open(TestFlow.batch(flows, 1, from / ROWS, from + flows.size()));
        batches.add(new PositionedBatch("t:0", from / ROWS, batch, lost));
        total = total.plus(new ArrivalCounts(flows.size(), late, 0, lost));
      }
    }
  }

  @Test
  void allIsToldOfMoreWindowsThan65536ThatOneWatermarkCloses() throws Exception {
    for (long seed = 2; seed <= 3; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      boolean isTimeKnown = random.nextBoolean();
      boolean isRestored = seed % 2 == 0;
      AnalysisConfig analysis =
          TestAnalyses.talkers("talkers", "1s", "1s", seed % 3 == 0 ? "1d" : "0s", 16, 10);
      String at = "seed " + seed + ", " + isTimeKnown + ", " + isRestored;
      Stream stream = new Stream(random, analysis.live().latenessMicros() / SECOND);
      Told told = new Told();
      try (WindowNetwork network = network(analysis, null, random)) {
        for (PositionedBatch batch : stream.batches) {
          network.batch(0, batch);
          if (isTimeKnown && batch.offset() == 0) {
            network.watermark(0, WatermarkTime.watermark(TestFlow.START + SECOND, 0));
          }
        }
        if (isRestored) {
          WindowNetwork.State state = network.checkpoint();
          told.take(network);
          try (WindowNetwork goesOn = network(analysis, state, random)) {
            close(goesOn, told);
          }
        } else {
          close(network, told);
        }
      }
      assertEquals(stream.total, told.sum, at);
      assertTrue(told.grouped.size() > 60_000, at);
      assertEquals(stream.ends, told.grouped, at);
    }
  }

  /** The counts of final results. */
  private static final class Told {
    final Set<Long> grouped = new HashSet<>();
    ArrivalCounts sum = ArrivalCounts.NONE;

    void take(WindowNetwork network) {
      for (WindowResult result : network.results()) {
        if (!result.isAnnouncement() && result.isFinal()) {
          sum = sum.plus(result.counts());
          if (result.hasGroups()) {
            assertTrue(grouped.add(result.windowEnd()), "twice: " + result.windowEnd());
          }
        }
      }
    }
  }

  private static void close(WindowNetwork network, Told told) throws Exception {
    long end = TestFlow.START + (WINDOWS + 200_000L) * SECOND;
    network.watermark(0, WatermarkTime.watermark(end, 0));
    network.end();
    told.take(network);
  }

  private static WindowNetwork network(
      AnalysisConfig analysis, WindowNetwork.State from, SplittableRandom random) throws Exception {
    return new WindowNetwork(List.of(analysis), 1, 2, from, false, random.split());
  }
}
