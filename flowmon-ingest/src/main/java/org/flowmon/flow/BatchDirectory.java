package org.flowmon.flow;

import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.flow.bytes.ByteSearch;
import org.flowmon.flow.bytes.LittleEndian;

/**
 * The checked header and directory of a batch's bytes from anywhere: all that later reads rely on.
 */
final class BatchDirectory {
  final int rows;
  // By the ordinal of the column, the last entry for all columns defined later. 0 in encoding:
  // absent.
  final byte[] encoding = new byte[FlowColumn.count() + 1];
  final byte[] stored = new byte[encoding.length];
  final int[] valuesAt = new int[encoding.length];

  private final byte[] bytes;

  private BatchDirectory(byte[] bytes, int rows) {
    this.bytes = bytes;
    this.rows = rows;
  }

  /** Reads and checks; a {@link FlowFormatException} says what was found where, and expected. */
  static BatchDirectory read(byte[] bytes) {
    if (bytes.length < FlowBatchLayout.HEADER_BYTES) {
      throw new FlowFormatException(
          String.format(
              "a flow batch has at least %s bytes, found %s",
              FlowBatchLayout.HEADER_BYTES, bytes.length));
    }
    if (LittleEndian.getInt(bytes, 0) != FlowBatchLayout.MAGIC) {
      throw new FlowFormatException("not a flow batch: the first four bytes are not 'FLWB'");
    }
    int version = LittleEndian.getU16(bytes, FlowBatchLayout.VERSION_AT);
    if (version != FlowBatchLayout.VERSION) {
      throw new FlowFormatException(
          "flow batch of version " + version + ", this reads version " + FlowBatchLayout.VERSION);
    }
    int length = LittleEndian.getInt(bytes, FlowBatchLayout.LENGTH_AT);
    if (length != bytes.length || length > FlowBatch.MAX_BYTES) {
      throw new FlowFormatException(
          "flow batch says it has " + length + " bytes, found " + bytes.length);
    }
    int rows = LittleEndian.getInt(bytes, FlowBatchLayout.ROWS_AT);
    if (rows < 0 || rows > FlowBatch.MAX_ROWS) {
      throw new FlowFormatException(
          "flow batch of " + rows + " rows, expected 0…" + FlowBatch.MAX_ROWS);
    }
    int flags = LittleEndian.getU16(bytes, FlowBatchLayout.FLAGS_AT);
    if (flags != 0 && (flags != FlowBatchLayout.END_OF_INPUT || rows != 0)) {
      throw new FlowFormatException(
          String.format(
              "flow batch of %d rows with flags %#x, expected 0, or %#x (end of input) without"
                  + " rows",
              rows, flags, FlowBatchLayout.END_OF_INPUT));
    }
    BatchDirectory directory = new BatchDirectory(bytes, rows);
    directory.readColumns();
    return directory;
  }

  void checkHeader(FlowBatch batch) {
    checkCount("sequence number", batch.sequence());
    checkCount("cumulative flows", batch.cumulativeFlows());
    checkCount("cumulative losses", batch.cumulativeLosses());
    checkTimes(batch);
  }

  private static void checkCount(String name, long count) {
    if (count < 0 || count > FlowBatch.MAX_COUNT) {
      throw new FlowFormatException(
          "the header's " + name + " is " + count + ", expected 0 … " + FlowBatch.MAX_COUNT);
    }
  }

  private void checkTimes(FlowBatch batch) {
    Presence arrivals = batch.presence(FlowColumn.ARRIVAL);
    if (rows > 0 && arrivals != Presence.CONSTANT && arrivals != Presence.DENSE) {
      throw new FlowFormatException(
          "column arrival is " + arrivals + ", expected a value in each of " + rows + " rows");
    }
    if (rows > 0) {
      column(FlowColumn.ARRIVAL).range(batch.minArrival(), batch.maxArrival());
    } else if (batch.minArrival() != batch.maxArrival()) {
      throw new FlowFormatException(
          String.format(
              "a heartbeat of arrivals %s … %s, expected its one time twice",
              batch.minArrival(), batch.maxArrival()));
    }
    if (rows > 0 && batch.presence(FlowColumn.END_TIME) != Presence.ABSENT) {
      column(FlowColumn.END_TIME).range(batch.minEndTime(), batch.maxEndTime());
    } else {
      ColumnCheck.noRange(FlowColumn.END_TIME, batch.minEndTime(), batch.maxEndTime());
    }
  }

  private ColumnCheck column(FlowColumn column) {
    int c = column.ordinal();
    boolean isNarrow = column.type() == ColumnType.TEXT || stored[c] == FlowBatchLayout.STORED_IPV4;
    int width = isNarrow ? 4 : column.type().width();
    return new ColumnCheck(column, bytes, rows, encoding[c], width, valuesAt[c]);
  }

