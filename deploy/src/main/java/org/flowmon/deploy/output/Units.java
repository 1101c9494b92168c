package org.flowmon.deploy.output;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Numbers with units, short enough for a table: three digits and a prefix of 1,000. */
public final class Units {
  private static final String[] PREFIXES = {"", "k", "M", "G", "T", "P", "E", "Z", "Y"};
  private static final int DIGITS = 3;

  private Units() {}

  /** As {@code 12.3 MB}, with the decimal prefixes of routers and lines. */
  public static String bytes(double bytes) {
    return scaled(bytes, "B");
  }

  /** As {@code 98.2 Mbit/s}. */
  public static String bits(double bitsPerSecond) {
    return scaled(bitsPerSecond, "bit/s");
  }

  /** As {@code 1,234,567}. */
  public static String count(Number number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** A number of at most three digits besides zeros, without an exponent. */
  public static String number(double number) {
    if (!Double.isFinite(number)) {
      return Double.toString(number);
    }
    double size = Math.abs(number);
    if (size >= 1e15 || (size > 0 && size < 1e-6)) {
      return String.format(Locale.ROOT, "%.2e", number);
    }
    if (size >= 1000) {
      return String.format(Locale.ROOT, "%,.0f", number);
    }
    return new BigDecimal(number, new MathContext(DIGITS, RoundingMode.HALF_EVEN))
        .stripTrailingZeros()
        .toPlainString();
  }

  /** A share of 1 as {@code 12.5 %}. */
  public static String percent(double share) {
    return number(100 * share) + " %";
  }

  /** Microseconds as {@code 250 ms}, {@code 5 s}, {@code 2 min 30 s}, {@code 1 h 5 min}. */
  public static String duration(double micros) {
    double seconds = micros / 1e6;
    double size = Math.abs(seconds);
    if (!(size >= 60)) {
      return size > 0 && size < 1 ? number(seconds * 1000) + " ms" : number(seconds) + " s";
    }
    long whole = Math.round(size);
    String sign = seconds < 0 ? "-" : "";
    if (whole < 3600) {
      return sign + parts(whole / 60, "min", whole % 60, "s");
    }
    return whole < 86_400
        ? sign + parts(whole / 3600, "h", whole % 3600 / 60, "min")
        : sign + parts(whole / 86_400, "d", whole % 86_400 / 3600, "h");
  }

  private static String parts(long many, String unit, long rest, String smaller) {
    return many + " " + unit + (rest == 0 ? "" : " " + rest + " " + smaller);
  }

  private static String scaled(double number, String unit) {
    if (!Double.isFinite(number)) {
      return Double.toString(number);
    }
    double size = Math.abs(number);
    int prefix = 0;
    // What rounds to 1000 of a prefix is 1 of the next.
    while (size >= 999.5 && prefix < PREFIXES.length - 1) {
      size /= 1000;
      prefix++;
    }
    return (number < 0 ? "-" : "") + number(size) + " " + PREFIXES[prefix] + unit;
  }
}
