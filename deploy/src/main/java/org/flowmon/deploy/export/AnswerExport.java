package org.flowmon.deploy.export;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportColumn.Kind;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;

/** Rows of a query's answer in memory. */
public final class AnswerExport implements ExportRows {
  private static final int BLOCK = 4096;

  private final ResultTable table;
  private final List<ExportColumn> columns = new ArrayList<>();
  private final int last;
  private int from;
  private int to;

  public AnswerExport(ResultTable table, List<SelectItem> items) {
    this(table, items, 0, table.rowCount());
  }

  /** The rows from {@code first} up to, without, {@code last}. */
  public AnswerExport(ResultTable table, List<SelectItem> items, int first, int last) {
    this.table = table;
    this.to = first;
    this.last = last;
    for (int c = 0; c < table.columnCount(); c++) {
      columns.add(
          new ExportColumn(table.name(c), kind(c, items.get(c)), null, items.get(c).codeNames()));
    }
  }

  /** Of a column of flows its own, otherwise that of any value of the kind. */
  private Kind kind(int column, SelectItem item) {
    if (item.what() instanceof Expression.Column flow) {
      return ExportColumn.of(flow.column()).kind();
    }
    return switch (table.kind(column)) {
      case BOOLEAN -> Kind.BOOLEAN;
      case LONG -> isWide(column) ? Kind.INT128 : Kind.INT64;
      case DOUBLE -> Kind.DOUBLE;
      case TIMESTAMP -> Kind.TIMESTAMP;
      case DURATION -> isWide(column) ? Kind.INT128 : Kind.DURATION;
      case ADDRESS -> Kind.ADDRESS;
      case TEXT -> Kind.TEXT;
    };
  }

  private boolean isWide(int column) {
    if (!table.isWide(column)) {
      return false;
    }
    for (int row = 0; row < table.rowCount(); row++) {
      if (table.high(row, column) != table.low(row, column) >> 63) {
        return true;
      }
    }
    return false;
  }

  @Override
  public List<ExportColumn> columns() {
    return columns;
  }

  @Override
  public boolean next() {
    from = to;
    to = Math.min(last, from + BLOCK);
    return from < to;
  }

  @Override
  public int rows() {
    return to - from;
  }

  @Override
  public boolean isNull(int row, int column) {
    return table.isNull(from + row, column);
  }

  @Override
  public long low(int row, int column) {
    return table.low(from + row, column);
  }

  @Override
  public long high(int row, int column) {
    return table.high(from + row, column);
  }

  @Override
  public String text(int row, int column) {
    return Objects.requireNonNull(table.text(from + row, column));
  }

  @Override
  public void close() {}
}
