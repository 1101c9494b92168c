package org.flowmon.ingest.file.format;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.file.format.TextColumn.Form;
import org.jspecify.annotations.Nullable;

/**
 * Maps names in CSV headers, JSON and Parquet to columns: those of a {@link FlowSource} and the
 * user's ({@code docs/format/files.md}). Immutable.
 */
public final class ColumnNames {
  public static final ColumnNames DEFAULTS = new ColumnNames(Map.of(), SourceTable.FLOWS);

  /** Of users' columns, in the whole process. */
  private static volatile Map<String, TextColumn> own = Map.of();

  private final Map<String, TextColumn> given;
  private final FlowSource source;

  private ColumnNames(Map<String, TextColumn> given, FlowSource source) {
    this.given = given;
    this.source = source;
  }

  /**
   * Lets a name, or a dotted path of JSON, stand for a user's column in files of every source. If
   * the column has a scale, files have the value under this name, and the stored number under the
   * column's own.
   *
   * @throws IllegalArgumentException if the name is another column's
   */
  public static synchronized void define(String name, FlowColumn column) {
    Map<String, TextColumn> more = new HashMap<>(own);
    TextColumn target =
        column.scale() > 1
            ? new TextColumn(name, column, Form.SCALED)
            : TextColumn.of(name, column);
    TextColumn before = more.put(FlowSource.plain(name), target);
    if (before != null && before.column() != column) {
      throw new IllegalArgumentException(
          "the name '" + name + "' stands for column " + before.target().sqlName() + " already");
    }
    own = Map.copyOf(more);
  }

  /** The names of another source; the user's stay. */
  public ColumnNames of(FlowSource newSource) {
    return new ColumnNames(given, newSource);
  }

  public FlowSource source() {
    return source;
  }

  /** Names and dotted paths with a meaning, plain. */
  public Set<String> names() {
    Set<String> names = new HashSet<>(source.names());
    names.addAll(given.keySet());
    names.addAll(own.keySet());
    for (FlowColumn column : FlowColumn.all()) {
      if (source.isFlowmon() || column.id() >= FlowColumn.FIRST_OWN_ID) {
        names.add(column.sqlName());
      }
    }
    return names;
  }

  boolean areGiven() {
    return !given.isEmpty();
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
    more.put(FlowSource.plain(name), column(name, target));
    return new ColumnNames(more, source);
  }

  private static TextColumn column(String name, String target) {
    if (target.isEmpty()) {
      return TextColumn.leftOut(name);
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
    String plain = FlowSource.plain(name);
    TextColumn known = given.get(plain);
    known = known == null ? own.get(plain) : known;
    known = known == null ? source.column(plain) : known;
    if (known != null) {
      return known;
    }
    FlowColumn column = FlowColumn.byName(plain);
    if (column == null || !(source.isFlowmon() || column.id() >= FlowColumn.FIRST_OWN_ID)) {
      return null;
    }
    return TextColumn.of(name, column);
  }

  /**
   * The columns of a header, in its order.
   *
   * @param unknown names without a meaning, which another program than flowmon may write
   */
  public record Header(List<TextColumn> columns, List<String> unknown) {}

  /**
   * Throws {@link UnknownFormatException} naming all columns that are unknown, repeated or missing.
   */
  public Header header(List<String> names) throws UnknownFormatException {
    List<TextColumn> columns = new ArrayList<>();
    List<String> unknown = new ArrayList<>();
    List<String> wrong = new ArrayList<>();
    Map<FlowColumn, String> seen = new HashMap<>();
    Set<FlowColumn> firm = new HashSet<>();
    for (String name : names) {
      TextColumn column = of(name);
      if (column != null && column.isValue() && !column.isSpare()) {
        firm.add(column.target());
      }
    }
    for (String name : names) {
      TextColumn column = of(name);
      if (column == null) {
        unknown.add(name);
        column = TextColumn.leftOut(name);
      } else if (column.isValue() && !column.isPart()) {
        FlowColumn target = column.target();
        boolean isCovered = column.isSpare() && firm.contains(target);
        String before = isCovered ? name : seen.putIfAbsent(target, name);
        if (before != null) {
          if (source.isFlowmon()) {
            wrong.add("'" + before + "' and '" + name + "' are both " + target.sqlName());
          }
          column = TextColumn.leftOut(name);
        }
      }
      columns.add(column);
    }
    if (source.isFlowmon()) {
      unknown.forEach(name -> wrong.add("'" + name + "' is no column of flows"));
      unknown.clear();
    }
    if (!seen.containsKey(FlowColumn.START_TIME)
        && !seen.containsKey(FlowColumn.END_TIME)
        && !seen.containsKey(FlowColumn.ARRIVAL)) {
      wrong.add("none is a start_time, end_time or arrival");
    }
    if (!wrong.isEmpty()) {
      throw new UnknownFormatException(
          "columns: "
              + String.join("; ", wrong)
              + "; --map 'NAME=COLUMN' takes one for a column of flows, --map 'NAME=' leaves it"
              + " out");
    }
    return new Header(List.copyOf(columns), List.copyOf(unknown));
  }
}
