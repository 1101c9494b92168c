package org.flowmon.ingest.decode.record;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.ingest.decode.record.InformationElement.Transform;

/**
 * An element that fills a user's column. Elements are defined for the whole process, and count for
 * the templates that come afterwards.
 *
 * @param factor what a value of the element is multiplied by
 */
public record OwnElement(FlowColumn column, int enterprise, int element, Form form, double factor) {
  /** How a value of the element's abstract type is read. */
  public enum Form {
    UNSIGNED,
    SIGNED,
    FLOAT,
    /** 1 true, 2 false. */
    BOOLEAN,
    ADDRESS,
    MAC,
    TEXT,
    /** Times, as the next ones. */
    SECONDS,
    MILLISECONDS,
    NTP;

    private static Form of(String type) {
      return switch (type) {
        case "unsigned8", "unsigned16", "unsigned32", "unsigned64" -> UNSIGNED;
        case "signed8", "signed16", "signed32", "signed64" -> SIGNED;
        case "float32", "float64" -> FLOAT;
        case "boolean" -> BOOLEAN;
        case "ipv4Address", "ipv6Address" -> ADDRESS;
        case "macAddress" -> MAC;
        case "string" -> TEXT;
        case "dateTimeSeconds" -> SECONDS;
        case "dateTimeMilliseconds" -> MILLISECONDS;
        case "dateTimeMicroseconds", "dateTimeNanoseconds" -> NTP;
        default -> throw new IllegalArgumentException("no column takes the type '" + type + "'");
      };
    }

    private boolean fits(ColumnType column) {
      return switch (column) {
        case UINT8, UINT16, UINT32, COUNT -> this == UNSIGNED;
        case NUMBER, DURATION -> this == UNSIGNED || this == SIGNED || this == FLOAT;
        case BOOLEAN -> this == BOOLEAN;
        case TIMESTAMP -> this == SECONDS || this == MILLISECONDS || this == NTP;
        case ADDRESS -> this == ADDRESS;
        case TEXT -> this == TEXT || this == MAC;
      };
    }

    /** The types of columns that it fits, as in a configuration. */
    private String columnTypes() {
      return Arrays.stream(ColumnType.values())
          .filter(this::fits)
          .map(OwnElement::name)
          .collect(Collectors.joining(", "));
    }
  }

  /** No number. */
  static final long NONE = Long.MIN_VALUE;

  private static final Pattern NUMBERED = Pattern.compile("(\\d{1,10})/(\\d{1,5}):(\\w+)");
  private static final int MAC_BYTES = 6;
  private static final int ADDRESS6_BYTES = 16;

  private static volatile List<OwnElement> defined = List.of();

  /** Those of the process, in the order of definition. */
  static List<OwnElement> all() {
    return defined;
  }

  /**
   * Lets an element fill a column. Of several elements of a template for one column the first
   * defined counts.
   *
   * @param text a name of IANA's registry or of a vendor's element that flowmon knows, or {@code
   *     ENTERPRISE/ELEMENT:TYPE} with an abstract type of RFC 7011 section 6.1; for a duration
   *     followed by {@code :UNIT} (s, ms, us, ns) unless the registry has it
   * @throws IllegalArgumentException saying what is wrong with the text
   */
  public static synchronized void define(FlowColumn column, String text) {
    OwnElement added = parse(column, text);
    if (!defined.contains(added)) {
      List<OwnElement> more = new ArrayList<>(defined);
      more.add(added);
      defined = List.copyOf(more);
    }
  }

  static OwnElement parse(FlowColumn column, String text) {
    String rest = text.strip();
    String unit = "";
    int colon = rest.lastIndexOf(':');
    if (colon >= 0 && micros(rest.substring(colon + 1)) > 0) {
      unit = rest.substring(colon + 1);
      rest = rest.substring(0, colon);
    }
    ElementRegistry.Known known = known(rest);
    unit = unit.isEmpty() ? known.unit() : unit;
    Form form = Form.of(known.type());
    if (!form.fits(column.type())) {
      throw new IllegalArgumentException(
          String.format(
              "element '%s' of type %s does not fit column %s of type %s; it fits %s",
              text, known.type(), column.sqlName(), name(column.type()), form.columnTypes()));
    }
    boolean isDuration = column.type() == ColumnType.DURATION;
    if (!isDuration && rest.length() < text.strip().length()) {
      throw new IllegalArgumentException(
          String.format(
              "element '%s' has a unit, but column %s of type %s is no duration: leave the unit"
                  + " out, as in '%s'",
              text, column.sqlName(), name(column.type()), rest));
    }
    if (isDuration && micros(unit) == 0) {
      throw new IllegalArgumentException(
          "element '" + text + "' fills a duration: add its unit, as in '" + text + ":ms'");
    }
    double factor = isDuration ? micros(unit) : column.scale();
    return new OwnElement(column, known.enterprise(), known.element(), form, factor);
  }

