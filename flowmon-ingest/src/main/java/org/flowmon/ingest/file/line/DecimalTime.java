package org.flowmon.ingest.file.line;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import org.flowmon.flow.bytes.LittleEndian;

/** Decimal seconds and ISO 8601 to exact µs, without floating point, rounded half up once. */
public final class DecimalTime {
  public static final long INVALID = Long.MIN_VALUE;

  /** The year 10000; the year 1 is no further from 1970. */
  public static final long LIMIT_SECONDS = 253_402_300_800L;

  private static final int MAX_TEXT = 48;
  // Ten digits of seconds, a point and six digits.
  private static final int MOST_WITH_MICROS = 17;
  private static final long ZEROS = 0x3030_3030_3030_3030L;
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;
  private static final long BEYOND_NINE = 0x7676_7676_7676_7676L;
  private static final int MAX_EXPONENT = 60;

  private DecimalTime() {}

  /** Seconds like {@code 1258531221.486539}, {@code -0.5} or {@code 4.7e-06} as µs. */
  public static long micros(byte[] text, int from, int to) {
    int length = to - from;
    if (length >= Long.BYTES && length <= MOST_WITH_MICROS && text[to - 7] == '.') {
      long micros = withMicros(text, from, to);
      if (micros >= 0) {
        return micros;
      }
    }
    return anyMicros(text, from, to);
  }

  /** Of {@code digits.dddddd}, as most times are; −1 if it is anything else. */
  private static long withMicros(byte[] text, int from, int to) {
    long seconds = 0;
    boolean isDecimal = true;
    for (int i = from; i < to - 7; i++) {
      int digit = text[i] - '0';
      isDecimal &= digit >= 0 && digit <= 9;
      seconds = seconds * 10 + digit;
    }
    // The six digits, and zeros in place of the digit and the point before them.
    long digits = ((LittleEndian.getLong(text, to - Long.BYTES) & ~0xFFFFL) | 0x3030) - ZEROS;
    isDecimal &= ((digits | (digits + BEYOND_NINE)) & HIGH_BITS) == 0;
    // Pairs of digits, then of pairs, then of fours; the first digit is the lowest byte.
    digits = (digits * 10 + (digits >>> 8)) & 0x00FF_00FF_00FF_00FFL;
    digits = (digits * 100 + (digits >>> 16)) & 0x0000_FFFF_0000_FFFFL;
    digits = (digits * 10_000 + (digits >>> 32)) & 0xFFFF_FFFFL;
    return isDecimal && seconds <= LIMIT_SECONDS ? seconds * 1_000_000 + digits : -1;
  }

  private static long anyMicros(byte[] text, int from, int to) {
    int at = from;
    boolean negative = at < to && text[at] == '-';
    at += negative ? 1 : 0;
    int digitsFrom = at;
    long seconds = 0;
    while (at < to && isDigit(text[at])) {
      seconds = seconds * 10 + (text[at++] - '0');
      if (seconds > LIMIT_SECONDS) {
        return INVALID;
      }
    }
    int digits = at - digitsFrom;
    long fraction = 0;
    if (at < to && text[at] == '.') {
      int fractionFrom = ++at;
      while (at < to && isDigit(text[at])) {
        int place = at - fractionFrom;
        if (place < 6) {
          fraction = fraction * 10 + (text[at] - '0');
        } else if (place == 6 && text[at] >= '5') {
          fraction++;
        }
        at++;
      }
      for (int place = at - fractionFrom; place < 6; place++) {
        fraction *= 10;
      }
      digits += at - fractionFrom;
    }
    if (digits == 0) {
      return INVALID;
    }
    if (at < to) {
      return withExponent(text, from, to, at);
    }
    long micros = seconds * 1_000_000 + fraction;
    return negative ? -micros : micros;
  }

  private static long withExponent(byte[] text, int from, int to, int exponentAt) {
    int at = exponentAt + 1;
    if ((text[exponentAt] | 0x20) != 'e' || to - from > MAX_TEXT || at == to) {
      return INVALID;
    }
    int first = text[at] == '-' || text[at] == '+' ? at + 1 : at;
    int exponent = 0;
    for (int i = first; i < to; i++) {
      if (!isDigit(text[i])) {
        return INVALID;
      }
      exponent = Math.min(exponent * 10 + (text[i] - '0'), 1000);
    }
    if (first == to || exponent > MAX_EXPONENT) {
      return INVALID;
    }
    BigDecimal value =
        new BigDecimal(new String(text, from, to - from, StandardCharsets.ISO_8859_1));
    if (value.abs().compareTo(BigDecimal.valueOf(LIMIT_SECONDS)) > 0) {
      return INVALID;
    }
    return value.movePointRight(6).setScale(0, RoundingMode.HALF_UP).longValueExact();
  }

  /**
   * Like {@code 2011-08-15T03:37:17.700519Z}, UTC without a zone; offsets ({@code +01:00}) count.
   */
  public static long iso(byte[] text, int from, int to) {
    if (to - from < 19
        || to - from > MAX_TEXT
        || (text[from + 10] != 'T' && text[from + 10] != ' ')) {
      return INVALID;
    }
    int year = number(text, from, 4, '-');
    int month = number(text, from + 5, 2, '-');
    int day = number(text, from + 8, 2, text[from + 10]);
    int hour = number(text, from + 11, 2, ':');
    int minute = number(text, from + 14, 2, ':');
    int second = number(text, from + 17, 2, 0);
    // 60 is a leap second: the first second of the next minute.
    if ((year | month | day | hour | minute | second) < 0
        || year == 0
        || hour > 23
        || minute > 59
        || second > 60) {
      return INVALID;
    }
    int zone = from + 19;
    while (zone < to && (isDigit(text[zone]) || text[zone] == '.')) {
      zone++;
    }
    long fraction = 0;
    if (zone > from + 19) {
      fraction = text[from + 19] == '.' && zone > from + 20 ? micros(text, from + 19, zone) : -1;
    }
    long offset = zone == to ? 0 : zoneSeconds(text, zone, to);
    if (fraction < 0 || offset == INVALID) {
      return INVALID;
    }
    try {
      long days = LocalDate.of(year, month, day).toEpochDay();
      return (days * 86_400 + hour * 3600L + minute * 60L + second - offset) * 1_000_000 + fraction;
    } catch (DateTimeException e) {
      return INVALID;
    }
  }

  private static long zoneSeconds(byte[] text, int at, int to) {
    if (text[at] == 'Z') {
      return to == at + 1 ? 0 : INVALID;
    }
    boolean colon = to - at == 6 && text[at + 3] == ':';
    if (!colon && to - at != 5) {
      return INVALID;
    }
    int hours = number(text, at + 1, 2, 0);
    int minutes = number(text, colon ? at + 4 : at + 3, 2, 0);
    if ((hours | minutes) < 0 || hours > 18 || minutes > 59) {
      return INVALID;
    }
    long seconds = hours * 3600L + minutes * 60L;
    return text[at] == '-' ? -seconds : seconds;
  }

  /** Digits followed by {@code then}, if that is not 0; −1 if the text differs. */
  private static int number(byte[] text, int at, int digits, int then) {
    int value = 0;
    for (int i = at; i < at + digits; i++) {
      if (!isDigit(text[i])) {
        return -1;
      }
      value = value * 10 + (text[i] - '0');
    }
    return then == 0 || text[at + digits] == then ? value : -1;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }
}
