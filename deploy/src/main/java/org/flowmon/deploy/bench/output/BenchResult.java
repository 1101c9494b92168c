package org.flowmon.deploy.bench.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The rows of a benchmark, shown as a table or as one JSON object: {@code {"bench": …, "machine":
 * {…}, "results": [{…}, …]}}. Figures are as they were measured; nothing is rounded in JSON.
 */
public final class BenchResult {
  private final String bench;
  private final List<Map<String, Object>> rows = new ArrayList<>();

  public BenchResult(String bench) {
    this.bench = bench;
  }

  /** Adds a row; the first one's keys are the table's columns. Values are text, long or double. */
  public void row(Map<String, Object> row) {
    rows.add(new LinkedHashMap<>(row));
  }

  public void print(boolean json) throws IOException {
    PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
    if (json) {
      printJson(out);
    } else {
      printTable(out);
    }
    out.flush();
  }

  private void printJson(PrintWriter out) throws IOException {
    JsonGenerator json = new JsonFactory().createGenerator(out);
    json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
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
    out.println();
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
