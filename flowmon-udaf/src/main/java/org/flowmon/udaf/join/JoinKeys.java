package org.flowmon.udaf.join;

import org.flowmon.flow.TableHash;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/** The columns by which one side of a join is joined. */
final class JoinKeys {
  private final ResultTable[] tables;
  private final int[] columns;
  private final int[][] rows;
  private final boolean[] matchesNulls;
  private final boolean[] isText;
  private final boolean[] isDouble;

  JoinKeys(int count) {
    matchesNulls = new boolean[count];
    isText = new boolean[count];
    isDouble = new boolean[count];
    tables = new ResultTable[count];
    columns = new int[count];
    rows = new int[count][];
  }

  /** Sets a column; {@code rowsOf} by row: the table's row; null if it is the same. */
  void set(int key, boolean matchesNull, ResultTable table, Named column, int @Nullable [] rowsOf) {
    matchesNulls[key] = matchesNull;
    tables[key] = table;
    columns[key] = table.column(column.name());
    rows[key] = rowsOf;
    ValueKind kind = table.kind(columns[key]);
    isText[key] = kind == ValueKind.TEXT;
    isDouble[key] = kind == ValueKind.DOUBLE;
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
      } else if (isText[k]) {
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
    if (!isDouble[key]) {
      return low;
    }
    double value = Double.longBitsToDouble(low);
    return Double.doubleToLongBits(value == 0 ? 0 : value);
  }

  boolean isSame(int row, JoinKeys other, int otherRow) {
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
          isText[k]
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
