package org.flowmon.udaf.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.junit.jupiter.api.Test;

/** Memory of panes with few groups: there is one for each key group, slide and query. */
class PaneMemoryTest {
  private static final int PANES = 4000;
  private static final long SECOND = 1_000_000L;
  private static final int MAX_BYTES = 4096;

  @Test
  void aPaneWithOneGroupTakesLittleMoreThanTheGroup() {
    FlowQuery query =
        QueryParser.parse("SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr");
    WindowSpec window =
        new WindowSpec(
            PANES * SECOND, SECOND, FlowColumn.END_TIME, 0, WindowSpec.DEFAULT_AHEAD_MICROS);
    WindowTables tables = new WindowTables(1, query, window);
    LowLevelQuery low =
        new LowLevelQuery(
            1, query, window, 16, 1, (group, bytes) -> tables.merge(PartialGroups.open(bytes)));
    fill(low, 1);
    long before = heap();
    fill(low, PANES);
    long taken = (heap() - before) / PANES;
    assertEquals(PANES, tables.groups());
    assertTrue(taken < MAX_BYTES, taken + " bytes for a pane with one group");
  }

  private static void fill(LowLevelQuery low, int panes) {
    for (int pane = 0; pane < panes; pane++) {
      FlowBatchBuilder builder = new FlowBatchBuilder(1);
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, pane * SECOND);
      builder.set(FlowColumn.END_TIME, pane * SECOND);
      builder.setIpv4(FlowColumn.SRC_ADDR, 0x0A000001);
      builder.set(FlowColumn.BYTES, 100);
      builder.endRow();
      low.process(FlowBatch.open(builder.build(1, pane, pane + 1, 0)));
      low.drainAll();
    }
  }

  private static long heap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
