package org.flowmon.ingest.file.format;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.flowmon.flow.ColumnType;
import org.flowmon.ingest.file.format.TextColumn.Form;
import org.jspecify.annotations.Nullable;

/**
 * A program whose text flowmon reads: by which names it is known, and which of its names becomes
 * which column. {@link SourceTable} has all. Immutable.
 */
public final class FlowSource {
  /** What its records are. */
  enum Shape {
    CSV,
    /** CSV whose separator is any number of spaces. */
    SPACES,
    JSON
  }

  private static final Pattern NUMERIC = Pattern.compile("[0-9]+");
  private static final Pattern ADDRESS = Pattern.compile("[0-9a-fA-F:.]+[:.][0-9a-fA-F:.]+");

  private final String name;
  private final Set<Shape> shapes;
  private final Map<String, TextColumn> columns;
  private final List<List<String>> known;
  private final List<String> header;
  private final Set<Integer> otherFields;
  private final String nullText;
  private final String refusal;
  private final boolean isExact;
  private final boolean hasIcmpInPort;
  private final boolean hasUptime;

  private FlowSource(Builder builder) {
    this.name = builder.name;
    this.shapes = Set.copyOf(builder.shapes);
    this.columns = Map.copyOf(builder.columns);
    this.known = List.copyOf(builder.known);
    this.header = List.copyOf(builder.header);
    this.otherFields = Set.copyOf(builder.otherFields);
    this.nullText = builder.nullText;
    this.refusal = builder.refusal;
    this.isExact = builder.isExact;
    this.hasIcmpInPort = builder.hasIcmpInPort;
    this.hasUptime = columns.values().stream().anyMatch(column -> column.form() == Form.UPTIME);
  }

  /** A source while its lines of the table are read. */
  static final class Builder {
    final String name;
    final List<Shape> shapes = new ArrayList<>();
    final Map<String, TextColumn> columns = new LinkedHashMap<>();
    final List<List<String>> known = new ArrayList<>();
    List<String> header = List.of();
    final List<Integer> otherFields = new ArrayList<>();
    String nullText = "";
    String refusal = "";
    boolean isExact;
    boolean hasIcmpInPort;

    Builder(String name) {
      this.name = name;
    }

    FlowSource build() {
      return new FlowSource(this);
    }
  }

  /** For messages and {@code --format}, for example {@code suricata}. */
  public String name() {
    return name;
  }

  /** Whether its names are flowmon's own: an unknown one is an error, not another program's. */
  public boolean isFlowmon() {
    return this == SourceTable.FLOWS;
  }

  boolean has(Shape shape) {
    return shapes.contains(shape);
  }

  public boolean isJson() {
    return has(Shape.JSON);
  }

  /** Names and dotted paths with a meaning, as {@link #plain} gives them. */
  public Collection<String> names() {
    return columns.keySet();
  }

  /** Null if the source is not known to have the name. */
  @Nullable TextColumn column(String plainName) {
    return columns.get(plainName);
  }

  /** A name without what does not tell names apart: case, and hyphens as underscores. */
  public static String plain(String name) {
    return name.strip().toLowerCase(Locale.ROOT).replace('-', '_');
  }

  /**
   * How many of the names it knows; 0 if these are not its records.
   *
   * @param isMapped whether the user gives some of the names another meaning
   */
  int score(Collection<String> plainNames, boolean isMapped) {
    if (isExact) {
      return !isMapped && List.copyOf(plainNames).equals(header) ? header.size() + 1 : 0;
    }
    if (known.stream().noneMatch(plainNames::containsAll)) {
      return 0;
    }
    return Math.max(1, (int) plainNames.stream().filter(columns::containsKey).count());
  }

  /** Names of the values in a file without a header; empty if it always has one. */
  List<String> header() {
    return header;
  }

  /** Whether these values may be a record of {@link #header}. */
  boolean isRecord(List<String> values) {
    if (isExact || header.isEmpty() || values.size() != header.size()) {
      return false;
    }
    boolean hasTime = false;
    for (int i = 0; i < values.size(); i++) {
      TextColumn column = columns.get(header.get(i));
      String value = values.get(i);
      if (column == null || !column.isValue() || value.isEmpty() || value.equals(nullText)) {
        continue;
      }
      if (!NUMERIC.matcher(value).matches()) {
        if (column.target().type() != ColumnType.TEXT && column.form() == Form.NUMBER) {
          return false;
        }
        if (column.form() == Form.ADDRESS && !ADDRESS.matcher(value).matches()) {
          return false;
        }
      }
      if (column.target().type() == ColumnType.TIMESTAMP) {
        hasTime = Character.isDigit(value.charAt(0));
        if (!hasTime) {
          return false;
        }
      }
    }
    return hasTime;
  }

  /** Whether a CSV record of so many values is one that the program writes beside flows. */
  public boolean isOther(int fields) {
    return otherFields.contains(fields);
  }

  /** The text of a value that is not known; empty texts never are. */
  public String nullText() {
    return nullText;
  }

  /** Why its records cannot be read, and what to do; empty if they can. */
  public String refusal() {
    return refusal;
  }

  /** Whether ICMP's type and code stand in the destination port. */
  public boolean hasIcmpInPort() {
    return hasIcmpInPort;
  }

  public boolean hasUptime() {
    return hasUptime;
  }

  @Override
  public String toString() {
    return name;
  }
}
