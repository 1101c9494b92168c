package org.flowmon.jobs.report;

import java.math.BigInteger;
import java.util.List;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/** Builds a report's rows, with cells by column name; a cell that is not set is NULL. */
public final class ReportRows {
  private final List<String> names;
  private final ResultTable.Builder table = new ResultTable.Builder();

  public ReportRows(List<ReportColumn> columns) {
    names = columns.stream().map(ReportColumn::name).toList();
    for (ReportColumn column : columns) {
      table.column(column.name(), column.kind());
    }
  }

  /** Begins a row; setters apply to the last row. */
  public ReportRows row() {
    table.row();
    return this;
  }

  public ReportRows set(String column, long value) {
    table.set(place(column), value);
    return this;
  }

  public ReportRows set(String column, double value) {
    table.set(place(column), Double.doubleToRawLongBits(value));
    return this;
  }

  public ReportRows set(String column, long high, long low) {
    table.set(place(column), high, low);
    return this;
  }

  public ReportRows set(String column, @Nullable BigInteger value) {
    return value == null ? this : set(column, value.shiftRight(64).longValue(), value.longValue());
  }

  public ReportRows set(String column, @Nullable String value) {
    table.set(place(column), value);
    return this;
  }

  public ReportRows copy(List<ReportColumn> columns, ResultTable from, int row) {
    columns.forEach(column -> copy(column.name(), from, row));
    return this;
  }

  public ReportRows copy(String column, ResultTable from, int row) {
    return copy(column, column, from, row);
  }

  public ReportRows copy(String column, String source, ResultTable from, int row) {
    copy(from, row, from.column(source), place(column));
    return this;
  }

  private void copy(ResultTable from, int row, int column, int to) {
    if (from.isNull(row, column)) {
      return;
    }
    if (from.kind(column) == ValueKind.TEXT) {
      table.set(to, from.text(row, column));
    } else if (from.kind(column) == ValueKind.DOUBLE) {
      table.set(to, from.low(row, column));
    } else {
      table.set(to, from.high(row, column), from.low(row, column));
    }
  }

  private int place(String column) {
    int place = names.indexOf(column);
    if (place < 0) {
      throw new IllegalArgumentException("no column " + column + " among " + names);
    }
    return place;
  }

  public ResultTable build() {
    return table.build();
  }
}
