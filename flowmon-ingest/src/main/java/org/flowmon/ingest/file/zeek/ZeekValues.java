package org.flowmon.ingest.file.zeek;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.flowmon.flow.ConnectionState;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.file.format.Refusal;
import org.flowmon.ingest.file.format.RejectReason;
import org.flowmon.ingest.file.line.DecimalTime;
import org.flowmon.ingest.file.line.ShownValue;
import org.flowmon.ingest.file.row.TextValues;
import org.flowmon.ingest.text.TextCache;

/** The values of a connection log's line, from texts of TSV or JSON. Reused. */
final class ZeekValues {
  private static final int FIELDS = ZeekField.values().length;

  private static final String UNKNOWN_TRANSPORT = "unknown_transport";

  // So many digits fit a long, whatever they are.
  private static final int SAFE_DIGITS = 18;

  private static final ConnectionState[] STATES = ConnectionState.values();
  private static final long[] STATE_WORDS =
      Arrays.stream(STATES).mapToLong(state -> word(state.name())).toArray();
  private static final long TCP = word("tcp");
  private static final long UDP = word("udp");
  private static final long ICMP = word("icmp");
  private static final long SCTP = word("sctp");

  private final TextCache repeated = new TextCache();
  private final long[] values = new long[FIELDS];
  private final long[] high = new long[FIELDS];
  private final byte[][] texts = new byte[FIELDS][];
  private final Refusal refusal;
  private int present;

  /** {@code refusal} gets the reason of an invalid text. */
  ZeekValues(Refusal refusal) {
    this.refusal = refusal;
  }

  void clear() {
    present = 0;
  }

  boolean has(ZeekField field) {
    return (present & field.bit()) != 0;
  }

  long value(ZeekField field) {
    return values[field.ordinal()];
  }

  long high(ZeekField field) {
    return high[field.ordinal()];
  }

  byte[] text(ZeekField field) {
    return texts[field.ordinal()];
  }

  /** False if the text is no valid value. */
  boolean set(ZeekField field, byte[] bytes, int from, int to) {
    return switch (field.kind()) {
      case TIME -> time(field, bytes, from, to);
      case INTERVAL -> interval(field, bytes, from, to);
      case ADDRESS -> address(field, bytes, from, to);
      case PORT -> number(field, bytes, from, to, 0xFFFF, RejectReason.BAD_PORT);
      case COUNT -> number(field, bytes, from, to, Long.MAX_VALUE, RejectReason.BAD_NUMBER);
      case UINT8 -> number(field, bytes, from, to, 0xFF, RejectReason.BAD_NUMBER);
      case UINT16 -> number(field, bytes, from, to, 0xFFFF, RejectReason.BAD_NUMBER);
      case BOOLEAN -> bool(field, bytes, from, to);
      case TEXT -> text(field, bytes, from, to);
      case PROTOCOL_NAME -> protocol(field, bytes, from, to);
      case STATE -> state(field, bytes, from, to);
    };
  }

  private boolean keep(ZeekField field, long value) {
    values[field.ordinal()] = value;
    present |= field.bit();
    return true;
  }

  private boolean time(ZeekField field, byte[] bytes, int from, int to) {
    long micros = DecimalTime.micros(bytes, from, to);
    if (micros == DecimalTime.INVALID) {
      micros = DecimalTime.iso(bytes, from, to);
    }
    if (micros == DecimalTime.INVALID) {
      return refuse(
          RejectReason.BAD_TIME, field, bytes, from, to, "seconds since 1970 or ISO 8601");
    }
    return keep(field, micros);
  }

  private boolean interval(ZeekField field, byte[] bytes, int from, int to) {
    long micros = DecimalTime.micros(bytes, from, to);
    return micros == DecimalTime.INVALID
        ? refuse(RejectReason.BAD_TIME, field, bytes, from, to, "seconds")
        : keep(field, micros);
  }

