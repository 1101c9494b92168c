package org.flowmon.flow;

/**
 * The logical type of a flow column. The code is what a flow batch stores; it never changes its
 * meaning (see {@code docs/format/flow.md}).
 *
 * <p>Every type but {@link #ADDRESS} and {@link #TEXT} is read and written as a Java {@code long}:
 * unsigned types are zero-extended, a boolean is 0 or 1, times and durations are microseconds.
 */
public enum ColumnType {
  /** 0 or 1. */
  BOOLEAN(1, 1),
  /** Unsigned 8 bits. */
  UINT8(2, 1),
  /** Unsigned 16 bits. */
  UINT16(3, 2),
  /** Unsigned 32 bits. */
  UINT32(4, 4),
  /** A count: 0 … 2^63 − 1. */
  COUNT(5, 8),
  /** Microseconds since 1970-01-01T00:00:00Z, signed. */
  TIMESTAMP(6, 8),
  /** Microseconds, signed. */
  DURATION(7, 8),
  /** An IPv4 or IPv6 address: 16 bytes, unsigned order, {@code ::ffff:0:0/96} is IPv4. */
  ADDRESS(8, 16),
  /** UTF-8 text of at most {@link FlowBatch#MAX_TEXT_BYTES} bytes. */
  TEXT(9, 0);

  private final int code;
  private final int width;

  ColumnType(int code, int width) {
    this.code = code;
    this.width = width;
  }

  /** The stable code of this type in files and messages. */
  public int code() {
    return code;
  }

  /**
   * Bytes of one value in a batch; 0 for {@link #TEXT}. An {@link #ADDRESS} column of IPv4 alone
   * may store 4.
   */
  public int width() {
    return width;
  }

  /** Whether values are read as {@code long} (everything but addresses and text). */
  public boolean isLong() {
    return this != ADDRESS && this != TEXT;
  }

  /** The largest value of this type as a long, for range checks on write. */
  public long maxValue() {
    return switch (this) {
      case BOOLEAN -> 1;
      case UINT8 -> 0xFF;
      case UINT16 -> 0xFFFF;
      case UINT32 -> 0xFFFF_FFFFL;
      default -> Long.MAX_VALUE;
    };
  }

  /** The smallest value of this type as a long. */
  public long minValue() {
    return this == TIMESTAMP || this == DURATION ? Long.MIN_VALUE : 0;
  }
}
