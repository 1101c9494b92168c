package org.flowmon.archive.rollup;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Adds up the cells of slices: all cells of one id become one. Memory is that of a window of ids,
 * independent of the slices' size. Not thread-safe.
 */
public final class CellMerge {
  /** A slice to be added. */
  public static final class Input {
    private final Rollup rollup;
    private final int slice;
    private final int[] newIds;

    /**
     * A slice of a checked rollup. {@code newIds}, not copied, ascend: the result's id of each id
     * in the rollup, the last for NULL.
     */
    public Input(Rollup rollup, int slice, int[] newIds) {
      this.rollup = rollup;
      this.slice = slice;
      this.newIds = newIds;
    }
  }

  /** Receiver of the resulting cells. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Takes a block of {@link RollupFormat#BLOCK} cells, the last maybe fewer. Ids ascend, also
     * across blocks; streams begin with rows. Both arrays are reused.
     */
    void block(int[] ids, int n, long[][] streams) throws IOException;
  }

  private static final int WINDOW = 1 << 14;

  private final RollupMeasures measures;
  private final CellReader reader = new CellReader();
  private final long[] touched = new long[WINDOW / 64];
  private final long[][] sums;
  private final int[] ids = new int[RollupFormat.BLOCK];
  private final int[] places = new int[RollupFormat.BLOCK];
  private final long[] low = new long[RollupFormat.BLOCK];
  private final long[] high = new long[RollupFormat.BLOCK];
  private final int[] blockIds = new int[RollupFormat.BLOCK];
  private final long[][] block;
  private int filled;
  // By input: its block, the place of the next cell in it, that cell's new id.
  private int[] at = {};
  private int[] place = {};
  private long[] next = {};

  public CellMerge(RollupMeasures measures) {
    this.measures = measures;
    this.sums = new long[measures.streams()][WINDOW];
    this.block = new long[measures.streams()][RollupFormat.BLOCK];
  }

  /**
   * Adds slices up.
   *
   * @throws WideSumsException if a sum does not fit the measures
   * @throws org.flowmon.archive.region.SegmentCorruptException if an input is damaged
   */
  public void merge(List<Input> inputs, Sink sink) throws IOException {
    int n = inputs.size();
    if (at.length < n) {
      at = new int[n];
      place = new int[n];
      next = new long[n];
    }
    for (int i = 0; i < n; i++) {
      reader.open(inputs.get(i).rollup, inputs.get(i).slice);
      at[i] = 0;
      place[i] = 0;
      next[i] = inputs.get(i).newIds[reader.firstId(0)];
    }
    filled = 0;
    for (long base = first(n); base < Long.MAX_VALUE; base = first(n)) {
      for (int i = 0; i < n; i++) {
        if (next[i] < base + WINDOW) {
          add(i, inputs.get(i), base);
        }
      }
      emit((int) base, sink);
    }
    if (filled > 0) {
      sink.block(blockIds, filled, block);
    }
  }

  private long first(int n) {
    long first = Long.MAX_VALUE;
    for (int i = 0; i < n; i++) {
      first = Math.min(first, next[i]);
    }
    return first;
  }

  private void add(int i, Input input, long base) {
    reader.open(input.rollup, input.slice);
    while (next[i] < base + WINDOW) {
      int count = reader.cells(at[i]);
      reader.readIds(at[i], ids);
      int from = place[i];
      int to = from;
      for (; to < count && input.newIds[ids[to]] < base + WINDOW; to++) {
        places[to] = (int) (input.newIds[ids[to]] - base);
      }
      touch(from, to);
      addSums(input.rollup, at[i], from, to);
      if (to < count) {
        place[i] = to;
        next[i] = input.newIds[ids[to]];
      } else {
        at[i]++;
        place[i] = 0;
        next[i] = at[i] < reader.blocks() ? input.newIds[reader.firstId(at[i])] : Long.MAX_VALUE;
      }
    }
  }

  private void touch(int from, int to) {
    for (int c = from; c < to; c++) {
      int p = places[c];
      if ((touched[p >>> 6] >>> p & 1) == 0) {
        touched[p >>> 6] |= 1L << p;
        for (long[] stream : sums) {
          stream[p] = 0;
        }
      }
    }
  }

  private void addSums(Rollup rollup, int ofBlock, int from, int to) {
    add(rollup.rowsStream(), RollupMeasures.ROWS, ofBlock, from, to);
    for (RollupMeasures.Streams measure : measures.measures()) {
      Optional<Measure> added = measure.in(rollup);
      if (added.isEmpty()) {
        continue;
      }
      if (measure.hasNulls()) {
        add(rollup.valuesStream(added.get()), measure.values(), ofBlock, from, to);
      }
      reader.read(rollup.sumStream(added.get()), ofBlock, low);
      if (measure.high() >= 0) {
        int highStream = rollup.highStream(added.get());
        if (highStream >= 0) {
          reader.read(highStream, ofBlock, high);
        } else {
          Arrays.fill(high, 0);
        }
        addWide(sums[measure.sum()], sums[measure.high()], from, to);
      } else {
        addNarrow(measure, from, to);
      }
    }
  }

  private void add(int stream, int into, int ofBlock, int from, int to) {
    reader.read(stream, ofBlock, low);
    long[] sum = sums[into];
    for (int c = from; c < to; c++) {
      sum[places[c]] += low[c];
    }
  }

  private void addNarrow(RollupMeasures.Streams measure, int from, int to) {
    long[] sum = sums[measure.sum()];
    long signs = 0;
    for (int c = from; c < to; c++) {
      long more = sum[places[c]] + low[c];
      signs |= more | low[c];
      sum[places[c]] = more;
    }
    if (signs < 0) {
      throw new WideSumsException(measure.measure());
    }
  }

  private void addWide(long[] sumLow, long[] sumHigh, int from, int to) {
    for (int c = from; c < to; c++) {
      int p = places[c];
      long sum = sumLow[p] + low[c];
      sumHigh[p] += high[c] + (Long.compareUnsigned(sum, low[c]) < 0 ? 1 : 0);
      sumLow[p] = sum;
    }
  }

  private void emit(int base, Sink sink) throws IOException {
    for (int w = 0; w < touched.length; w++) {
      for (long word = touched[w]; word != 0; word &= word - 1) {
        int p = (w << 6) + Long.numberOfTrailingZeros(word);
        blockIds[filled] = base + p;
        for (int s = RollupMeasures.ROWS; s < sums.length; s++) {
          block[s][filled] = sums[s][p];
        }
        if (++filled == RollupFormat.BLOCK) {
          sink.block(blockIds, filled, block);
          filled = 0;
        }
      }
      touched[w] = 0;
    }
  }
}
