package org.flowmon.udaf.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.lowlevel.LowLevelCounts;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.junit.jupiter.api.Test;

/** The low level with revised windows: panes leave at ticks, and go on. */
class RevisedPanesTest {
  private static final long SECOND = 1_000_000L;
  private static final WindowSpec WINDOW =
      new WindowSpec(SECOND, SECOND, FlowColumn.END_TIME, 10 * SECOND, 3_600 * SECOND, true, false);
  private static final FlowQuery QUERY =
      QueryParser.parse("SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr");

  // So many that none of a few hundred groups is evicted, whatever the key of the table's hash.
  private static final int SLOTS = 1 << 18;

  /** Flows of as many sources that ended within the first second. */
  private static FlowBatch flows(long arrival, int sources) {
    FlowBatchBuilder builder = new FlowBatchBuilder(sources);
    for (int i = 0; i < sources; i++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, arrival);
      builder.set(FlowColumn.END_TIME, SECOND / 2);
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.ofIpv4(i));
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, sources, 0));
  }

  private static void drain(LowLevelQuery low) {
    for (int i = 0; !low.drainSome(SLOTS / 64); i++) {
      assertTrue(i < 1_000, "what comes meanwhile does not hold up the pane that leaves");
    }
  }

  @Test
  void flowsThatComeWhileTheirPaneLeavesAreOfTheNextTick() {
    List<Long> dues = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    LowLevelQuery low =
        new LowLevelQuery(
            1,
            QUERY,
            WINDOW,
            SLOTS,
            1,
            (keyGroup, bytes) -> {
              dues.add(PartialGroups.open(bytes).due());
              sizes.add(PartialGroups.open(bytes).groups());
            });
    low.process(flows(SECOND, 240));
    low.closePanesUpTo(SECOND);
    low.drainSome(SLOTS / 64);
    // After the watermark, as a source broke its promise, and in time.
    low.process(flows(SECOND - 1, 200));
    low.process(flows(SECOND + 1, 100));
    drain(low);
    assertEquals(List.of(SECOND), dues);
    assertEquals(List.of(240), sizes);
    low.closePanesUpTo(2 * SECOND - 1);
    assertTrue(low.isDrained());
    assertEquals(1, low.panes());
    low.closePanesUpTo(2 * SECOND);
    drain(low);
    assertEquals(List.of(SECOND, 2 * SECOND), dues);
    assertEquals(List.of(240, 200), sizes, "a group of both flows is one");
    low.process(flows(9 * SECOND + SECOND / 2, 50));
    low.closePanesUpTo(10 * SECOND);
    drain(low);
    low.process(flows(11 * SECOND, 40));
    low.closePanesUpTo(11 * SECOND);
    low.process(flows(11 * SECOND, 30));
    drain(low);
    assertEquals(List.of(SECOND, 2 * SECOND, 10 * SECOND, 11 * SECOND), dues);
    LowLevelCounts counts = low.counts();
    assertEquals(630, counts.counted());
    assertEquals(30, counts.behindWatermark());
    assertEquals(0, low.panes());
  }
}
