package org.flowmon.flow;

import static org.flowmon.flow.ColumnType.ADDRESS;
import static org.flowmon.flow.ColumnType.BOOLEAN;
import static org.flowmon.flow.ColumnType.COUNT;
import static org.flowmon.flow.ColumnType.TEXT;
import static org.flowmon.flow.ColumnType.TIMESTAMP;
import static org.flowmon.flow.ColumnType.UINT16;
import static org.flowmon.flow.ColumnType.UINT32;
import static org.flowmon.flow.ColumnType.UINT8;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.flowmon.flow.code.CodeNames;
import org.flowmon.flow.code.ExportCodes;
import org.flowmon.flow.code.Tunnel;
import org.jspecify.annotations.Nullable;

/**
 * All columns of a flow. An id is never reused; a column with a new meaning gets a new id. A test
 * compares {@code docs/format/flow.md} (names, units, nullability, sources) with this list.
 */
public enum FlowColumn {
  START_TIME(1, TIMESTAMP, "us"),
  END_TIME(2, TIMESTAMP, "us"),
  ARRIVAL(3, TIMESTAMP, "us"),
  EXPORT_TIME(4, TIMESTAMP, "us"),
  DURATION(5, ColumnType.DURATION, "us"),
  SRC_ADDR(6, ADDRESS, ""),
  DST_ADDR(7, ADDRESS, ""),
  SRC_PORT(8, UINT16, ""),
  DST_PORT(9, UINT16, ""),
  PROTOCOL(10, UINT8, ""),
  BYTES(11, COUNT, "B"),
  PACKETS(12, COUNT, "packets"),
  REVERSE_BYTES(13, COUNT, "B"),
  REVERSE_PACKETS(14, COUNT, "packets"),
  PAYLOAD_BYTES(15, COUNT, "B"),
  REVERSE_PAYLOAD_BYTES(16, COUNT, "B"),
  TCP_FLAGS(17, UINT16, "bits"),
  TOS(18, UINT8, "bits"),
  ICMP_TYPE_CODE(19, UINT16, ""),
  OUTGOING(20, BOOLEAN, ""),
  STATE(21, UINT8, "code"),
  NEXT_HOP(22, ADDRESS, ""),
  INPUT_IF(23, UINT32, ""),
  OUTPUT_IF(24, UINT32, ""),
  SRC_AS(25, UINT32, ""),
  DST_AS(26, UINT32, ""),
  SRC_MASK(27, UINT8, "bits"),
  DST_MASK(28, UINT8, "bits"),
  VLAN(29, UINT16, ""),
  FLOW_DIRECTION(30, UINT8, "code"),
  FLOW_END_REASON(31, UINT8, "code"),
  SAMPLING_RATE(32, UINT32, "1/n"),
  SAMPLING_MODE(33, UINT8, "code"),
  EXPORTER(34, ADDRESS, ""),
  OBSERVATION_DOMAIN(35, UINT32, ""),
  SOURCE_KIND(36, UINT8, "code"),
  ENGINE_TYPE(37, UINT8, ""),
  ENGINE_ID(38, UINT8, ""),
  SYS_UPTIME(39, UINT32, "ms"),
  FLOW_SEQUENCE(40, UINT32, ""),
  UID(41, TEXT, ""),
  SERVICE(42, TEXT, ""),
  HISTORY(43, TEXT, ""),
  POST_BYTES(44, COUNT, "B"),
  POST_PACKETS(45, COUNT, "packets"),
  FORWARDING_STATUS(46, UINT8, "code"),
  FIREWALL_EVENT(47, UINT8, "code"),
  NAT_EVENT(48, UINT8, "code"),
  POST_NAT_SRC_ADDR(49, ADDRESS, ""),
  POST_NAT_DST_ADDR(50, ADDRESS, ""),
  POST_NAT_SRC_PORT(51, UINT16, ""),
  POST_NAT_DST_PORT(52, UINT16, ""),
  INGRESS_VRF(53, UINT32, ""),
  EGRESS_VRF(54, UINT32, ""),
  INGRESS_VRF_NAME(55, TEXT, ""),
  EGRESS_VRF_NAME(56, TEXT, ""),
  MPLS_TOP_LABEL(57, UINT32, ""),
  MPLS_LABELS(58, TEXT, ""),
  SRC_MAC(59, TEXT, ""),
  DST_MAC(60, TEXT, ""),
  ETHERTYPE(61, UINT16, ""),
  POST_VLAN(62, UINT16, ""),
  IPV6_FLOW_LABEL(63, UINT32, ""),
  MIN_TTL(64, UINT8, ""),
  MAX_TTL(65, UINT8, ""),
  APPLICATION_ID(66, TEXT, ""),
  APPLICATION_NAME(67, TEXT, ""),
  USER_NAME(68, TEXT, ""),
  BGP_NEXT_HOP(69, ADDRESS, ""),
  SAMPLER_ID(70, COUNT, ""),
  FLOW_ID(71, COUNT, ""),
  FRAGMENT_FLAGS(72, UINT8, "bits"),
  FRAGMENT_ID(73, UINT32, ""),
  SRV6_SEGMENTS(74, TEXT, ""),
  VXLAN_ID(75, UINT32, ""),
  TCP_RETRANSMITS(76, COUNT, "packets"),
  TCP_LATENCY(77, ColumnType.DURATION, "us"),
  OUTER_SRC_ADDR(78, ADDRESS, ""),
  OUTER_DST_ADDR(79, ADDRESS, ""),
  TUNNEL(80, UINT8, "code"),
  DISCARD_REASON(81, UINT16, "code"),
  TIME_FLAGS(82, UINT8, "bits");

