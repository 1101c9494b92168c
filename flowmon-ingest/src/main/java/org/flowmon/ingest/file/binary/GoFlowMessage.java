package org.flowmon.ingest.file.binary;

import java.util.Arrays;
import java.util.List;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.ingest.decode.record.FieldTexts;

/**
 * A {@code FlowMessage} of GoFlow2, by the numbers of its fields ({@code pb/flow.proto}). Unknown
 * fields are skipped; of a field that comes several times the first value counts. Reused. Not
 * thread-safe.
 */
final class GoFlowMessage {
  private static final int FIELDS = 113;
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED32 = 5;

  private static final int TYPE = 1;
  private static final int TIME_RECEIVED_SECONDS = 2;
  private static final int SAMPLING_RATE = 3;
  private static final int SEQUENCE = 4;
  private static final int TIME_END_SECONDS = 5;
  private static final int SRC_ADDR = 6;
  private static final int DST_ADDR = 7;
  private static final int TOTAL_BYTES = 9;
  private static final int PACKETS = 10;
  private static final int SAMPLER = 11;
  private static final int NEXT_HOP = 12;
  private static final int SRC_AS = 14;
  private static final int DST_AS = 15;
  private static final int SRC_NET = 16;
  private static final int DST_NET = 17;
  private static final int IN_IF = 18;
  private static final int OUT_IF = 19;
  private static final int PROTOCOL = 20;
  private static final int SRC_PORT = 21;
  private static final int DST_PORT = 22;
  private static final int TOS = 23;
  private static final int FORWARDING_STATUS = 24;
  private static final int TTL = 25;
  private static final int TCP_FLAGS = 26;
  private static final int SRC_MAC = 27;
  private static final int DST_MAC = 28;
  private static final int VLAN_ID = 29;
  private static final int ETHERTYPE = 30;
  private static final int ICMP_TYPE = 31;
  private static final int ICMP_CODE = 32;
  private static final int SRC_VLAN = 33;
  private static final int DST_VLAN = 34;
  private static final int FRAGMENT_ID = 35;
  private static final int FLOW_LABEL = 37;
  private static final int TIME_START_SECONDS = 38;
  private static final int DOMAIN = 70;
  private static final int MPLS_LABELS = 81;
  private static final int BGP_NEXT_HOP = 100;
  private static final int TIME_RECEIVED = 110;
  private static final int TIME_START = 111;
  private static final int TIME_END = 112;

  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;

  static final List<FlowColumn> COLUMNS =
      List.of(
          FlowColumn.SOURCE_KIND,
          FlowColumn.START_TIME,
          FlowColumn.END_TIME,
          FlowColumn.EXPORTER,
          FlowColumn.FLOW_SEQUENCE,
          FlowColumn.SAMPLING_RATE,
          FlowColumn.OBSERVATION_DOMAIN,
          FlowColumn.BYTES,
          FlowColumn.PACKETS,
          FlowColumn.SRC_ADDR,
          FlowColumn.DST_ADDR,
          FlowColumn.PROTOCOL,
          FlowColumn.SRC_PORT,
          FlowColumn.DST_PORT,
          FlowColumn.ICMP_TYPE_CODE,
          FlowColumn.INPUT_IF,
          FlowColumn.OUTPUT_IF,
          FlowColumn.VLAN,
          FlowColumn.TOS,
          FlowColumn.TCP_FLAGS,
          FlowColumn.SRC_AS,
          FlowColumn.DST_AS,
          FlowColumn.NEXT_HOP,
          FlowColumn.SRC_MASK,
          FlowColumn.DST_MASK,
          FlowColumn.SRC_MAC,
          FlowColumn.DST_MAC,
          FlowColumn.ETHERTYPE,
          FlowColumn.POST_VLAN,
          FlowColumn.FORWARDING_STATUS,
          FlowColumn.MIN_TTL,
          FlowColumn.IPV6_FLOW_LABEL,
          FlowColumn.FRAGMENT_ID,
          FlowColumn.BGP_NEXT_HOP,
          FlowColumn.MPLS_TOP_LABEL);

