package org.flowmon.deploy.report;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/** Values of reports' JSON and of answers, each in the other's form. */
final class Cells {
  private Cells() {}

  /** As the JSON of reports has it: a text, number or truth; null if NULL. */
  static @Nullable Object object(ResultTable table, int row, int column) {
    if (table.isNull(row, column)) {
      return null;
    }
    return switch (table.kind(column)) {
      case BOOLEAN -> table.longValue(row, column) != 0;
      case LONG, DURATION -> table.bigValue(row, column);
      case DOUBLE -> table.doubleValue(row, column);
      case TIMESTAMP, ADDRESS, TEXT -> table.formatted(row, column);
    };
  }

  /** Numbers, and times in microseconds; null of all else. */
  static @Nullable BigDecimal number(ResultTable table, int row, int column) {
    return table.isNull(row, column)
        ? null
        : switch (table.kind(column)) {
          case LONG, DURATION, TIMESTAMP -> new BigDecimal(table.bigValue(row, column));
          case DOUBLE -> decimal(table.doubleValue(row, column));
          case BOOLEAN, ADDRESS, TEXT -> null;
        };
  }

  /** The same of a value of JSON. */
  static @Nullable BigDecimal number(@Nullable Object value) {
    if (value instanceof BigInteger whole) {
      return new BigDecimal(whole);
    } else if (value instanceof Double number) {
      return decimal(number);
    } else if (value instanceof String text) {
      try {
        return BigDecimal.valueOf(FlowTime.micros(Instant.parse(text)));
      } catch (DateTimeException | ArithmeticException e) {
        return null; // no time
      }
    }
    return null;
  }

  private static @Nullable BigDecimal decimal(double number) {
    return Double.isFinite(number) ? new BigDecimal(number) : null;
  }

  /** A value of JSON as one of a kind; NULL if it is none. */
  static Value value(@Nullable Object json, ValueKind kind) {
    if (kind == ValueKind.TEXT) {
      return json instanceof String text ? Value.ofText(text) : Value.NULL;
    } else if (kind == ValueKind.ADDRESS) {
      IpAddress address = json instanceof String text ? IpAddress.parseOrNull(text) : null;
      return address == null ? Value.NULL : Value.ofAddress(address);
    } else if (kind == ValueKind.BOOLEAN) {
      return json instanceof Boolean truth ? Value.ofBoolean(truth) : Value.NULL;
    }
    BigDecimal number = number(json);
    if (number == null) {
      return Value.NULL;
    } else if (kind == ValueKind.DOUBLE) {
      return Value.ofDouble(number.doubleValue());
    }
    BigInteger whole = number.toBigInteger();
    return whole.bitLength() < Long.SIZE ? Value.of(kind, whole.longValue()) : Value.NULL;
  }
}
