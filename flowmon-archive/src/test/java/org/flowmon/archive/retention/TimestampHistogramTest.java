package org.flowmon.archive.retention;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampHistogramTest {
  private static final long BEGIN = 1_790_000_000_000_000L;

  /** Times of a few hours, some of 1970, some of the end of time. */
  private static long[] times(SplittableRandom random, int n) {
    long[] times = new long[n];
    for (int i = 0; i < n; i++) {
      times[i] =
          switch (random.nextInt(30)) {
            case 0 -> random.nextLong(1000);
            case 1 -> random.nextLong();
            case 2 -> random.nextBoolean() ? Long.MAX_VALUE : Long.MIN_VALUE;
            case 3 -> BEGIN;
            default -> BEGIN + random.nextLong(20_000_000_000L);
          };
    }
    return times;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void everyRankIsInItsBucketAndBoundariesAreExact(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int max = 2 + random.nextInt(100);
    long[] times = times(random, 1 + random.nextInt(3000));
    TimestampHistogram histogram = new TimestampHistogram(max, random.nextInt(30));
    for (long time : times) {
      histogram.add(time);
    }
    assertTrue(histogram.size() <= max, "seed " + seed);
    assertEquals(times.length, histogram.total());
    long[] sorted = times.clone();
    Arrays.sort(sorted);
    for (int rank = 1; rank <= times.length; rank += 1 + random.nextInt(50)) {
      long exact = sorted[sorted.length - rank];
      TimestampHistogram.Interval interval = histogram.newest(rank);
      String context = "seed " + seed + ", rank " + rank;
      assertTrue(interval.first() <= exact && exact <= interval.last(), context);
      long width = interval.last() - interval.first();
      assertEquals((1L << histogram.widthLog2()) - 1, width, context + ": the bound of the error");
    }
    assertNull(histogram.newest(times.length + 1L));
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15})
  void partsMergeToTheSameWhateverTheirOrder(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long[] times = times(random, 2000);
    TimestampHistogram whole = new TimestampHistogram(64, 10);
    TimestampHistogram[] parts = new TimestampHistogram[5];
    for (int p = 0; p < parts.length; p++) {
      parts[p] = new TimestampHistogram(64, 10);
    }
    for (long time : times) {
      whole.add(time);
      parts[random.nextInt(parts.length)].add(time);
    }
    TimestampHistogram merged = new TimestampHistogram(64, 10);
    for (int p = parts.length - 1; p >= 0; p--) {
      merged.add(parts[p].copy());
    }
    assertArrayEquals(whole.toBytes(), merged.toBytes(), "seed " + seed);
    TimestampHistogram read = TimestampHistogram.fromBytes(little(whole.toBytes()));
    assertArrayEquals(whole.toBytes(), read.toBytes());
    assertEquals(whole.total(), read.total());
  }

  @Test
  void bucketsBeforeATimeAreForgottenAndTheOneItLiesInIsNot() {
    TimestampHistogram histogram = new TimestampHistogram(1000, 4);
    for (int i = 0; i < 640; i++) {
      histogram.add(i);
    }
    histogram.removeBefore(100);
    assertEquals(640 - 96, histogram.total());
    assertEquals(new TimestampHistogram.Interval(96, 111), histogram.newest(640 - 96));
    assertNull(histogram.newest(640 - 95));
  }

  @Test
  void aStrayCostsNoPrecision() {
    TimestampHistogram histogram = new TimestampHistogram();
    histogram.add(0);
    for (int i = 0; i < 4000; i++) {
      histogram.add(BEGIN + i * 1_000_000L);
    }
    assertEquals(TimestampHistogram.DEFAULT_WIDTH_LOG2, histogram.widthLog2());
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Test
  void bytesThatAreNoneAreRefused() {
    SplittableRandom random = new SplittableRandom(5);
    TimestampHistogram histogram = new TimestampHistogram();
    for (int i = 0; i < 300; i++) {
      histogram.add(BEGIN + random.nextLong(1L << 32), 1 + random.nextInt(5));
    }
    byte[] sound = histogram.toBytes();
    for (int length = 0; length < sound.length; length++) {
      byte[] cut = Arrays.copyOf(sound, length);
      assertThrows(
          IllegalArgumentException.class,
          () -> TimestampHistogram.fromBytes(little(cut)),
          "length " + length);
    }
    int refused = 0;
    for (int at = 0; at < sound.length; at++) {
      byte[] flipped = sound.clone();
      flipped[at] ^= (byte) (1 << random.nextInt(8));
      try {
        TimestampHistogram read = TimestampHistogram.fromBytes(little(flipped));
        // Different bytes, but a valid histogram.
        assertArrayEquals(flipped, read.toBytes(), "byte " + at);
      } catch (IllegalArgumentException e) {
        refused++;
      }
    }
    assertTrue(refused > 100, refused + " refused");
  }
}
