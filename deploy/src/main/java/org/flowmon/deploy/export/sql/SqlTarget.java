package org.flowmon.deploy.export.sql;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.flowmon.deploy.export.row.ExportCancelledException;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.deploy.export.row.ExportTarget;

/**
 * A table of a SQL database, created from the columns. Rows go into a temporary table in batches,
 * one transaction each. In the end that table is renamed, or its rows are appended in one
 * transaction: a reader never sees a part. A killed process leaves {@code NAME_loading_…} behind.
 */
public final class SqlTarget implements ExportTarget {
  /** Options of storing rows; {@code append}: to an existing table. */
  public record Options(String table, SqlTypes types, BatchSize batch, boolean append) {}

  private final Connection connection;
  private final SqlDialect dialect;
  private final Options options;
  private final String schema;
  private final String name;
  private final String loading;
  private final CancellableStatements statements = new CancellableStatements();
  private String columnNames = "";
  private Optional<PreparedStatement> insert = Optional.empty(); // since it began
  private int pending;
  private long begun;
  private boolean exists; // the temporary table for rows
  private boolean appended;

  /**
   * Connects; {@code login} has {@code user} and {@code password} if needed.
   *
   * @throws IOException if the database does not answer or has the table
   * @throws IllegalArgumentException if the URL is of an unknown database, or the table's name is
   *     invalid
   */
  public static SqlTarget open(String url, Properties login, Options options) throws IOException {
    SqlDialect dialect =
        SqlDialect.of(url)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "no database of '"
                            + url.replaceFirst("[?].*", "").replaceFirst("//.*@", "//")
                            + "': expected jdbc:postgresql:, jdbc:mariadb:, jdbc:mysql: or"
                            + " jdbc:sqlite:"));
    Properties properties = new Properties();
    properties.putAll(login);
    if (dialect == SqlDialect.POSTGRESQL) {
      properties.put("reWriteBatchedInserts", "true");
    }
    // MariaDB's driver speaks to both and accepts its own scheme only.
    String driverUrl = url.replaceFirst("^jdbc:mysql:", "jdbc:mariadb:");
    requireDriver(driverUrl);
    try {
      return new SqlTarget(DriverManager.getConnection(driverUrl, properties), dialect, options);
    } catch (SQLException e) {
      throw new IOException("the database cannot be reached: " + message(e), e);
    }
  }

  /** MariaDB's driver is not bundled because of its LGPL. */
  private static void requireDriver(String url) throws IOException {
    try {
      DriverManager.getDriver(url);
    } catch (SQLException e) {
      throw new IOException(
          "no driver for "
              + url.substring(0, url.indexOf(':', "jdbc:".length()) + 1)
              + " is there; FLOWMON_CLASS_PATH=mariadb-java-client-3.5.6.jar adds MariaDB's, of"
              + " org.mariadb.jdbc in Maven Central (docs/tools.md)",
          e);
    }
  }

  private SqlTarget(Connection connection, SqlDialect dialect, Options options) {
    this.connection = connection;
    this.dialect = dialect;
    this.options = options;
    int dot = options.table().indexOf('.');
    this.schema = dot < 0 ? "" : dialect.quoted(options.table().substring(0, dot)) + ".";
    this.name = options.table().substring(dot + 1);
    String suffix =
        String.format(Locale.ROOT, "_loading_%08x", ThreadLocalRandom.current().nextInt());
    this.loading = dialect.shortened(name, suffix.length()) + suffix;
  }

  private String place(String table) {
    return schema + dialect.quoted(table);
  }

  @Override
  public void begin(List<ExportColumn> columns) throws IOException {
    Set<String> seen = new HashSet<>();
    for (ExportColumn column : columns) {
      if (!seen.add(column.name().toLowerCase(Locale.ROOT))) {
        throw new IOException(
            "two columns are named '" + column.name() + "': databases tell no case apart, use AS");
      }
    }
    columnNames =
        columns.stream()
            .map(column -> dialect.quoted(column.name()))
            .collect(Collectors.joining(", "));
    String definitions =
        columns.stream()
            .map(
                column ->
                    dialect.quoted(column.name())
                        + " "
                        + dialect.type(column.kind(), options.types()))
            .collect(Collectors.joining(", "));
    if (hasTable() && !options.append()) {
      throw new IOException(
          "the database has a table "
              + options.table()
              + ": --append adds to it, --table names"
              + " another");
    }
    try {
      connection.setAutoCommit(true);
      execute("CREATE TABLE " + place(loading) + " (" + definitions + ")");
      exists = true;
      connection.setAutoCommit(false);
      String places = columns.stream().map(column -> "?").collect(Collectors.joining(", "));
      insert =
          Optional.of(
              connection.prepareStatement(
                  "INSERT INTO "
                      + place(loading)
                      + " ("
                      + columnNames
                      + ") VALUES ("
                      + places
                      + ")"));
    } catch (SQLException e) {
      throw failed(e);
    }
    begun = System.nanoTime();
  }

  private boolean hasTable() {
    try (Statement statement = connection.createStatement()) {
      statement.executeQuery("SELECT 1 FROM " + place(name) + " WHERE 1 = 0").close();
      return true;
    } catch (SQLException e) {
      return false; // or it is unreadable: then creating it fails with a reason
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void write(ExportRows block) throws IOException {
    PreparedStatement row = insert.orElseThrow();
    try {
      for (int r = 0; r < block.rows(); r++) {
        for (int c = 0; c < block.columns().size(); c++) {
          if (block.isNull(r, c)) {
            row.setObject(c + 1, null);
          } else {
            dialect.bind(row, c + 1, block, r, c, options.types());
          }
        }
        row.addBatch();
        pending++;
        if (pending >= options.batch().rows()) {
          commit(row);
        }
      }
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private void commit(PreparedStatement rows) throws SQLException {
    statements.run(rows, rows::executeBatch);
    connection.commit();
    pending = 0;
    long now = System.nanoTime();
    options.batch().took(now - begun);
    begun = now;
  }

  @Override
  public void finish() throws IOException {
    try {
      if (pending > 0) {
        commit(insert.orElseThrow());
      }
      if (options.append() && hasTable()) {
        append();
        connection.commit();
        appended = true; // and close drops the temporary table
      } else {
        connection.rollback(); // PostgreSQL: the query of a missing table failed
        execute(
            "ALTER TABLE "
                + place(loading)
                + " RENAME TO "
                + (dialect == SqlDialect.MYSQL ? place(name) : dialect.quoted(name)));
        connection.commit();
        exists = false;
      }
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /** May take long, or wait for another writer of the table. */
  private void append() throws SQLException {
    String sql =
        "INSERT INTO "
            + place(name)
            + " ("
            + columnNames
            + ") SELECT "
            + columnNames
            + " FROM "
            + place(loading);
    try (Statement statement = connection.createStatement()) {
      statements.run(statement, () -> statement.execute(sql));
    }
  }

  @Override
  public void cancel() {
    statements.cancel();
  }

  private IOException failed(SQLException e) {
    if (statements.isCancelled()) {
      return new ExportCancelledException("table " + options.table(), e);
    }
    return new IOException("table " + options.table() + ": " + message(e), e);
  }

  /** The database's message; for a batch, the reason why its first row failed. */
  private static String message(SQLException e) {
    SQLException cause = e;
    while (cause.getNextException() != null) {
      cause = cause.getNextException();
    }
    String state = cause.getSQLState();
    return cause.getMessage() + (state == null ? "" : " (SQLSTATE " + state + ")");
  }

  private void rollback() throws SQLException {
    try {
      connection.rollback();
    } catch (SQLException e) {
      if (dialect != SqlDialect.SQLITE) {
        throw e;
      }
      // SQLite itself rolls back a cancelled statement, and its driver does not notice.
      execute("BEGIN");
    }
  }

  @Override
  public void close() throws IOException {
    try (Connection closing = connection) {
      if (exists) {
        rollback();
        execute("DROP TABLE " + place(loading));
        if (!closing.getAutoCommit()) {
          closing.commit();
        }
      }
    } catch (SQLException e) {
      throw new IOException(
          (appended ? "the rows were added to " + options.table() + ", but " : "")
              + "the table "
              + loading
              + " may be left in the database: "
              + message(e),
          e);
    }
  }
}
