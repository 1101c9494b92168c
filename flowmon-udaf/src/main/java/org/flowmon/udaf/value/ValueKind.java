package org.flowmon.udaf.value;

import org.flowmon.flow.ColumnType;
import org.jspecify.annotations.Nullable;

/** The kind of a query's value; each column of the flow schema has one. */
public enum ValueKind {
  /** 0 or 1 as a long. */
  BOOLEAN(1),
  /** A whole number: counts, ports, codes. */
  LONG(2),
  /** Microseconds since 1970-01-01T00:00:00Z. */
  TIMESTAMP(3),
  DURATION(4),
  /** IEEE 754 double; its bits as a long. */
  DOUBLE(5),
  /** IPv4 or IPv6: high and low long. */
  ADDRESS(6),
  TEXT(7);

  private final int code;

  ValueKind(int code) {
    this.code = code;
  }

  /** In partial groups and related formats ({@code docs/format/partial-groups.md}). */
  public int code() {
    return code;
  }

  /** Null if this version does not know it. */
  public static @Nullable ValueKind byCode(int code) {
    for (ValueKind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    return null;
  }

  public static ValueKind of(ColumnType type) {
    return switch (type) {
      case BOOLEAN -> BOOLEAN;
      case UINT8, UINT16, UINT32, COUNT, NUMBER -> LONG;
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

  /** {@link #LONG} or {@link #DOUBLE}: arithmetic with plain numbers. */
  public boolean isNumber() {
    return this == LONG || this == DOUBLE;
  }
}
