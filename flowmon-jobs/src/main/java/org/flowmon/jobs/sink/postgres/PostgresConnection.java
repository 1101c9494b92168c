package org.flowmon.jobs.sink.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import org.flowmon.jobs.config.job.JobConfig;
import org.postgresql.Driver;

/** Opens connections to the database of reports. */
final class PostgresConnection {
  private PostgresConnection() {}

  /** {@code further}: properties of the driver. */
  static Connection open(JobConfig.Postgres postgres, Map<String, String> further)
      throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", postgres.user());
    properties.setProperty("ApplicationName", "flowmon");
    properties.setProperty("connectTimeout", "10");
    properties.setProperty("socketTimeout", "60");
    properties.setProperty("tcpKeepAlive", "true");
    if (postgres.passwordFile() != null) {
      properties.setProperty("password", password(postgres.passwordFile()));
    }
    further.forEach(properties::setProperty);
    if (Driver.parseURL(postgres.url(), null) == null) { // the driver's own error shows all of it
      throw new SQLException("not a URL of PostgreSQL: " + postgres.place());
    }
    // The driver itself: DriverManager does not see it from the class loader of a Flink job.
    Connection opened = new Driver().connect(postgres.url(), properties);
    if (opened == null) {
      throw new SQLException("not a URL of PostgreSQL: " + postgres.place());
    }
    return opened;
  }

  // Read for each connection, so that a changed password needs no restart.
  private static String password(String file) throws SQLException {
    try {
      return Files.readAllLines(Path.of(file)).stream().findFirst().orElse("");
    } catch (IOException e) {
      throw new SQLException(
          "postgres.password_file %s cannot be read on this machine: %s".formatted(file, e), e);
    }
  }
}
