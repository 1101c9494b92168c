package org.flowmon.flow;

import java.util.Arrays;
import java.util.Optional;

/**
 * The logical type of a flow column. All but {@link #ADDRESS} and {@link #TEXT} are a Java {@code
 * long}: unsigned ones zero-extended, booleans 0 or 1, times and durations in microseconds.
 */
public enum ColumnType {
  BOOLEAN(1, 1),
  UINT8(2, 1),
  UINT16(3, 2),
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
  TEXT(9, 0),
  /** A whole number of 64 bits, signed; the unit tells if it is a fraction's numerator. */
  NUMBER(10, 8);

  private final int code;
  private final int width;
  private final long maxValue;
  private final long minValue;

  ColumnType(int code, int width) {
    this.code = code;
    this.width = width;
    boolean isSigned = code == 6 || code == 7 || code == 10;
    this.minValue = isSigned ? Long.MIN_VALUE : 0;
    this.maxValue =
        code == 1 ? 1 : width == 0 || width >= 8 ? Long.MAX_VALUE : (1L << (8 * width)) - 1;
  }

  /** Stored in batches; it never changes its meaning ({@code docs/format/flow.md}). */
  public int code() {
    return code;
  }

  /** Empty if this version does not know the code. */
  public static Optional<ColumnType> ofCode(int code) {
    return Arrays.stream(values()).filter(type -> type.code == code).findFirst();
  }

  /**
   * Bytes of a value in a batch; 0 for a text. An IPv4-only {@link #ADDRESS} column may store 4.
   */
  public int width() {
    return width;
  }

  public boolean isLong() {
    return this != ADDRESS && this != TEXT;
  }

  public long maxValue() {
    return maxValue;
  }

  public long minValue() {
    return minValue;
  }
}
