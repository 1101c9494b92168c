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
 * A report's row, or message without rows, of {@link ReportJson#messages} ({@code
 * docs/format/reports.md}). The window is [start, end), in microseconds.
 *
 * @param rowNumber 1 … {@code rows}; 0, and no columns, if there are none
 * @param columns by name, in order: text, {@link BigInteger}, {@link Double}, {@link Boolean} or
 *     null; a list is the text of its JSON, as up to version 2 of the message
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
   * Parses JSON in UTF-8 of any origin; null, a tombstone, is invalid. IOException names the
   * expected format if it is no row or of an unknown version.
   */
  public static ReportRow parse(byte[] message) throws IOException {
    JsonMessage json = JsonMessage.parse(message);
    int version = json.integer("version");
    boolean hasRow = version == ReportJson.VERSION || version == ReportJson.VERSION_WITH_LISTS;
    if (!hasRow && version != ReportJson.VERSION_WITHOUT_ROWS) {
      throw new IOException(
          "version %d of a report, expected %d, %d with lists, or %d without rows"
              .formatted(
                  version,
                  ReportJson.VERSION,
                  ReportJson.VERSION_WITH_LISTS,
                  ReportJson.VERSION_WITHOUT_ROWS));
    }
    Map<String, Object> columns =
        hasRow || json.has("columns") ? json.scalarsAndLists("columns") : Map.of();
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
            hasRow ? columns : Map.of(),
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
