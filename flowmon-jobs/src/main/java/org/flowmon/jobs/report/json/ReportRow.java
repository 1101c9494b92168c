package org.flowmon.jobs.report.json;

import java.io.IOException;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.topic.JsonMessage;

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
    JsonMessage json = JsonMessage.parse(message);
    int version = json.integer("version");
    if (version != ReportJson.VERSION && version != ReportJson.VERSION_WITHOUT_ROWS) {
      throw new IOException(
          "version %d of a report, expected %d, or %d without rows"
              .formatted(version, ReportJson.VERSION, ReportJson.VERSION_WITHOUT_ROWS));
    }
    boolean hasRow = version == ReportJson.VERSION;
    Map<String, Object> columns = hasRow ? json.scalars("columns") : Map.of();
    Map<String, Object> confidence = json.scalars("confidence");
    ReportRow row =
        new ReportRow(
            json.text("analysis"),
            time(json, "window_start"),
            time(json, "window_end"),
            json.integer("revision"),
            json.integer("rows"),
            hasRow ? json.integer("row_number") : 0,
            hasRow ? json.text("row_key") : "",
            columns,
            confidence,
            json.has("approximate")
                ? json.objects("approximate").stream().map(JsonMessage::scalars).toList()
                : List.of());
    JsonMessage.expect(row.revision > 0, "a revision above 0");
    if (hasRow) {
      JsonMessage.expect(
          row.rowNumber > 0 && row.rowNumber <= row.rows, "row_number from 1 to rows");
    } else {
      JsonMessage.expect(row.rows == 0, "rows 0 in version " + version);
    }
    return row;
  }

  private static long time(JsonMessage json, String name) throws IOException {
    String text = json.text(name);
    try {
      return FlowTime.micros(Instant.parse(text));
    } catch (DateTimeException | ArithmeticException e) {
      throw new IOException("expected " + name + " as a time, found '" + text + "'", e);
    }
  }
}
