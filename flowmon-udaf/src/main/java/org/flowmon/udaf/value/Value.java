package org.flowmon.udaf.value;

import java.util.Locale;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.TableHash;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.text.TimeLiterals;
import org.jspecify.annotations.Nullable;

/**
 * A constant of a query: a literal or the value of a parameter.
 *
 * @param kind null for NULL
 * @param high of an address, else 0
 * @param low of an address; a number, boolean, time or duration; the bits of a double
 * @param text empty if the kind is not {@link ValueKind#TEXT}
 */
public record Value(@Nullable ValueKind kind, long high, long low, String text) {
  /** Differs between processes ({@link TableHash}), as values may come from flows. */
  @Override
  public int hashCode() {
    return (int) (kind == ValueKind.TEXT ? TableHash.of(text) : TableHash.of(high, low));
  }

  public static final Value NULL = new Value(null, 0, 0, "");

  /** Of a kind with one long: no text and no address. */
  public static Value of(ValueKind kind, long low) {
    return new Value(kind, 0, low, "");
  }

  public static Value ofLong(long value) {
    return of(ValueKind.LONG, value);
  }

  public static Value ofDouble(double value) {
    return of(ValueKind.DOUBLE, Double.doubleToLongBits(value + 0.0)); // one zero: no −0.0
  }

  public static Value ofBoolean(boolean value) {
    return of(ValueKind.BOOLEAN, value ? 1 : 0);
  }

  /** A time in microseconds since 1970-01-01T00:00:00Z. */
  public static Value ofTimestamp(long micros) {
    return of(ValueKind.TIMESTAMP, micros);
  }

  /** A length of time in microseconds. */
  public static Value ofDuration(long micros) {
    return of(ValueKind.DURATION, micros);
  }

  public static Value ofAddress(IpAddress address) {
    return ofAddress(address.hi(), address.lo());
  }

  public static Value ofAddress(long high, long low) {
    return new Value(ValueKind.ADDRESS, high, low, "");
  }

  public static Value ofText(String text) {
    return new Value(ValueKind.TEXT, 0, 0, text);
  }

  /**
   * A value whose place gives no kind: a whole number, a decimal, {@code TRUE}, {@code FALSE},
   * {@code NULL}, a time ({@code 2026-11-21T08:00:00Z}), a duration ({@code 5 minutes}), an
   * address; else, or in single quotes, a text, which still takes the kind of the other side.
   */
  public static Value parse(String text) {
    if (text.length() > 1 && text.startsWith("'") && text.endsWith("'")) {
      return ofText(text.substring(1, text.length() - 1).replace("''", "'"));
    }
    if (text.matches("-?\\d{1,19}")) {
      try {
        return ofLong(Long.parseLong(text));
      } catch (NumberFormatException e) {
        throw new QueryException("expected a whole number of 64 bits, found " + text);
      }
    }
    if (text.matches("-?(\\d+\\.\\d*|\\.\\d+|\\d+(?=[eE]))([eE][+-]?\\d{1,4})?")) {
      double value = Double.parseDouble(text);
      if (Double.isInfinite(value)) {
        throw new QueryException("expected a number below 1.8E308, found " + text);
      }
      return ofDouble(value);
    }
    return switch (text.toUpperCase(Locale.ROOT)) {
      case "TRUE" -> ofBoolean(true);
      case "FALSE" -> ofBoolean(false);
      case "NULL" -> NULL;
      default -> timeOrAddress(text);
    };
  }

  private static Value timeOrAddress(String text) {
    Long time = TimeLiterals.timestampMicros(text);
    if (time != null) {
      return ofTimestamp(time);
    }
    Long duration = TimeLiterals.durationMicros(text);
    if (duration != null) {
      return ofDuration(duration);
    }
    IpAddress address = IpAddress.parseOrNull(text);
    return address == null ? ofText(text) : ofAddress(address);
  }

  public boolean isNull() {
    return kind == null;
  }

  /** The value as a double: for {@link ValueKind#LONG} and {@link ValueKind#DOUBLE}. */
  public double asDouble() {
    return kind == ValueKind.DOUBLE ? Double.longBitsToDouble(low) : (double) low;
  }

  /**
   * False for doubles that are not finite, times beyond the years 0 … 9999, and durations of 10¹⁸
   * µs and more with too many digits.
   */
  public boolean hasLiteral() {
    if (kind == null) {
      return true;
    }
    return switch (kind) {
      case BOOLEAN, LONG, ADDRESS, TEXT -> true;
      case DOUBLE -> Double.isFinite(asDouble());
      case TIMESTAMP -> TimeLiterals.isTimestamp(low);
      case DURATION -> TimeLiterals.isInterval(low);
    };
  }

  /** A literal of the dialect, if it {@linkplain #hasLiteral has one}. */
  @Override
  public String toString() {
    if (kind == null) {
      return "NULL";
    }
    return switch (kind) {
      case BOOLEAN -> low != 0 ? "TRUE" : "FALSE";
      case LONG -> Long.toString(low);
      case DOUBLE -> Double.toString(asDouble());
      case TIMESTAMP -> "TIMESTAMP '" + FlowTime.instant(low) + "'";
      case DURATION -> TimeLiterals.interval(low);
      case ADDRESS -> "ADDRESS '" + IpAddress.format(high, low) + "'";
      case TEXT -> "'" + text.replace("'", "''") + "'";
    };
  }
}
