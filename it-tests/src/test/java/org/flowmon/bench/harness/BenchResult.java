package org.flowmon.bench.harness;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The rows of a benchmark, shown as a table or as one JSON object: {@code {"bench": …, "machine":
 * {…}, "results": [{…}, …]}}. JSON has the measured figures without rounding.
 */
public final class BenchResult {
  private static final String TABLE = "table";

  private final String bench;
  private final List<Map<String, Object>> rows = new ArrayList<>();
  private final Map<String, String> legend = new LinkedHashMap<>();

  public BenchResult(String bench) {
    this.bench = bench;
  }

  /** Adds a row; the first row's keys are the table's columns. */
  public void row(Row row) {
    rows.add(row.values());
  }

  /** Adds a row; the first row's keys are the table's columns. Values are text, long or double. */
  public void row(Map<String, Object> row) {
    rows.add(new LinkedHashMap<>(row));
  }

  /** Explains a column under the table. */
  public BenchResult explain(String column, String what) {
    legend.put(column, what);
    return this;
  }

  /** A row as a sentence: {@code numbers, skewed, adaptive: exact 0.826, missed 0.01}. */
  public static String sentence(Map<String, Object> row) {
    List<String> of = new ArrayList<>();
    List<String> figures = new ArrayList<>();
    row.forEach(
        (name, value) -> {
          if (value instanceof Double number) {
            figures.add(name.replace('_', ' ') + " " + String.format("%.4g", number));
          } else if (value instanceof Number number) {
            figures.add(name.replace('_', ' ') + " " + String.format("%,d", number.longValue()));
          } else {
            of.add(String.valueOf(value));
          }
        });
    boolean both = !of.isEmpty() && !figures.isEmpty();
    return String.join(", ", of) + (both ? ": " : "") + String.join(", ", figures);
  }

  /** Merges the rows of several results, each row with the name of its result before its values. */
  public static BenchResult merged(String bench, List<BenchResult> tables) {
    BenchResult all = new BenchResult(bench);
    for (BenchResult table : tables) {
      for (Map<String, Object> row : table.rows) {
        Map<String, Object> named = new LinkedHashMap<>();
        named.put(TABLE, table.bench);
        named.putAll(row);
        all.rows.add(named);
      }
    }
    return all;
  }

  /**
   * Reads the tables of a {@linkplain #merged merged} result.
   *
   * @param json the output of {@link #toJson}
   * @throws IOException if it is anything else
   */
  public static List<BenchResult> read(byte[] json) throws IOException {
    Map<String, BenchResult> tables = new LinkedHashMap<>();
    try (JsonParser in = new JsonFactory().createParser(json)) {
      while (in.nextToken() != null && in.currentToken() != JsonToken.START_ARRAY) {}
      while (in.nextToken() == JsonToken.START_OBJECT) {
        Map<String, Object> row = new LinkedHashMap<>();
        while (in.nextToken() == JsonToken.FIELD_NAME) {
          String name = in.currentName();
          row.put(
              name,
              switch (in.nextToken()) {
                case VALUE_NUMBER_INT -> (Object) in.getLongValue();
                case VALUE_NUMBER_FLOAT -> (Object) in.getDoubleValue();
                default -> in.getText();
              });
        }
        String table = String.valueOf(row.remove(TABLE));
        tables.computeIfAbsent(table, BenchResult::new).row(row);
      }
    }
    return List.copyOf(tables.values());
  }

  /** The name of the benchmark. */
  public String bench() {
    return bench;
  }

  /** The rows in order. */
  public List<Map<String, Object>> rows() {
    return List.copyOf(rows);
  }

  public void print(boolean json) throws IOException {
    PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
    if (json) {
      out.println(toJson());
    } else {
      printTable(out);
    }
    out.flush();
  }

  /** Returns the result as one JSON object. */
  public String toJson() throws IOException {
    StringWriter text = new StringWriter();
    JsonGenerator json = new JsonFactory().createGenerator(text);
    json.writeStartObject();
    json.writeStringField("bench", bench);
    json.writeObjectFieldStart("machine");
    json.writeNumberField("cores", Runtime.getRuntime().availableProcessors());
    json.writeStringField("java", Runtime.version().toString());
    json.writeNumberField("heap_bytes", Runtime.getRuntime().maxMemory());
    json.writeEndObject();
    json.writeArrayFieldStart("results");
    for (Map<String, Object> row : rows) {
      json.writeStartObject();
      for (Map.Entry<String, Object> cell : row.entrySet()) {
        json.writeFieldName(cell.getKey());
        if (cell.getValue() instanceof Long number) {
          json.writeNumber(number);
        } else if (cell.getValue() instanceof Double number) {
          json.writeNumber(number);
        } else {
          json.writeString(String.valueOf(cell.getValue()));
        }
      }
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
    json.close();
    return text.toString();
  }

  private void printTable(PrintWriter out) {
    List<String> names = List.copyOf(rows.get(0).keySet());
    int[] width = names.stream().mapToInt(String::length).toArray();
    List<List<String>> cells = new ArrayList<>();
    for (Map<String, Object> row : rows) {
      List<String> line = new ArrayList<>();
      for (int c = 0; c < names.size(); c++) {
        String cell = text(row.get(names.get(c)));
        width[c] = Math.max(width[c], cell.length());
        line.add(cell);
      }
      cells.add(line);
    }
    out.println("bench " + bench + ", " + Runtime.getRuntime().availableProcessors() + " cores");
    printLine(out, names, width);
    cells.forEach(line -> printLine(out, line, width));
    legend.forEach((column, what) -> out.println("  " + column + ": " + what));
  }

  private static void printLine(PrintWriter out, List<String> cells, int[] width) {
    StringBuilder line = new StringBuilder();
    for (int c = 0; c < cells.size(); c++) {
      String pad = " ".repeat(width[c] - cells.get(c).length());
      line.append(c == 0 ? cells.get(c) + pad : "  " + pad + cells.get(c));
    }
    out.println(line);
  }

  private static String text(Object value) {
    if (value instanceof Long number) {
      return String.format("%,d", number);
    }
    return value instanceof Double number ? String.format("%,.2f", number) : String.valueOf(value);
  }
}
