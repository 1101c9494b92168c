package org.flowmon.bench.archive;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The fetched rows of an answer: an array of values for each column. Filled by {@link #column} and
 * {@link #setRows} after {@link #reserve}, or by a system that already has its values in arrays and
 * converts them to those of the workload on access.
 */
public final class Answer {
  private final long[][] columns;
  private int rows;
  private Consumer<Answer> filling;

  /**
   * Returns an answer whose values are already in arrays of longs.
   *
   * @param filling writes them in the workload's form on the first access
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

  /** Number of rows. */
  public int rows() {
    return rows;
  }

  /** Sets the number of rows, after {@link #reserve} of as many. */
  public void setRows(int count) {
    rows = count;
  }

  /** Makes room; arrays from earlier calls of {@link #column} are no longer its own. */
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
   * The part that two systems must agree on: the number of rows, each column's sum, and a hash over
   * the rows, which depends on their order only if the order is part of the answer.
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
   * The compared facts of an answer.
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