  private void readColumns() {
    int columns = LittleEndian.getU16(bytes, FlowBatchLayout.COLUMNS_AT);
    long end = FlowBatchLayout.HEADER_BYTES + (long) columns * FlowBatchLayout.ENTRY_BYTES;
    if (end > bytes.length) {
      throw new FlowFormatException(
          String.format(
              "the directory of %s columns ends at %s, past the batch's %s",
              columns, end, bytes.length));
    }
    for (int i = 0; i < columns; i++) {
      int entry = FlowBatchLayout.HEADER_BYTES + i * FlowBatchLayout.ENTRY_BYTES;
      int id = bytes[entry] & 0xFF;
      FlowColumn column = FlowColumn.byId(id);
      if (column == null || column.ordinal() >= encoding.length - 1) {
        continue; // not known when this began: readers that do not know a column do not use it
      }
      int storedType = bytes[entry + 1] & 0xFF;
      int how = bytes[entry + 2] & 0xFF;
      long offset = LittleEndian.getInt(bytes, entry + 4) & 0xFFFF_FFFFL;
      long length = LittleEndian.getInt(bytes, entry + 8) & 0xFFFF_FFFFL;
      check(column, storedType, how, offset, length, end);
      int at = (int) offset;
      int c = column.ordinal();
      if (encoding[c] != 0) {
        throw new FlowFormatException(
            "column " + column.sqlName() + " stands twice in the directory");
      }
      encoding[c] = (byte) how;
      stored[c] = (byte) storedType;
      valuesAt[c] = how == FlowBatchLayout.NULLABLE ? at + FlowBatchLayout.bitmapBytes(rows) : at;
      if (column.type() == ColumnType.TEXT) {
        checkText(column, (int) (offset + length));
      }
      column(column).values();
    }
  }

  private void check(
      FlowColumn column, int storedType, int how, long offset, long length, long from) {
    boolean typeFits =
        storedType == column.type().code()
            || (column.type() == ColumnType.ADDRESS && storedType == FlowBatchLayout.STORED_IPV4);
    if (!typeFits) {
      throw new FlowFormatException(
          String.format(
              "column %s is stored as type %s, expected %s",
              column.sqlName(), storedType, column.type()));
    }
    if (how < FlowBatchLayout.CONSTANT || how > FlowBatchLayout.NULLABLE) {
      throw new FlowFormatException(
          "column " + column.sqlName() + " has the unknown encoding " + how);
    }
    if (offset < from || (offset & 7) != 0 || offset + length > bytes.length) {
      throw new FlowFormatException(
          String.format(
              "column %s lies at %s+%s, outside the batch's %s…%s",
              column.sqlName(), offset, length, from, bytes.length));
    }
    int slots = how == FlowBatchLayout.CONSTANT ? 1 : rows;
    long needed = how == FlowBatchLayout.NULLABLE ? FlowBatchLayout.bitmapBytes(rows) : 0;
    if (column.type() == ColumnType.TEXT) {
      needed += 4L * (slots + 1);
    } else {
      needed +=
          (long) slots * (storedType == FlowBatchLayout.STORED_IPV4 ? 4 : column.type().width());
    }
    if (length < needed) {
      throw new FlowFormatException(
          String.format(
              "column %s has %s bytes, %s rows need %s", column.sqlName(), length, rows, needed));
    }
  }

  private void checkText(FlowColumn column, int end) {
    int c = column.ordinal();
    int slots = encoding[c] == FlowBatchLayout.CONSTANT ? 1 : rows;
    int text = valuesAt[c] + 4 * (slots + 1);
    int previous = 0;
    for (int i = 0; i <= slots; i++) {
      int offset = LittleEndian.getInt(bytes, valuesAt[c] + 4 * i);
      if (offset < previous
          || offset - previous > FlowBatch.MAX_TEXT_BYTES
          || offset > end - text
          || (i == 0 && offset != 0)) {
        throw new FlowFormatException(
            String.format(
                "column %s: text offset %s of row %s is out of order or range",
                column.sqlName(), offset, i));
      }
      previous = offset;
    }
    if (!ByteSearch.isAscii(bytes, text, text + previous)) {
      checkUtf8(column, slots, text);
    }
  }

  private void checkUtf8(FlowColumn column, int slots, int text) {
    int offsets = valuesAt[column.ordinal()];
    for (int i = 0; i < slots; i++) {
      int start = LittleEndian.getInt(bytes, offsets + 4 * i);
      int end = LittleEndian.getInt(bytes, offsets + 4 * (i + 1));
      if (!Utf8.isValid(bytes, text + start, text + end)) {
        throw new FlowFormatException(
            "column " + column.sqlName() + ": the text of row " + i + " is not UTF-8");
      }
    }
  }
}
