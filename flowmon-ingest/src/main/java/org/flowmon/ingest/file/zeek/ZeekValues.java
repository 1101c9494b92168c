package org.flowmon.ingest.file.zeek;

import java.nio.charset.StandardCharsets;
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

  private static final ConnectionState[] STATES = ConnectionState.values();

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
    for (int i = from; i < to; i++) {
      int digit = bytes[i] - '0';
      if (digit < 0
          || digit > 9
          || value > Long.MAX_VALUE / 10
          || value * 10 > Long.MAX_VALUE - digit) {
        return refuse(reason, field, bytes, from, to, "0…" + max);
      }
      value = value * 10 + digit;
    }
    return (from == to || value > max)
        ? refuse(reason, field, bytes, from, to, "0…" + max)
        : keep(field, value);
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
    int number =
        equal(bytes, from, to, "tcp")
            ? 6
            : equal(bytes, from, to, "udp")
                ? 17
                : equal(bytes, from, to, "icmp") ? 1 : equal(bytes, from, to, "sctp") ? 132 : -1;
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
    for (ConnectionState state : STATES) {
      if (equal(bytes, from, to, state.name())) {
        return keep(field, state.code());
      }
    }
    return refuse(RejectReason.BAD_STATE, field, bytes, from, to, "one of Zeek's states");
  }

  private boolean refuse(
      RejectReason reason, ZeekField field, byte[] bytes, int from, int to, String expected) {
    return refusal.because(reason, ShownValue.wrong(field.zeekName(), bytes, from, to, expected));
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
