package org.flowmon.udaf.text;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads and writes times and durations as texts. */
public final class TimeLiterals {
  private static final Map<String, Long> UNIT_MICROS =
      Map.of(
          "MICROSECOND", 1L,
          "MILLISECOND", 1_000L,
          "SECOND", 1_000_000L,
          "MINUTE", 60_000_000L,
          "HOUR", 3_600_000_000L,
          "DAY", 86_400_000_000L,
          "WEEK", 604_800_000_000L);

  private static final Pattern TIMESTAMP =
      Pattern.compile(
          "(\\d{4})-(\\d\\d)-(\\d\\d)(?:[T ](\\d\\d):(\\d\\d)(?::(\\d\\d)(?:\\.(\\d{1,9}))?)?)?"
              + " ?(Z|[+-]\\d\\d:\\d\\d)?");

  private static final Pattern DURATION = Pattern.compile("\\s*(-?\\d{1,18})\\s*([A-Za-z]+)\\s*");

  // The first value with more digits than DURATION takes.
  private static final long INTERVAL_END = 1_000_000_000_000_000_000L;

  private static final long YEAR_0_MICROS = micros(0);
  private static final long YEAR_10000_MICROS = micros(10_000);

  private static final List<String> LARGER_UNITS =
      List.of("MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY");

  private TimeLiterals() {}

  /** Singular or plural, in any case; null if it is none. */
  public static @Nullable Long unitMicros(String unit) {
    String upper = unit.toUpperCase(Locale.ROOT);
    Long micros = UNIT_MICROS.get(upper);
    if (micros == null && upper.endsWith("S")) {
      micros = UNIT_MICROS.get(upper.substring(0, upper.length() - 1));
    }
    return micros;
  }

  /** Microseconds of a text such as {@code 5 minutes}; null if it is none. */
  public static @Nullable Long durationMicros(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    Long unit = unitMicros(matcher.group(2));
    try {
      return unit == null ? null : Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
    } catch (ArithmeticException e) {
      return null;
    }
  }

  private static long micros(String knownUnit) {
    return Objects.requireNonNull(UNIT_MICROS.get(knownUnit));
  }

  /** Whether its {@link #interval} can be read again. */
  public static boolean isInterval(long micros) {
    return micros % micros("MILLISECOND") == 0 || (micros > -INTERVAL_END && micros < INTERVAL_END);
  }

  /** Years have four digits; in µs since 1970. */
  public static boolean isTimestamp(long micros) {
    return micros >= YEAR_0_MICROS && micros < YEAR_10000_MICROS;
  }

  /** A literal in the largest unit up to days that gives a whole number. */
  public static String interval(long micros) {
    String unit = "MICROSECOND";
    for (String larger : LARGER_UNITS) {
      unit = micros % micros(larger) == 0 && micros != 0 ? larger : unit;
    }
    return "INTERVAL '" + micros / micros(unit) + "' " + unit;
  }

  /**
   * As {@code 2026-11-21 08:00:00.5}, UTC without an offset; cut to µs since 1970. Null if none.
   */
  public static @Nullable Long timestampMicros(String text) {
    Matcher matcher = TIMESTAMP.matcher(text.strip());
    if (!matcher.matches()) {
      return null;
    }
    try {
      LocalDateTime time =
          LocalDateTime.of(
              field(matcher, 1),
              field(matcher, 2),
              field(matcher, 3),
              field(matcher, 4),
              field(matcher, 5),
              field(matcher, 6));
      String zone = matcher.group(8);
      ZoneOffset offset = zone == null ? ZoneOffset.UTC : ZoneOffset.of(zone);
      String digits = matcher.group(7);
      long fraction = digits == null ? 0 : Long.parseLong((digits + "000000").substring(0, 6));
      return time.toEpochSecond(offset) * 1_000_000L + fraction;
    } catch (DateTimeException e) {
      return null;
    }
  }

  private static long micros(int year) {
    return LocalDateTime.of(year, 1, 1, 0, 0).toEpochSecond(ZoneOffset.UTC) * 1_000_000L;
  }

  private static int field(Matcher matcher, int group) {
    return matcher.group(group) == null ? 0 : Integer.parseInt(matcher.group(group));
  }
}
