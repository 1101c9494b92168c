package org.flowmon.jobs.sink.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.config.job.JobConfig;

/** A PostgreSQL server, with what tests ask it as its superuser. */
public final class TestPostgres implements AutoCloseable {
  private final EmbeddedPostgres server;

  public TestPostgres() throws IOException {
    server = EmbeddedPostgres.start();
  }

  int port() {
    return server.getPort();
  }

  /** A database of reports for the superuser, which keeps them. */
  public JobConfig.Postgres config() {
    return config(port());
  }

  static JobConfig.Postgres config(int port) {
    return new JobConfig.Postgres(
        "jdbc:postgresql://127.0.0.1:" + port + "/postgres", "postgres", null);
  }

  /** Drops all tables. */
  void empty() throws SQLException {
    execute(
        "DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT ALL ON SCHEMA public TO public");
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = server.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The rows of a query, values with a tab between them. */
  public List<String> rows(String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection connection = server.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int c = 1; c <= result.getMetaData().getColumnCount(); c++) {
          row.add(result.getString(c));
        }
        rows.add(String.join("\t", row));
      }
    }
    return rows;
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
