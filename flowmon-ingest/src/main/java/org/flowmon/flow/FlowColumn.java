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
  HISTORY(43, TEXT, "");

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
