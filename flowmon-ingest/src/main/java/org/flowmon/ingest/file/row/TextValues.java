package org.flowmon.ingest.file.row;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Locale;
import org.flowmon.flow.ConnectionState;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.code.CodeNames;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.decode.record.FieldTexts;
import org.flowmon.ingest.file.format.SourceTable;
import org.flowmon.ingest.file.format.TextColumn;
import org.flowmon.ingest.file.format.TextColumn.Form;
import org.flowmon.ingest.file.format.Words;
import org.flowmon.ingest.file.line.DecimalNumber;
import org.flowmon.ingest.file.line.DecimalTime;
import org.flowmon.ingest.text.TextCache;

/** Parses texts as values of flows. Holds the last value. Not thread-safe. */
public final class TextValues {
  // 2^64 ms in seconds, but for its last digits.
  private static final byte[] WRAPPED = "18446744073709".getBytes(StandardCharsets.US_ASCII);
  private static final String FLAGS = "FSRPAUEC";
  private static final int STATES = ConnectionState.values().length;
  private static final int LONGEST_ADDRESS = 45;
  // No name of a code is as long.
  private static final int LONGEST_WORD = 64;
  private static final int LONGEST_TIME = 48;

  private final TextCache repeated = new TextCache();
  private final FieldTexts fields = new FieldTexts();

  /** A number, time, code or low long of an address. */
  long value;

  long high;

  byte[] text = {};

  /** Whether the last text says that its value is not known. */
  boolean isNull;

  /** The text is not NULL, but {@link #isNull} may be set; false if it is no valid value. */
  boolean read(TextColumn column, byte[] bytes, int from, int to) {
    isNull = false;
    if (!parse(column, bytes, from, to)) {
      return false;
    }
    if (column.zeroIsNull() && column.form() != Form.TEXT && column.form() != Form.MAC) {
      isNull =
          column.form() == Form.ADDRESS
              ? high == 0 && (value == 0 || value == IpAddress.ipv4Low(0))
              : value == 0;
    }
    return true;
  }

  private boolean parse(TextColumn column, byte[] bytes, int from, int to) {
    return switch (column.form()) {
      case NUMBER -> whole(bytes, from, to) && isIn(column);
      case SCALED -> scaled(column, bytes, from, to);
      case DECIMAL_OR_HEX -> decimalOrHex(bytes, from, to) && isIn(column);
      case PORT_OR_ICMP -> (typeAndCode(bytes, from, to) || whole(bytes, from, to)) && isIn(column);
      case HEX -> hex(bytes, isHex(bytes, from, to) ? from + 2 : from, to) && isIn(column);
      case CODE -> {
        value = column.words().number(bytes, from, to);
        yield value != Words.UNKNOWN || code(column.target(), bytes, from, to);
      }
      case FLAGS -> flags(bytes, from, to);
      case ICMP_TYPE, ICMP_CODE -> whole(bytes, from, to) && value >= 0 && value <= 0xFF;
      case TIME -> time(bytes, from, to);
      case TIME_ANY -> anyTime(bytes, from, to);
      case TIME_NANOS -> whole(bytes, from, to) && nanos();
      case MORE_NANOS -> whole(bytes, from, to) && value >= 0 && value < 1_000_000_000L;
      case UPTIME -> whole(bytes, from, to) && value >= 0 && value <= 0xFFFF_FFFFL;
      case SECONDS -> micros(bytes, from, to);
      case SECONDS_WRAPPED -> {
        isNull =
            to - from > WRAPPED.length
                && Arrays.equals(bytes, from, from + WRAPPED.length, WRAPPED, 0, WRAPPED.length);
        yield isNull || micros(bytes, from, to);
      }
      case TIME_MILLIS, MILLIS -> whole(bytes, from, to) && scale(1000);
      case TIME_MICROS, MICROS -> whole(bytes, from, to);
      case ADDRESS -> address(bytes, from, to);
      case BOOLEAN -> bool(bytes, from, to);
      case STATE -> code(column.target(), bytes, from, to);
      case STATE_FROM_ZERO -> whole(bytes, from, to) && ++value >= 1 && value <= STATES;
      case PROTOCOL -> protocol(bytes, from, to);
      case MAC -> mac(bytes, from, to);
      case LEADING -> leading(bytes, from, to) && isIn(column);
      case TEXT -> text(column, bytes, from, to);
      case ONLY, LEFT_OUT -> true;
    };
  }

