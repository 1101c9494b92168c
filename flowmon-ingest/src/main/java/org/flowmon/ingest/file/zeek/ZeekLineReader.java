package org.flowmon.ingest.file.zeek;

import java.io.IOException;
import java.util.Arrays;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.file.format.RejectReason;

/** Reads a line of values, TSV or JSON, as a connection. Reused from line to line. */
final class ZeekLineReader {
  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;

  private final ZeekHeader header;
  private final ZeekValues values = new ZeekValues();
  private final ZeekJsonLine json = new ZeekJsonLine(values);
  private String problem = "";

  ZeekLineReader(ZeekHeader header) {
    this.header = header;
  }

  /**
   * The values of the line, which belong to the reader and are valid until the next {@link #read}.
   */
  ZeekValues values() {
    return values;
  }

  /** The error of the last {@link #read}. */
  String problem() {
    return problem;
  }

  /** When the connection ended, µs. */
  long endTime() {
    long start = values.value(ZeekField.TS);
    return values.has(ZeekField.DURATION) ? start + values.value(ZeekField.DURATION) : start;
  }

  /** Reads a line that is no header line; returns null, or why it is no connection. */
  RejectReason read(byte[] bytes, int from, int to) throws IOException {
    values.clear();
    RejectReason reason = header.seen() ? row(bytes, from, to) : beforeHeader(bytes, from, to);
    if (reason != null) {
      return reason;
    }
    if (!values.has(ZeekField.TS)) {
      return refuse(RejectReason.MISSING_TIME, "the connection has no ts");
    }
    if (isIcmp(protocol(values)) && (isPast(ZeekField.ORIG_P) || isPast(ZeekField.RESP_P))) {
      return refuse(
          RejectReason.BAD_PORT,
          "the ports of an ICMP connection are type and code, expected 0…255");
    }
    return null;
  }

  /**
   * The protocol number. Zeek calls ICMP of both families icmp; {@code ip_proto}, if present, is
   * the number itself.
   */
  static int protocol(ZeekValues values) {
    if (values.has(ZeekField.IP_PROTO)) {
      return (int) values.value(ZeekField.IP_PROTO);
    }
    if (!values.has(ZeekField.PROTO)) {
      return -1;
    }
    int protocol = (int) values.value(ZeekField.PROTO);
    boolean ipv6 =
        values.has(ZeekField.ORIG_H)
            && !IpAddress.isIpv4(values.high(ZeekField.ORIG_H), values.value(ZeekField.ORIG_H));
    return protocol == ICMP && ipv6 ? ICMPV6 : protocol;
  }

  static boolean isIcmp(int protocol) {
    return protocol == ICMP || protocol == ICMPV6;
  }

  private boolean isPast(ZeekField port) {
    return values.has(port) && values.value(port) > 0xFF;
  }

  private RejectReason beforeHeader(byte[] bytes, int from, int to) throws IOException {
    int first = ZeekHeader.firstOf(bytes, from, to);
    if (first == to || bytes[first] != '{') {
      return row(bytes, from, to);
    }
    RejectReason reason = json.read(bytes, from, to);
    return reason == null ? null : refuse(reason, json.problem());
  }

  private RejectReason row(byte[] bytes, int from, int to) {
    if (header.unusable() != null) {
      return refuse(header.unusable(), header.problem());
    }
    ZeekField[] fields = header.fields();
    byte separator = header.separator();
    int place = 0;
    int start = from;
    RejectReason reason = null;
    for (int i = from; i <= to; i++) {
      if (i < to && bytes[i] != separator) {
        continue;
      }
      if (place < fields.length && fields[place] != null && reason == null) {
        reason = value(fields[place], bytes, start, i);
      }
      place++;
      start = i + 1;
    }
    // A wrong count of fields is the cause of any other error.
    return place == fields.length
        ? reason
        : refuse(
            RejectReason.WRONG_FIELD_COUNT,
            place + " values, the header has " + fields.length + " fields");
  }

  private RejectReason value(ZeekField field, byte[] bytes, int from, int to) {
    if (header.isUnset(bytes, from, to)) {
      return null;
    }
    boolean text = field.kind() == ZeekField.Kind.TEXT;
    RejectReason reason;
    if (header.isEmpty(bytes, from, to)) {
      reason = text ? values.set(field, bytes, from, from) : null;
    } else if (text && ZeekEscapes.any(bytes, from, to)) {
      byte[] plain = ZeekEscapes.unescape(Arrays.copyOfRange(bytes, from, to));
      reason = values.set(field, plain, 0, plain.length);
    } else {
      reason = values.set(field, bytes, from, to);
    }
    return reason == null ? null : refuse(reason, values.problem());
  }

  private RejectReason refuse(RejectReason reason, String why) {
    problem = why;
    return reason;
  }
}
