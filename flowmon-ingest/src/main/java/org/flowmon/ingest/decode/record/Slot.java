package org.flowmon.ingest.decode.record;

import java.util.Optional;
import org.flowmon.flow.FlowColumn;

/** A record field's target: a column, or combined later (two families, times, ICMP, sampling). */
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
  TCP_FLAGS(FlowColumn.TCP_FLAGS),
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

  SAMPLER(Long.MAX_VALUE, false),
  SAMPLING_INTERVAL(0xFFFF_FFFFL, true),
  /** Packets left out after each interval. */
  SAMPLING_SPACE(0xFFFF_FFFFL, false),
  /** Size of a sample and of its population. */
  SAMPLING_SIZE(0xFFFF_FFFFL, true),
  SAMPLING_POPULATION(0xFFFF_FFFFL, true),
  SAMPLING_MODE(FlowColumn.SAMPLING_MODE, 2, true),
  SELECTOR_ALGORITHM(0xFFFF, true),
  /** When the exporter's uptime was 0, µs since 1970. */
  SYSTEM_INIT(Long.MAX_VALUE, true);

  private enum Kind {
    NUMBER,
    ADDRESS4,
    ADDRESS6
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

  boolean takes(int length) {
    return switch (kind) {
      case ADDRESS4 -> length == 4;
      case ADDRESS6 -> length == 16;
      case NUMBER -> length >= 1 && length <= 8; // reduced-size encoding, RFC 7011 section 6.2
    };
  }
}
