package org.flowmon.udaf.order;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RadixSortTest {
  private static final long SEED = 5;
  private static final int[] SIZES = {0, 1, 2, 63, 64, 1000, 5000, 600_000};

  private static long[] keys(SplittableRandom random, int size, int shift, int different) {
    long[] few = random.longs(different).map(key -> key >>> shift).toArray();
    return random.ints(size, 0, different).mapToLong(i -> few[i]).toArray();
  }

  @Test
  void rowsFollowTheirKeysAndStayInOrderIfTheseAreEqual() {
    SplittableRandom random = new SplittableRandom(SEED);
    RadixSort sort = new RadixSort();
    for (int size : SIZES) {
      for (int shift : new int[] {0, 1, 17, 40, 63}) {
        for (int different : new int[] {1, 2, 1000}) {
          String at = "seed " + SEED + ", " + size + " keys of " + different + ", shift " + shift;
          long[] keys = keys(random, size + 20, shift, different);
          long[] given = keys.clone();
          int[] rows = IntStream.range(0, size + 20).toArray();
          Integer[] expected = IntStream.range(10, size + 10).boxed().toArray(Integer[]::new);
          Arrays.sort(expected, Comparator.comparing(row -> given[row], Long::compareUnsigned));
          sort.sort(keys, rows, 10, size + 10, () -> {});
          for (int i = 0; i < size + 20; i++) {
            int row = i < 10 || i >= size + 10 ? i : expected[i - 10];
            if (rows[i] != row || keys[i] != given[row]) {
              throw new AssertionError(at + ": row " + rows[i] + " at place " + i);
            }
          }
        }
      }
    }
  }

  @Test
  void longsAreInUnsignedOrderWhateverTheyHaveInCommon() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int size : SIZES) {
      for (int shift : new int[] {0, 1, 17, 40, 63}) {
        long[] found = keys(random, size, shift, Math.max(1, size));
        long[] expected = found.clone();
        for (int flips = 0; flips < 2; flips++) {
          Arrays.setAll(expected, i -> expected[i] ^ Long.MIN_VALUE);
          if (flips == 0) {
            Arrays.sort(expected);
          }
        }
        new RadixSort().sort(found, size, new long[size], () -> {});
        assertArrayEquals(expected, found, "seed " + SEED + ", " + size + " longs, shift " + shift);
      }
    }
  }

  @Test
  void checkThatThrowsEndsTheSort() {
    long[] keys = keys(new SplittableRandom(SEED), 1000, 0, 1000);
    assertThrows(
        CancellationException.class,
        () ->
            new RadixSort()
                .sort(
                    keys,
                    keys.length,
                    new long[keys.length],
                    () -> {
                      throw new CancellationException();
                    }));
  }
}
