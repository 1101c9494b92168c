package org.flowmon.jobs.types;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * A result table as bytes, column by column, within records that have a version of their own:
 *
 * <pre>
 *   0xFFFF u16 | version u8 = 2 | columns u16 | rows i32, then per column:
 *     name modified UTF-8 | kind u8 | flags u8: 1 some are NULL, 2 has high longs, 4 all are NULL
 *     flag 1: a bit for each row, the lowest first, set if it is NULL
 *     text: modified UTF-8 of each row that is not NULL
 *     else: low longs, with flag 2 high longs: 0 and one i64 if all are the same, or 1 and an i64 each
 * </pre>
 *
 * <p>A column whose rows are all NULL ends with its flags; a NULL's longs are 0; high longs that
 * are not there are the sign of the low ones. Version 1, which is still read, begins with the
 * number of columns and goes row by row:
 *
 * <pre>
 *   columns u16 | (name modified UTF-8, kind u8) …  | rows i32
 *   per row, per column: 0 (NULL) or 1, then
 *     text: modified UTF-8 | double: i64 | other: high i64, low i64
 * </pre>
 */
public final class ResultTableBytes {
  private static final int MAX_ROWS = 1 << 24;
  private static final int VERSIONED = 0xFFFF;
  private static final int VERSION = 2;
  private static final int SOME_NULL = 1;
  private static final int HAS_HIGHS = 2;
  private static final int ALL_NULL = 4;
  // Rows.
  private static final int CHUNK = 1024;

  private ResultTableBytes() {}

  public static void write(ResultTable table, DataOutputView target) throws IOException {
    if (table.rowCount() > MAX_ROWS) {
      throw new IOException(
          "a result of " + table.rowCount() + " rows, more than " + MAX_ROWS + ", cannot be sent");
    }
    target.writeShort(VERSIONED);
    target.writeByte(VERSION);
    target.writeShort(table.columnCount());
    target.writeInt(table.rowCount());
    for (int c = 0; c < table.columnCount(); c++) {
      target.writeUTF(table.name(c));
      target.writeByte(table.kind(c).code());
      writeColumn(table, c, target);
    }
  }

  private static void writeColumn(ResultTable table, int column, DataOutputView target)
      throws IOException {
    int rows = table.rowCount();
    int nulls = 0;
    for (int r = 0; r < rows; r++) {
      nulls += table.isNull(r, column) ? 1 : 0;
    }
    ValueKind kind = table.kind(column);
    boolean hasHighs = kind == ValueKind.ADDRESS || table.isWide(column);
    boolean isEmpty = nulls == rows;
    target.writeByte(isEmpty ? ALL_NULL : (nulls > 0 ? SOME_NULL : 0) | (hasHighs ? HAS_HIGHS : 0));
    if (isEmpty) {
      return;
    }
    if (nulls > 0) {
      byte[] bits = new byte[(rows + 7) >>> 3];
      for (int r = 0; r < rows; r++) {
        bits[r >>> 3] |= (byte) ((table.isNull(r, column) ? 1 : 0) << (r & 7));
      }
      target.write(bits);
    }
    if (kind == ValueKind.TEXT) {
      for (int r = 0; r < rows; r++) {
        if (!table.isNull(r, column)) {
          target.writeUTF(table.text(r, column));
        }
      }
      return;
    }
    writeLongs(table, column, true, target);
    if (hasHighs) {
      writeLongs(table, column, false, target);
    }
  }

  private static void writeLongs(
      ResultTable table, int column, boolean isLow, DataOutputView target) throws IOException {
    int rows = table.rowCount();
    long[] longs = new long[Math.min(rows, CHUNK)];
    table.read(column, 0, 1, isLow, longs);
    long first = longs[0];
    long differ = 0;
    for (int from = 0; from < rows && differ == 0; from += CHUNK) {
      int n = Math.min(CHUNK, rows - from);
      table.read(column, from, n, isLow, longs);
      for (int i = 0; i < n; i++) {
        differ |= longs[i] ^ first;
      }
    }
    target.writeByte(differ == 0 ? 0 : 1);
    if (differ == 0) {
      target.writeLong(first);
      return;
    }
    byte[] bytes = new byte[8 * longs.length];
    for (int from = 0; from < rows; from += CHUNK) {
      int n = Math.min(CHUNK, rows - from);
      table.read(column, from, n, isLow, longs);
      for (int i = 0; i < n; i++) {
        BigEndian.putLong(bytes, 8 * i, longs[i]);
      }
      target.write(bytes, 0, 8 * n);
    }
  }

