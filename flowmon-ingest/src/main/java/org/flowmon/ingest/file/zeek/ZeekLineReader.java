package org.flowmon.ingest.file.zeek;

import java.io.IOException;
import java.util.Arrays;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.ByteSearch;
import org.flowmon.flow.bytes.LittleEndian;
import org.flowmon.ingest.file.format.Refusal;
import org.flowmon.ingest.file.format.RejectReason;

/** Reads a line of values, TSV or JSON, as a connection. Reused from line to line. */
final class ZeekLineReader {
  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;

  private final ZeekHeader header;
  private final int[] ends = new int[ZeekHeader.MAX_FIELDS];
  private final Refusal refusal = new Refusal();
  private final ZeekValues values = new ZeekValues(refusal);
  private final ZeekJsonLine json = new ZeekJsonLine(values, refusal);

  ZeekLineReader(ZeekHeader header) {
    this.header = header;
  }

  /** The reader's own, valid until the next {@link #read}. */
  ZeekValues values() {
    return values;
  }

  /** Why the last {@link #read} was in vain. */
  Refusal refusal() {
    return refusal;
  }

  /** µs. */
  long endTime() {
    long start = values.value(ZeekField.TS);
    return values.has(ZeekField.DURATION) ? start + values.value(ZeekField.DURATION) : start;
  }

  /** Reads a line that is no header line; false if it is no connection. */
  boolean read(byte[] bytes, int from, int to) throws IOException {
    values.clear();
    if (!(header.seen() ? row(bytes, from, to) : beforeHeader(bytes, from, to))) {
      return false;
    }
    if (!values.has(ZeekField.TS)) {
      return refusal.because(RejectReason.MISSING_TIME, "the connection has no ts");
    }
    if (isIcmp(protocol(values)) && (isPast(ZeekField.ORIG_P) || isPast(ZeekField.RESP_P))) {
      return refusal.because(
          RejectReason.BAD_PORT,
          "the ports of an ICMP connection are type and code, expected 0…255");
    }
    return true;
  }

  /** Zeek calls ICMP of both families icmp; {@code ip_proto}, if present, is the number. */
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

  private boolean beforeHeader(byte[] bytes, int from, int to) throws IOException {
    int first = ZeekHeader.firstOf(bytes, from, to);
    boolean isJson = first < to && bytes[first] == '{';
    return isJson ? json.read(bytes, from, to) : row(bytes, from, to);
  }

  private boolean row(byte[] bytes, int from, int to) {
    if (!header.isUsable()) {
      return refusal.because(header.refusal().reason(), header.refusal().detail());
    }
    ZeekField[] fields = header.fields();
    int count = 1 + separators(bytes, from, to, header.separator());
    if (count != fields.length) {
      return refusal.because(
          RejectReason.WRONG_FIELD_COUNT,
          count + " values, the header has " + fields.length + " fields");
    }
    int start = from;
    for (int place = 0; place < count; place++) {
      int end = place < count - 1 ? ends[place] : to;
      ZeekField field = fields[place];
      if (field != null && !value(field, bytes, start, end)) {
        return false;
      }
      start = end + 1;
    }
    return true;
  }

  /** The number of separators; the places of the first are left in {@link #ends}. */
  private int separators(byte[] bytes, int from, int to, byte separator) {
    long pattern = ByteSearch.pattern(separator);
    int count = 0;
    int at = from;
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      long found = ByteSearch.matches(LittleEndian.getLong(bytes, at), pattern);
      for (; found != 0; found &= found - 1) {
        if (count < ends.length) {
          ends[count] = at + (Long.numberOfTrailingZeros(found) >>> 3);
        }
        count++;
      }
    }
    for (; at < to; at++) {
      if (bytes[at] == separator) {
        if (count < ends.length) {
          ends[count] = at;
        }
        count++;
      }
    }
    return count;
  }

  private boolean value(ZeekField field, byte[] bytes, int from, int to) {
    if (header.isUnset(bytes, from, to)) {
      return true;
    }
    boolean text = field.kind() == ZeekField.Kind.TEXT;
    if (header.isEmpty(bytes, from, to)) {
      return !text || values.set(field, bytes, from, from);
    }
    if (text && ZeekEscapes.any(bytes, from, to)) {
      byte[] plain = ZeekEscapes.unescape(Arrays.copyOfRange(bytes, from, to));
      return values.set(field, plain, 0, plain.length);
    }
    return values.set(field, bytes, from, to);
  }
}
