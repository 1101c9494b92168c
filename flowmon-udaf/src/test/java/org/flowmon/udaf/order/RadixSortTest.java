package org.flowmon.udaf.order;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

  /** Throws at one check and counts those before it. */
  private static final class Checks implements Runnable {
    private final int last;
    private int done;

    Checks(int last) {
      this.last = last;
    }

    @Override
    public void run() {
      done++;
      if (done == last) {
        throw new CancellationException();
      }
    }
  }

  @Test
  void eachCheckThatThrowsEndsTheSortAndTheNextOneIsRight() {
    RadixSort sort = new RadixSort();
    long[] keys = keys(new SplittableRandom(SEED), 300_000, 0, 300_000);
    int[] rows = IntStream.range(0, keys.length).toArray();
    Checks all = new Checks(0);
    sort.sort(keys.clone(), rows.clone(), 0, keys.length, all);
    assertTrue(all.done > 2 * Long.BYTES, all.done + " checks");
    for (int n = 1; n <= all.done; n++) {
      Checks checks = new Checks(n);
      assertThrows(
          CancellationException.class,
          () -> sort.sort(keys.clone(), rows.clone(), 0, keys.length, checks));
      assertEquals(n, checks.done);
    }
    long[] sorted = keys.clone();
    int[] rowsOfSorted = rows.clone();
    sort.sort(sorted, rowsOfSorted, 0, keys.length, () -> {});
    long[] spare = new long[keys.length];
    long[] alone = keys.clone();
    assertThrows(
        CancellationException.class,
        () -> sort.sort(alone.clone(), alone.length, spare, new Checks(2)));
    sort.sort(alone, alone.length, spare, () -> {});
    assertArrayEquals(alone, sorted);
    assertArrayEquals(alone, Arrays.stream(rowsOfSorted).mapToLong(row -> keys[row]).toArray());
  }
}
