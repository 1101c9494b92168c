package org.flowmon.bench.imports;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.StringJoiner;
import org.flowmon.bench.harness.Run;

/** DuckDB takes a {@code conn.log} into a table of a database file, with all its cores. */
final class DuckDbLog {
  /** Addresses stay text: its INET is an extension. */
  private static final Map<String, String> TYPES =
      Map.of("time", "DOUBLE", "interval", "DOUBLE", "port", "USMALLINT", "count", "UBIGINT");

  private DuckDbLog() {}

  /** Loads a log into a new database. */
  static void load(Path database, Path log) throws IOException {
    StringJoiner columns = new StringJoiner(", ", "{", "}");
    for (String field : ZeekLog.FIELDS) {
      int blank = field.indexOf(' ');
      String type = TYPES.getOrDefault(field.substring(blank + 1), "VARCHAR");
      columns.add("'" + field.substring(0, blank) + "': '" + type + "'");
    }
    try (Connection connection = open(database);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE conn AS SELECT * FROM read_csv('"
              + log
              + "', delim = '\t', header = false, comment = '#', nullstr = '-', quote = '',"
              + " auto_detect = false, columns = "
              + columns
              + ")");
      statement.execute("CHECKPOINT");
    } catch (SQLException e) {
      throw new IOException("DuckDB does not read " + log, e);
    }
  }

  /** The rows and packets of a database must be these. */
  static void check(Path database, long rows, long packets) throws IOException {
    try (Connection connection = open(database);
        Statement statement = connection.createStatement();
        ResultSet answer =
            statement.executeQuery("SELECT COUNT(*), SUM(orig_pkts)::BIGINT FROM conn")) {
      answer.next();
      Run.require(
          answer.getLong(1) == rows && answer.getLong(2) == packets,
          "DuckDB has %d of %d rows, %d of %d packets",
          answer.getLong(1),
          rows,
          answer.getLong(2),
          packets);
    } catch (SQLException e) {
      throw new IOException("DuckDB does not answer from " + database, e);
    }
  }

  private static Connection open(Path database) throws SQLException {
    return DriverManager.getConnection("jdbc:duckdb:" + database);
  }
}
