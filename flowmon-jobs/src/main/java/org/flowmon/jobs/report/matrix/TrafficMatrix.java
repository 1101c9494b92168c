package org.flowmon.jobs.report.matrix;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import org.flowmon.udaf.value.Int128;
import org.flowmon.udaf.value.ResultTable;

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

  private TrafficMatrix(RowKeys keys) {
    this.keys = keys;
    this.row = new int[keys.rows()];
    this.high = new long[keys.rows()];
    this.low = new long[keys.rows()];
  }

  /** Sums whole numbers {@code measure} by columns {@code keys}, over rows of {@code counts}. */
  public static TrafficMatrix of(
      ResultTable table, List<String> keys, String measure, IntPredicate counts) {
    TrafficMatrix matrix = new TrafficMatrix(new RowKeys(table, keys));
    int column = table.column(measure);
    int rows = table.rowCount();
    long[] highs = new long[rows];
    table.readHighs(column, 0, rows, highs);
    var lows = table.longs(column);
    if (matrix.keys.areDistinctInOrder()) {
      boolean hasNulls = table.hasNulls(column);
      for (int next = 0; next < rows; next++) {
        if (counts.test(next) && !(hasNulls && table.isNull(next, column))) {
          matrix.addPair(next, highs[next], lows.get(next));
        }
      }
      matrix.end();
      return matrix;
    }
    int last = -1;
    for (int next : matrix.keys.order()) {
      if (!counts.test(next) || table.isNull(next, column)) {
        continue;
      }
      if (last < 0 || !matrix.keys.isSame(last, next)) {
        matrix.begin(next);
      }
      matrix.add(highs[next], lows.get(next));
      last = next;
    }
    matrix.end();
    return matrix;
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

  /** Visits each pair of this one, in the order of keys, which have the same kinds. */
  void lookUp(TrafficMatrix other, PairVisitor visitor) {
    int from = 0;
    for (int i = 0; i < size; i++) {
      from = other.firstFrom(from, keys, row[i]);
      boolean isThere = from < other.size && keys.compare(row[i], other.keys, other.row[from]) == 0;
      visitor.pair(i, isThere ? from : -1);
    }
  }

  /** The first pair from a place on that is not before a key; by doubling steps. */
  private int firstFrom(int from, RowKeys of, int key) {
    int low = from;
    for (int step = 1; low < size; step *= 2) {
      int next = Math.min(size, low + step);
      if (of.compare(key, keys, row[next - 1]) <= 0) {
        return firstBetween(low, next - 1, of, key);
      }
      low = next;
    }
    return size;
  }

  /** The first of some places whose pair is not before a key, if that of the last is not. */
  private int firstBetween(int from, int last, RowKeys of, int key) {
    int low = from;
    int high = last;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (of.compare(key, keys, row[middle]) <= 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
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