  public static ResultTable read(DataInputView source) throws IOException {
    int columns = source.readUnsignedShort();
    if (columns != VERSIONED) {
      return readRows(columns, source);
    }
    int version = source.readUnsignedByte();
    if (version != VERSION) {
      throw new IOException("a result of version " + version + ", this reads 1 and " + VERSION);
    }
    columns = source.readUnsignedShort();
    int rows = readRowCount(source);
    ResultTable.Builder table = new ResultTable.Builder();
    ColumnArrays[] arrays = new ColumnArrays[columns];
    for (int c = 0; c < columns; c++) {
      String name = source.readUTF();
      ValueKind kind = kind(name, source.readUnsignedByte());
      table.column(name, kind);
      arrays[c] = readColumn(source, name, kind, rows);
    }
    table.rows(rows);
    for (int c = 0; c < columns; c++) {
      ColumnArrays of = arrays[c];
      table.fill(c, of.low, of.high, of.texts, of.isNull);
    }
    return table.build();
  }

  private static int readRowCount(DataInputView source) throws IOException {
    int rows = source.readInt();
    if (rows < 0 || rows > MAX_ROWS) {
      throw new IOException("a result of " + rows + " rows, expected 0…" + MAX_ROWS);
    }
    return rows;
  }

  private static ValueKind kind(String name, int code) throws IOException {
    ValueKind kind = ValueKind.byCode(code);
    if (kind == null) {
      throw new IOException("column " + name + " of a result has the unknown kind " + code);
    }
    return kind;
  }

  /** The arrays for {@link ResultTable.Builder#fill}. */
  private static final class ColumnArrays {
    private long @Nullable [] low;
    private long @Nullable [] high;
    private String @Nullable [] texts;
    private boolean @Nullable [] isNull;
  }

  private static ColumnArrays readColumn(
      DataInputView source, String name, ValueKind kind, int rows) throws IOException {
    int flags = source.readUnsignedByte();
    boolean mayHaveHighs = kind != ValueKind.TEXT && kind != ValueKind.DOUBLE;
    if (flags > ALL_NULL
        || ((flags & HAS_HIGHS) != 0 && !mayHaveHighs)
        || (flags == 0 && kind == ValueKind.ADDRESS)) {
      throw new IOException("column " + name + " of a result has the flags " + flags);
    }
    ColumnArrays column = new ColumnArrays();
    if (flags == ALL_NULL) {
      return column;
    }
    if ((flags & SOME_NULL) != 0) {
      column.isNull = readNulls(source, rows);
    }
    if (kind == ValueKind.TEXT) {
      column.texts = readTexts(source, column.isNull, rows);
    } else {
      column.low = readLongs(source, rows);
      column.high = (flags & HAS_HIGHS) == 0 ? null : readLongs(source, rows);
    }
    return column;
  }

  private static boolean[] readNulls(DataInputView source, int rows) throws IOException {
    byte[] bits = new byte[(rows + 7) >>> 3];
    source.readFully(bits);
    boolean[] isNull = new boolean[rows];
    for (int r = 0; r < rows; r++) {
      isNull[r] = (bits[r >>> 3] >>> (r & 7) & 1) != 0;
    }
    return isNull;
  }

  private static String[] readTexts(DataInputView source, boolean @Nullable [] isNull, int rows)
      throws IOException {
    String[] texts = new String[Math.min(rows, CHUNK)];
    for (int r = 0; r < rows; r++) {
      if (r == texts.length) {
        texts = Arrays.copyOf(texts, Math.min(rows, 2 * r)); // grows with the bytes read
      }
      texts[r] = isNull != null && isNull[r] ? null : source.readUTF();
    }
    return texts;
  }

  private static long[] readLongs(DataInputView source, int rows) throws IOException {
    int encoding = source.readUnsignedByte();
    if (encoding > 1) {
      throw new IOException("the longs of a result's column have the encoding " + encoding);
    }
    if (encoding == 0) {
      long all = source.readLong();
      long[] longs = new long[rows];
      Arrays.fill(longs, all);
      return longs;
    }
    byte[] bytes = new byte[8 * Math.min(rows, CHUNK)];
    long[] longs = new long[Math.min(rows, CHUNK)];
    for (int from = 0; from < rows; from += CHUNK) {
      int n = Math.min(CHUNK, rows - from);
      source.readFully(bytes, 0, 8 * n);
      if (from + n > longs.length) {
        longs = Arrays.copyOf(longs, Math.min(rows, 2 * (from + n))); // grows with the bytes read
      }
      for (int i = 0; i < n; i++) {
        longs[from + i] = BigEndian.getLong(bytes, 8 * i);
      }
    }
    return longs;
  }

  private static ResultTable readRows(int columns, DataInputView source) throws IOException {
    ResultTable.Builder table = new ResultTable.Builder();
    ValueKind[] kinds = new ValueKind[columns];
    for (int c = 0; c < columns; c++) {
      String name = source.readUTF();
      kinds[c] = kind(name, source.readUnsignedByte());
      table.column(name, kinds[c]);
    }
    int rows = readRowCount(source);
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
