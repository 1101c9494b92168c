package org.flowmon.archive.query.group.partition;

import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import org.flowmon.flow.memory.HeapBudget;
import org.flowmon.udaf.value.AnswerTooLargeException;

/**
 * A pool of large arrays for successive queries: used memory is ready at once, while new memory is
 * zeroed first and, at its first touch, mapped. Bounded, and given up if the heap runs short. Safe
 * for many threads.
 */
public final class LongArrayPool {
  /** Longs of an array: with its header just below 8 MiB, which are whole regions of any heap. */
  public static final int LENGTH = (1 << 20) - 64;

  private static final int MOST = (int) (HeapBudget.Part.ARRAY_POOL.bytes() / Long.BYTES / LENGTH);

  private static final Deque<SoftReference<long[]>> FREE = new ArrayDeque<>();

  private static final int MAX_LENGTH = Integer.MAX_VALUE - 8;

  private LongArrayPool() {}

  /**
   * The longs of so many groups of {@code stride} longs.
   *
   * @throws AnswerTooLargeException if no array has so many
   */
  public static int words(int groups, int stride) {
    if (groups > most(stride)) {
      throw new AnswerTooLargeException(groups, "groups in one part", most(stride));
    }
    return groups * stride;
  }

  public static int most(int stride) {
    return MAX_LENGTH / Math.max(1, stride);
  }

  /** Takes an array of {@link #LENGTH} longs with arbitrary content. */
  public static long[] take() {
    synchronized (FREE) {
      while (!FREE.isEmpty()) {
        long[] array = FREE.pop().get();
        if (array != null) {
          return array;
        }
      }
    }
    return new long[LENGTH];
  }

  /** Takes back unused arrays; those of another length are left to the heap. */
  public static void give(Collection<long[]> arrays) {
    synchronized (FREE) {
      for (long[] array : arrays) {
        if (array.length == LENGTH && FREE.size() < MOST) {
          FREE.push(new SoftReference<>(array));
        }
      }
    }
  }
}
