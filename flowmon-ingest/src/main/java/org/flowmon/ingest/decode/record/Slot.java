package org.flowmon.ingest.decode.record;

import java.util.Optional;
import org.flowmon.flow.FlowColumn;

/** A record field's target: a column, or combined later (two families, times, texts, sampling). */
public enum Slot {
  SRC4(Kind.ADDRESS4),
  SRC6(Kind.ADDRESS6),
  DST4(Kind.ADDRESS4),
  DST6(Kind.ADDRESS6),
  NEXT_HOP4(Kind.ADDRESS4),
  NEXT_HOP6(Kind.ADDRESS6),

  SRC_PORT(FlowColumn.SRC_PORT),
  DST_PORT(FlowColumn.DST_PORT),
  PROTOCOL(FlowColumn.PROTOCOL),
  BYTES(FlowColumn.BYTES),
  PACKETS(FlowColumn.PACKETS),
  REVERSE_BYTES(FlowColumn.REVERSE_BYTES),
  REVERSE_PACKETS(FlowColumn.REVERSE_PACKETS),
  PAYLOAD_BYTES(FlowColumn.PAYLOAD_BYTES),
  REVERSE_PAYLOAD_BYTES(FlowColumn.REVERSE_PAYLOAD_BYTES),
  TCP_FLAGS(FlowColumn.TCP_FLAGS),
  REVERSE_TCP_FLAGS(FlowColumn.REVERSE_TCP_FLAGS),
  TOS(FlowColumn.TOS),
  INPUT_IF(FlowColumn.INPUT_IF),
  OUTPUT_IF(FlowColumn.OUTPUT_IF),
  SRC_AS(FlowColumn.SRC_AS, FlowColumn.SRC_AS.type().maxValue(), true),
  DST_AS(FlowColumn.DST_AS, FlowColumn.DST_AS.type().maxValue(), true),
  VLAN(FlowColumn.VLAN),
  FLOW_DIRECTION(FlowColumn.FLOW_DIRECTION, 1, false),
  FLOW_END_REASON(FlowColumn.FLOW_END_REASON),
  ENGINE_TYPE(FlowColumn.ENGINE_TYPE),
  ENGINE_ID(FlowColumn.ENGINE_ID),

  SRC_MASK4(32, false),
  SRC_MASK6(128, false),
  DST_MASK4(32, false),
  DST_MASK6(128, false),

  /** µs since 1970; 0 is no time. */
  START(Long.MAX_VALUE, true),
  END(Long.MAX_VALUE, true),
  /** ms of the exporter's uptime. */
  START_UPTIME(0xFFFF_FFFFL, false),
  END_UPTIME(0xFFFF_FFFFL, false),
  /** µs before the export time. */
  START_DELTA(0xFFFF_FFFFL, false),
  END_DELTA(0xFFFF_FFFFL, false),
  /** µs. */
  DURATION(Long.MAX_VALUE, false),

  ICMP4(0xFFFF, false),
  ICMP6(0xFFFF, false),
  ICMP4_TYPE(0xFF, false),
  ICMP4_CODE(0xFF, false),
  ICMP6_TYPE(0xFF, false),
  ICMP6_CODE(0xFF, false),

  /** Not a column: which header a record with two describes. */
  IP_VERSION(0xFF, true),
  SAMPLER_ID(FlowColumn.SAMPLER_ID),
  SAMPLING_INTERVAL(0xFFFF_FFFFL, true),
  /** Packets left out after each interval. */
  SAMPLING_SPACE(0xFFFF_FFFFL, false),
  /** Size of a sample and of its population. */
  SAMPLING_SIZE(0xFFFF_FFFFL, true),
  SAMPLING_POPULATION(0xFFFF_FFFFL, true),
  SAMPLING_MODE(2, true),
  SELECTOR_ALGORITHM(0xFFFF, true),
  /** When the exporter's uptime was 0, µs since 1970. */
  SYSTEM_INIT(Long.MAX_VALUE, true),

  POST_BYTES(FlowColumn.POST_BYTES),
  POST_PACKETS(FlowColumn.POST_PACKETS),
  FORWARDING_STATUS(FlowColumn.FORWARDING_STATUS),
  FIREWALL_EVENT(FlowColumn.FIREWALL_EVENT),
  NAT_EVENT(FlowColumn.NAT_EVENT),
  POST_NAT_SRC_PORT(FlowColumn.POST_NAT_SRC_PORT, 0xFFFF, true),
  POST_NAT_DST_PORT(FlowColumn.POST_NAT_DST_PORT, 0xFFFF, true),
  INGRESS_VRF(FlowColumn.INGRESS_VRF),
  EGRESS_VRF(FlowColumn.EGRESS_VRF),
  ETHERTYPE(FlowColumn.ETHERTYPE, 0xFFFF, true),
  POST_VLAN(FlowColumn.POST_VLAN),
  IPV6_FLOW_LABEL(FlowColumn.IPV6_FLOW_LABEL, 0xF_FFFF, false),
  MIN_TTL(FlowColumn.MIN_TTL),
  MAX_TTL(FlowColumn.MAX_TTL),
  FLOW_ID(FlowColumn.FLOW_ID, Long.MAX_VALUE, true),
  FRAGMENT_FLAGS(FlowColumn.FRAGMENT_FLAGS),
  FRAGMENT_ID(FlowColumn.FRAGMENT_ID),
  TCP_RETRANSMITS(FlowColumn.TCP_RETRANSMITS),
  TCP_LATENCY(FlowColumn.TCP_LATENCY),

