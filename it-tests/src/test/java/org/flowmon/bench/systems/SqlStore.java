package org.flowmon.bench.systems;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.flowmon.bench.archive.Answer;
import org.flowmon.flow.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * A database: rows go in by a prepared INSERT, up to {@value #BATCH_ROWS} to a batch, with the
 * indexes in place.
 */
abstract class SqlStore implements FlowStore {
  static final String TABLE = "flows";

  private static final int BATCH_ROWS = 1_000;
  private static final FlowField[] FIELDS = FlowField.values();

  private Layout layout = new Layout(Layout.Fields.INTEGER, Layout.Indexes.NONE, 1);
  private @Nullable Connection connection;
  private @Nullable PreparedStatement insert;
  private int batched;
  private int uncommitted;

  // What differs between databases.

  /** A new connection to the running server or file. */
  abstract Connection connect() throws SQLException;

  /** The type of a column. */
  abstract String type(FlowField.Kind kind, Layout.Fields fields);

  /** The parameter of a column in an INSERT. */
  String parameter(FlowField.Kind kind, Layout.Fields fields) {
    return "?";
  }

  /** An expression of the begin of a flow's slot, in seconds. */
  abstract String slot(Layout.Fields fields);

  /** Writes what is only in memory to the table's files. */
  abstract void flush() throws SQLException;

  /** The statement that gathers the optimizer's statistics. */
  abstract String analyze();

  final Connection connection() throws SQLException {
    if (connection == null) {
      connection = connect();
    }
    return connection;
  }

  final void disconnect() throws SQLException {
    if (insert != null) {
      insert.close();
      insert = null;
    }
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }

  final void execute(String sql) throws SQLException {
    try (Statement statement = connection().createStatement()) {
      statement.execute(sql);
    }
  }

  final String one(String sql) throws SQLException {
    try (Statement statement = connection().createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  @Override
  public void create(Layout newLayout) throws IOException, SQLException {
    layout = newLayout;
    execute("DROP TABLE IF EXISTS " + TABLE);
    execute(
        Arrays.stream(FIELDS)
            .map(f -> f.column() + " " + type(f.kind(), layout.fields()) + " NOT NULL")
            .collect(Collectors.joining(", ", "CREATE TABLE " + TABLE + " (", ")")));
    int number = 0;
    for (List<FlowField> index : layout.indexes().fields()) {
      execute(
          index.stream()
              .map(FlowField::column)
              .collect(
                  Collectors.joining(
                      ", ", "CREATE INDEX flows_" + number++ + " ON " + TABLE + " (", ")")));
    }
    connection().setAutoCommit(false);
    insert =
        connection()
            .prepareStatement(
                Arrays.stream(FIELDS)
                    .map(f -> parameter(f.kind(), layout.fields()))
                    .collect(Collectors.joining(", ", "INSERT INTO " + TABLE + " VALUES (", ")")));
  }

  @Override
  public void load(FlowData data, int from, int to) throws SQLException {
    PreparedStatement statement = Objects.requireNonNull(insert);
    for (int row = from; row < to; row++) {
      for (int f = 0; f < FIELDS.length; f++) {
        set(statement, f + 1, FIELDS[f].kind(), data.get(FIELDS[f], row));
      }
      statement.addBatch();
      batched++;
      uncommitted++;
      if (batched == BATCH_ROWS || uncommitted == layout.transaction()) {
        send(statement);
      }
      if (uncommitted == layout.transaction()) {
        commit();
      }
    }
  }

  private void set(PreparedStatement statement, int at, FlowField.Kind kind, long value)
      throws SQLException {
    if (layout.fields() == Layout.Fields.NATIVE && kind == FlowField.Kind.ADDRESS) {
      statement.setString(at, IpAddress.ofIpv4((int) value).toString());
    } else if (layout.fields() == Layout.Fields.NATIVE && kind == FlowField.Kind.SECONDS) {
      statement.setString(at, text(value));
    } else {
      statement.setLong(at, value);
    }
  }

  /** A time as databases write it, in UTC. */
  private static String text(long seconds) {
    LocalDateTime time = LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC);
    String text = time.toString(); // without seconds if they are 0
    return text.substring(0, 10) + " " + text.substring(11) + (time.getSecond() == 0 ? ":00" : "");
  }

  private void send(PreparedStatement statement) throws SQLException {
    int[] unused = statement.executeBatch();
    batched = 0;
  }

  private void commit() throws SQLException {
    connection().commit();
    uncommitted = 0;
  }

  @Override
  public void finish() throws SQLException {
    if (batched > 0) {
      send(Objects.requireNonNull(insert));
    }
    commit();
    connection().setAutoCommit(true);
    execute(analyze());
    flush();
  }

  @Override
  public Answer answer(StudyQuery query) throws SQLException {
    AnswerRows answer = new AnswerRows(query);
    String sql = query == StudyQuery.A ? slots() : totals();
    try (Statement statement = connection().createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      long[] values = new long[query.columns()];
      while (rows.next()) {
        for (int c = 0; c < values.length; c++) {
          boolean isAddress =
              query == StudyQuery.B
                  && layout.fields() == Layout.Fields.NATIVE
                  && c < StudyQuery.KEYS.size()
                  && StudyQuery.KEYS.get(c).kind() == FlowField.Kind.ADDRESS;
          values[c] =
              isAddress
                  ? IpAddress.parse(rows.getString(c + 1)).lo() & 0xFFFF_FFFFL
                  : rows.getLong(c + 1);
        }
        answer.add(values);
      }
    }
    return answer.answer();
  }

  private String slots() {
    return "SELECT "
        + slot(layout.fields())
        + " AS slot, COUNT(*) AS flow_count FROM "
        + TABLE
        + " GROUP BY slot ORDER BY slot";
  }

  private String totals() {
    List<String> keys = new ArrayList<>();
    StudyQuery.KEYS.forEach(field -> keys.add(field.column()));
    String columns = String.join(", ", keys);
    return "SELECT "
        + columns
        + ", COUNT(*) AS flow_count, SUM(num_bytes) AS octets, SUM(num_packets) AS packets FROM "
        + TABLE
        + " WHERE secs_flowstart >= "
        + literal(StudyQuery.FROM)
        + " AND secs_flowend <= "
        + literal(StudyQuery.TO)
        + " GROUP BY "
        + columns
        + " ORDER BY octets DESC";
  }

  private String literal(long seconds) {
    return layout.fields() == Layout.Fields.NATIVE
        ? "'" + text(seconds) + "'"
        : Long.toString(seconds);
  }

  @Override
  public void close() throws IOException, SQLException {
    disconnect();
  }
}
