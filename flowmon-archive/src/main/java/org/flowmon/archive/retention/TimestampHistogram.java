package org.flowmon.archive.retention;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.flowmon.flow.TableHash;
import org.jspecify.annotations.Nullable;

/**
 * Counts of timestamps (µs) by interval of time, in bounded memory: it tells about where the n-th
 * newest lies ("timestamp histogram", Diventi, section 3.2.2).
 *
 * <p>Buckets are intervals of one width, a power of two of microseconds, aligned to its multiples.
 * Empty ones are not stored, so a timestamp from 1970 costs one bucket and no precision. Beyond
 * {@link #maxBuckets}, the width doubles until they fit; the order of additions does not matter.
 * Counts are exact, so the position of a rank is wrong by less than one width, and a count at a
 * boundary between buckets is exact. Not thread-safe: each thread fills its own, to be {@linkplain
 * #add(TimestampHistogram) merged}.
 */
public final class TimestampHistogram {
  public static final int DEFAULT_BUCKETS = 4096;

  /** Default initial width: 2^20 µs, about a second. */
  public static final int DEFAULT_WIDTH_LOG2 = 20;

  private static final int LIMIT = 1 << 20;

  private final int maxBuckets;
  private int widthLog2;
  // Open addressing, a power of two of slots; a slot is taken if its count is not 0.
  private long[] buckets = new long[64];
  private long[] counts = new long[64];
  private int size;
  private long total;

  public TimestampHistogram() {
    this(DEFAULT_BUCKETS, DEFAULT_WIDTH_LOG2);
  }

  /** {@code maxBuckets} are 2 … 2^20; the initial width is 2^{@code widthLog2} µs, 0 … 63. */
  public TimestampHistogram(int maxBuckets, int widthLog2) {
    if (maxBuckets < 2 || maxBuckets > LIMIT || widthLog2 < 0 || widthLog2 > 63) {
      throw new IllegalArgumentException(
          "a histogram of " + maxBuckets + " buckets of 2^" + widthLog2 + " µs");
    }
    this.maxBuckets = maxBuckets;
    this.widthLog2 = widthLog2;
  }

  /** An interval of time, from its first to its last microsecond. */
  public record Interval(long first, long last) {}

  /** The width of a bucket is 2 to this power, in µs: the bound of the error. */
  public int widthLog2() {
    return widthLog2;
  }

  public int size() {
    return size;
  }

  public long total() {
    return total;
  }

  public TimestampHistogram copy() {
    TimestampHistogram copy = new TimestampHistogram(maxBuckets, widthLog2);
    copy.buckets = buckets.clone();
    copy.counts = counts.clone();
    copy.size = size;
    copy.total = total;
    return copy;
  }

  public void add(long time) {
    add(time, 1);
  }

  /** Counts equal timestamps, at least 1. */
  public void add(long time, long count) {
    if (count < 1) {
      throw new IllegalArgumentException(count + " timestamps");
    }
    total = Math.addExact(total, count);
    put(time >> widthLog2, count);
    while (size > maxBuckets) {
      widen(widthLog2 + 1);
    }
  }

  /** Adds all counts of another histogram. The sum has the wider of both widths. */
  public void add(TimestampHistogram other) {
    if (other.widthLog2 > widthLog2) {
      widen(other.widthLog2);
    }
    for (int slot = 0; slot < other.counts.length; slot++) {
      if (other.counts[slot] != 0) {
        add(first(other.buckets[slot], other.widthLog2), other.counts[slot]);
      }
    }
  }

  private void put(long bucket, long count) {
    int mask = counts.length - 1;
    int slot = (int) TableHash.of(bucket) & mask;
    while (counts[slot] != 0 && buckets[slot] != bucket) {
      slot = (slot + 1) & mask;
    }
    if (counts[slot] == 0) {
      buckets[slot] = bucket;
      size++;
    }
    counts[slot] += count;
    if (2 * size > counts.length) {
      rebuild(0, 2 * counts.length);
    }
  }

