package org.flowmon.udaf.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The number of slots that a table gets for streams of groups, with a table that holds nothing
 * else.
 */
class SlotTunerTest {
  private static final int MOST = 1 << 17;
  private static final int EPOCH = 400_000;

  /** The table's rule over hashes: the rows that lose their place. */
  private static final class Table {
    private final long[] slots;
    private long rows;
    private long lost;
    private int used;

    Table(int slots) {
      this.slots = new long[slots];
    }

    void add(long hash) {
      rows++;
      int first = (int) hash & slots.length - 1;
      int second = (int) (hash >>> 32) & slots.length - 1;
      if (slots[first] == hash || (slots[first] != 0 && slots[second] == hash)) {
        return;
      }
      if (slots[first] == 0) {
        used++;
        slots[first] = hash;
      } else if (slots[second] == 0) {
        used++;
        slots[second] = hash;
      } else {
        lost++;
        slots[first] = hash;
      }
    }
  }

  private interface Groups {
    long next(Random random);
  }

  private static long hash(long group) {
    long mixed = (group + 1) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L;
    return (mixed ^ (mixed >>> 32)) | (1L << 62);
  }

  /** The table's sizes at the end of each epoch. */
  private static List<Integer> sizes(SlotTuner tuner, int epochs, Groups groups, long seed) {
    Random random = new Random(seed);
    List<Integer> sizes = new ArrayList<>();
    Table table = new Table(tuner.slots());
    for (int epoch = 0; epoch < epochs; epoch++) {
      int used = 0;
      for (int row = 0; row < EPOCH; row++) {
        table.add(hash(groups.next(random)));
        used = Math.max(used, table.used);
        if (row % 1000 == 999 && tuner.took(table.rows, table.lost)) {
          table = new Table(tuner.slots());
        }
      }
      boolean isOther = tuner.epochEnds(used);
      assertEquals(isOther, table.slots.length != tuner.slots(), "seed " + seed);
      Table next = new Table(tuner.slots());
      next.rows = isOther ? 0 : table.rows;
      next.lost = isOther ? 0 : table.lost;
      table = next;
      sizes.add(tuner.slots());
    }
    return sizes;
  }

  @Test
  void aTableGrowsUntilOneOfTwentyRowsAtMostLosesItsPlace() {
    for (int groups : new int[] {3_000, 10_000, 20_000, 40_000}) {
      growsUntilFewRowsLoseTheirPlace(groups, SlotTuner.FIRST);
      growsUntilFewRowsLoseTheirPlace(groups, SlotTuner.FIRST_WITH_PADS);
    }
  }

  private static void growsUntilFewRowsLoseTheirPlace(int groups, int first) {
    SlotTuner tuner = new SlotTuner(MOST, first);
    assertEquals(first, tuner.slots());
    List<Integer> sizes = sizes(tuner, 20, random -> random.nextInt(groups), groups);
    int settled = sizes.get(1);
    Table table = new Table(settled);
    Random random = new Random(5);
    random.ints(4L * groups).forEach(any -> table.add(hash(random.nextInt(groups))));
    long lostBefore = table.lost;
    random.ints(EPOCH).forEach(any -> table.add(hash(random.nextInt(groups))));
    assertTrue(20 * (table.lost - lostBefore) <= EPOCH, groups + " groups: " + sizes);
    assertTrue(settled <= 32L * groups, groups + " groups: " + sizes);
    assertEquals(
        List.of(settled), sizes.subList(1, 20).stream().distinct().toList(), sizes.toString());
  }

  @Test
  void aTableOfFewGroupsGetsSmallerAndStaysSo() {
    SlotTuner tuner = new SlotTuner(MOST, SlotTuner.FIRST);
    List<Integer> sizes = sizes(tuner, 12, random -> random.nextInt(400), 1);
    assertEquals(List.of(8192, 8192, 8192, 2048), sizes.subList(0, 4));
    assertEquals(List.of(2048), sizes.subList(3, 12).stream().distinct().toList());
  }

  @Test
  void aTableGrowsAgainWhenThereAreMoreGroups() {
    SlotTuner tuner = new SlotTuner(MOST, SlotTuner.FIRST);
    long[] rows = new long[1];
    List<Integer> sizes =
        sizes(tuner, 9, random -> random.nextInt(rows[0]++ < 6 * EPOCH ? 100 : 30_000), 1);
    assertEquals(List.of(1024, MOST, MOST, MOST), sizes.subList(5, 9), sizes.toString());
  }

  @Test
  void rowsThatNeverRepeatGetASmallTableAndAreTriedMoreAndMoreSeldom() {
    SlotTuner tuner = new SlotTuner(1 << 15, SlotTuner.FIRST);
    List<Integer> sizes = sizes(tuner, 80, Random::nextLong, 3);
    long large = sizes.stream().filter(size -> size > SlotTuner.FIRST).count();
    assertTrue(large <= 12, sizes.toString());
    assertEquals(
        SlotTuner.FIRST, sizes.get(79), "and are not given memory that does not help: " + sizes);
  }

  @Test
  void theMemoryThatIsSetIsNeverExceeded() {
    for (int most : new int[] {2, 64, 1024, 4096, 16_384}) {
      SlotTuner tuner = new SlotTuner(most, SlotTuner.FIRST);
      for (int size : sizes(tuner, 6, random -> random.nextInt(50_000), most)) {
        assertTrue(size <= most, size + " of " + most);
      }
    }
  }
}
