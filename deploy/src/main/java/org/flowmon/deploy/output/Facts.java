package org.flowmon.deploy.output;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.flowmon.ingest.text.JsonText;
import org.flowmon.ingest.text.ShownText;
import org.jspecify.annotations.Nullable;

/** Named values and tables, for people or as one JSON object; there a value may be such, too. */
public final class Facts {
  private final Map<String, Object> values = new LinkedHashMap<>();
  private final Map<String, Table> tables = new LinkedHashMap<>();

  /** Rows under column names; values are texts, numbers, booleans or null. */
  public static final class Table {
    private final List<String> columns;
    private final List<Object[]> rows = new ArrayList<>();

    private Table(List<String> columns) {
      this.columns = columns;
    }

    public void row(@Nullable Object... cells) {
      if (cells.length != columns.size()) {
        throw new IllegalArgumentException(cells.length + " cells under " + columns);
      }
      rows.add(cells);
    }
  }

  /** Those of an object of JSON; its arrays are values. */
  public static Facts of(JsonNode object) {
    Facts facts = new Facts();
    object.properties().forEach(one -> facts.value(one.getKey(), value(one.getValue())));
    return facts;
  }

  private static @Nullable Object value(JsonNode node) {
    if (node.isObject()) {
      return of(node);
    } else if (node.isArray()) {
      List<Object> all = new ArrayList<>();
      node.forEach(one -> all.add(value(one)));
      return all;
    } else if (node.isTextual()) {
      return node.textValue();
    } else if (node.isBoolean()) {
      return node.booleanValue();
    }
    return node.isNull() ? null : node.numberValue();
  }

  public void value(String name, @Nullable Object value) {
    values.put(name, value);
  }

  /** A value as text; empty if there is none. */
  public Optional<String> text(String name) {
    return Optional.ofNullable(values.get(name)).map(Object::toString);
  }

  public Table table(String name, String... columns) {
    Table table = new Table(List.of(columns));
    tables.put(name, table);
    return table;
  }

  /** Writes one JSON object: the values, and each table as an array of objects. */
  public void writeJson(Writer out) throws IOException {
    write(out, true);
  }

  /** The same in one line. */
  public void writeJsonLine(Writer out) throws IOException {
    write(out, false);
  }

  private void write(Writer out, boolean isPretty) throws IOException {
    JsonGenerator json = JsonText.factory().createGenerator(out);
    json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    if (isPretty) {
      json.useDefaultPrettyPrinter();
    }
    write(json);
    json.close();
    out.write("\n");
    out.flush();
  }

  private void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    for (Map.Entry<String, Object> value : values.entrySet()) {
      json.writeFieldName(value.getKey());
      write(json, value.getValue());
    }
    for (Map.Entry<String, Table> table : tables.entrySet()) {
      json.writeArrayFieldStart(table.getKey());
      for (Object[] row : table.getValue().rows) {
        json.writeStartObject();
        for (int c = 0; c < row.length; c++) {
          json.writeFieldName(table.getValue().columns.get(c));
          write(json, row[c]);
        }
        json.writeEndObject();
      }
      json.writeEndArray();
    }
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
    if (value == null) {
      json.writeNull();
    } else if (value instanceof Boolean flag) {
      json.writeBoolean(flag);
    } else if (value instanceof Double number) {
      json.writeNumber(number);
    } else if (value instanceof BigInteger number) {
      json.writeNumber(number);
    } else if (value instanceof Number number) {
      json.writeNumber(number.longValue());
    } else if (value instanceof Facts facts) {
      facts.write(json);
    } else if (value instanceof List<?> all) {
      json.writeStartArray();
      for (Object one : all) {
        write(json, one);
      }
      json.writeEndArray();
    } else {
      json.writeString(value.toString());
    }
  }

  /** Prints a line for each value, then the tables, numbers to the right. */
  public void print(PrintStream out) {
    int widest = values.keySet().stream().mapToInt(String::length).max().orElse(0);
    values.forEach((name, value) -> out.println(padded(name, widest, false) + "  " + text(value)));
    tables.forEach(
        (name, table) -> {
          if (!table.rows.isEmpty()) {
            out.println();
            out.println(name);
            print(table, out);
          }
        });
  }

  private static void print(Table table, PrintStream out) {
    int columns = table.columns.size();
    int[] width = new int[columns];
    boolean[] right = new boolean[columns];
    for (int c = 0; c < columns; c++) {
      width[c] = table.columns.get(c).length();
      for (Object[] row : table.rows) {
        width[c] = Math.max(width[c], text(row[c]).length());
        right[c] |= row[c] instanceof Number;
      }
    }
    line(table.columns.toArray(), width, right, out);
    table.rows.forEach(row -> line(row, width, right, out));
  }

  private static void line(Object[] cells, int[] width, boolean[] right, PrintStream out) {
    StringBuilder line = new StringBuilder();
    for (int c = 0; c < cells.length; c++) {
      line.append("  ").append(padded(text(cells[c]), width[c], right[c]));
    }
    out.println(line.toString().stripTrailing());
  }

  private static String padded(String text, int width, boolean right) {
    String blanks = " ".repeat(Math.max(0, width - text.length()));
    return right ? blanks + text : text + blanks;
  }

  private static String text(@Nullable Object value) {
    if (value == null) {
      return "";
    }
    if (value instanceof Double number) {
      if (number == Math.rint(number) && Math.abs(number) < 1e15) {
        return Long.toString(number.longValue());
      }
      return Math.abs(number) >= 1e15 || Math.abs(number) < 1e-4
          ? number.toString()
          : new BigDecimal(String.format(Locale.ROOT, "%.6f", number))
              .stripTrailingZeros()
              .toPlainString();
    }
    return ShownText.of(value.toString());
  }
}
