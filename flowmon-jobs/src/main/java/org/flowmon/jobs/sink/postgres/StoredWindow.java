package org.flowmon.jobs.sink.postgres;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.report.json.ReportJson;
import org.flowmon.jobs.sink.postgres.StoredReports.Stored;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code flowmon_windows}.
 *
 * @param values of the confidence and the approximations: columns by name, as JSON; an older table
 *     lacks some
 */
record StoredWindow(
    String analysis,
    long start,
    long end,
    int revision,
    boolean isUpdated,
    int rows,
    Map<String, String> values) {
  /** The members of a message's confidence, in order. */
  private static final List<String> CONFIDENCE =
      List.of(
          "history",
          "as_of",
          "history_from",
          "history_through",
          "arrived_through",
          "final_at",
          "flows",
          "late_flows",
          "ahead_flows",
          "lost_flows",
          "sampled_flows",
          "sampling_rate",
          "group_sampling",
          "groups",
          "groups_lower",
          "groups_upper",
          "message");

  static StoredWindow of(ResultSet row) throws SQLException {
    Map<String, String> values = new HashMap<>();
    boolean isUpdated = false;
    for (int c = 1; c <= row.getMetaData().getColumnCount(); c++) {
      String name = row.getMetaData().getColumnName(c);
      String type = row.getMetaData().getColumnTypeName(c);
      if (name.equals("updated")) {
        isUpdated = row.getBoolean(c);
      } else if (row.getObject(c) != null) {
        values.put(name, text(row, c, type));
      }
    }
    return new StoredWindow(
        row.getString("analysis"),
        micros(row, "window_start"),
        micros(row, "window_end"),
        row.getInt("revision"),
        isUpdated,
        row.getInt("row_count"),
        values);
  }

  private static String text(ResultSet row, int column, String type) throws SQLException {
    return switch (type) {
      case "text" -> "\"" + escaped(row.getString(column)) + "\"";
      case "timestamptz" -> "\"" + time(row.getObject(column, OffsetDateTime.class)) + "\"";
      case "float8" -> Double.toString(row.getDouble(column));
      default -> row.getString(column); // whole numbers and JSON
    };
  }

  private static String escaped(String text) {
    return new String(JsonStringEncoder.getInstance().quoteAsString(text));
  }

  private static long micros(ResultSet row, String column) throws SQLException {
    return FlowTime.micros(row.getObject(column, OffsetDateTime.class).toInstant());
  }

  private static String time(OffsetDateTime time) {
    return FlowTime.text(FlowTime.micros(time.toInstant()));
  }

  Stored with(List<byte[]> messages, boolean isComplete) {
    return new Stored(analysis, start, end, revision, isUpdated, isComplete, rows, messages);
  }

  /** {@code row}: null in the message of a report without rows. */
  void message(JsonGenerator json, StoredReports.@Nullable Row row)
      throws SQLException, IOException {
    json.writeStartObject();
    json.writeNumberField(
        "version", ReportJson.version(row != null, row != null && row.hasLists()));
    json.writeStringField("analysis", analysis);
    json.writeStringField("window_start", ReportJson.time(start));
    json.writeStringField("window_end", ReportJson.time(end));
    json.writeNumberField("revision", revision);
    json.writeNumberField("rows", rows);
    boolean isFirst = row == null || row.write(json) == 1;
    json.writeObjectFieldStart("confidence");
    for (String name : CONFIDENCE) {
      raw(json, name, values.getOrDefault(name, "null"));
    }
    member(json, "enrichment", "enrichment");
    json.writeEndObject();
    member(json, "approximate", isFirst ? "approximate" : "later_approximate");
    json.writeEndObject();
  }

  private void member(JsonGenerator json, String name, String of) throws IOException {
    String value = values.get(of);
    if (value != null) {
      raw(json, name, value);
    }
  }

  private static void raw(JsonGenerator json, String name, String value) throws IOException {
    json.writeFieldName(name);
    json.writeRawValue(value);
  }

  /** Writes a value of an analysis's table, of a type as format_type names it. */
  static void value(JsonGenerator json, ResultSet rows, int column, String type, boolean isList)
      throws SQLException, IOException {
    if (rows.getObject(column) == null) {
      json.writeNull();
      return;
    }
    switch (type) {
      case "boolean" -> json.writeBoolean(rows.getBoolean(column));
      case "bigint" -> json.writeNumber(rows.getLong(column));
      case "numeric(39,0)", "interval" ->
          json.writeNumber(rows.getBigDecimal(column).toBigIntegerExact());
      case "double precision" -> {
        double number = rows.getDouble(column);
        if (Double.isFinite(number)) {
          json.writeNumber(number);
        } else {
          json.writeNull();
        }
      }
      case "timestamp with time zone" ->
          json.writeString(time(rows.getObject(column, OffsetDateTime.class)));
      case "inet" -> json.writeString(IpAddress.parse(rows.getString(column)).toString());
      default -> {
        if (isList) {
          json.writeRawValue(rows.getString(column));
        } else {
          json.writeString(rows.getString(column));
        }
      }
    }
  }
}