  private void widen(int log2) {
    int by = log2 - widthLog2;
    widthLog2 = log2;
    rebuild(by, counts.length);
  }

  private void rebuild(int shift, int slots) {
    long[] oldBuckets = buckets;
    long[] oldCounts = counts;
    buckets = new long[slots];
    counts = new long[slots];
    size = 0;
    for (int slot = 0; slot < oldCounts.length; slot++) {
      if (oldCounts[slot] != 0) {
        put(oldBuckets[slot] >> shift, oldCounts[slot]);
      }
    }
  }

  /** Removes the buckets that lie wholly before a time. */
  public void removeBefore(long time) {
    boolean any = false;
    long kept = time >> widthLog2;
    for (int slot = 0; slot < counts.length; slot++) {
      if (counts[slot] != 0 && buckets[slot] < kept) {
        total -= counts[slot];
        counts[slot] = 0;
        any = true;
      }
    }
    if (any) {
      rebuild(0, counts.length);
    }
  }

  private static long first(long bucket, int widthLog2) {
    return bucket << widthLog2;
  }

  private Interval interval(long bucket) {
    long first = first(bucket, widthLog2);
    return new Interval(first, first + (widthLog2 == 63 ? Long.MAX_VALUE : (1L << widthLog2) - 1));
  }

  private long[] ascending() {
    long[] taken = new long[size];
    int n = 0;
    for (int slot = 0; slot < counts.length; slot++) {
      if (counts[slot] != 0) {
        taken[n++] = buckets[slot];
      }
    }
    Arrays.sort(taken);
    return taken;
  }

  private long count(long bucket) {
    int mask = counts.length - 1;
    int slot = (int) TableHash.of(bucket) & mask;
    while (counts[slot] != 0 && buckets[slot] != bucket) {
      slot = (slot + 1) & mask;
    }
    return counts[slot];
  }

  /** The bucket that holds the n-th newest timestamp, from 1; null if there are fewer. */
  public @Nullable Interval newest(long rank) {
    if (rank < 1 || rank > total) {
      return null;
    }
    long[] taken = ascending();
    long above = 0;
    for (int i = taken.length - 1; ; i--) {
      above += count(taken[i]);
      if (above >= rank) {
        return interval(taken[i]);
      }
    }
  }

  /** The bytes of {@code docs/format/manifest.md}; equal for equal contents. */
  public byte[] toBytes() {
    ByteBuffer out = ByteBuffer.allocate(8 + 16 * size).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(widthLog2).putInt(size);
    for (long bucket : ascending()) {
      out.putLong(bucket).putLong(count(bucket));
    }
    return out.array();
  }

  /** Reads all remaining bytes; {@link IllegalArgumentException} saying what was found else. */
  public static TimestampHistogram fromBytes(ByteBuffer in) {
    int widthLog2 = in.remaining() < 8 ? -1 : in.getInt();
    int size = widthLog2 < 0 ? -1 : in.getInt();
    if (widthLog2 < 0
        || widthLog2 > 63
        || size < 0
        || size > DEFAULT_BUCKETS
        || in.remaining() != 16 * size) {
      throw new IllegalArgumentException(
          "histogram: width 2^" + widthLog2 + ", " + size + " buckets in " + in.remaining());
    }
    TimestampHistogram read = new TimestampHistogram(DEFAULT_BUCKETS, widthLog2);
    long before = 0;
    for (int i = 0; i < size; i++) {
      long bucket = in.getLong();
      long count = in.getLong();
      boolean fits = first(bucket, widthLog2) >> widthLog2 == bucket;
      if (count < 1 || !fits || (i > 0 && bucket <= before) || read.total + count < 0) {
        throw new IllegalArgumentException(
            "histogram: bucket " + bucket + " of " + count + " timestamps, after " + before);
      }
      read.total += count;
      read.put(bucket, count);
      before = bucket;
    }
    return read;
  }
}