  private boolean isIn(TextColumn column) {
    return value >= column.target().type().minValue() && value <= column.target().type().maxValue();
  }

  private boolean typeAndCode(byte[] bytes, int from, int to) {
    int point = from;
    while (point < to && bytes[point] != '.') {
      point++;
    }
    if (point == to || !whole(bytes, from, point) || value < 0 || value > 0xFF) {
      return false;
    }
    long type = value;
    boolean isCode = whole(bytes, point + 1, to) && value >= 0 && value <= 0xFF;
    value |= type << 8;
    return isCode;
  }

  /** The digits before a hyphen. */
  private boolean leading(byte[] bytes, int from, int to) {
    int end = from;
    while (end < to && bytes[end] != '-') {
      end++;
    }
    return whole(bytes, from, end);
  }

  /** Six bytes in hexadecimal, apart or together, as {@code 00:1b:21:3c:9d:f8}. */
  private boolean mac(byte[] bytes, int from, int to) {
    long address = 0;
    int digits = 0;
    for (int i = from; i < to; i++) {
      int digit = Character.digit(bytes[i], 16);
      if (digit >= 0) {
        address = address << 4 | digit;
        digits++;
      } else if (bytes[i] != ':' && bytes[i] != '-' && bytes[i] != '.') {
        return false;
      }
    }
    if (digits != 12) {
      return false;
    }
    isNull = address == 0;
    text = fields.mac(address);
    return true;
  }

  private static boolean isHex(byte[] bytes, int from, int to) {
    return to - from > 2 && bytes[from] == '0' && (bytes[from + 1] | 0x20) == 'x';
  }

  private boolean decimalOrHex(byte[] bytes, int from, int to) {
    return isHex(bytes, from, to) ? hex(bytes, from + 2, to) : whole(bytes, from, to);
  }

  /** At most 15 digits. */
  private boolean hex(byte[] bytes, int from, int to) {
    long sum = 0;
    for (int i = from; i < to; i++) {
      int digit = Character.digit(bytes[i], 16);
      if (digit < 0) {
        return false;
      }
      sum = sum << 4 | digit;
    }
    value = sum;
    return from < to && to - from <= 15;
  }

  /** Letters of flags, each at most once in any order, among points and hyphens; or a number. */
  private boolean flags(byte[] bytes, int from, int to) {
    if (from < to && bytes[from] >= '0' && bytes[from] <= '9') {
      return decimalOrHex(bytes, from, to) && value >= 0 && value <= 0xFFFF;
    }
    long bits = 0;
    for (int i = from; i < to; i++) {
      int place = FLAGS.indexOf(bytes[i]);
      if (place < 0 && bytes[i] != '.' && bytes[i] != '-' && bytes[i] != ' ') {
        return false;
      }
      bits |= place < 0 ? 0 : 1L << place;
    }
    value = bits;
    return from < to;
  }

  /** To µs, rounded half up. */
  private boolean nanos() {
    value = Math.floorDiv(value, 1000) + (Math.floorMod(value, 1000) >= 500 ? 1 : 0);
    return true;
  }

  private boolean anyTime(byte[] bytes, int from, int to) {
    if (to - from >= 10 && bytes[from + 4] == '-') {
      isNull = isZeroDate(bytes, from);
      return isNull || time(bytes, from, to);
    }
    if (to - from < 12 || !whole(bytes, from, to)) {
      return micros(bytes, from, to);
    }
    int digits = to - from;
    return digits < 15 ? scale(1000) : digits < 18 || nanos();
  }

  /** The year, month and day 0 of pmacct and MySQL. */
  private static boolean isZeroDate(byte[] bytes, int from) {
    for (int i = from; i < from + 10; i++) {
      if (bytes[i] != '0' && bytes[i] != '-') {
        return false;
      }
    }
    return true;
  }

  /** A whole number of 64 bits, signed. */
  private boolean whole(byte[] bytes, int from, int to) {
    boolean negative = from < to && bytes[from] == '-';
    int at = negative ? from + 1 : from;
    if (at == to) {
      return false;
    }
    long sum = 0; // kept negative: the smallest long has no positive
    for (; at < to; at++) {
      int digit = bytes[at] - '0';
      if (digit < 0
          || digit > 9
          || sum < Long.MIN_VALUE / 10
          || sum * 10 < Long.MIN_VALUE + digit) {
        return false;
      }
      sum = sum * 10 - digit;
    }
    value = negative ? sum : -sum;
    return negative || sum != Long.MIN_VALUE;
  }

