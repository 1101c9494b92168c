package org.flowmon.jobs.sink.postgres;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.flowmon.ingest.text.JsonText;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.sink.postgres.PostgresTable.Column;

/**
 * Reads reports from the tables that {@link PostgresReports} writes, as the messages that Kafka has
 * of them ({@code docs/format/reports.md}). It needs the right to select, and no more. All of one
 * answer is of one moment. Thread-safe.
 */
public final class StoredReports implements AutoCloseable {
  /** Each analysis by itself, so that the primary key finds the newest windows of many. */
  private static final String NAMES =
      """
      WITH RECURSIVE names AS (
        (SELECT analysis FROM flowmon_windows ORDER BY analysis LIMIT 1)
        UNION ALL
        SELECT (SELECT w.analysis FROM flowmon_windows w WHERE w.analysis > n.analysis
          ORDER BY w.analysis LIMIT 1) FROM names n WHERE n.analysis IS NOT NULL)
      """;

  private static final String ONE_NAME = "WITH names AS (SELECT ?::text AS analysis)\n";

  private static final String WINDOWS =
      """
      SELECT w.*, (SELECT jsonb_agg(one - 'exact' ORDER BY place)
          FROM jsonb_path_query(to_jsonb(w), 'strict $.approximate[*]', '{}', true)
          WITH ORDINALITY AS all_of(one, place)) AS later_approximate
      FROM names n CROSS JOIN LATERAL (
        SELECT * FROM flowmon_windows o
        WHERE o.analysis = n.analysis AND o.window_end >= ? AND o.window_end < ? AND o.row_count >= ?
        ORDER BY o.window_end DESC, o.window_start DESC LIMIT ?) w
      ORDER BY w.window_end DESC, w.analysis COLLATE "C", w.window_start DESC LIMIT ?
      """;

  private final ReadSessions sessions;

  public StoredReports(JobConfig.Postgres postgres) {
    this.sessions = new ReadSessions(postgres);
  }

  /**
   * Which reports: of windows that end in [from, to), in microseconds.
   *
   * @param analysis empty: of all
   */
  public record Asked(Optional<String> analysis, long from, long to, boolean withEmpty) {}

  /**
   * A report as it is now.
   *
   * @param isUpdated it replaced one of fewer flows
   * @param isComplete false if the table of the analysis lacks rows, as one that was dropped
   * @param messages one for each row, or a single one without
   */
  public record Stored(
      String analysis,
      long start,
      long end,
      int revision,
      boolean isUpdated,
      boolean isComplete,
      int rows,
      List<byte[]> messages) {}

  /** Some reports; {@code isCut}: there was no room for others that follow. */
  public record Found(List<Stored> reports, boolean isCut) {}

  /** More than the caller has room for. */
  public static final class TooManyException extends Exception {
    private static final long serialVersionUID = 1L;

    TooManyException(long mostBytes) {
      super("the reports have more than " + mostBytes + " bytes");
    }
  }

  public String place() {
    return sessions.place();
  }

  /** Throws {@link SQLException} with the reason if the database does not answer. */
  public void mustAnswer() throws SQLException {
    sessions.mustAnswer();
  }

  /**
   * The windows that end last, in the order of their ends from the last one, then of the names of
   * their analyses.
   *
   * @param mostBytes of all messages together; beyond them the rest is left out
   * @param least reports that are of use to the caller
   * @throws TooManyException if fewer have room
   */
  public Found newest(Asked asked, int least, int most, long mostBytes)
      throws SQLException, TooManyException {
    return sessions.<Found, TooManyException>ask(
        connection -> newest(connection, asked, least, most, mostBytes));
  }

