package org.flowmon.udaf.window;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.RandomFlows;
import org.flowmon.udaf.group.GroupLimit;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A snapshot stays unchanged, whatever happens to the tables afterwards. */
class FrozenTablesTest {
  private static final WindowSpec WINDOW = WindowSpec.tumbling(30_000_000, 0);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT src_addr, dst_port, SUM(bytes) AS b, MIN(packets) AS m FROM flows"
            + " GROUP BY src_addr, dst_port",
        "SELECT src_addr, service, SUM(bytes) AS b FROM flows GROUP BY src_addr, service",
        "SELECT src_addr, COUNT(DISTINCT dst_port) AS d FROM flows GROUP BY src_addr",
        "SELECT dst_port, COUNT(QUANTILES(bytes, 0.05)) AS c,"
            + " CARDINALITY(APPROX_COUNT_DISTINCT(src_addr)) AS d FROM flows GROUP BY dst_port"
      })
  void bytesAreThoseOfTheTimeAtWhichItWasFrozen(String text) {
    FlowQuery query = QueryParser.parse(text);
    int dropped = 0;
    int changed = 0;
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      GroupBudget budget =
          seed % 2 == 0
              ? GroupBudget.unlimited(WINDOW)
              : new GroupBudget(GroupLimit.ofGroups(4), WINDOW, 1, 1);
      WindowTables tables = new WindowTables(7, query, WINDOW, budget, new WindowAdvances());
      List<FrozenTables> frozen = new ArrayList<>();
      List<byte[]> expected = new ArrayList<>();
      long time = Long.MIN_VALUE;
      for (byte[] groups : partialGroups(query, seed)) {
        tables.merge(PartialGroups.open(groups));
        if (random.nextInt(3) == 0) {
          frozen.add(tables.freeze());
          expected.add(tables.toBytes());
        }
        if (random.nextInt(16) == 0) {
          time = Math.max(time, PartialGroups.open(groups).paneStart());
          tables.closeUpTo(time, part -> {});
        }
      }
      tables.closeUpTo(Long.MAX_VALUE / 4, part -> {});
      assertTrue(tables.isEmpty(), "seed " + seed);
      for (int i = 0; i < frozen.size(); i++) {
        assertArrayEquals(expected.get(i), frozen.get(i).toBytes(), "seed " + seed);
        assertArrayEquals(
            expected.get(i),
            WindowTables.fromBytes(expected.get(i), 7, query, WINDOW).toBytes(),
            "seed " + seed);
      }
      dropped += budget.dropped() > 0 ? 1 : 0;
      boolean isSame =
          expected.isEmpty() || Arrays.equals(expected.get(0), expected.get(expected.size() - 1));
      changed += isSame ? 0 : 1;
    }
    assertTrue(changed > 40, "groups came after the first was frozen in most");
    assertTrue(dropped > 0, "groups were left out in some");
  }

  private static List<byte[]> partialGroups(FlowQuery query, int seed) {
    List<byte[]> sent = new ArrayList<>();
    LowLevelQuery low =
        new LowLevelQuery(7, query, WINDOW, 16, 1, (group, bytes) -> sent.add(bytes));
    for (FlowBatch batch : new RandomFlows(seed).within(3_000_000).batches(8, 60)) {
      low.process(batch);
      low.drainAll();
    }
    return sent;
  }
}
