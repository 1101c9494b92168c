package org.flowmon.bench.udaf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.junit.jupiter.api.Test;

class SlotRuleTest {
  private static final long SEED = 20261122;

  @Test
  void theLowLevelsTableEvictsWhatTheSecondChanceSays() {
    for (int groups : new int[] {10, 100, 1000}) {
      for (Spread spread : Spread.values()) {
        GroupedFlows tuples = new GroupedFlows(20_000, 20_001, groups, spread, SEED);
        for (int slots : new int[] {groups, 2 * groups, 4 * groups}) {
          int power = Integer.highestOneBit(2 * slots - 1);
          LowLevelQuery query = GroupedFlows.query(GroupedFlows.COUNT_MIN_MAX, power);
          tuples.batches.forEach(query::process);
          long found = query.counts().evictions() + query.counts().passedRows();
          String what = "seed " + SEED + ", " + groups + " groups, " + power + " slots";
          assertEquals(0, query.counts().passedRows(), what);
          assertEquals(SlotRule.SECOND_CHANCE.evicted(tuples.hashes, power, 0), found, what);
        }
      }
    }
  }

  @Test
  void directMappingEvictsWhoeverHasTheSlot() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int slots : new int[] {2, 7, 64, 100}) {
      long[] hashes = new long[5000];
      for (int i = 0; i < hashes.length; i++) {
        hashes[i] = (random.nextInt(50) + 1) * 0x9E3779B97F4A7C15L;
      }
      Map<Long, Long> bySlot = new HashMap<>();
      long expected = 0;
      for (int i = 0; i < hashes.length; i++) {
        long low = hashes[i] & 0xFFFF_FFFFL;
        long slot = Integer.bitCount(slots) == 1 ? low % slots : low * slots / (1L << 32);
        Long before = bySlot.put(slot, hashes[i]);
        expected += i >= 1000 && before != null && before != hashes[i] ? 1 : 0;
      }
      assertEquals(expected, SlotRule.DIRECT_MAPPED.evicted(hashes, slots, 1000));
    }
  }

  @Test
  void theFewestSlotsAreEnough() {
    GroupedFlows tuples = new GroupedFlows(20_000, 20_001, 500, Spread.UNIFORM, SEED);
    for (SlotRule rule : SlotRule.values()) {
      int slots = rule.leastSlots(tuples.hashes, 2000, 900);
      assertTrue(rule.evicted(tuples.hashes, slots, 2000) <= 900, rule.toString());
      assertTrue(rule.evicted(tuples.hashes, slots / 2, 2000) > 900, rule.toString());
    }
    // As many slots as groups evict none only if no two groups share a slot.
    long[] two = {1, 2, 1, 2, 1, 2};
    assertEquals(2, SlotRule.DIRECT_MAPPED.leastSlots(two, 0, 0));
  }

  @Test
  void lostTuplesAreThoseThatFindTheBufferFull() {
    // 1,000 tuples come in each batch's time of 1,000 ns and are taken within it.
    assertEquals(0, DrainPauses.lost(new double[] {1000, 1000, 1000}, 1, 1000));
    // 5,000 come in the second batch's time: 1,000 of the 2,000 places are free again for the
    // third.
    assertEquals(3000.0 / 7000, DrainPauses.lost(new double[] {1000, 5000, 1000}, 1, 2000), 1e-12);
    assertEquals(0, DrainPauses.lost(new double[] {1000, 5000, 1000}, 1, 5000));
  }
}
