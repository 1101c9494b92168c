package org.flowmon.deploy.grafana;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.config.job.JobConfig;

/**
 * A database of reports with the role of the job and that of Grafana, as an operator makes them.
 */
final class ReportsDatabase implements AutoCloseable {
  static final Path GRAFANA = Path.of("..", "deploy", "grafana");
  private static final String JOB = "flowmon";

  private final EmbeddedPostgres database;

  private ReportsDatabase(EmbeddedPostgres database) {
    this.database = database;
  }

  static ReportsDatabase start() throws IOException, SQLException {
    ReportsDatabase reports = new ReportsDatabase(EmbeddedPostgres.start());
    try (Connection admin = reports.database.getPostgresDatabase().getConnection();
        Statement statement = admin.createStatement()) {
      statement.execute("CREATE ROLE flowmon LOGIN; GRANT CREATE ON SCHEMA public TO flowmon");
      String sql = Files.readString(GRAFANA.resolve("reader.sql"));
      statement.execute(sql);
      statement.execute(sql); // again does no harm
    }
    return reports;
  }

  private String url() {
    return "jdbc:postgresql://127.0.0.1:" + database.getPort() + "/postgres";
  }

  JobConfig.Postgres config() {
    return new JobConfig.Postgres(url(), JOB, null);
  }

  private Connection asJob() throws SQLException {
    return DriverManager.getConnection(url(), JOB, "");
  }

  Connection asReader() throws SQLException {
    return DriverManager.getConnection(url(), "flowmon_reader", "");
  }

  /** Runs statements as the job's role. */
  void write(String sql) throws SQLException {
    try (Connection job = asJob();
        Statement statement = job.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The rows of a query of Grafana's role. */
  List<List<Object>> read(String sql) throws SQLException {
    List<List<Object>> rows = new ArrayList<>();
    try (Connection reader = asReader();
        Statement statement = reader.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        List<Object> row = new ArrayList<>();
        for (int c = 1; c <= result.getMetaData().getColumnCount(); c++) {
          row.add(result.getObject(c));
        }
        rows.add(row);
      }
    }
    return rows;
  }

  @Override
  public void close() throws IOException {
    database.close();
  }
}