  private static Found newest(
      Connection connection, Asked asked, int least, int most, long mostBytes)
      throws SQLException, TooManyException {
    if (PostgresTable.found(connection, "flowmon_windows").isEmpty()) {
      return new Found(List.of(), false); // the job has not reported yet
    }
    List<Stored> found = new ArrayList<>();
    Map<String, Map<String, Column>> tables = new HashMap<>();
    long bytes = 0;
    String sql = (asked.analysis().isPresent() ? ONE_NAME : NAMES) + WINDOWS;
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      int at = 1;
      if (asked.analysis().isPresent()) {
        select.setString(at++, asked.analysis().get());
      }
      select.setObject(at++, PostgresTable.bound(asked.from()));
      select.setObject(at++, PostgresTable.bound(asked.to()));
      select.setInt(at++, asked.withEmpty() ? 0 : 1);
      select.setInt(at++, most);
      select.setInt(at, most);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          StoredWindow window = StoredWindow.of(rows);
          Map<String, Column> columns = tables.get(window.analysis());
          if (columns == null) {
            columns = PostgresTable.found(connection, PostgresTable.nameOf(window.analysis()));
            tables.put(window.analysis(), columns);
          }
          Stored stored = stored(connection, window, columns);
          bytes += stored.messages().stream().mapToLong(message -> message.length).sum();
          if (bytes > mostBytes && found.size() < least) {
            throw new TooManyException(mostBytes);
          } else if (bytes > mostBytes) {
            return new Found(found, true);
          }
          found.add(stored);
        }
      }
    }
    return new Found(found, false);
  }

  private static Stored stored(
      Connection connection, StoredWindow window, Map<String, Column> columns) throws SQLException {
    List<byte[]> messages = new ArrayList<>();
    Map<String, Column> own = new LinkedHashMap<>(columns);
    own.keySet().removeAll(ReportColumn.RESERVED);
    if (window.rows() > 0 && !columns.isEmpty()) {
      try (PreparedStatement select = connection.prepareStatement(select(window, own))) {
        select.setObject(1, PostgresTable.time(window.end()));
        select.setObject(2, PostgresTable.time(window.start()));
        try (ResultSet rows = select.executeQuery()) {
          while (rows.next()) {
            messages.add(json(json -> window.message(json, new Row(rows, own))));
          }
        }
      }
    }
    boolean isComplete = messages.size() == window.rows();
    if (messages.isEmpty()) {
      messages.add(json(json -> window.message(json, null)));
    }
    return window.with(messages, isComplete);
  }

  private static String select(StoredWindow window, Map<String, Column> own) {
    String items =
        own.entrySet().stream()
            .map(
                one ->
                    one.getValue().type().equals("interval")
                        ? ", (extract(epoch FROM \"%s\") * 1000000)::numeric(39,0)"
                            .formatted(one.getKey())
                        : ", \"" + one.getKey() + "\"")
            .collect(Collectors.joining());
    return "SELECT row_number, row_key%s FROM \"%s\" WHERE window_end = ? AND window_start = ? ORDER BY row_number"
        .formatted(items, PostgresTable.nameOf(window.analysis()));
  }

  /** The row that a result is at. */
  static final class Row {
    private final ResultSet rows;
    private final Map<String, Column> columns;

    private Row(ResultSet rows, Map<String, Column> columns) {
      this.rows = rows;
      this.columns = columns;
    }

    boolean hasLists() {
      return columns.values().stream().anyMatch(Column::isList);
    }

    /** Returns its number. */
    int write(JsonGenerator json) throws SQLException, IOException {
      json.writeNumberField("row_number", rows.getInt(1));
      json.writeStringField("row_key", rows.getString(2));
      json.writeObjectFieldStart("columns");
      int at = 3;
      for (Map.Entry<String, Column> column : columns.entrySet()) {
        json.writeFieldName(column.getKey());
        StoredWindow.value(json, rows, at++, column.getValue().type(), column.getValue().isList());
      }
      json.writeEndObject();
      return rows.getInt(1);
    }
  }

  private interface Writing {
    void to(JsonGenerator json) throws SQLException, IOException;
  }

  private static byte[] json(Writing writing) throws SQLException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
    try (JsonGenerator json = JsonText.factory().createGenerator(bytes)) {
      writing.to(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // into memory
    }
    return bytes.toByteArray();
  }

  @Override
  public void close() {
    sessions.close();
  }
}
