package org.flowmon.flow;

import org.flowmon.flow.bytes.LittleEndian;

/**
 * The bytes of a flow batch, version 1; {@code docs/format/flow.md} is the specification, this
 * class owns the offsets.
 *
 * <pre>
 *   0        4     6     8        12    14    16            24
 *   +--------+-----+-----+--------+-----+-----+-------------+
 *   | "FLWB" | ver |flags| rows   | cols| 0   | producer id |
 *   +--------+-----+-----+--------+-----+-----+-------------+
 *   24            32               40                48
 *   | sequence    | cumulative flows | cumulative losses |
 *   48              56              64            72            80       84   88
 *   | min end_time  | max end_time  | min arrival | max arrival | length | 0  |
 *   88: directory, 12 bytes a column: id u8, stored type u8, encoding u8, 0, offset u32, length u32
 *   then the columns, each at a multiple of 8
 * </pre>
 */
final class FlowBatchLayout {
  static final int MAGIC = 'F' | 'L' << 8 | 'W' << 16 | 'B' << 24;

  static final int VERSION = 1;

  static final int VERSION_AT = 4;
  static final int FLAGS_AT = 6;
  static final int ROWS_AT = 8;
  static final int COLUMNS_AT = 12;
  static final int PRODUCER_AT = 16;
  static final int SEQUENCE_AT = 24;
  static final int CUMULATIVE_FLOWS_AT = 32;
  static final int CUMULATIVE_LOSSES_AT = 40;
  static final int MIN_END_AT = 48;
  static final int MAX_END_AT = 56;
  static final int MIN_ARRIVAL_AT = 64;
  static final int MAX_ARRIVAL_AT = 72;
  static final int LENGTH_AT = 80;
  static final int HEADER_BYTES = 88;
  static final int ENTRY_BYTES = 12;

  /** Flag of a heartbeat: the producer's input has ended. */
  static final int END_OF_INPUT = 1;

  /** An address column of IPv4 alone: 4 bytes a value, network order as an integer. */
  static final int STORED_IPV4 = 64;

  static final int CONSTANT = 1;
  static final int DENSE = 2;
  static final int NULLABLE = 3;

  private FlowBatchLayout() {}

  static int align(int offset) {
    return (offset + 7) & ~7;
  }

  static int bitmapBytes(int rows) {
    return ((rows + 63) >>> 6) << 3;
  }

  static void writeHeader(
      byte[] bytes,
      int rows,
      int columns,
      long producerId,
      long sequence,
      long flows,
      long losses) {
    LittleEndian.putInt(bytes, 0, MAGIC);
    LittleEndian.putU16(bytes, VERSION_AT, VERSION);
    LittleEndian.putInt(bytes, ROWS_AT, rows);
    LittleEndian.putU16(bytes, COLUMNS_AT, columns);
    LittleEndian.putLong(bytes, PRODUCER_AT, producerId);
    LittleEndian.putLong(bytes, SEQUENCE_AT, sequence);
    LittleEndian.putLong(bytes, CUMULATIVE_FLOWS_AT, flows);
    LittleEndian.putLong(bytes, CUMULATIVE_LOSSES_AT, losses);
    LittleEndian.putInt(bytes, LENGTH_AT, bytes.length);
  }
}
