package org.flowmon.bench.archive;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The rows of an answer, fetched: every value in an array of its column. Filled by {@link #column}
 * and {@link #setRows} after {@link #reserve}; or by a system that has its values in arrays
 * already, and turns them into those of the workload when they are looked at.
 */
public final class Answer {
  private final long[][] columns;
  private int rows;
  private Consumer<Answer> filling;

  /**
   * An answer whose values are in arrays of longs already.
   *
   * @param filling writes them as the workload has them, once they are looked at
   */
  static Answer of(int columnCount, int rows, Consumer<Answer> filling) {
    Answer answer = new Answer(columnCount);
    answer.rows = rows;
    answer.filling = filling;
    return answer;
  }

  /**
   * @param columnCount at least 1
   */
  public Answer(int columnCount) {
    columns = new long[columnCount][1024];
  }

  /** Rows that it holds. */
  public int rows() {
    return rows;
  }

  /** Says how many rows were set, after {@link #reserve} of as many. */
  public void setRows(int count) {
    rows = count;
  }

  /** Makes room; arrays that {@link #column} gave before are no longer its own. */
  public void reserve(int count) {
    if (count > columns[0].length) {
      int capacity = (int) Math.min(Integer.MAX_VALUE - 8, Math.max(count, 2L * columns[0].length));
      for (int c = 0; c < columns.length; c++) {
        columns[c] = Arrays.copyOf(columns[c], capacity);
      }
    }
  }

  /** The array of a column, for reading and for filling. */
  public long[] column(int column) {
    fill();
    return columns[column];
  }

  private void fill() {
    if (filling != null) {
      Consumer<Answer> once = filling;
      filling = null;
      reserve(rows);
      once.accept(this);
    }
  }

  /**
   * What two systems must agree on: the rows, each column's sum, and a hash over the rows that
   * depends on their order only where that is part of the answer.
   *
   * @param kinds of the columns; those of doubles are left out
   * @param ordered whether the order of rows counts
   */
  public Summary summary(List<AnswerKind> kinds, boolean ordered) {
    fill();
    long[] sums = new long[columns.length];
    long hash = 0;
    for (int r = 0; r < rows; r++) {
      long row = ordered ? r : 0;
      for (int c = 0; c < columns.length; c++) {
        long value = kinds.get(c) == AnswerKind.REAL ? 0 : columns[c][r];
        sums[c] += value;
        row = mix(row + value + c);
      }
      hash += row;
    }
    return new Summary(rows, Arrays.stream(sums).boxed().toList(), hash);
  }

  /** The finalizer of MurmurHash3: every bit of the value changes half of the result's. */
  private static long mix(long value) {
    long h = value * 0x9E37_79B9_7F4A_7C15L;
    h = (h ^ (h >>> 33)) * 0xFF51_AFD7_ED55_8CCDL;
    h = (h ^ (h >>> 33)) * 0xC4CE_B9FE_1A85_EC53L;
    return h ^ (h >>> 33);
  }

  /**
   * What is compared.
   *
   * @param sums of each column, modulo 2^64
   * @param hash over the rows
   */
  public record Summary(int rows, List<Long> sums, long hash) {
    @Override
    public String toString() {
      return rows + " rows, sums " + sums + ", hash " + Long.toHexString(hash);
    }
  }
}
