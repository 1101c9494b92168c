package org.flowmon.jobs.sink.postgres;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table of one analysis. Names, of checked identifiers (an analysis's name, {@link
 * ReportColumn#name}), stand in quotes; values are parameters.
 */
final class PostgresTable {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresTable.class);

  /**
   * An index of a larger table may take longer than the connection's limit. Then no report of the
   * analysis would ever be written.
   */
  private static final long MOST_INDEXED_BYTES = 64L << 20;

  // One creation at a time in a database: CREATE TABLE IF NOT EXISTS alone can collide.
  private static final long CREATION_LOCK = 0x666C_6F77_6D6F_6E01L;
  private static final int MAX_NAME = 63;

  /** The comment on columns whose texts are lists of items. */
  private static final String LIST = "list of items, JSON";

  private static final Set<String> NOT_OF_REPORTS = Set.of("updated", "written_at");

  /** Older tables of {@code flowmon_windows} lack some. */
  private static final Map<String, String> WINDOW_COLUMNS = windowColumns();

  /** The columns of {@code flowmon_windows} that a report sets, in order. */
  static List<String> windowColumnsOfReports() {
    return WINDOW_COLUMNS.keySet().stream().filter(name -> !NOT_OF_REPORTS.contains(name)).toList();
  }

  private static Map<String, String> windowColumns() {
    String columns =
        """
        analysis text NOT NULL
        window_start timestamptz NOT NULL
        window_end timestamptz NOT NULL
        revision integer NOT NULL
        row_count integer NOT NULL
        history text NOT NULL
        as_of timestamptz
        history_from timestamptz
        history_through timestamptz
        arrived_through timestamptz
        final_at timestamptz
        flows bigint NOT NULL
        late_flows bigint NOT NULL
        ahead_flows bigint NOT NULL
        lost_flows bigint NOT NULL
        sampled_flows bigint NOT NULL DEFAULT 0
        sampling_rate bigint NOT NULL DEFAULT 0
        group_sampling double precision NOT NULL DEFAULT 1
        groups bigint
        groups_lower bigint
        groups_upper bigint
        message text
        approximate jsonb
        enrichment jsonb
        updated boolean NOT NULL DEFAULT false
        written_at timestamptz NOT NULL
        """;
    Map<String, String> byName = new LinkedHashMap<>();
    columns.lines().forEach(line -> byName.put(line.substring(0, line.indexOf(' ')), line));
    return byName;
  }

  private final String analysis;
  private final String name;
  private final List<ReportColumn> columns;

  PostgresTable(String analysis, List<ReportColumn> columns) {
    this.analysis = analysis;
    this.name = nameOf(analysis);
    this.columns = columns;
  }

  static String nameOf(String analysis) {
    return "report_" + analysis;
  }

  /** Of a window's rows; its end and its start are the parameters. */
  static String deletionOfWindow(String analysis) {
    return "DELETE FROM \"%s\" WHERE window_end = ? AND window_start = ?"
        .formatted(nameOf(analysis));
  }

  List<ReportColumn> columns() {
    return columns;
  }

  void create(Connection connection) throws SQLException, PostgresRejectedException {
    try (Statement statement = connection.createStatement()) {
      lockCreation(statement);
      statement.execute(
          "CREATE TABLE IF NOT EXISTS flowmon_windows (%s, PRIMARY KEY (analysis, window_end, window_start))"
              .formatted(String.join(", ", WINDOW_COLUMNS.values())));
      Set<String> known = found(connection, "flowmon_windows").keySet();
      for (Map.Entry<String, String> column : WINDOW_COLUMNS.entrySet()) {
        if (!known.contains(column.getKey())) {
          statement.execute("ALTER TABLE flowmon_windows ADD COLUMN " + column.getValue());
        }
      }
      statement.execute(
          "CREATE TABLE IF NOT EXISTS \"%s\" (window_start timestamptz NOT NULL, window_end timestamptz NOT NULL, revision integer NOT NULL, row_key text NOT NULL, row_number integer NOT NULL, %s, PRIMARY KEY (window_end, window_start, row_key))"
              .formatted(
                  name,
                  columns.stream()
                      .map(column -> quoted(column) + " " + type(column))
                      .collect(Collectors.joining(", "))));
      Map<String, Column> found = found(connection, name);
      for (ReportColumn column : columns) {
        Column there = found.get(column.name());
        if (there == null) {
          statement.execute(
              "ALTER TABLE \"" + name + "\" ADD COLUMN " + quoted(column) + " " + type(column));
        } else if (!there.type().equals(type(column))) {
          throw new PostgresRejectedException(
              "table %s: column %s is %s, the analysis writes %s; rename the table (ALTER TABLE %s RENAME TO %s_old) or drop it, and it is created anew"
                  .formatted(name, column.name(), there.type(), type(column), name, name),
              null);
        }
        if (column.list() && (there == null || !there.isList()) && isOwned(connection, name)) {
          statement.execute(
              "COMMENT ON COLUMN \"%s\".%s IS '%s'".formatted(name, quoted(column), LIST));
        }
      }
      createIndexes(connection, statement);
    }
    connection.commit();
  }

  /** Until the transaction ends. */
  static void lockCreation(Statement statement) throws SQLException {
    statement.execute("SELECT pg_advisory_xact_lock(" + CREATION_LOCK + ")");
  }

  /**
   * By what dashboards ask for besides times: a row's key, and each address. An index that is
   * absent is made if the role owns the table and the table is small; without it questions are only
   * slower.
   */
  private void createIndexes(Connection connection, Statement statement) throws SQLException {
    createIndex(connection, statement, "flowmon_windows", "window_end", "window_end");
    createIndex(connection, statement, name, "row_key", "row_key, window_end");
    for (ReportColumn column : columns) {
      if (column.kind() == ValueKind.ADDRESS) {
        createIndex(connection, statement, name, column.name(), quoted(column) + ", window_end");
      }
    }
  }

  static void createIndex(
      Connection connection, Statement statement, String table, String what, String columns)
      throws SQLException {
    if (!isOwned(connection, table)) {
      return;
    }
    String index = indexName(table, what);
    String made = "\"%s\" ON \"%s\" (%s)".formatted(index, table, columns);
    String sql =
        "SELECT pg_table_size(oid) FROM pg_class WHERE oid = to_regclass(?)"
            + " AND to_regclass(?) IS NULL";
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setString(1, "\"" + table + "\"");
      select.setString(2, "\"" + index + "\"");
      try (ResultSet absent = select.executeQuery()) {
        if (!absent.next()) {
          return;
        }
        if (absent.getLong(1) > MOST_INDEXED_BYTES) {
          LOG.warn(
              "table {} has {} MiB, and reports would wait for its index; make it yourself, which"
                  + " holds up nobody: CREATE INDEX CONCURRENTLY {}",
              table,
              absent.getLong(1) >> 20,
              made);
          return;
        }
      }
    }
    statement.execute("CREATE INDEX IF NOT EXISTS " + made);
  }

  /** PostgreSQL cuts names off after 63 bytes: a longer one ends with its hash instead. */
  static String indexName(String table, String what) {
    String name = table + "_" + what + "_by";
    return name.length() <= MAX_NAME
        ? name
        : name.substring(0, MAX_NAME - 9) + "_%08x".formatted(name.hashCode());
  }

  private static boolean isOwned(Connection connection, String table) throws SQLException {
    String sql =
        "SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class"
            + " WHERE oid = to_regclass(?)";
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setString(1, "\"" + table + "\"");
      try (ResultSet owned = select.executeQuery()) {
        return owned.next() && owned.getBoolean(1);
      }
    }
  }

  /**
   * A column of a table.
   *
   * @param type as format_type names it
   * @param isList whether its texts are lists of items
   */
  record Column(String type, boolean isList) {}

  /** By name, in the order of the table; empty if there is no such table. */
  static Map<String, Column> found(Connection connection, String table) throws SQLException {
    String sql =
        """
        SELECT attname, format_type(atttypid, atttypmod), col_description(attrelid, attnum)
        FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped
        ORDER BY attnum
        """;
    Map<String, Column> columns = new LinkedHashMap<>();
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setString(1, "\"" + table + "\"");
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          columns.put(
              rows.getString(1), new Column(rows.getString(2), LIST.equals(rows.getString(3))));
        }
      }
    }
    return columns;
  }

  private static String quoted(ReportColumn column) {
    return "\"" + column.name() + "\"";
  }

  // The type's name in format_type.
  private static String type(ReportColumn column) {
    return switch (column.kind()) {
      case BOOLEAN -> "boolean";
      case LONG -> column.wide() ? "numeric(39,0)" : "bigint";
      case TIMESTAMP -> "timestamp with time zone";
      case DURATION -> "interval";
      case DOUBLE -> "double precision";
      case ADDRESS -> "inet";
      case TEXT -> "text";
    };
  }

  /** Within the caller's transaction. */
  void replace(Connection connection, Report report) throws SQLException {
    OffsetDateTime start = time(report.windowStart());
    OffsetDateTime end = time(report.windowEnd());
    try (PreparedStatement statement = connection.prepareStatement(deletionOfWindow(analysis))) {
      statement.setObject(1, end);
      statement.setObject(2, start);
      statement.executeUpdate();
    }
    ResultTable rows = report.rows();
    try (PreparedStatement statement = connection.prepareStatement(insert())) {
      for (int row = 0; row < rows.rowCount(); row++) {
        statement.setObject(1, start);
        statement.setObject(2, end);
        statement.setInt(3, report.revision());
        statement.setString(4, text(report.rowKey(row)));
        statement.setInt(5, row + 1);
        for (int c = 0; c < columns.size(); c++) {
          set(statement, 6 + c, rows, row, c);
        }
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  private String insert() {
    String names = columns.stream().map(c -> ", " + quoted(c)).collect(Collectors.joining());
    String places =
        columns.stream()
            .map(
                column ->
                    switch (column.kind()) {
                      case ADDRESS -> ", ?::inet";
                      case DURATION -> ", ?::interval";
                      default -> ", ?";
                    })
            .collect(Collectors.joining());
    return "INSERT INTO \"%s\" (window_start, window_end, revision, row_key, row_number%s) VALUES (?, ?, ?, ?, ?%s)"
        .formatted(name, names, places);
  }

  private void set(PreparedStatement statement, int index, ResultTable rows, int row, int column)
      throws SQLException {
    boolean isNull = rows.isNull(row, column);
    switch (columns.get(column).kind()) {
      case BOOLEAN ->
          statement.setObject(
              index, isNull ? null : rows.longValue(row, column) != 0, Types.BOOLEAN);
      case LONG -> {
        if (columns.get(column).wide()) {
          BigInteger value = rows.bigValue(row, column);
          statement.setObject(index, isNull ? null : new BigDecimal(value), Types.NUMERIC);
        } else {
          setLong(statement, index, isNull, rows.longValue(row, column));
        }
      }
      case TIMESTAMP ->
          setTime(statement, index, isNull ? HistoryAnswer.UNKNOWN : rows.longValue(row, column));
      case DOUBLE ->
          statement.setObject(index, isNull ? null : rows.doubleValue(row, column), Types.DOUBLE);
      case DURATION ->
          statement.setString(index, isNull ? null : rows.bigValue(row, column) + " microseconds");
      case ADDRESS -> statement.setString(index, isNull ? null : rows.formatted(row, column));
      case TEXT -> statement.setString(index, text(rows.text(row, column)));
    }
  }

  static void setLong(PreparedStatement statement, int index, boolean isNull, long value)
      throws SQLException {
    statement.setObject(index, isNull ? null : value, Types.BIGINT);
  }

  /** Microseconds; NULL if unknown. */
  static void setTime(PreparedStatement statement, int index, long micros) throws SQLException {
    boolean isUnknown = micros == HistoryAnswer.UNKNOWN;
    statement.setObject(index, isUnknown ? null : time(micros), Types.TIMESTAMP_WITH_TIMEZONE);
  }

  /** NUL is the only character that PostgreSQL's text cannot hold. */
  static @Nullable String text(@Nullable String value) {
    return value == null ? null : value.replace('\0', '\uFFFD');
  }

  static OffsetDateTime time(long micros) {
    return FlowTime.instant(micros).atOffset(ZoneOffset.UTC);
  }

  /** Before and after all times if there is no bound. */
  static OffsetDateTime bound(long micros) {
    return micros == Long.MIN_VALUE
        ? OffsetDateTime.MIN
        : micros == Long.MAX_VALUE ? OffsetDateTime.MAX : time(micros);
  }
}
