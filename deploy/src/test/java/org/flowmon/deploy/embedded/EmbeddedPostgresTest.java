package org.flowmon.deploy.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class EmbeddedPostgresTest {
  @TempDir Path directory;

  @Test
  void rowsAreThereAgainAfterARestart() throws Exception {
    Path data = directory.resolve("postgres");
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start(data);
        Connection connection =
            DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), "");
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (n int)");
      statement.execute("INSERT INTO t VALUES (42)");
      assertTrue(ProcessHandle.of(postgres.pid()).orElseThrow().isAlive());
    }
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start(data);
        Connection connection =
            DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), "");
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT n FROM t")) {
      assertTrue(rows.next());
      assertEquals(42, rows.getInt(1));
    }
  }
}
