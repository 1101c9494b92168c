package org.flowmon.ingest.file.format;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.file.format.TextColumn.Form;
import org.jspecify.annotations.Nullable;

/**
 * Maps names in CSV headers, JSON and Parquet to columns: the columns' own, other tools' and the
 * user's ({@code docs/format/files.md}). Immutable.
 */
public final class ColumnNames {
  private static final Map<String, FlowColumn> ALIASES = aliases();

  /** The header of the comparison's files, which have their own units and codes. */
  private static final List<TextColumn> COMPARISON =
      List.of(
          new TextColumn("ts", FlowColumn.END_TIME, Form.TIME),
          TextColumn.of("src_ip", FlowColumn.SRC_ADDR),
          TextColumn.of("dst_ip", FlowColumn.DST_ADDR),
          TextColumn.of("src_port", FlowColumn.SRC_PORT),
          TextColumn.of("dst_port", FlowColumn.DST_PORT),
          TextColumn.of("protocol", FlowColumn.PROTOCOL),
          TextColumn.of("bytes_sent", FlowColumn.BYTES),
          TextColumn.of("bytes_recv", FlowColumn.REVERSE_BYTES),
          TextColumn.of("outgoing", FlowColumn.OUTGOING),
          new TextColumn("state", FlowColumn.STATE, Form.STATE_FROM_ZERO),
          new TextColumn("duration", FlowColumn.DURATION, Form.MILLIS));

  public static final ColumnNames DEFAULTS = new ColumnNames(Map.of());

  private final Map<String, TextColumn> given;

  private ColumnNames(Map<String, TextColumn> given) {
    this.given = given;
  }

  private static Map<String, FlowColumn> aliases() {
    Map<String, FlowColumn> names = new HashMap<>();
    put(names, FlowColumn.START_TIME, "ts");
    put(names, FlowColumn.END_TIME, "te");
    put(names, FlowColumn.SRC_ADDR, "src_ip", "source_ip", "srcaddr", "sa");
    put(names, FlowColumn.DST_ADDR, "dst_ip", "destination_ip", "dest_ip", "dstaddr", "da");
    put(names, FlowColumn.SRC_PORT, "source_port", "srcport", "sport", "sp");
    put(names, FlowColumn.DST_PORT, "destination_port", "dest_port", "dstport", "dport", "dp");
    put(names, FlowColumn.PROTOCOL, "proto", "prot");
    put(names, FlowColumn.BYTES, "bytes_sent", "octets", "doctets");
    put(names, FlowColumn.PACKETS, "pkts", "dpkts");
    put(names, FlowColumn.REVERSE_BYTES, "bytes_recv");
    return names;
  }

  private static void put(Map<String, FlowColumn> names, FlowColumn column, String... aliases) {
    for (String alias : aliases) {
      names.put(alias, column);
    }
  }

  /**
   * Adds a name.
   *
   * @param name in the file, any case
   * @param target {@code COLUMN}, {@code COLUMN:UNIT} ({@code s}, {@code ms}, {@code us}) for times
   *     and durations, or empty for a name that is left out
   * @throws IllegalArgumentException describing the error in the target
   */
  public ColumnNames with(String name, String target) {
    Map<String, TextColumn> more = new LinkedHashMap<>(given);
    more.put(name.toLowerCase(Locale.ROOT), column(name, target));
    return new ColumnNames(more);
  }

  private static TextColumn column(String name, String target) {
    if (target.isEmpty()) {
      return new TextColumn(name, null, Form.LEFT_OUT);
    }
    int colon = target.indexOf(':');
    FlowColumn column = FlowColumn.byName(colon < 0 ? target : target.substring(0, colon));
    if (column == null) {
      throw new IllegalArgumentException("no column '" + target + "' in flows");
    }
    if (colon < 0) {
      return TextColumn.of(name, column);
    }
    String unit = target.substring(colon + 1);
    boolean time = column.type() == ColumnType.TIMESTAMP;
    if (!time && column.type() != ColumnType.DURATION) {
      throw new IllegalArgumentException(
          column.sqlName() + " is no time and no duration: it takes no unit '" + unit + "'");
    }
    Form form =
        switch (unit) {
          case "s" -> time ? Form.TIME : Form.SECONDS;
          case "ms" -> time ? Form.TIME_MILLIS : Form.MILLIS;
          case "us" -> time ? Form.TIME_MICROS : Form.MICROS;
          default ->
              throw new IllegalArgumentException("no unit '" + unit + "': expected s, ms or us");
        };
    return new TextColumn(name, column, form);
  }

  public @Nullable TextColumn of(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    TextColumn known = given.get(lower);
    if (known != null) {
      return known;
    }
    FlowColumn column = FlowColumn.byName(lower);
    column = column == null ? ALIASES.get(lower) : column;
    return column == null ? null : TextColumn.of(name, column);
  }

  /** Throws {@link UnknownFormatException} naming an unknown or repeated column. */
  public List<TextColumn> header(List<String> names) throws UnknownFormatException {
    if (given.isEmpty() && names.equals(COMPARISON.stream().map(TextColumn::name).toList())) {
      return COMPARISON;
    }
    List<TextColumn> columns = new ArrayList<>();
    Map<FlowColumn, String> seen = new HashMap<>();
    for (String name : names) {
      TextColumn column = of(name.trim());
      if (column == null) {
        throw new UnknownFormatException(
            String.format(
                "column '%s' is no column of flows: --map '%s=COLUMN' takes it for one, --map '%s='"
                    + " leaves it out",
                name, name, name));
      }
      FlowColumn target = column.column();
      String before = target == null ? null : seen.put(target, name);
      if (target != null && before != null) {
        throw new UnknownFormatException(
            String.format(
                "columns '%s' and '%s' are both %s: --map '%s=' leaves one out",
                before, name, target.sqlName(), name));
      }
      columns.add(column);
    }
    return columns;
  }
}
