package org.flowmon.jobs.report.matrix;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import org.flowmon.udaf.order.RadixSort;
import org.flowmon.udaf.value.Int128;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/**
 * What each pair (or other key) sent, each once, in the order of {@link RowKeys}. Sums are exact,
 * up to 128 bits. A sum not above 0, or NULL, sent nothing and is left out.
 */
public final class TrafficMatrix {
  private final RowKeys keys;
  private int[] row; // by pair, a row of the table with its keys
  private long[] high;
  private long[] low;
  private int size;
  private long totalHigh;
  private long totalLow;
  private int @Nullable [] pairsByRow; // null until it is asked for

  private TrafficMatrix(RowKeys keys, int rows) {
    this.keys = keys;
    this.row = new int[rows];
    this.high = new long[rows];
    this.low = new long[rows];
  }

  /** Sums whole numbers {@code measure} by columns {@code keys}, over rows of {@code counts}. */
  public static TrafficMatrix of(
      ResultTable table, List<String> keys, String measure, IntPredicate counts) {
    TrafficMatrix matrix = new TrafficMatrix(new RowKeys(table, keys), table.rowCount());
    int column = table.column(measure);
    int rows = table.rowCount();
    long[] highs = table.highs(column);
    long[] lows = table.lows(column);
    if (matrix.keys.areDistinctInOrder()) {
      boolean hasNulls = table.hasNulls(column);
      for (int next = 0; next < rows; next++) {
        if (counts.test(next) && !(hasNulls && table.isNull(next, column))) {
          matrix.addPair(next, highs[next], lows[next]);
        }
      }
      matrix.end();
      return matrix;
    }
    int[] inOrder = matrix.keys.order();
    matrix.addAll(Arrays.stream(inOrder).filter(counts).toArray(), table, column, highs, lows);
    return matrix;
  }

  /**
   * Matrices of the same table's rows of {@code counts}, by the values, ascending, of a column of
   * whole numbers or times.
   */
  public List<TrafficMatrix> parts(
      ResultTable table, String measure, String by, IntPredicate counts) {
    int column = table.column(measure);
    long[] highs = table.highs(column);
    long[] lows = table.lows(column);
    int part = table.column(by);
    long[] partOf = table.lows(part);
    int[] rows =
        Arrays.stream(keys.order())
            .filter(row -> counts.test(row) && !table.isNull(row, part))
            .toArray();
    long[] values = Arrays.stream(rows).mapToLong(row -> partOf[row] ^ Long.MIN_VALUE).toArray();
    new RadixSort().sort(values, rows, 0, rows.length, () -> {});
    List<TrafficMatrix> parts = new ArrayList<>();
    for (int from = 0, to; from < rows.length; from = to) {
      to = from + 1;
      while (to < rows.length && values[to] == values[from]) {
        to++;
      }
      TrafficMatrix one = new TrafficMatrix(keys, to - from);
      one.addAll(Arrays.copyOfRange(rows, from, to), table, column, highs, lows);
      parts.add(one);
    }
    return parts;
  }

  /** Adds rows that are in the order of keys, and ends the matrix. */
  private void addAll(int[] rows, ResultTable table, int column, long[] highs, long[] lows) {
    int last = -1;
    for (int next : rows) {
      if (!table.isNull(next, column)) {
        if (last < 0 || !keys.isSame(last, next)) {
          begin(next);
        }
        add(highs[next], lows[next]);
        last = next;
      }
    }
    end();
  }

  private void addPair(int tableRow, long highLong, long lowLong) {
    if (highLong > 0 || (highLong == 0 && lowLong != 0)) {
      row[size] = tableRow;
      high[size] = highLong;
      low[size++] = lowLong;
    }
  }

  private void begin(int tableRow) {
    dropEmpty();
    row[size++] = tableRow;
  }

  private void add(long highLong, long lowLong) {
    long sum = low[size - 1] + lowLong;
    high[size - 1] = Int128.addHigh(high[size - 1], low[size - 1], highLong, sum);
    low[size - 1] = sum;
  }

  private void end() {
    dropEmpty();
    if (size < row.length) {
      row = Arrays.copyOf(row, size);
      high = Arrays.copyOf(high, size);
      low = Arrays.copyOf(low, size);
    }
    for (int i = 0; i < size; i++) {
      long sum = totalLow + low[i];
      totalHigh = Int128.addHigh(totalHigh, totalLow, high[i], sum);
      totalLow = sum;
    }
  }

  private void dropEmpty() {
    if (size > 0 && Int128.compare(high[size - 1], low[size - 1], 0, 0) <= 0) {
      size--;
      high[size] = 0;
      low[size] = 0;
    }
  }

  public int size() {
    return size;
  }

  public int row(int pair) {
    return row[pair];
  }

  public long high(int pair) {
    return high[pair];
  }

  public long low(int pair) {
    return low[pair];
  }

  public double value(int pair) {
    return Int128.toDouble(high[pair], low[pair]);
  }

  public long totalHigh() {
    return totalHigh;
  }

  public long totalLow() {
    return totalLow;
  }

  public double total() {
    return Int128.toDouble(totalHigh, totalLow);
  }

  /** Visits each pair that is in one of two matrices. */
  public interface PairVisitor {
    /** A pair's indexes in this matrix and the other, −1 if it is not there. */
    void pair(int mine, int other);
  }

  /** Visits each pair of this one, in the order of keys; a {@link #parts part} looks them up. */
  void lookUp(TrafficMatrix other, PairVisitor visitor) {
    if (other.keys == keys) {
      int[] pairs = other.pairsByRow();
      for (int i = 0; i < size; i++) {
        visitor.pair(i, pairs[row[i]]);
      }
      return;
    }
    join(
        other,
        (mine, pair) -> {
          if (mine >= 0) {
            visitor.pair(mine, pair);
          }
        });
  }

  /** By row of the table the pair with its keys, −1 if there is none. */
  private int[] pairsByRow() {
    if (pairsByRow == null) {
      pairsByRow = new int[keys.rows()];
      int pair = -1;
      for (int next : keys.order()) {
        if (pair + 1 < size && row[pair + 1] == next) {
          pair++;
        }
        boolean isOfPair = pair >= 0 && (row[pair] == next || keys.isSame(row[pair], next));
        pairsByRow[next] = isOfPair ? pair : -1;
      }
    }
    return pairsByRow;
  }

  /** In the order of keys, which have the same kinds. */
  void join(TrafficMatrix other, PairVisitor visitor) {
    int i = 0;
    int j = 0;
    while (i < size || j < other.size) {
      int order =
          i == size ? 1 : j == other.size ? -1 : keys.compare(row[i], other.keys, other.row[j]);
      visitor.pair(order <= 0 ? i++ : -1, order >= 0 ? j++ : -1);
    }
  }
}
