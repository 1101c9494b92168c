package org.flowmon.deploy.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.flowmon.jobs.embedded.EmbeddedServiceException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EmbeddedPostgresTest {
  @TempDir static Path shared;
  @TempDir Path directory;
  private static EmbeddedPostgres postgres;

  @BeforeAll
  static void startShared() {
    postgres = EmbeddedPostgres.start(shared.resolve("postgres"));
  }

  @AfterAll
  static void stopShared() {
    if (postgres != null) {
      postgres.close();
    }
  }

  @Test
  void rowsAreThereAgainAfterARestart() throws Exception {
    Path data = directory.resolve("postgres");
    try (EmbeddedPostgres first = EmbeddedPostgres.start(data);
        Connection connection =
            DriverManager.getConnection(first.jdbcUrl(), first.user(), first.password());
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (n int)");
      statement.execute("INSERT INTO t VALUES (42)");
      assertTrue(ProcessHandle.of(first.pid()).orElseThrow().isAlive());
    }
    try (EmbeddedPostgres again = EmbeddedPostgres.start(data);
        Connection connection =
            DriverManager.getConnection(again.jdbcUrl(), again.user(), again.password());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT n FROM t")) {
      assertTrue(rows.next());
      assertEquals(42, rows.getInt(1));
    }
  }

  @Test
  void afterAKillItStartsOnceTheOldProcessesAreGone() throws Exception {
    Path data = directory.resolve("killed");
    EmbeddedPostgres killed = EmbeddedPostgres.start(data);
    killed.leaveRunning();
    try (Connection connection =
            DriverManager.getConnection(killed.jdbcUrl(), killed.user(), killed.password());
        Statement statement = connection.createStatement()) {
      Thread busy =
          new Thread(
              () ->
                  assertThrows(
                      SQLException.class,
                      () ->
                          statement.executeQuery(
                              "SELECT SUM(SQRT(n)) FROM generate_series(1, 20000000) AS s (n)")));
      busy.start();
      Thread.sleep(500); // it counts, and does not look at its server
      assertTrue(ProcessHandle.of(killed.pid()).orElseThrow().destroyForcibly());
      try (EmbeddedPostgres again = EmbeddedPostgres.start(data)) {
        DriverManager.getConnection(again.jdbcUrl(), again.user(), again.password()).close();
      }
      busy.join();
    }
  }

  @Test
  void nobodyButFlowmonLogsInAndOnlyByItsPassword() {
    String server = "jdbc:postgresql://127.0.0.1:" + postgres.port() + "/";
    for (String password : new String[] {"", "postgres", postgres.password() + "x"}) {
      assertRefused(server + "flowmon", "flowmon", password);
    }
    // Nobody else may log in: not the superuser by any password, nor flowmon to another database.
    assertRefused(server + "postgres", "postgres", "");
    assertRefused(server + "flowmon", "postgres", postgres.password());
    assertRefused(server + "postgres", "flowmon", postgres.password());
    assertFalse(
        Files.exists(Path.of("/tmp/.s.PGSQL." + postgres.port())), "no socket for all to see");
  }

  private static void assertRefused(String url, String user, String password) {
    SQLException refused =
        assertThrows(
            SQLException.class,
            () -> DriverManager.getConnection(url, user, password).close(),
            url + " " + user);
    // The class of codes for refused logins; an empty password is the driver's own error.
    String state = refused.getSQLState();
    assertTrue(state.startsWith("28") || state.startsWith("08"), refused.toString());
  }

  @Test
  void theRoleOwnsItsDatabaseAndNothingElse() throws Exception {
    try (Connection connection =
            DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (n text)");
      for (String forbidden :
          List.of(
              "COPY t FROM PROGRAM 'id'",
              "COPY t FROM '/etc/passwd'",
              "SELECT pg_read_file('/etc/passwd')",
              "CREATE ROLE other",
              "CREATE DATABASE other",
              "ALTER SYSTEM SET archive_command = 'id'",
              "SET ROLE postgres")) {
        SQLException refused =
            assertThrows(SQLException.class, () -> statement.execute(forbidden), forbidden);
        assertEquals("42501", refused.getSQLState(), forbidden + ": " + refused);
      }
    }
  }

  @Test
  void programsAndSecretsAreOfTheUserAloneAndPsqlFindsThePassword() throws Exception {
    Path place = shared.resolve("postgres");
    assertEquals("rwx------", mode(place));
    assertEquals("rwx------", mode(place.resolve("data")));
    assertEquals("rw-------", mode(postgres.passwordFile()));
    assertEquals("rw-------", mode(postgres.pgpass()));
    assertFalse(Files.exists(place.resolve("superuser")), "its password is kept nowhere");
    assertTrue(Files.isExecutable(place.resolve("binaries/bin/postgres")));
    // The driver reads the same file as psql.
    System.setProperty("org.postgresql.pgpassfile", postgres.pgpass().toString());
    try (Connection connection =
        DriverManager.getConnection(postgres.jdbcUrl() + "?user=" + postgres.user())) {
      assertTrue(connection.isValid(10));
    } finally {
      System.clearProperty("org.postgresql.pgpassfile");
    }
  }

  private static String mode(Path file) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void aFolderThatOthersCouldReadOrChangeIsRefused() throws Exception {
    Path open = Files.createDirectory(directory.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertUnsafe("all may write into", open.resolve("postgres"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertUnsafe("is open to other users", open);
  }

  private static void assertUnsafe(String why, Path folder) {
    EmbeddedServiceException refused =
        assertThrows(EmbeddedServiceException.class, () -> EmbeddedPostgres.start(folder));
    assertTrue(refused.getMessage().contains(why), refused.getMessage());
    assertTrue(refused.getMessage().contains("choose another folder"), refused.getMessage());
  }
}
