package org.flowmon.udaf.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.aggregate.GroupHash;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.lowlevel.LowLevelCounts;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.partial.PartialMerge;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.DistinctCounts;
import org.flowmon.udaf.result.GroupCollector;
import org.junit.jupiter.api.Test;

/** Keys chosen by known hashes do not make tables slow. */
class ChosenKeysTest {
  private static final int GROUPS = 20_000;
  // For random keys the mean is below 1 if at most half of the slots are taken.
  private static final long MOST_DISPLACEMENT = 4L * GROUPS;

  private static final FlowQuery BY_ADDRESS =
      QueryParser.parse("SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr");

  private final List<byte[]> sent = new ArrayList<>();

  @Test
  void chosenAddressesShareNoSlotsOfAGroupTable() {
    GroupTable table = groups(BY_ADDRESS, ofAddresses(GROUPS));
    assertEquals(GROUPS, table.size());
    long displacement = table.displacement();
    assertTrue(displacement < MOST_DISPLACEMENT, "slots behind their own: " + displacement);
  }

  @Test
  void chosenAddressesShareNoSlotsWherePartialGroupsAreMerged() {
    LowLevelQuery low = lowLevel(BY_ADDRESS, 1 << 10);
    for (FlowBatch batch : ofAddresses(GROUPS)) {
      low.process(batch);
    }
    low.drainAll();
    GroupTable merged = new GroupTable(GroupLayout.of(BY_ADDRESS));
    sent.forEach(
        bytes -> new PartialMerge(merged.layout()).into(merged, PartialGroups.open(bytes)));
    assertEquals(GROUPS, merged.size());
    long displacement = merged.displacement();
    assertTrue(displacement < MOST_DISPLACEMENT, "slots behind their own: " + displacement);
    GroupTable whole = new GroupTable(merged.layout());
    whole.merge(merged);
    assertTrue(whole.displacement() < MOST_DISPLACEMENT, whole.displacement() + " slots");
  }

  @Test
  void chosenPairsShareNoSlotsWhereDistinctOnesAreCounted() {
    FlowQuery query =
        QueryParser.parse(
            "SELECT dst_port, COUNT(DISTINCT src_addr, dst_addr) AS n FROM flows GROUP BY"
                + " dst_port");
    FlowBatch[] flows =
        ChosenKeys.batches(
            GROUPS,
            (builder, i) -> {
              IpAddress from = ChosenKeys.anyAddress(i);
              long high = 0xFD00L << 48;
              long hash = GroupHash.mix(GroupHash.SEED, 443);
              for (long word : new long[] {from.hi(), from.lo(), high}) {
                hash = GroupHash.mix(hash, word);
              }
              builder.set(FlowColumn.DST_PORT, 443);
              builder.setAddress(FlowColumn.SRC_ADDR, from.hi(), from.lo());
              builder.setAddress(FlowColumn.DST_ADDR, high, ChosenKeys.lastWord(hash));
            });
    DistinctCounts counts = DistinctCounts.of(query);
    GroupTable pairs = groups(counts.groupings().get(0), flows);
    assertEquals(GROUPS, pairs.size());
    assertTrue(pairs.displacement() < MOST_DISPLACEMENT, pairs.displacement() + " slots");
    assertEquals(GROUPS, counts.finish(List.of(pairs)).low(0, 1));
  }

  /** With room for eight times as many groups, only bad luck evicts one. */
  @Test
  void chosenAddressesDoNotEvictOneAnotherFromTheLowLevel() {
    int groups = 2_000;
    LowLevelQuery low = lowLevel(BY_ADDRESS, 1 << 14);
    for (int round = 0; round < 10; round++) {
      for (FlowBatch batch : ofAddresses(groups)) {
        low.process(batch);
      }
    }
    LowLevelCounts counts = low.counts();
    long gone = counts.evictions() + counts.passedRows();
    assertTrue(gone < 10 * groups / 20, gone + " of " + 10 * groups + " rows left the table");
  }

  private static FlowBatch[] ofAddresses(int groups) {
    return ChosenKeys.batches(
        groups,
        (builder, i) -> {
          IpAddress address = ChosenKeys.address(i);
          builder.setAddress(FlowColumn.SRC_ADDR, address.hi(), address.lo());
        });
  }

  private static GroupTable groups(FlowQuery query, FlowBatch[] flows) {
    GroupCollector collector = new GroupCollector(query);
    for (FlowBatch batch : flows) {
      collector.add(batch, 0, IntStream.range(0, batch.rows()).toArray(), batch.rows());
    }
    return collector.table();
  }

  private LowLevelQuery lowLevel(FlowQuery query, int slots) {
    return new LowLevelQuery(
        1,
        query,
        WindowSpec.tumbling(10_000_000, 0),
        slots,
        128,
        (group, bytes) -> sent.add(bytes));
  }
}
