package org.flowmon.udaf.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.junit.jupiter.api.Test;

class LowHalfSampleTest {
  private final Vector[] arguments = {new Vector(ValueKind.LONG), new Vector(ValueKind.ADDRESS)};

  /** Adds rows whose values are their numbers; NULL if divisible by 7. */
  private Map<Long, List<Long>> add(LowHalfSample sample, int rows, int groups, Random random) {
    Map<Long, List<Long>> expected = new HashMap<>();
    for (int row = 0; row < rows; row++) {
      int i = row % Vector.CAPACITY;
      long hash = 0x9E3779B97F4A7C15L * (1 + random.nextInt(groups));
      boolean isNull = row % 7 == 0;
      arguments[1].values()[i] = isNull ? 0 : row;
      arguments[1].high()[i] = isNull ? 0 : row + 1L;
      arguments[1].validity()[i >>> 6] &= ~(1L << i);
      arguments[1].validity()[i >>> 6] |= isNull ? 0 : 1L << i;
      sample.add(hash, arguments, i);
      expected.computeIfAbsent(hash, h -> new ArrayList<>()).add(isNull ? -1L : row);
    }
    return expected;
  }

  private static Map<Long, List<Long>> read(LowHalfSample sample) {
    int chunks = sample.settle();
    Map<Long, List<Long>> found = new HashMap<>();
    Map<Integer, Long> hashes = new HashMap<>();
    for (int row = 0; row < sample.rows(); row++) {
      assertTrue(row / Vector.CAPACITY < chunks);
      Vector[] vectors = sample.chunk(row / Vector.CAPACITY);
      int i = row % Vector.CAPACITY;
      boolean valid = vectors[1].isValid(i);
      assertEquals(valid ? vectors[1].values()[i] + 1 : 0, vectors[1].high()[i]);
      found
          .computeIfAbsent(sample.hash(row), h -> new ArrayList<>())
          .add(valid ? vectors[1].values()[i] : -1);
      hashes.putIfAbsent(sample.group(row), sample.hash(row));
      assertEquals(hashes.get(sample.group(row)), sample.hash(row), "one number, one group");
      assertTrue(sample.group(row) < sample.groups());
    }
    assertEquals(hashes.size(), sample.groups());
    return found;
  }

  @Test
  void eachGroupOfItHasAllItsRowsInTheirOrder() {
    LowHalfSample sample = new LowHalfSample(1);
    for (int groups : new int[] {1, 40, 256, 300, 5_000, 60_000}) {
      Random random = new Random(groups);
      sample.clear(groups, LowHalfSample.MAX_ROWS);
      Map<Long, List<Long>> all = add(sample, 30_000, groups, random);
      Map<Long, List<Long>> found = read(sample);
      found.forEach((hash, rows) -> assertEquals(all.get(hash), rows, groups + " groups"));
      assertTrue(found.size() <= LowHalfSample.MAX_GROUPS);
      assertTrue(found.size() >= Math.min(groups, 80), groups + " groups: " + found.size());
      assertEquals(groups <= 256 ? 0 : 1, Math.min(1, sample.level()), groups + " groups");
      assertFalse(sample.isFull());
    }
  }

  @Test
  void manyRowsOfSomeGroupsLeaveFewerGroupsWithAllTheirRows() {
    LowHalfSample sample = new LowHalfSample(1);
    Map<Long, List<Long>> all = add(sample, 100_000, 100, new Random(1));
    Map<Long, List<Long>> found = read(sample);
    found.forEach((hash, rows) -> assertEquals(all.get(hash), rows));
    assertTrue(found.size() >= 16 && found.size() < 60, found.size() + " groups");
    assertFalse(sample.isFull());
  }

  @Test
  void fewGroupsFillItWithTheirFirstRows() {
    LowHalfSample sample = new LowHalfSample(1);
    Map<Long, List<Long>> all = add(sample, 200_000, 3, new Random(1));
    assertTrue(sample.isFull());
    assertEquals(LowHalfSample.MAX_ROWS, sample.rows());
    read(sample).forEach((hash, rows) -> assertEquals(all.get(hash).subList(0, rows.size()), rows));
  }

  @Test
  void aSmallSampleHasAsManyRowsAtMost() {
    LowHalfSample sample = new LowHalfSample(1);
    for (int groups : new int[] {3, 100, 5_000}) {
      sample.clear(1, 4_000);
      Map<Long, List<Long>> all = add(sample, 30_000, groups, new Random(groups));
      assertTrue(
          sample.rows() <= 4_000 && sample.rows() > 500, groups + " groups: " + sample.rows());
      assertEquals(groups < 5_000, sample.isFull(), groups + " groups");
      read(sample)
          .forEach((hash, rows) -> assertEquals(all.get(hash).subList(0, rows.size()), rows));
    }
  }

  @Test
  void rowsKeepTheirEpochsWhereGroupsAreLeftOut() {
    LowHalfSample sample = new LowHalfSample(1);
    sample.clear(3, LowHalfSample.MAX_ROWS);
    Random random = new Random(4);
    Map<Long, List<Long>> first = add(sample, 700, 250, random);
    sample.endEpoch();
    var unused = add(sample, 40_000, 5_000, random);
    Map<Long, Long> found = new HashMap<>();
    boolean ended = false;
    for (int row = 0; row < sample.rows(); row++) {
      assertTrue(sample.epoch(row) >= (ended ? 1 : 0), "rows are in their order");
      ended |= sample.epoch(row) == 1;
      if (!ended) {
        found.merge(sample.hash(row), 1L, Long::sum);
      }
    }
    assertTrue(ended && !found.isEmpty() && sample.level() > 0);
    found.forEach((hash, rows) -> assertEquals(first.get(hash).size(), rows));
  }

  @Test
  void anotherSampleHasOtherGroups() {
    LowHalfSample sample = new LowHalfSample(1);
    sample.clear(1, LowHalfSample.MAX_ROWS);
    var unused = add(sample, 50_000, 5_000, new Random(1));
    Map<Long, List<Long>> first = read(sample);
    sample.clear(2, LowHalfSample.MAX_ROWS);
    var unusedToo = add(sample, 50_000, 5_000, new Random(1));
    Map<Long, List<Long>> second = read(sample);
    second.keySet().removeAll(first.keySet());
    assertTrue(second.size() > 50, second.size() + " other groups");
  }
}