  // The rest is combined by Sections, InnerHeaders, RareColumns.
  POST_NAT_SRC4(Kind.ADDRESS4),
  POST_NAT_DST4(Kind.ADDRESS4),
  POST_NAT_SRC6(Kind.ADDRESS6),
  POST_NAT_DST6(Kind.ADDRESS6),
  BGP_NEXT_HOP4(Kind.ADDRESS4),
  BGP_NEXT_HOP6(Kind.ADDRESS6),
  /** Labels of the stack, the top one first; an entry of 0 is none. */
  MPLS1(0xFF_FFFF, true),
  MPLS2(0xFF_FFFF, true),
  MPLS3(0xFF_FFFF, true),
  MPLS4(0xFF_FFFF, true),
  MPLS5(0xFF_FFFF, true),
  MPLS6(0xFF_FFFF, true),
  MPLS7(0xFF_FFFF, true),
  MPLS8(0xFF_FFFF, true),
  MPLS9(0xFF_FFFF, true),
  MPLS10(0xFF_FFFF, true),
  SRC_MAC(0xFFFF_FFFF_FFFFL, true),
  DST_MAC(0xFFFF_FFFF_FFFFL, true),
  APPLICATION(Kind.BYTES),
  APPLICATION_NAME(Kind.BYTES),
  USER_NAME(Kind.BYTES),
  VRF_NAME(Kind.BYTES),
  /** Of the interface that options data are about; not of flows, as it names no direction. */
  IF_NAME(Kind.BYTES),
  IF_DESCRIPTION(Kind.BYTES),
  SRV6_LIST(Kind.BYTES),
  SRV6_SECTION(Kind.BYTES),
  IP_SECTION(Kind.BYTES),
  FRAME_SECTION(Kind.BYTES),
  /** A type in the first byte, then the id. */
  LAYER2_SEGMENT(Long.MAX_VALUE, true),
  /** µs of each half of the way there and back. */
  CLIENT_LATENCY(Long.MAX_VALUE, false),
  SERVER_LATENCY(Long.MAX_VALUE, false),
  /** Of the packet within the one of the other slots. */
  INNER_SRC4(Kind.ADDRESS4),
  INNER_DST4(Kind.ADDRESS4),
  INNER_SRC6(Kind.ADDRESS6),
  INNER_DST6(Kind.ADDRESS6),
  INNER_SRC_PORT(0xFFFF, false),
  INNER_DST_PORT(0xFFFF, false),
  INNER_PROTOCOL(0xFF, false),
  /** Since the flow's start; {@link FlowTotals} turns them into counts since its last export. */
  TOTAL_BYTES(Long.MAX_VALUE, false),
  TOTAL_PACKETS(Long.MAX_VALUE, false),
  TOTAL_REVERSE_BYTES(Long.MAX_VALUE, false),
  TOTAL_REVERSE_PACKETS(Long.MAX_VALUE, false),
  TOTAL_POST_BYTES(Long.MAX_VALUE, false),
  TOTAL_POST_PACKETS(Long.MAX_VALUE, false);

  private enum Kind {
    NUMBER,
    ADDRESS4,
    ADDRESS6,
    /** Bytes of any length: the value is their place in the datagram. */
    BYTES
  }

  static final Slot[] ALL = values();
  static final int COUNT = ALL.length;

  private final Kind kind;

  @SuppressWarnings("ImmutableEnumChecker") // a column never changes
  private final Optional<FlowColumn> column;

  private final long max;
  private final boolean zeroIsNull;

  Slot(Kind kind) {
    this(kind, Optional.empty(), Long.MAX_VALUE, false);
  }

  Slot(FlowColumn column) {
    this(column, column.type().maxValue(), false);
  }

  Slot(FlowColumn column, long max, boolean zeroIsNull) {
    this(Kind.NUMBER, Optional.of(column), max, zeroIsNull);
  }

  Slot(long max, boolean zeroIsNull) {
    this(Kind.NUMBER, Optional.empty(), max, zeroIsNull);
  }

  Slot(Kind kind, Optional<FlowColumn> column, long max, boolean zeroIsNull) {
    this.kind = kind;
    this.column = column;
    this.max = max;
    this.zeroIsNull = zeroIsNull;
  }

  /** Empty if it is combined with others. */
  Optional<FlowColumn> column() {
    return column;
  }

  long max() {
    return max;
  }

  boolean zeroIsNull() {
    return zeroIsNull;
  }

  boolean isAddress4() {
    return kind == Kind.ADDRESS4;
  }

  boolean isAddress6() {
    return kind == Kind.ADDRESS6;
  }

  boolean isBytes() {
    return kind == Kind.BYTES;
  }

  /** Whether few templates have it, and it needs more than to be copied. */
  boolean isRare() {
    return ordinal() >= POST_NAT_SRC4.ordinal();
  }

  boolean takes(int length) {
    return switch (kind) {
      case ADDRESS4 -> length == 4;
      case ADDRESS6 -> length == 16;
      case NUMBER -> length >= 1 && length <= 8; // reduced-size encoding, RFC 7011 section 6.2
      case BYTES -> length > 0;
    };
  }

  /** Whether values of IANA's abstract type fit. */
  boolean takesType(String type) {
    return switch (kind) {
      case ADDRESS4 -> type.equals("ipv4Address");
      case ADDRESS6 -> type.equals("ipv6Address");
      case BYTES -> type.equals("string") || type.equals("octetArray") || type.endsWith("List");
      case NUMBER -> !type.startsWith("ipv") && !type.equals("string") && !type.startsWith("float");
    };
  }
}
