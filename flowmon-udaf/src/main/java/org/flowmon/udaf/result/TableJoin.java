package org.flowmon.udaf.result;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.flowmon.flow.TableHash;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.TableQuery;
import org.flowmon.udaf.query.TableQuery.Equality;
import org.flowmon.udaf.query.TableQuery.Source;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * Joined rows: by source, the number of its row. They are in the order of the first source's rows;
 * those of one row are in the order of the second's, and so on.
 */
final class TableJoin {
  private static final int CHECKED = 1 << 16;

  private final List<Source> sources;
  private final List<ResultTable> tables;
  private final int mostRows;
  private final GroupMemory memory;
  private final Runnable check;
  // By source: the row of its table in each row of the join, −1 for a row of NULLs.
  private final int[][] rows;
  private int count;

  private TableJoin(
      List<Source> sources,
      List<ResultTable> tables,
      int mostRows,
      GroupMemory memory,
      Runnable check) {
    this.memory = memory;
    this.sources = sources;
    this.tables = tables;
    this.mostRows = mostRows;
    this.check = check;
    this.rows = new int[sources.size()][];
    this.count = tables.get(0).rowCount();
    if (sources.size() > 1) {
      memory.take((long) Integer.BYTES * count);
      rows[0] = new int[count];
      Arrays.setAll(rows[0], row -> row);
    }
    for (int s = 1; s < sources.size(); s++) {
      join(s);
    }
  }

  /**
   * Joins the results of a query's sources; {@code check} may throw to end the query.
   *
   * @throws AnswerTooLargeException if there are more than {@code mostRows}
   */
  static TableJoin of(
      TableQuery query,
      List<ResultTable> tables,
      int mostRows,
      GroupMemory memory,
      Runnable check) {
    return new TableJoin(query.from(), tables, mostRows, memory, check);
  }

  int count() {
    return count;
  }

  /** By row of the join: the row of a source, −1 for NULLs; null if there is one source. */
  int @Nullable [] rows(int source) {
    return rows[source];
  }

  int source(Named column) {
    for (int s = 0; s < sources.size(); s++) {
      if (Objects.equals(sources.get(s).name(), column.table())) {
        return s;
      }
    }
    throw new IllegalArgumentException("no source has " + column);
  }

  private void join(int own) {
    List<Equality> on = sources.get(own).on();
    Keys build = new Keys(on.size());
    Keys probe = new Keys(on.size());
    for (int k = 0; k < on.size(); k++) {
      build.matchesNulls[k] = on.get(k).matchesNulls();
      probe.matchesNulls[k] = on.get(k).matchesNulls();
      build.set(k, tables.get(own), on.get(k).own(), null);
      int before = source(on.get(k).before());
      probe.set(k, tables.get(before), on.get(k).before(), rows[before]);
    }
    Pairs pairs = new Pairs(Math.min(mostRows, Math.max(16, count)));
    HashedRows hashed = new HashedRows(build, tables.get(own).rowCount());
    for (int row = 0; row < count; row++) {
      if (row % CHECKED == 0) {
        check.run();
      }
      int before = pairs.count;
      for (int at = hashed.first(probe, row); at >= 0; at = hashed.next(at)) {
        if (build.isSame(at, probe, row)) {
          pairs.add(row, at);
        }
      }
      if (pairs.count == before && sources.get(own).isLeft()) {
        pairs.add(row, -1);
      }
    }
    int made = pairs.count;
    memory.take((long) Integer.BYTES * made * (own + 1));
    for (int s = 0; s < own; s++) {
      check.run();
      int[] moved = new int[made];
      for (int i = 0; i < made; i++) {
        moved[i] = rows[s][pairs.left[i]];
      }
      rows[s] = moved;
    }
    rows[own] = Arrays.copyOf(pairs.right, made);
    // The pairs, the hash table, and the previous rows.
    memory.take(-pairs.taken - hashed.taken - (long) Integer.BYTES * count * own);
    count = made;
  }

  /** The rows of one side by the hash of their keys, as lists that ascend. */
  private final class HashedRows {
    final long taken;
    private final int mask;
    private final int[] first;
    private final int[] next;

    HashedRows(Keys keys, int size) {
      mask = Integer.highestOneBit(Math.max(2, Math.min(size, 1 << 29) * 2 - 1)) * 2 - 1;
      taken = Integer.BYTES * (mask + 1L + size);
      memory.take(taken);
      first = new int[mask + 1];
      next = new int[size];
      Arrays.fill(first, -1);
      for (int row = size - 1; row >= 0; row--) {
        if (row % CHECKED == 0) {
          check.run();
        }
        if (!keys.isAlone(row)) {
          int at = (int) keys.hash(row) & mask;
          next[row] = first[at];
          first[at] = row;
        }
      }
    }

