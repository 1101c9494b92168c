package org.flowmon.deploy.export;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportColumn.Kind;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

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
      columns.add(new ExportColumn(table.name(c), kind(c), null, items.get(c).codeNames()));
    }
  }

  private Kind kind(int column) {
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
    for (int row = 0; row < table.rowCount(); row++) {
      if (!table.isNull(row, column) && table.bigValue(row, column).bitLength() > 63) {
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
    ValueKind kind = table.kind(column);
    if (kind == ValueKind.ADDRESS) {
      IpAddress address = table.address(from + row, column);
      return address == null ? 0 : address.lo();
    }
    return kind == ValueKind.DOUBLE
        ? Double.doubleToRawLongBits(table.doubleValue(from + row, column))
        : table.bigValue(from + row, column).longValue();
  }

  @Override
  public long high(int row, int column) {
    if (table.kind(column) == ValueKind.ADDRESS) {
      IpAddress address = table.address(from + row, column);
      return address == null ? 0 : address.hi();
    }
    return table.bigValue(from + row, column).shiftRight(64).longValue();
  }

  @Override
  public BigInteger big(int row, int column) {
    return table.bigValue(from + row, column);
  }

  @Override
  public String text(int row, int column) {
    return Objects.requireNonNull(table.text(from + row, column));
  }

  @Override
  public void close() {}
}
