package org.flowmon.udaf.enrich;

import static org.flowmon.flow.FlowColumn.DST_ADDR;
import static org.flowmon.flow.FlowColumn.DST_PORT;
import static org.flowmon.flow.FlowColumn.EXPORTER;
import static org.flowmon.flow.FlowColumn.FLOW_DIRECTION;
import static org.flowmon.flow.FlowColumn.INPUT_IF;
import static org.flowmon.flow.FlowColumn.OUTPUT_IF;
import static org.flowmon.flow.FlowColumn.PROTOCOL;
import static org.flowmon.flow.FlowColumn.SRC_ADDR;
import static org.flowmon.flow.FlowColumn.SRC_PORT;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.value.ValueKind;

/**
 * A column that no flow stores: a function of stored columns, its keys, and of a table. Some, as
 * {@code SRC_AS} and {@code IN_IF_NAME}, are stored ones, which a table completes if it is there:
 * then the first key is the stored column.
 */
public enum EnrichedColumn {
  SRC_COUNTRY(Table.COUNTRY, SRC_ADDR),
  DST_COUNTRY(Table.COUNTRY, DST_ADDR),
  SRC_CITY(Table.CITY, SRC_ADDR),
  DST_CITY(Table.CITY, DST_ADDR),
  SRC_AS(Table.AS_NUMBER, FlowColumn.SRC_AS, SRC_ADDR),
  DST_AS(Table.AS_NUMBER, FlowColumn.DST_AS, DST_ADDR),
  SRC_AS_NAME(Table.AS_NAME, FlowColumn.SRC_AS),
  DST_AS_NAME(Table.AS_NAME, FlowColumn.DST_AS),
  SRC_NETWORK(Table.NETWORK, SRC_ADDR),
  DST_NETWORK(Table.NETWORK, DST_ADDR),
  EXPORTER_NAME(Table.EXPORTER_NAME, EXPORTER),
  EXPORTER_GROUP(Table.EXPORTER_GROUP, EXPORTER),
  EXPORTER_ROLE(Table.EXPORTER_ROLE, EXPORTER),
  EXPORTER_SITE(Table.EXPORTER_SITE, EXPORTER),
  EXPORTER_REGION(Table.EXPORTER_REGION, EXPORTER),
  EXPORTER_TENANT(Table.EXPORTER_TENANT, EXPORTER),
  IN_IF_NAME(Table.IF_NAME, FlowColumn.IN_IF_NAME, EXPORTER, INPUT_IF),
  OUT_IF_NAME(Table.IF_NAME, FlowColumn.OUT_IF_NAME, EXPORTER, OUTPUT_IF),
  IN_IF_DESCRIPTION(Table.IF_DESCRIPTION, FlowColumn.IN_IF_DESCRIPTION, EXPORTER, INPUT_IF),
  OUT_IF_DESCRIPTION(Table.IF_DESCRIPTION, FlowColumn.OUT_IF_DESCRIPTION, EXPORTER, OUTPUT_IF),
  IN_IF_BOUNDARY(Table.IF_BOUNDARY, EXPORTER, INPUT_IF),
  OUT_IF_BOUNDARY(Table.IF_BOUNDARY, EXPORTER, OUTPUT_IF),
  IN_IF_CONNECTIVITY(Table.IF_CONNECTIVITY, EXPORTER, INPUT_IF),
  OUT_IF_CONNECTIVITY(Table.IF_CONNECTIVITY, EXPORTER, OUTPUT_IF),
  IN_IF_PROVIDER(Table.IF_PROVIDER, EXPORTER, INPUT_IF),
  OUT_IF_PROVIDER(Table.IF_PROVIDER, EXPORTER, OUTPUT_IF),
  PROTOCOL_NAME(Table.PROTOCOL_NAME, PROTOCOL),
  SRC_PORT_NAME(Table.PORT_NAME, PROTOCOL, SRC_PORT),
  DST_PORT_NAME(Table.PORT_NAME, PROTOCOL, DST_PORT),
  TRAFFIC_DIRECTION(
      Table.TRAFFIC_DIRECTION, EXPORTER, INPUT_IF, OUTPUT_IF, SRC_ADDR, DST_ADDR, FLOW_DIRECTION),
  IS_DUPLICATE(Table.DUPLICATE, EXPORTER, INPUT_IF, OUTPUT_IF, SRC_ADDR, DST_ADDR, FLOW_DIRECTION);

  /** What a lookup holds: that of a source's columns is that of a destination's. */
  public enum Table {
    COUNTRY,
    CITY,
    AS_NUMBER,
    AS_NAME,
    NETWORK,
    EXPORTER_NAME,
    EXPORTER_GROUP,
    EXPORTER_ROLE,
    EXPORTER_SITE,
    EXPORTER_REGION,
    EXPORTER_TENANT,
    IF_NAME,
    IF_DESCRIPTION,
    IF_BOUNDARY,
    IF_CONNECTIVITY,
    IF_PROVIDER,
    PROTOCOL_NAME,
    PORT_NAME,
    TRAFFIC_DIRECTION,
    DUPLICATE;

    /** Whether it completes a stored column. */
    public boolean isOfStored() {
      return this == AS_NUMBER || this == IF_NAME || this == IF_DESCRIPTION;
    }
  }

  private static final Map<String, EnrichedColumn> BY_NAME = new HashMap<>();
  private static final Map<FlowColumn, EnrichedColumn> COMPLETED = new HashMap<>();

  static {
    for (EnrichedColumn column : values()) {
      if (column.table.isOfStored()) {
        COMPLETED.put(column.keys.get(0), column);
      } else {
        BY_NAME.put(column.sqlName(), column);
      }
    }
  }

  private final Table table;

  @SuppressWarnings("ImmutableEnumChecker") // of List.of
  private final List<FlowColumn> keys;

  EnrichedColumn(Table table, FlowColumn... keys) {
    this.table = table;
    this.keys = List.of(keys);
  }

  /** The name in queries. */
  public String sqlName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public Table table() {
    return table;
  }

  public ValueKind kind() {
    return switch (table) {
      case AS_NUMBER -> ValueKind.LONG;
      case DUPLICATE -> ValueKind.BOOLEAN;
      default -> ValueKind.TEXT;
    };
  }

  /** The stored columns that it depends on, in the order in which a lookup takes them. */
  public List<FlowColumn> keys() {
    return keys;
  }

  /** Case-insensitive; stored columns are none. */
  public static Optional<EnrichedColumn> byName(String name) {
    return Optional.ofNullable(BY_NAME.get(name.toLowerCase(Locale.ROOT)));
  }

  /** The column that a table completes, under the name of a stored one. */
  public static Optional<EnrichedColumn> completing(FlowColumn stored) {
    return Optional.ofNullable(COMPLETED.get(stored));
  }

  /** The names of those that are no stored columns. */
  public static List<String> names() {
    return Arrays.stream(values())
        .filter(column -> !column.table.isOfStored())
        .map(EnrichedColumn::sqlName)
        .toList();
  }
}
