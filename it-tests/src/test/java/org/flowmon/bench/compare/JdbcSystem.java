package org.flowmon.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.bench.archive.Answer;
import org.flowmon.bench.archive.AnswerKind;
import org.flowmon.bench.archive.BenchSystem;
import org.flowmon.bench.archive.WorkloadQuery;

/** The common part of systems with a JDBC driver: statements prepared once, typed getters. */
abstract class JdbcSystem implements BenchSystem {
  private static final List<String> INDEXED = List.of("src_addr", "dst_addr", "ts");

  private Connection connection;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();

  JdbcSystem(Connection connection) {
    this.connection = connection;
  }

  final Connection connection() {
    return connection;
  }

  /** Sets a new connection after {@link #suspend}. */
  final void reconnect(Connection newConnection) {
    connection = newConnection;
  }

  final void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  final String one(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  final void createIndexes() throws SQLException {
    for (String column : INDEXED) {
      execute("CREATE INDEX flow_" + column + " ON flow (" + column + ")");
    }
  }

  @Override
  public void prepare(WorkloadQuery query) throws SQLException {
    prepared.put(query.name(), connection.prepareStatement(query.sql()));
  }

  @Override
  public Answer answer(WorkloadQuery query) throws IOException, SQLException {
    List<AnswerKind> kinds = query.columns();
    Answer answer = new Answer(kinds.size());
    long[][] columns = new long[kinds.size()][];
    int capacity = 0;
    int n = 0;
    try (ResultSet rows = prepared.get(query.name()).executeQuery()) {
      while (rows.next()) {
        if (n == capacity) {
          answer.reserve(n + 1);
          for (int c = 0; c < columns.length; c++) {
            columns[c] = answer.column(c);
          }
          capacity = columns[0].length;
        }
        for (int c = 0; c < columns.length; c++) {
          if (kinds.get(c) == AnswerKind.FLAG) {
            columns[c][n] = rows.getBoolean(c + 1) ? 1 : 0;
          } else if (kinds.get(c) == AnswerKind.REAL) {
            columns[c][n] = Double.doubleToLongBits(rows.getDouble(c + 1));
          } else {
            columns[c][n] = rows.getLong(c + 1);
          }
        }
        n++;
      }
    }
    answer.setRows(n);
    return answer;
  }

  static long sizeOf(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      long bytes = 0;
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        bytes += Files.size(file);
      }
      return bytes;
    }
  }

  @Override
  public void close() throws IOException, SQLException {
    for (PreparedStatement statement : prepared.values()) {
      statement.close();
    }
    prepared.clear();
    connection.close();
  }
}
