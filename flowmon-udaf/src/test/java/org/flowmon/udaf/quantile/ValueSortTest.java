package org.flowmon.udaf.quantile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

class ValueSortTest {
  private static final long SEED = 5;
  private static final int SIZE = 1_000_000;

  private static long[] values(SplittableRandom random, int shift, int different) {
    long[] few = random.longs(different).map(value -> value >> shift).toArray();
    return random.ints(SIZE, 0, different).mapToLong(i -> few[i]).toArray();
  }

  @Test
  void valuesAreInTheOrderOfLongsWhateverTheyHaveInCommon() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int shift : new int[] {0, 1, 17, 40, 63}) {
      for (int different : new int[] {1, 2, 1000, SIZE}) {
        long[] found = values(random, shift, different);
        long[] expected = found.clone();
        Arrays.sort(expected, 10, SIZE - 10);
        ValueSort.sort(found, 10, SIZE - 10);
        assertArrayEquals(
            expected, found, "seed " + SEED + ", shift " + shift + ", " + different + " values");
      }
    }
  }

  @Test
  void aThreadThatIsInterruptedSortsNoFurther() {
    Thread.currentThread().interrupt();
    try {
      assertThrows(CancellationException.class, () -> ValueSort.sort(new long[SIZE], 0, SIZE));
    } finally {
      assertTrue(Thread.interrupted());
    }
  }
}