  private boolean scale(long by) {
    long scaled = value * by;
    boolean fits = Math.multiplyHigh(value, by) == scaled >> 63;
    value = scaled;
    return fits;
  }

  /** A decimal number, times the column's scale. */
  private boolean scaled(TextColumn column, byte[] bytes, int from, int to) {
    int places = 0;
    for (int scale = column.target().scale(); scale > 1; scale /= 10) {
      places++;
    }
    value = DecimalNumber.scaled(bytes, from, to, places);
    return value != DecimalNumber.INVALID;
  }

  private boolean micros(byte[] bytes, int from, int to) {
    value = DecimalTime.micros(bytes, from, to);
    return value != DecimalTime.INVALID;
  }

  private boolean time(byte[] bytes, int from, int to) {
    if (to - from > 4 && bytes[from + 4] == '-') {
      value = DecimalTime.iso(bytes, from, to);
      if (value != DecimalTime.INVALID) {
        return true;
      }
    }
    return micros(bytes, from, to) || farTime(bytes, from, to);
  }

  /** Outside the years 1 … 9999, as {@link Instant} writes it. */
  private boolean farTime(byte[] bytes, int from, int to) {
    if (to - from < 20 || to - from > LONGEST_TIME || bytes[to - 1] != 'Z') {
      return false;
    }
    try {
      value =
          FlowTime.micros(
              Instant.parse(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1)));
      return true;
    } catch (DateTimeParseException | ArithmeticException e) {
      return false;
    }
  }

  private boolean address(byte[] bytes, int from, int to) {
    high = 0;
    long ipv4 = ipv4(bytes, from, to);
    if (ipv4 >= 0) {
      value = IpAddress.ipv4Low((int) ipv4);
      return true;
    }
    if (from < to && to - from <= 10 && whole(bytes, from, to)) {
      boolean fits = value >= 0 && value <= 0xFFFF_FFFFL;
      value = IpAddress.ipv4Low((int) value);
      return fits;
    }
    IpAddress address =
        to - from > LONGEST_ADDRESS
            ? null
            : IpAddress.parseOrNull(
                new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
    if (address == null) {
      return false;
    }
    high = address.hi();
    value = address.lo();
    return true;
  }

  /** Dotted, as an unsigned 32-bit value, −1 if it is anything else. */
  public static long ipv4(byte[] bytes, int from, int to) {
    long value = 0;
    int octet = 0;
    int digits = 0;
    int dots = 0;
    for (int i = from; i < to; i++) {
      int digit = bytes[i] - '0';
      if (digit >= 0 && digit <= 9) {
        if (digits > 0 && octet == 0) {
          return -1; // elsewhere a leading zero may mean octal
        }
        octet = octet * 10 + digit;
        digits++;
        if (octet > 255) {
          return -1;
        }
      } else if (bytes[i] == '.' && digits > 0) {
        value = value << 8 | octet;
        octet = 0;
        digits = 0;
        dots++;
      } else {
        return -1;
      }
    }
    return dots == 3 && digits > 0 ? value << 8 | octet : -1;
  }

  private boolean bool(byte[] bytes, int from, int to) {
    String word = word(bytes, from, to);
    value = word.equals("1") || word.equals("true") || word.equals("t") ? 1 : 0;
    return value == 1 || word.equals("0") || word.equals("false") || word.equals("f");
  }

  /** A number, known or unknown to this version, or its name. */
  private boolean code(FlowColumn column, byte[] bytes, int from, int to) {
    CodeNames names = column.codeNames();
    if (!whole(bytes, from, to)) {
      value = names == null ? -1 : names.code(word(bytes, from, to));
    }
    return value >= 0 && value <= column.type().maxValue();
  }

  private boolean protocol(byte[] bytes, int from, int to) {
    if (whole(bytes, from, to)) {
      return value >= 0 && value <= 0xFF;
    }
    value = SourceTable.PROTOCOL_NAMES.number(bytes, from, to);
    return value >= 0;
  }

  private boolean text(TextColumn column, byte[] bytes, int from, int to) {
    text =
        column.column() == FlowColumn.UID
            ? TextCache.valid(bytes, from, to)
            : repeated.of(bytes, from, to);
    return text.length <= FlowBatch.MAX_TEXT_BYTES;
  }

  /** A short text in lower case; longer texts are no names. */
  private static String word(byte[] bytes, int from, int to) {
    return to - from > LONGEST_WORD
        ? ""
        : new String(bytes, from, to - from, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
  }
}
