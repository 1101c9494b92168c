package org.flowmon.archive.rollup;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The sums of one measure by cell. Reused for each segment. Not thread-safe. */
final class CellSums {
  // begin sets it.
  @SuppressWarnings("NullAway.Init")
  Measure measure;

  /** Whether some values are NULL: then {@link #values} counts those that are not. */
  boolean hasNulls;

  /** Whether sums may reach 2^63: then {@link #high} has their bits from 64 on. */
  boolean wide;

  long[] low = {};
  long[] high = {};
  int[] values = {};

  void begin(Measure of, int cells, boolean nulls, boolean sumsAreWide) {
    measure = of;
    hasNulls = nulls;
    wide = sumsAreWide;
    low = cleared(low, cells);
    if (wide) {
      high = cleared(high, cells);
    }
    if (hasNulls) {
      if (values.length < cells) {
        values = new int[cells];
      }
      Arrays.fill(values, 0, cells, 0);
    }
  }

  private static long[] cleared(long[] words, int cells) {
    if (words.length < cells) {
      return new long[cells];
    }
    Arrays.fill(words, 0, cells, 0);
    return words;
  }

  /** Adds non-null values in the order of rows; {@code valid} has their bits, null if all are. */
  void add(int[] cellOf, long[] of, int n, long @Nullable [] valid) {
    if (valid == null && !wide) {
      for (int row = 0; row < n; row++) {
        low[cellOf[row]] += of[row];
      }
      return;
    }
    int row = -1;
    for (int i = 0; i < n; i++) {
      row++;
      while (valid != null && (valid[row >>> 6] >>> row & 1) == 0) {
        row++;
      }
      int cell = cellOf[row];
      if (wide) {
        addWide(cell, of[i], 0);
      } else {
        low[cell] += of[i];
      }
      if (hasNulls) {
        values[cell]++;
      }
    }
  }

  private void addWide(int cell, long lowBits, long highBits) {
    long sum = low[cell] + lowBits;
    high[cell] += highBits + (Long.compareUnsigned(sum, lowBits) < 0 ? 1 : 0);
    low[cell] = sum;
  }

  void add(int[] cellOf, CellSums finer, int n) {
    for (int c = 0; c < n; c++) {
      int cell = cellOf[c];
      if (wide) {
        addWide(cell, finer.low[c], finer.high[c]);
      } else {
        low[cell] += finer.low[c];
      }
      if (hasNulls) {
        values[cell] += finer.values[c];
      }
    }
  }
}