  private final long[] values = new long[FIELDS];
  private final long[] highs = new long[FIELDS];
  private final boolean[] isSet = new boolean[FIELDS];
  private final FieldTexts texts = new FieldTexts();
  private byte[] bytes = {};
  private int at;
  private int end;
  private boolean isBroken;

  /** False if the bytes are no message. */
  boolean read(byte[] message, int from, int to) {
    bytes = message;
    at = from;
    end = to;
    isBroken = false;
    Arrays.fill(isSet, false);
    while (at < end && !isBroken) {
      long tag = varint();
      long field = tag >>> 3;
      switch ((int) tag & 7) {
        case VARINT -> {
          long value = varint();
          if (field > 0 && field < FIELDS && !isSet[(int) field]) {
            values[(int) field] = value;
            isSet[(int) field] = true;
          }
        }
        case BYTES -> bytes(field, varint());
        case FIXED64 -> skip(8);
        case FIXED32 -> skip(4);
        default -> isBroken = true;
      }
    }
    return !isBroken;
  }

  private void bytes(long field, long length) {
    if (length < 0 || length > end - at) {
      isBroken = true;
      return;
    }
    boolean isAddress =
        field == SRC_ADDR
            || field == DST_ADDR
            || field == SAMPLER
            || field == NEXT_HOP
            || field == BGP_NEXT_HOP;
    int f = isAddress ? (int) field : 0;
    if (isAddress && (length == 4 || length == 16) && !isSet[f]) {
      isSet[f] = true;
      highs[f] = length == 16 ? BigEndian.getLong(bytes, at) : 0;
      values[f] =
          length == 16
              ? BigEndian.getLong(bytes, at + 8)
              : IpAddress.ipv4Low(BigEndian.getInt(bytes, at));
    }
    int start = at;
    if (field == MPLS_LABELS && length > 0 && !isSet[MPLS_LABELS]) {
      values[MPLS_LABELS] = varint(); // the top label comes first in the packed list
      isSet[MPLS_LABELS] = true;
      isBroken |= at > start + length;
      at = start;
    }
    skip(length);
  }

  private void skip(long length) {
    isBroken |= length > end - at;
    at += isBroken ? 0 : (int) length;
  }

