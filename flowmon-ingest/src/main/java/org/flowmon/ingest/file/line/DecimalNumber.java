package org.flowmon.ingest.file.line;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Decimal texts as whole multiples of a part, without floating point and rounded once. */
public final class DecimalNumber {
  /** No number, or one beyond 64 bits. */
  public static final long INVALID = Long.MIN_VALUE;

  private static final int MAX_TEXT = 400;
  // Doubles reach from 4.9e-324 to 1.8e308. BigDecimal writes out as many digits.
  private static final int MAX_EXPONENT = 400;
  // So many digits fit a long, whatever they are.
  private static final int DIGITS = 18;
  private static final BigDecimal HALF = new BigDecimal("0.5");

  private static final long[] POWERS = new long[DIGITS + 1];

  static {
    Arrays.setAll(POWERS, i -> i == 0 ? 1 : POWERS[i - 1] * 10);
  }

  private DecimalNumber() {}

  /**
   * A number like {@code -12.5} or {@code 4.7e-06}, times 10^{@code places} (0 … 6); what lies
   * half-way between two whole numbers is rounded up, as {@link Math#round(double)} does.
   */
  public static long scaled(byte[] text, int from, int to, int places) {
    boolean negative = from < to && text[from] == '-';
    int start = negative ? from + 1 : from;
    int point = -1;
    long sum = 0;
    int digits = 0;
    int at = start;
    for (; at < to; at++) {
      if (isDigit(text[at])) {
        sum = sum * 10 + (text[at] - '0');
        if (++digits > DIGITS) {
          return exactly(text, from, to, places);
        }
      } else if (text[at] == '.' && point < 0) {
        point = at;
      } else {
        break;
      }
    }
    if (digits == 0) {
      return INVALID;
    } else if (at < to) {
      return exactly(text, from, to, places);
    }
    int fraction = point < 0 ? 0 : to - point - 1;
    if (fraction > places) {
      return divided(negative ? -sum : sum, POWERS[fraction - places]);
    }
    long factor = POWERS[places - fraction];
    long product = sum * factor;
    boolean fits = product >= 0 && Math.multiplyHigh(sum, factor) == 0;
    return !fits ? INVALID : negative ? -product : product;
  }

  private static long divided(long sum, long divisor) {
    long floor = Math.floorDiv(sum, divisor);
    return floor + (Math.floorMod(sum, divisor) >= divisor - divisor / 2 ? 1 : 0);
  }

  private static long exactly(byte[] text, int from, int to, int places) {
    if (to - from > MAX_TEXT || !isNumber(text, from, to)) {
      return INVALID;
    }
    BigDecimal rounded =
        new BigDecimal(new String(text, from, to - from, StandardCharsets.ISO_8859_1))
            .movePointRight(places)
            .add(HALF)
            .setScale(0, RoundingMode.FLOOR);
    boolean fits =
        rounded.precision() - rounded.scale() <= 19 // else it may have many digits
            && rounded.toBigInteger().bitLength() < Long.SIZE;
    return fits ? rounded.longValue() : INVALID;
  }

  /**
   * Whether it is {@code [-]digits[.digits][e[±]digits]}, a digit at least, of a small exponent.
   */
  private static boolean isNumber(byte[] text, int from, int to) {
    int at = text[from] == '-' ? from + 1 : from;
    int digits = 0;
    boolean hasPoint = false;
    for (; at < to && (isDigit(text[at]) || (text[at] == '.' && !hasPoint)); at++) {
      hasPoint |= text[at] == '.';
      digits += text[at] == '.' ? 0 : 1;
    }
    if (digits == 0 || at == to) {
      return digits > 0;
    }
    if ((text[at++] | 0x20) != 'e' || at == to) {
      return false;
    }
    int first = text[at] == '-' || text[at] == '+' ? at + 1 : at;
    int exponent = 0;
    for (int i = first; i < to; i++) {
      if (!isDigit(text[i])) {
        return false;
      }
      exponent = Math.min(exponent * 10 + (text[i] - '0'), MAX_EXPONENT + 1);
    }
    return first < to && exponent <= MAX_EXPONENT;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }
}
