package org.flowmon.jobs.types;

import java.io.IOException;
import java.math.BigInteger;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.query.ValueKind;

/**
 * A result table as bytes, within records that have a version of their own:
 *
 * <pre>
 *   columns u16 | (name modified UTF-8, kind u8) …  | rows i32
 *   per row, per column: 0 (NULL) or 1, then
 *     address, whole number: high i64, low i64 | other: i64 | text: modified UTF-8
 * </pre>
 */
public final class ResultTableBytes {
  private static final int MAX_ROWS = 1 << 24;

  private ResultTableBytes() {}

  public static void write(ResultTable table, DataOutputView target) throws IOException {
    int columns = table.columnCount();
    target.writeShort(columns);
    for (int c = 0; c < columns; c++) {
      target.writeUTF(table.name(c));
      target.writeByte(table.kind(c).code());
    }
    target.writeInt(table.rowCount());
    for (int r = 0; r < table.rowCount(); r++) {
      for (int c = 0; c < columns; c++) {
        target.writeBoolean(!table.isNull(r, c));
        if (!table.isNull(r, c)) {
          writeCell(table, r, c, target);
        }
      }
    }
  }

  private static void writeCell(ResultTable table, int row, int column, DataOutputView target)
      throws IOException {
    switch (table.kind(column)) {
      case TEXT -> target.writeUTF(table.text(row, column));
      case DOUBLE -> target.writeLong(Double.doubleToRawLongBits(table.doubleValue(row, column)));
      case ADDRESS -> {
        target.writeLong(table.address(row, column).hi());
        target.writeLong(table.address(row, column).lo());
      }
      default -> {
        BigInteger value = table.bigValue(row, column);
        target.writeLong(value.shiftRight(64).longValue());
        target.writeLong(value.longValue());
      }
    }
  }

  public static ResultTable read(DataInputView source) throws IOException {
    int columns = source.readUnsignedShort();
    ResultTable.Builder table = new ResultTable.Builder();
    ValueKind[] kinds = new ValueKind[columns];
    for (int c = 0; c < columns; c++) {
      String name = source.readUTF();
      int code = source.readUnsignedByte();
      kinds[c] = ValueKind.byCode(code);
      if (kinds[c] == null) {
        throw new IOException("column " + name + " of a result has the unknown kind " + code);
      }
      table.column(name, kinds[c]);
    }
    int rows = source.readInt();
    if (rows < 0 || rows > MAX_ROWS) {
      throw new IOException("a result of " + rows + " rows, expected 0…" + MAX_ROWS);
    }
    for (int r = 0; r < rows; r++) {
      table.row();
      for (int c = 0; c < columns; c++) {
        if (source.readBoolean()) {
          readCell(source, kinds[c], c, table);
        }
      }
    }
    return table.build();
  }

  private static void readCell(
      DataInputView source, ValueKind kind, int column, ResultTable.Builder table)
      throws IOException {
    switch (kind) {
      case TEXT -> table.set(column, source.readUTF());
      case DOUBLE -> table.set(column, source.readLong());
      default -> {
        long high = source.readLong();
        table.set(column, high, source.readLong());
      }
    }
  }
}