  private static final List<FlowColumn> ALL = List.of(values());
  private static final Map<String, FlowColumn> BY_NAME = new HashMap<>();
  private static final @Nullable FlowColumn[] BY_ID = new FlowColumn[256];

  static {
    for (FlowColumn column : ALL) {
      BY_NAME.put(column.sqlName, column);
      BY_ID[column.id] = column;
    }
  }

  private final int id;
  private final String sqlName;
  private final ColumnType type;
  private final String unit;

  FlowColumn(int id, ColumnType type, String unit) {
    this.id = id;
    this.sqlName = name().toLowerCase(Locale.ROOT);
    this.type = type;
    this.unit = unit;
  }

  /** The stable id in batches and segments, 1 … 255. */
  public int id() {
    return id;
  }

  /** The name in queries and files, for example {@code src_addr}. */
  public String sqlName() {
    return sqlName;
  }

  public ColumnType type() {
    return type;
  }

  /** The unit as a short text, empty if it has none. */
  public String unit() {
    return unit;
  }

  /** Null if its values are no codes with names. */
  public @Nullable CodeNames codeNames() {
    return switch (this) {
      case STATE -> ConnectionState.NAMES;
      case SOURCE_KIND -> SourceKind.NAMES;
      case FORWARDING_STATUS -> ExportCodes.FORWARDING_STATUS;
      case FIREWALL_EVENT -> ExportCodes.FIREWALL_EVENT;
      case NAT_EVENT -> ExportCodes.NAT_EVENT;
      case TUNNEL -> Tunnel.NAMES;
      case DISCARD_REASON -> ExportCodes.DISCARD_REASON;
      default -> null;
    };
  }

  public static List<FlowColumn> all() {
    return ALL;
  }

  /** Case-insensitive; null if there is none. */
  public static @Nullable FlowColumn byName(String name) {
    return BY_NAME.get(name.toLowerCase(Locale.ROOT));
  }

  /** Null if this version does not know the id. */
  public static @Nullable FlowColumn byId(int id) {
    return id > 0 && id < BY_ID.length ? BY_ID[id] : null;
  }
}
