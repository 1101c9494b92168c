package org.flowmon.jobs.report;

import java.util.List;
import org.flowmon.udaf.value.ResultTable;

/** Builds a report's rows, with cells by column name; a cell that is not set is NULL. */
public final class ReportRows {
  private final List<String> names;
  private final ResultTable.Builder table = new ResultTable.Builder();

  /** Creates an empty builder with these columns. */
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
    Cells.setDouble(table, place(column), value);
    return this;
  }

  /** Sets a 128-bit number. */
  public ReportRows set(String column, long high, long low) {
    table.set(place(column), high, low);
    return this;
  }

  public ReportRows set(String column, String value) {
    table.set(place(column), value);
    return this;
  }

  /** Copies a cell from another table's column of the same name. */
  public ReportRows copy(String column, ResultTable from, int row) {
    return copy(column, column, from, row);
  }

  /** Copies a cell from another table's column of another name. */
  public ReportRows copy(String column, String source, ResultTable from, int row) {
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

  /** Returns the rows. */
  public ResultTable build() {
    return table.build();
  }
}