    /** The first row whose keys may be those of a row of the other side, −1 if there is none. */
    int first(Keys probe, int row) {
      return probe.isAlone(row) ? -1 : first[(int) probe.hash(row) & mask];
    }

    int next(int row) {
      return next[row];
    }
  }

  /** Rows of both sides that belong together. */
  private final class Pairs {
    int[] left;
    int[] right;
    int count;
    long taken;

    Pairs(int room) {
      take(room);
      left = new int[room];
      right = new int[room];
    }

    private void take(int room) {
      memory.take(2L * Integer.BYTES * room);
      taken += 2L * Integer.BYTES * room;
    }

    void add(int ofLeft, int ofRight) {
      if (count == left.length) {
        int room = grown(count);
        take(room - count);
        left = Arrays.copyOf(left, room);
        right = Arrays.copyOf(right, room);
      }
      left[count] = ofLeft;
      right[count++] = ofRight;
      if (count % CHECKED == 0) {
        check.run();
      }
    }
  }

  private int grown(int made) {
    if (made >= mostRows) {
      throw new AnswerTooLargeException(made + 1L, "rows by a join", mostRows);
    }
    return Math.min(mostRows, 2 * made);
  }

  /** The join columns of one side. */
  private static final class Keys {
    private final ResultTable[] tables;
    private final int[] columns;
    private final int[][] rows;
    private final boolean[] matchesNulls;

    Keys(int count) {
      matchesNulls = new boolean[count];
      tables = new ResultTable[count];
      columns = new int[count];
      rows = new int[count][];
    }

    /** Sets a column; {@code rowsOf} by row: the table's row; null if it is the same. */
    void set(int key, ResultTable table, Named column, int @Nullable [] rowsOf) {
      tables[key] = table;
      columns[key] = table.column(column.name());
      rows[key] = rowsOf;
    }

    private int row(int key, int row) {
      return rows[key] == null ? row : rows[key][row];
    }

    /** Whether a row equals no other, as one of its columns is NULL. */
    boolean isAlone(int row) {
      for (int k = 0; k < tables.length; k++) {
        if (!matchesNulls[k] && isNull(k, row)) {
          return true;
        }
      }
      return false;
    }

    private boolean isNull(int key, int row) {
      int of = row(key, row);
      return of < 0 || tables[key].isNull(of, columns[key]);
    }

    long hash(int row) {
      long sum = TableHash.start();
      for (int k = 0; k < tables.length; k++) {
        int of = row(k, row);
        int place = 2 * k % TableHash.MAX_WORDS;
        if (isNull(k, row)) {
          sum = TableHash.add(sum, place, -1);
        } else if (tables[k].kind(columns[k]) == ValueKind.TEXT) {
          sum = TableHash.add(sum, place, TableHash.of(tables[k].requireText(of, columns[k])));
        } else {
          sum = TableHash.add(sum, place, tables[k].high(of, columns[k]));
          sum = TableHash.add(sum, place + 1, low(k, of));
        }
      }
      return TableHash.finish(sum);
    }

    /** Equal for equal values: both zeros are one, and all NaNs are one. */
    private long low(int key, int row) {
      long low = tables[key].low(row, columns[key]);
      if (tables[key].kind(columns[key]) != ValueKind.DOUBLE) {
        return low;
      }
      double value = Double.longBitsToDouble(low);
      return Double.doubleToLongBits(value == 0 ? 0 : value);
    }

    boolean isSame(int row, Keys other, int otherRow) {
      for (int k = 0; k < tables.length; k++) {
        boolean isNull = isNull(k, row);
        if (isNull || other.isNull(k, otherRow)) {
          if (isNull != other.isNull(k, otherRow)) {
            return false;
          }
          continue;
        }
        int a = row(k, row);
        int b = other.row(k, otherRow);
        boolean same =
            tables[k].kind(columns[k]) == ValueKind.TEXT
                ? tables[k]
                    .requireText(a, columns[k])
                    .equals(other.tables[k].text(b, other.columns[k]))
                : low(k, a) == other.low(k, b)
                    && tables[k].high(a, columns[k]) == other.tables[k].high(b, other.columns[k]);
        if (!same) {
          return false;
        }
      }
      return true;
    }
  }
}
