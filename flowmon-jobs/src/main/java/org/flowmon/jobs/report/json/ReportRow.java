package org.flowmon.jobs.report.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.time.FlowTime;

/**
 * A row of a report in Kafka, or the message of a report without rows: the format of {@link
 * ReportJson#messages}, parsed ({@code docs/format/reports.md}).
 *
 * @param windowStart in microseconds, inclusive
 * @param windowEnd in microseconds, exclusive
 * @param rows number of the report's rows
 * @param rowNumber 1 … {@code rows}; 0 if there are none: then there are no columns
 * @param columns by name, in their order: text, {@link BigInteger}, {@link Double}, {@link Boolean}
 *     or null
 * @param confidence by name, with values as in {@code columns}
 * @param approximate the approximations of columns, by name; empty if all is exact
 */
public record ReportRow(
    String analysis,
    long windowStart,
    long windowEnd,
    int revision,
    int rows,
    int rowNumber,
    String rowKey,
    Map<String, Object> columns,
    Map<String, Object> confidence,
    List<Map<String, Object>> approximate) {
  private static final JsonFactory JSON = new JsonFactory();

  public ReportRow {
    columns =
        Collections.unmodifiableMap(columns); // Map.copyOf takes neither NULLs nor their order
    confidence = Collections.unmodifiableMap(confidence);
    approximate = approximate.stream().map(Collections::unmodifiableMap).toList();
  }

  /**
   * Parses a message of any origin.
   *
   * @param message JSON in UTF-8; null, as in a tombstone, is invalid
   * @throws IOException if it is no row of a report, or of an unknown version; names the expected
   *     format
   */
  public static ReportRow parse(byte[] message) throws IOException {
    if (message == null) {
      throw new IOException("expected a row of a report, found a message without a value");
    }
    Map<String, Object> columns = null;
    Map<String, Object> confidence = null;
    List<Map<String, Object>> approximate = new ArrayList<>();
    Map<String, Object> members = new LinkedHashMap<>();
    try (JsonParser json = JSON.createParser(message)) {
      expect(json.nextToken() == JsonToken.START_OBJECT, "an object");
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        boolean isObject = json.nextToken() == JsonToken.START_OBJECT;
        if (name.equals("columns")) {
          expect(isObject, "columns as an object");
          columns = scalars(json);
        } else if (name.equals("confidence")) {
          expect(isObject, "confidence as an object");
          confidence = scalars(json);
        } else if (name.equals("approximate") && json.currentToken() == JsonToken.START_ARRAY) {
          while (json.nextToken() == JsonToken.START_OBJECT) {
            approximate.add(scalars(json));
          }
          expect(json.currentToken() == JsonToken.END_ARRAY, "approximate as objects");
        } else {
          add(members, name, json);
        }
      }
      expect(json.currentToken() == JsonToken.END_OBJECT && json.nextToken() == null, "one object");
    }
    return of(members, columns, confidence, approximate);
  }

  private static ReportRow of(
      Map<String, Object> members,
      Map<String, Object> columns,
      Map<String, Object> confidence,
      List<Map<String, Object>> approximate)
      throws IOException {
    int version = integer(members, "version");
    if (version != ReportJson.VERSION && version != ReportJson.VERSION_WITHOUT_ROWS) {
      throw new IOException(
          "version "
              + version
              + " of a report, expected "
              + ReportJson.VERSION
              + ", or "
              + ReportJson.VERSION_WITHOUT_ROWS
              + " without rows");
    }
    boolean hasRow = version == ReportJson.VERSION;
    expect(columns != null || !hasRow, "columns");
    expect(confidence != null, "confidence");
    ReportRow row =
        new ReportRow(
            text(members, "analysis"),
            time(members, "window_start"),
            time(members, "window_end"),
            integer(members, "revision"),
            integer(members, "rows"),
            hasRow ? integer(members, "row_number") : 0,
            hasRow ? text(members, "row_key") : "",
            hasRow ? columns : Map.of(),
            confidence,
            approximate);
    expect(row.revision > 0, "a revision above 0");
    if (hasRow) {
      expect(row.rowNumber > 0 && row.rowNumber <= row.rows, "row_number from 1 to rows");
    } else {
      expect(row.rows == 0, "rows 0 in version " + version);
    }
    return row;
  }

  /** Returns the scalar members of the object that begins here; others are skipped. */
  private static Map<String, Object> scalars(JsonParser json) throws IOException {
    Map<String, Object> members = new LinkedHashMap<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      add(members, name, json);
    }
    return members;
  }

  private static void add(Map<String, Object> members, String name, JsonParser json)
      throws IOException {
    switch (json.currentToken()) {
      case VALUE_STRING -> members.put(name, json.getText());
      case VALUE_NUMBER_INT -> members.put(name, json.getBigIntegerValue());
      case VALUE_NUMBER_FLOAT -> members.put(name, json.getDoubleValue());
      case VALUE_TRUE, VALUE_FALSE -> members.put(name, json.getBooleanValue());
      case VALUE_NULL -> members.put(name, null);
      default -> json.skipChildren();
    }
  }

  private static String text(Map<String, Object> members, String name) throws IOException {
    if (members.get(name) instanceof String text) {
      return text;
    }
    throw new IOException("expected " + name + " as text, found " + members.get(name));
  }

  private static int integer(Map<String, Object> members, String name) throws IOException {
    if (members.get(name) instanceof BigInteger number && number.bitLength() < Integer.SIZE) {
      return number.intValue();
    }
    throw new IOException("expected " + name + " as a number, found " + members.get(name));
  }

  private static long time(Map<String, Object> members, String name) throws IOException {
    String text = text(members, name);
    try {
      return FlowTime.micros(Instant.parse(text));
    } catch (DateTimeException | ArithmeticException e) {
      throw new IOException("expected " + name + " as a time, found '" + text + "'", e);
    }
  }

  private static void expect(boolean holds, String what) throws IOException {
    if (!holds) {
      throw new IOException("expected " + what);
    }
  }
}
