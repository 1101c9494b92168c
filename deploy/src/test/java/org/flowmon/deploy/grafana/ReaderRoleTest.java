package org.flowmon.deploy.grafana;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.flowmon.jobs.sink.postgres.PostgresAlerts;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the role of {@code deploy/grafana/reader.sql} may do. */
class ReaderRoleTest {
  @SuppressWarnings("NullAway.Init")
  private static ReportsDatabase database;

  @BeforeAll
  static void start() throws Exception {
    database = ReportsDatabase.start();
    database.write("CREATE TABLE report_later AS SELECT 1 AS n");
    PostgresAlerts.createTable(database.config());
  }

  @AfterAll
  static void stop() throws Exception {
    database.close();
  }

  @Test
  void itReadsTablesThatTheJobMadeLater() throws SQLException {
    assertEquals(List.of(List.of(1)), database.read("SELECT n FROM report_later"));
    assertEquals(List.of(), database.read("SELECT id FROM flowmon_alerts"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "INSERT INTO report_later VALUES (2)",
        "UPDATE report_later SET n = 2",
        "DELETE FROM report_later",
        "DELETE FROM flowmon_alerts",
        "TRUNCATE report_later",
        "DROP TABLE report_later",
        "ALTER TABLE report_later ADD COLUMN m int",
        "CREATE INDEX ON report_later (n)",
        "CREATE TABLE mine (n int)",
        "SET ROLE flowmon",
        "COPY report_later TO '/tmp/x'",
      })
  void itCannotWriteEvenInATransactionThatMay(String sql) throws SQLException {
    try (Connection reader = database.asReader();
        Statement statement = reader.createStatement()) {
      statement.execute("SET default_transaction_read_only = off");
      SQLException e = assertThrows(SQLException.class, () -> statement.execute(sql), sql);
      assertEquals("42501", e.getSQLState(), e.getMessage());
    }
  }

  @Test
  void itsTransactionsOnlyRead() throws SQLException {
    try (Connection reader = database.asReader();
        Statement statement = reader.createStatement()) {
      SQLException e =
          assertThrows(SQLException.class, () -> statement.execute("DELETE FROM report_later"));
      assertTrue(e.getMessage().contains("read-only") || e.getSQLState().equals("42501"));
      try (ResultSet row = statement.executeQuery("SHOW transaction_read_only")) {
        assertTrue(row.next());
        assertEquals("on", row.getString(1));
      }
    }
  }

  @Test
  void aQuestionThatTakesTooLongIsStopped() throws SQLException {
    try (Connection reader = database.asReader();
        Statement statement = reader.createStatement()) {
      try (ResultSet row = statement.executeQuery("SHOW statement_timeout")) {
        assertTrue(row.next());
        assertEquals("10s", row.getString(1));
      }
      statement.execute("SET statement_timeout = '50ms'");
      SQLException e =
          assertThrows(SQLException.class, () -> statement.execute("SELECT pg_sleep(5)"));
      assertEquals("57014", e.getSQLState());
    }
  }
}
