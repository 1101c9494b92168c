package org.flowmon.udaf.enrich;

import static org.flowmon.flow.FlowColumn.BYTES;
import static org.flowmon.flow.FlowColumn.DST_ADDR;
import static org.flowmon.flow.FlowColumn.DST_PORT;
import static org.flowmon.flow.FlowColumn.ICMP_TYPE_CODE;
import static org.flowmon.flow.FlowColumn.PACKETS;
import static org.flowmon.flow.FlowColumn.PROTOCOL;
import static org.flowmon.flow.FlowColumn.REVERSE_BYTES;
import static org.flowmon.flow.FlowColumn.REVERSE_PACKETS;
import static org.flowmon.flow.FlowColumn.REVERSE_TCP_FLAGS;
import static org.flowmon.flow.FlowColumn.SAMPLING_RATE;
import static org.flowmon.flow.FlowColumn.SRC_ADDR;
import static org.flowmon.flow.FlowColumn.SRC_PORT;
import static org.flowmon.flow.FlowColumn.STATE;
import static org.flowmon.flow.FlowColumn.TCP_FLAGS;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.value.ValueKind;

/**
 * A column that no flow stores and that follows from stored ones alone: who began a conversation
 * with whom, whether it was answered, and counts times the sampling rate.
 */
public enum DerivedColumn {
  /** What {@link FlowRoles} says; the others take it. Queries have no name for it. */
  ROLE(
      ValueKind.LONG,
      PROTOCOL,
      SRC_PORT,
      DST_PORT,
      TCP_FLAGS,
      REVERSE_TCP_FLAGS,
      PACKETS,
      REVERSE_PACKETS,
      STATE,
      ICMP_TYPE_CODE,
      SAMPLING_RATE),
  CLIENT_ADDR(ValueKind.ADDRESS, SRC_ADDR, DST_ADDR),
  SERVER_ADDR(ValueKind.ADDRESS, DST_ADDR, SRC_ADDR),
  SERVER_PORT(ValueKind.LONG, DST_PORT, SRC_PORT),
  ANSWERED(ValueKind.BOOLEAN),
  ESTIMATED_BYTES(ValueKind.LONG, BYTES, SAMPLING_RATE),
  ESTIMATED_PACKETS(ValueKind.LONG, PACKETS, SAMPLING_RATE),
  ESTIMATED_REVERSE_BYTES(ValueKind.LONG, REVERSE_BYTES, SAMPLING_RATE),
  ESTIMATED_REVERSE_PACKETS(ValueKind.LONG, REVERSE_PACKETS, SAMPLING_RATE);

  private final ValueKind kind;

  @SuppressWarnings("ImmutableEnumChecker") // of List.of
  private final List<FlowColumn> columns;

  DerivedColumn(ValueKind kind, FlowColumn... columns) {
    this.kind = kind;
    this.columns = List.of(columns);
  }

  /** The name in queries. */
  public String sqlName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public ValueKind kind() {
    return kind;
  }

  /** The stored columns that it takes, besides the role. */
  public List<FlowColumn> columns() {
    return columns;
  }

  public boolean takesRole() {
    return this != ROLE && !isEstimate();
  }

  /** Whether it is its first column times {@code sampling_rate}, times 1 if that is NULL. */
  public boolean isEstimate() {
    return this != ROLE && columns.contains(SAMPLING_RATE);
  }

  /** Empty if it has none. */
  public String unit() {
    return isEstimate() ? columns.get(0).unit() : "";
  }

  /** Case-insensitive. */
  public static Optional<DerivedColumn> byName(String name) {
    return Arrays.stream(values())
        .filter(column -> column != ROLE && column.name().equalsIgnoreCase(name))
        .findFirst();
  }

  public static List<String> names() {
    return Arrays.stream(values())
        .filter(column -> column != ROLE)
        .map(DerivedColumn::sqlName)
        .toList();
  }
}