  private long varint() {
    long value = 0;
    for (int shift = 0; shift < 64 && at < end; shift += 7) {
      int b = bytes[at++];
      value |= (long) (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
    isBroken = true;
    return 0;
  }

  /** Proto3 leaves zeros out: counts, protocol and ports that are not there are 0. */
  void write(ColumnWriter rows) {
    writeOrigin(rows);
    rows.set(FlowColumn.BYTES, values(TOTAL_BYTES));
    rows.set(FlowColumn.PACKETS, values(PACKETS));
    address(rows, FlowColumn.SRC_ADDR, SRC_ADDR);
    address(rows, FlowColumn.DST_ADDR, DST_ADDR);
    long protocol = values(PROTOCOL);
    rows.set(FlowColumn.PROTOCOL, protocol);
    if (protocol == ICMP || protocol == ICMPV6) {
      rows.set(FlowColumn.ICMP_TYPE_CODE, values(ICMP_TYPE) << 8 | (values(ICMP_CODE) & 0xFF));
    } else {
      rows.set(FlowColumn.SRC_PORT, values(SRC_PORT));
      rows.set(FlowColumn.DST_PORT, values(DST_PORT));
    }
    rows.set(FlowColumn.TOS, values(TOS));
    rows.set(FlowColumn.TCP_FLAGS, values(TCP_FLAGS));
    rows.setKnown(FlowColumn.INPUT_IF, values(IN_IF));
    rows.setKnown(FlowColumn.OUTPUT_IF, values(OUT_IF));
    rows.setKnown(FlowColumn.VLAN, isSet[VLAN_ID] ? values(VLAN_ID) : values(SRC_VLAN));
    rows.setKnown(FlowColumn.SRC_AS, values(SRC_AS));
    rows.setKnown(FlowColumn.DST_AS, values(DST_AS));
    rows.setKnown(FlowColumn.SRC_MASK, values(SRC_NET));
    rows.setKnown(FlowColumn.DST_MASK, values(DST_NET));
    address(rows, FlowColumn.NEXT_HOP, NEXT_HOP);
    writeMore(rows);
  }

  private void writeMore(ColumnWriter rows) {
    mac(rows, FlowColumn.SRC_MAC, SRC_MAC);
    mac(rows, FlowColumn.DST_MAC, DST_MAC);
    rows.setKnown(FlowColumn.ETHERTYPE, values(ETHERTYPE));
    rows.setKnown(FlowColumn.POST_VLAN, values(DST_VLAN));
    rows.setKnown(FlowColumn.FORWARDING_STATUS, values(FORWARDING_STATUS));
    rows.setKnown(FlowColumn.MIN_TTL, values(TTL));
    rows.setKnown(FlowColumn.IPV6_FLOW_LABEL, values(FLOW_LABEL));
    rows.setKnown(FlowColumn.FRAGMENT_ID, values(FRAGMENT_ID));
    rows.setKnown(FlowColumn.MPLS_TOP_LABEL, values(MPLS_LABELS));
    address(rows, FlowColumn.BGP_NEXT_HOP, BGP_NEXT_HOP);
  }

  private void mac(ColumnWriter rows, FlowColumn column, int field) {
    long address = values(field);
    if (address == 0 || address >>> 48 != 0) {
      return;
    }
    rows.setText(column, texts.mac(address));
  }

  private void writeOrigin(ColumnWriter rows) {
    long kind =
        switch ((int) values(TYPE)) {
          case 1 -> SourceKind.SFLOW.code();
          case 2 -> SourceKind.NETFLOW_V5.code();
          case 3 -> SourceKind.NETFLOW_V9.code();
          default -> SourceKind.IPFIX.code();
        };
    rows.set(FlowColumn.SOURCE_KIND, kind);
    time(rows, FlowColumn.START_TIME, TIME_START, TIME_START_SECONDS);
    time(rows, FlowColumn.END_TIME, TIME_END, TIME_END_SECONDS);
    if (!isSet[TIME_START] && !isSet[TIME_END] && !isSet[TIME_END_SECONDS]) {
      time(rows, FlowColumn.END_TIME, TIME_RECEIVED, TIME_RECEIVED_SECONDS);
    }
    address(rows, FlowColumn.EXPORTER, SAMPLER);
    if (isSet[SEQUENCE]) {
      rows.set(FlowColumn.FLOW_SEQUENCE, values(SEQUENCE));
    }
    rows.setKnown(FlowColumn.SAMPLING_RATE, values(SAMPLING_RATE));
    if (isSet[DOMAIN]) {
      rows.set(FlowColumn.OBSERVATION_DOMAIN, values(DOMAIN));
    }
  }

  /**
   * Nanoseconds of version 2, else seconds of version 1. In place of the start's seconds version 2
   * has the flags of the IP header, which are too small for a time.
   */
  private void time(ColumnWriter rows, FlowColumn column, int nanos, int seconds) {
    if (isSet[nanos] && values[nanos] > 0) {
      long time = values[nanos];
      rows.set(column, time / 1000 + (time % 1000 >= 500 ? 1 : 0));
    } else if (isSet[seconds] && values[seconds] > 1_000_000 && values[seconds] <= 0xFFFF_FFFFL) {
      rows.set(column, values[seconds] * 1_000_000);
    }
  }

  private void address(ColumnWriter rows, FlowColumn column, int field) {
    if (!isSet[field]) {
      return;
    }
    boolean isNone =
        highs[field] == 0 && (values[field] == 0 || values[field] == IpAddress.ipv4Low(0));
    if (!isNone || field == SRC_ADDR || field == DST_ADDR) {
      rows.setAddress(column, highs[field], values[field]);
    }
  }

  private long values(int field) {
    return isSet[field] ? values[field] : 0;
  }
}
