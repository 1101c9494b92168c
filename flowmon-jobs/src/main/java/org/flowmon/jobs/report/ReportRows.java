package org.flowmon.jobs.report;

import java.util.List;
import org.flowmon.udaf.query.ResultTable;

/** Collects a report's rows, cells by the names of their columns; what is not set is NULL. */
final class ReportRows {
  private final List<String> names;
  private final ResultTable.Builder table = new ResultTable.Builder();

  ReportRows(List<ReportColumn> columns) {
    names = columns.stream().map(ReportColumn::name).toList();
    for (ReportColumn column : columns) {
      table.column(column.name(), column.kind());
    }
  }

  /** Begins a row. */
  ReportRows row() {
    table.row();
    return this;
  }

  ReportRows set(String column, long value) {
    table.set(place(column), value);
    return this;
  }

  ReportRows set(String column, double value) {
    Cells.setDouble(table, place(column), value);
    return this;
  }

  /** A 128-bit number. */
  ReportRows set(String column, long high, long low) {
    table.set(place(column), high, low);
    return this;
  }

  ReportRows set(String column, String value) {
    table.set(place(column), value);
    return this;
  }

  /** Sets a cell to what another table has in its column of the same name. */
  ReportRows copy(String column, ResultTable from, int row) {
    return copy(column, column, from, row);
  }

  /** Sets a cell to what another table has in a column of another name. */
  ReportRows copy(String column, String source, ResultTable from, int row) {
    Cells.copy(from, row, from.column(source), table, place(column));
    return this;
  }

  private int place(String column) {
    int place = names.indexOf(column);
    if (place < 0) {
      throw new IllegalArgumentException("no column " + column + " among " + names);
    }
    return place;
  }

  ResultTable build() {
    return table.build();
  }
}
