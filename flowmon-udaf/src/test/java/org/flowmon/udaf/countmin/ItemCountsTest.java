package org.flowmon.udaf.countmin;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ItemCountsTest {
  private static final long SEED = 20261122;

  @Test
  void triplesAreSortedByKeyUnsignedAndWhatLiesBehindStays() {
    Random random = new Random(SEED);
    for (int round = 0; round < 300; round++) {
      int count = random.nextInt(40);
      long[] triples = random.longs(3L * count + 5).toArray();
      for (int i = 0; i < count && round % 2 == 0; i++) {
        triples[3 * i] = random.nextInt(3) - 1L; // few high words, one of them the largest
      }
      List<long[]> rows = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        rows.add(new long[] {triples[3 * i], triples[3 * i + 1], triples[3 * i + 2]});
      }
      Comparator<long[]> byHigh = (a, b) -> Long.compareUnsigned(a[0], b[0]);
      rows.sort(byHigh.thenComparing((a, b) -> Long.compareUnsigned(a[1], b[1])));
      long[] expected = triples.clone();
      for (int i = 0; i < count; i++) {
        System.arraycopy(rows.get(i), 0, expected, 3 * i, 3);
      }
      ItemCounts.sort(triples, count);
      assertArrayEquals(expected, triples, "seed " + SEED + ", round " + round);
    }
  }
}
