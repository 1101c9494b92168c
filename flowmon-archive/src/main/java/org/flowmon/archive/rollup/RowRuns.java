package org.flowmon.archive.rollup;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A segment's rows by hour of {@code end_time}, those without last. Reused. Not thread-safe. */
final class RowRuns {
  /** Rows in the order of runs; null if that is the order of rows. */
  int @Nullable [] order;

  long[] hour = new long[16];

  /** By run: one past its last place in {@link #order}. */
  int[] end = new int[16];

  int count;

  private int[] kept = {};

  RowRuns all(int rows) {
    order = null;
    count = 0;
    add(0, rows);
    return this;
  }

  /**
   * Groups the rows of a segment. Times, of the rows with one, ascend unless clocks run ahead;
   * {@code valid} has these rows' bits, null if all have one.
   */
  RowRuns hours(int rows, long[] times, int n, long @Nullable [] valid) {
    order = null;
    count = 0;
    if (!isAscending(times, n)) {
      return byHour(rows, times, n, valid);
    }
    long next = Long.MIN_VALUE;
    for (int i = 0; i < n; i++) {
      if (times[i] >= next) {
        long begun = RollupFormat.hour(times[i]);
        if (i > 0 && begun == hour[count - 1]) {
          continue; // same hour as the last
        }
        if (i > 0) {
          end[count - 1] = i;
        }
        add(begun, n);
        long last = Long.MAX_VALUE / RollupFormat.HOUR_MICROS - 1;
        next = begun >= last ? Long.MAX_VALUE : (begun + 1) * RollupFormat.HOUR_MICROS;
      }
    }
    if (valid != null && n < rows) {
      orderWithNulls(rows, n, valid);
      add(RollupFormat.NO_HOUR, rows);
    }
    return this;
  }

  private static boolean isAscending(long[] times, int n) {
    for (int i = 1; i < n; i++) {
      if (times[i - 1] > times[i]) {
        return false;
      }
    }
    return true;
  }

  /** For times in any order: rows are counted into their hours. */
  private RowRuns byHour(int rows, long[] times, int n, long @Nullable [] valid) {
    if (kept.length < rows) {
      kept = new int[rows];
    }
    SortedMap<Long, int[]> places = new TreeMap<>();
    for (int i = 0; i < n; i++) {
      places.computeIfAbsent(RollupFormat.hour(times[i]), h -> new int[1])[0]++;
    }
    int to = 0;
    for (Map.Entry<Long, int[]> one : places.entrySet()) {
      int from = to;
      to += one.getValue()[0];
      one.getValue()[0] = from;
      add(one.getKey(), to);
    }
    int value = 0;
    int without = n;
    for (int row = 0; row < rows; row++) {
      if (valid != null && (valid[row >>> 6] >>> row & 1) == 0) {
        kept[without++] = row;
      } else {
        kept[Objects.requireNonNull(places.get(RollupFormat.hour(times[value++])))[0]++] = row;
      }
    }
    order = kept;
    if (n < rows) {
      add(RollupFormat.NO_HOUR, rows);
    }
    return this;
  }

  private void orderWithNulls(int rows, int n, long[] valid) {
    if (kept.length < rows) {
      kept = new int[rows];
    }
    int with = 0;
    int without = n;
    for (int row = 0; row < rows; row++) {
      kept[(valid[row >>> 6] >>> row & 1) != 0 ? with++ : without++] = row;
    }
    order = kept;
  }

  private void add(long theHour, int to) {
    if (count == hour.length) {
      hour = Arrays.copyOf(hour, 2 * count);
      end = Arrays.copyOf(end, 2 * count);
    }
    hour[count] = theHour;
    end[count++] = to;
  }
}
