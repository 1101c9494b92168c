package org.flowmon.flow;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * The values of a batch by {@code docs/format/flow.md}, read one by one without the tested code;
 * the bytes are trusted.
 */
final class PlainBatch {
  private final ByteBuffer bytes;
  private final int rows;
  private final Map<FlowColumn, Integer> entries = new TreeMap<>();

  PlainBatch(byte[] batch) {
    bytes = ByteBuffer.wrap(batch).order(ByteOrder.LITTLE_ENDIAN);
    rows = bytes.getInt(8);
    for (int i = 0; i < (bytes.getShort(12) & 0xFFFF); i++) {
      int entry = 88 + 12 * i;
      for (FlowColumn column : FlowColumn.all()) {
        if (column.id() == (bytes.get(entry) & 0xFF)) {
          entries.put(column, entry);
        }
      }
    }
  }

  int rows() {
    return rows;
  }

  boolean has(FlowColumn column) {
    return entries.containsKey(column);
  }

  int encoding(FlowColumn column) {
    return bytes.get(entries.get(column) + 2);
  }

  /** The place of the column, which begins with its validity. */
  int place(FlowColumn column) {
    return bytes.getInt(entries.get(column) + 4);
  }

  /** The place of the column in the directory. */
  int entry(FlowColumn column) {
    return entries.get(column);
  }

  private int bitmap() {
    return (rows + 63) / 64 * 8;
  }

  /** The place of a row's value of fixed width. */
  int slot(FlowColumn column, int row) {
    return switch (encoding(column)) {
      case 1 -> place(column);
      case 2 -> place(column) + row * width(column);
      default -> place(column) + bitmap() + row * width(column);
    };
  }

  private int width(FlowColumn column) {
    return bytes.get(entries.get(column) + 1) == 64 ? 4 : column.type().width();
  }

  /** Whether the value of a row is unknown. */
  boolean isNull(FlowColumn column, int row) {
    return !has(column)
        || (encoding(column) == 3 && (bytes.get(place(column) + row / 8) >>> row % 8 & 1) == 0);
  }

  /** The value as a number, an address or a text; null if it is unknown. */
  Object value(FlowColumn column, int row) {
    return isNull(column, row) ? null : stored(column, row);
  }

  /** The stored value, even if it is unknown. */
  Object stored(FlowColumn column, int row) {
    if (column.type() == ColumnType.TEXT) {
      return text(column, row);
    }
    int at = slot(column, row);
    return switch (width(column)) {
      case 1 -> (long) (bytes.get(at) & 0xFF);
      case 2 -> (long) (bytes.getShort(at) & 0xFFFF);
      case 4 ->
          column.type() == ColumnType.ADDRESS
              ? IpAddress.ofIpv4(bytes.getInt(at))
              : (Object) (bytes.getInt(at) & 0xFFFF_FFFFL);
      case 8 -> bytes.getLong(at);
      default -> new IpAddress(bytes.getLong(at), bytes.getLong(at + 8));
    };
  }

  private String text(FlowColumn column, int row) {
    boolean constant = encoding(column) == 1;
    int offsets = place(column) + (encoding(column) == 3 ? bitmap() : 0);
    int slot = offsets + 4 * (constant ? 0 : row);
    int text = offsets + 4 * (constant ? 2 : rows + 1);
    byte[] utf8 = new byte[bytes.getInt(slot + 4) - bytes.getInt(slot)];
    bytes.get(text + bytes.getInt(slot), utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
