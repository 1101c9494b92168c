package org.flowmon.jobs.report;

import org.flowmon.udaf.value.ResultTable;

/** Copies cells of reports. */
public final class Cells {
  private Cells() {}

  /** Sets a cell of the last row to a cell of another table, of the same kind. */
  public static void copy(ResultTable from, int row, int column, ResultTable.Builder out, int to) {
    if (from.isNull(row, column)) {
      return;
    }
    switch (from.kind(column)) {
      case TEXT -> out.set(to, from.text(row, column));
      case ADDRESS -> {
        var address = from.address(row, column);
        out.set(to, address.hi(), address.lo());
      }
      case DOUBLE -> setDouble(out, to, from.doubleValue(row, column));
      default -> {
        long[] high = new long[1];
        from.readHighs(column, row, 1, high);
        out.set(to, high[0], from.longs(column).get(row));
      }
    }
  }

  static void setDouble(ResultTable.Builder out, int column, double value) {
    out.set(column, Double.doubleToRawLongBits(value));
  }
}
