package org.flowmon.udaf.value;

import org.flowmon.flow.ColumnType;
import org.jspecify.annotations.Nullable;

/** The kind of a query's value; each column of the flow schema has one. */
public enum ValueKind {
  /** True or false; 0 or 1 as a long. */
  BOOLEAN(1),
  /** A whole number: counts, ports, codes. */
  LONG(2),
  /** Microseconds since 1970-01-01T00:00:00Z. */
  TIMESTAMP(3),
  /** Microseconds. */
  DURATION(4),
  /** IEEE 754 double; its bits as a long. */
  DOUBLE(5),
  /** An IPv4 or IPv6 address: high and low long. */
  ADDRESS(6),
  /** Unicode text. */
  TEXT(7);

  private final int code;

  ValueKind(int code) {
    this.code = code;
  }

  /**
   * The stable code in partial groups and related formats ({@code docs/format/partial-groups.md}).
   */
  public int code() {
    return code;
  }

  /** The kind of this code, null if this version does not know it. */
  public static @Nullable ValueKind byCode(int code) {
    for (ValueKind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    return null;
  }

  /** The kind of the values of a column of this type. */
  public static ValueKind of(ColumnType type) {
    return switch (type) {
      case BOOLEAN -> BOOLEAN;
      case UINT8, UINT16, UINT32, COUNT -> LONG;
      case TIMESTAMP -> TIMESTAMP;
      case DURATION -> DURATION;
      case ADDRESS -> ADDRESS;
      case TEXT -> TEXT;
    };
  }

  /** Whether a value is one long compared as a signed number (not {@link #DOUBLE}). */
  public boolean isInteger() {
    return this == BOOLEAN || this == LONG || this == TIMESTAMP || this == DURATION;
  }

  /** Whether arithmetic with plain numbers is possible: {@link #LONG} or {@link #DOUBLE}. */
  public boolean isNumber() {
    return this == LONG || this == DOUBLE;
  }
}