  private static String name(ColumnType type) {
    return type.name().toLowerCase(Locale.ROOT);
  }

  /** µs of a unit, as users and the registry call it; 0 if it is none of time. */
  private static double micros(String unit) {
    return switch (unit.toLowerCase(Locale.ROOT)) {
      case "s", "seconds" -> 1e6;
      case "ms", "milliseconds" -> 1e3;
      case "us", "microseconds" -> 1;
      case "ns", "nanoseconds" -> 1e-3;
      default -> 0;
    };
  }

  private static ElementRegistry.Known known(String text) {
    Matcher numbered = NUMBERED.matcher(text);
    if (!numbered.matches()) {
      return ElementRegistry.named(text)
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "no element '"
                          + text
                          + "': expected a name of IANA's registry, or ENTERPRISE/ELEMENT:TYPE as"
                          + " in 9/12235:string; IANA's enterprise is 0"));
    }
    long enterprise = Long.parseLong(numbered.group(1));
    int element = Integer.parseInt(numbered.group(2));
    if (enterprise > 0xFFFF_FFFFL || element > 0xFFFF) {
      throw new IllegalArgumentException(
          "element '" + text + "': an enterprise has 32 bits, an element 16");
    }
    return new ElementRegistry.Known((int) enterprise, element, numbered.group(3), "");
  }

  boolean isOf(int anEnterprise, int anElement) {
    return enterprise == anEnterprise && element == anElement;
  }

  boolean takes(int length) {
    return switch (form) {
      case UNSIGNED, SIGNED -> length >= 1 && length <= Long.BYTES; // RFC 7011 section 6.2
      case FLOAT -> length == Float.BYTES || length == Double.BYTES;
      case BOOLEAN -> length == 1;
      case ADDRESS -> length == Integer.BYTES || length == ADDRESS6_BYTES;
      case MAC -> length == MAC_BYTES;
      case TEXT -> length > 0;
      case SECONDS -> length == Integer.BYTES || length == Long.BYTES;
      case MILLISECONDS, NTP -> length == Long.BYTES;
    };
  }

  /** The value of a column of numbers, {@link #NONE} if it is out of the column's range. */
  long number(byte[] bytes, int at, int length) {
    long value =
        switch (form) {
          case UNSIGNED -> unsigned(bytes, at, length);
          case SIGNED -> scaled(signed(bytes, at, length));
          case FLOAT ->
              scaled(
                  length == Float.BYTES
                      ? Float.intBitsToFloat(BigEndian.getInt(bytes, at))
                      : Double.longBitsToDouble(BigEndian.getLong(bytes, at)));
          case BOOLEAN -> bytes[at] == 1 ? 1 : bytes[at] == 2 ? 0 : NONE;
          case SECONDS -> FlowTimes.micros(bits(bytes, at, length), Transform.SECONDS);
          case MILLISECONDS -> FlowTimes.micros(bits(bytes, at, length), Transform.MILLISECONDS);
          case NTP -> FlowTimes.micros(bits(bytes, at, length), Transform.NTP);
          case ADDRESS, MAC, TEXT -> NONE;
        };
    ColumnType type = column.type();
    return value >= type.minValue() && value <= type.maxValue() ? value : NONE;
  }

  private long unsigned(byte[] bytes, int at, int length) {
    long bits = bits(bytes, at, length);
    return bits < 0 ? NONE : scaled(bits);
  }

  private static long signed(byte[] bytes, int at, int length) {
    int unused = Long.SIZE - Byte.SIZE * length;
    return bits(bytes, at, length) << unused >> unused;
  }

  /** At most 8 bytes. */
  static long bits(byte[] bytes, int at, int length) {
    long value = 0;
    for (int i = at; i < at + length; i++) {
      value = value << Byte.SIZE | (bytes[i] & 0xFF);
    }
    return value;
  }

  private long scaled(long value) {
    if (factor < 1) {
      return scaled((double) value);
    }
    long product = value * (long) factor;
    return Math.multiplyHigh(value, (long) factor) == product >> 63 ? product : NONE;
  }

  /** Rounded; what is no number, or beyond 64 bits, is none. */
  private long scaled(double value) {
    double product = value * factor;
    return Math.abs(product) < 0x1p63 ? Math.round(product) : NONE;
  }
}