  private boolean address(ZeekField field, byte[] bytes, int from, int to) {
    long ipv4 = TextValues.ipv4(bytes, from, to);
    if (ipv4 >= 0) {
      high[field.ordinal()] = 0;
      return keep(field, IpAddress.ipv4Low((int) ipv4));
    }
    IpAddress address =
        to - from > 45
            ? null
            : IpAddress.parseOrNull(
                new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
    if (address == null) {
      return refuse(RejectReason.BAD_ADDRESS, field, bytes, from, to, "an IP address");
    }
    high[field.ordinal()] = address.hi();
    return keep(field, address.lo());
  }

  private boolean number(
      ZeekField field, byte[] bytes, int from, int to, long max, RejectReason reason) {
    long value = 0;
    boolean isValid = from < to;
    int safe = Math.min(to, from + SAFE_DIGITS);
    for (int i = from; i < safe; i++) {
      int digit = bytes[i] - '0';
      isValid &= digit >= 0 && digit <= 9;
      value = value * 10 + digit;
    }
    for (int i = safe; isValid && i < to; i++) {
      int digit = bytes[i] - '0';
      isValid =
          digit >= 0
              && digit <= 9
              && value <= Long.MAX_VALUE / 10
              && value * 10 <= Long.MAX_VALUE - digit;
      value = value * 10 + digit;
    }
    return (isValid && value <= max)
        ? keep(field, value)
        : refuse(reason, field, bytes, from, to, "0…" + max);
  }

  private boolean bool(ZeekField field, byte[] bytes, int from, int to) {
    int length = to - from;
    if (length == 1 && (bytes[from] == 'T' || bytes[from] == 'F')) {
      return keep(field, bytes[from] == 'T' ? 1 : 0);
    }
    if (equal(bytes, from, to, "true") || equal(bytes, from, to, "false")) {
      return keep(field, length == 4 ? 1 : 0);
    }
    return refuse(RejectReason.BAD_BOOLEAN, field, bytes, from, to, "T or F");
  }

  private boolean text(ZeekField field, byte[] bytes, int from, int to) {
    byte[] text =
        field == ZeekField.UID ? TextCache.valid(bytes, from, to) : repeated.of(bytes, from, to);
    if (text.length > FlowBatch.MAX_TEXT_BYTES) {
      return refusal.because(
          RejectReason.TEXT_TOO_LONG,
          String.format(
              "%s has %s bytes, expected at most %s",
              field.zeekName(), text.length, FlowBatch.MAX_TEXT_BYTES));
    }
    texts[field.ordinal()] = text;
    return keep(field, 0);
  }

  /** A protocol unknown to Zeek stays unknown. */
  private boolean protocol(ZeekField field, byte[] bytes, int from, int to) {
    long word = word(bytes, from, to);
    int number = word == TCP ? 6 : word == UDP ? 17 : word == ICMP ? 1 : word == SCTP ? 132 : -1;
    if (number >= 0) {
      return keep(field, number);
    }
    if (from < to && bytes[from] >= '0' && bytes[from] <= '9') {
      return number(field, bytes, from, to, 0xFF, RejectReason.BAD_NUMBER);
    }
    if (equal(bytes, from, to, UNKNOWN_TRANSPORT)) {
      return true;
    }
    return refuse(
        RejectReason.BAD_PROTOCOL,
        field,
        bytes,
        from,
        to,
        "tcp, udp, icmp, sctp, unknown_transport or a number");
  }

  private boolean state(ZeekField field, byte[] bytes, int from, int to) {
    long word = word(bytes, from, to);
    for (int i = 0; i < STATES.length; i++) {
      if (word == STATE_WORDS[i]) {
        return keep(field, STATES[i].code());
      }
    }
    return refuse(RejectReason.BAD_STATE, field, bytes, from, to, "one of Zeek's states");
  }

  private boolean refuse(
      RejectReason reason, ZeekField field, byte[] bytes, int from, int to, String expected) {
    return refusal.because(reason, ShownValue.wrong(field.zeekName(), bytes, from, to, expected));
  }

  private static long word(String text) {
    byte[] ascii = text.getBytes(StandardCharsets.US_ASCII);
    return word(ascii, 0, ascii.length);
  }

  /** A text of less than 8 bytes as a number that no other has; 0 for a longer one. */
  private static long word(byte[] bytes, int from, int to) {
    if (to - from >= Long.BYTES) {
      return 0;
    }
    long word = 1; // before the first byte
    for (int i = from; i < to; i++) {
      word = word << 8 | (bytes[i] & 0xFF);
    }
    return word;
  }

  private static boolean equal(byte[] bytes, int from, int to, String text) {
    if (to - from != text.length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (bytes[from + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
