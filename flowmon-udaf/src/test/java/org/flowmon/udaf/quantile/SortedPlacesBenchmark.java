package org.flowmon.udaf.quantile;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Nanoseconds to put a value into a scratchpad in order: a sorted array, as in {@link SummaryPad},
 * against a skip list, as in Cormode et al.
 *
 * <pre>
 *   a node of the list: value | gap, weight | four links of 16 bits, level 0 the lowest
 * </pre>
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class SortedPlacesBenchmark {
  private static final int VALUES = 1 << 16;
  private static final int LEVELS = 4;
  private static final int NODE = 3;

  /** Values of a pad when it is emptied. */
  @Param({"63", "250"})
  public int capacity;

  private final long[] values = new long[VALUES];
  private long[] pad;

  @Setup
  public void fill() {
    Random random = new Random(1);
    for (int i = 0; i < VALUES; i++) {
      values[i] = random.nextLong() >>> 1;
    }
    pad = new long[NODE * (capacity + 1)];
  }

  @Benchmark
  @OperationsPerInvocation(VALUES)
  public long sortedArray() {
    int size = 0;
    for (long value : values) {
      if (size == capacity) {
        size = 0;
      }
      int low = 0;
      for (int left = size; left > 0; ) {
        int half = (left + 1) >>> 1;
        low = pad[low + half - 1] < value ? low + half : low;
        left -= half;
      }
      System.arraycopy(pad, low, pad, low + 1, size - low);
      System.arraycopy(pad, capacity + low, pad, capacity + low + 1, size - low);
      pad[low] = value;
      pad[capacity + low] = 1;
      size++;
    }
    return pad[0];
  }

  @Benchmark
  @OperationsPerInvocation(VALUES)
  public long skipList() {
    int size = 0;
    pad[2] = 0;
    for (long value : values) {
      if (size == capacity) {
        size = 0;
        pad[2] = 0; // the head's links: 0 is none
      }
      size++;
      insert(value, size);
    }
    return pad[3];
  }

  private void insert(long value, int node) {
    // Each further level has a chance of a quarter.
    long mixed = value * 0x9E3779B97F4A7C15L;
    int top = Math.min(LEVELS - 1, Long.numberOfLeadingZeros(mixed) / 2);
    long links = 0;
    int at = 0;
    for (int level = LEVELS - 1; level >= 0; level--) {
      int next = link(at, level);
      while (next != 0 && pad[next * NODE] < value) {
        at = next;
        next = link(at, level);
      }
      if (level <= top) {
        links |= (long) next << (16 * level);
        int word = at * NODE + 2;
        pad[word] = (pad[word] & ~(0xFFFFL << (16 * level))) | (long) node << (16 * level);
      }
    }
    pad[node * NODE] = value;
    pad[node * NODE + 1] = 1;
    pad[node * NODE + 2] = links;
  }

  private int link(int node, int level) {
    return (int) (pad[node * NODE + 2] >>> (16 * level)) & 0xFFFF;
  }
}
