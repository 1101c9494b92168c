package org.flowmon.deploy.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import org.flowmon.archive.lease.MaintenanceLock;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.ExitCodes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExpireCommandTest {
  private static final String LINE =
      "{\"ts\":%d.5,\"uid\":\"C1\",\"id.orig_h\":\"192.0.2.1\",\"id.orig_p\":%d,"
          + "\"id.resp_h\":\"192.0.2.2\",\"id.resp_p\":53,\"proto\":\"udp\",\"duration\":1.5}\n";
  private static final int BEGIN = 1_700_000_000;

  @TempDir Path folder;
  private String archive;
  private String out;
  private String err;

  private int run(String... arguments) {
    CommandRun run = CommandRun.of((Object[]) arguments);
    out = run.out();
    err = run.err();
    return run.code();
  }

  private String printed(String... arguments) {
    assertEquals(0, run(arguments), () -> err);
    return out;
  }

  /** Imports a file of flows that begin one a second. */
  private String take(String name, int from, int flows) throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < flows; i++) {
      lines.append(LINE.formatted(BEGIN + from + i, 1 + Math.floorMod(from + i, 65_000)));
    }
    Path file = Files.writeString(folder.resolve(name), lines);
    return printed("import", "--archive", archive, file.toString());
  }

  private String count() {
    return printed(
            "query", "SELECT COUNT(*) AS n FROM flows", "--archive", archive, "--format", "csv")
        .lines()
        .toList()
        .get(1);
  }

  @BeforeEach
  void twoFiles() throws Exception {
    archive = folder.resolve("archive").toString();
    take("first", 0, 1000);
    take("second", 1000, 500);
  }

  @Test
  void theMostRecentFlowsAreKeptAndLaterImportsApplyTheLimit() throws Exception {
    String said = printed("expire", "--archive", archive, "--rows", "800");
    assertTrue(said.startsWith("700 flows expired; files of 1 segments deleted"), said);
    assertTrue(
        said.contains(
            "keeps 800 flows (and at most 100 more stored): 800 flows visible, 800 stored"),
        said);
    assertEquals("800", count());
    take("third", 1500, 500);
    assertEquals("800", count());
    said = take("old", -50, 20);
    assertTrue(said.contains("20 of them are older than all that the archive keeps"), said);
    assertEquals("800", count());
    said = printed("verify", "--archive", archive);
    assertTrue(said.contains("800 flows visible"), said);
    assertTrue(said.contains("1220 have expired (20 came too late)"), said);
    // Repeating changes nothing; removing a limit restores nothing.
    assertTrue(printed("expire", "--archive", archive).startsWith("0 flows expired"));
    printed("expire", "--archive", archive, "--rows", "0");
    assertEquals("800", count());
    take("fourth", 2000, 500);
    assertEquals("1300", count());
    assertEquals(
        ExitCodes.FAILED, run("import", "--archive", archive, folder.resolve("first").toString()));
  }

  @Test
  void agesAreCountedFromTheNewestArrivalOrFromNow() {
    assertTrue(
        printed("expire", "--archive", archive, "--age", "100s").startsWith("1399 flows expired"));
    assertEquals("101", count());
    assertTrue(printed("expire", "--archive", archive, "--now").startsWith("101 flows expired"));
    assertEquals("0", count());
  }

  @Test
  void bytesAreThoseOfTheFlowsThatAreKept() {
    long before = Long.parseLong(count());
    String said = printed("expire", "--archive", archive, "--bytes", "20000");
    long kept = Long.parseLong(count());
    assertTrue(kept > 0 && kept < before, said);
  }

  @Test
  void otherToolsSeeWhatIsKept() throws Exception {
    printed("expire", "--archive", archive, "--rows", "1400", "--slack", "300");
    String list = printed("files", "--archive", archive);
    assertEquals(2, list.lines().count());
    assertTrue(err.contains("begin with 100 flows that have expired"), err);
    String json = printed("files", "--archive", archive, "--format", "json");
    assertTrue(json.contains("\"first_row\":100,"), json);
    assertEquals("1400 from port 101", duckdb());
    printed("expire", "--archive", archive, "--trim");
    printed("files", "--archive", archive);
    assertFalse(err.contains("warning"));
    assertEquals("1400 from port 101", duckdb());
    printed("expire", "--archive", archive, "--rows", "100", "--slack", "100");
    assertEquals("100 from port 1401", duckdb());
  }

  private String duckdb() throws Exception {
    String view = printed("files", "--archive", archive, "--format", "duckdb");
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement()) {
      statement.execute(view);
      try (ResultSet result = statement.executeQuery("SELECT count(*), min(src_port) FROM flows")) {
        assertTrue(result.next());
        return result.getLong(1) + " from port " + result.getLong(2);
      }
    }
  }

  @Test
  void whatIsWrongIsSaidAndNothingIsDone() throws Exception {
    assertEquals(
        ExitCodes.USAGE, run("expire", "--archive", archive, "--rows", "800", "--slack", "3"));
    assertTrue(err.contains("expected at least 100"), err);
    assertEquals(ExitCodes.USAGE, run("expire", "--archive", archive, "--slack", "3"));
    assertEquals(ExitCodes.USAGE, run("expire", "--archive", archive, "--rows", "-1"));
    assertEquals(ExitCodes.FAILED, run("expire", "--archive", folder.resolve("none").toString()));
    try (MaintenanceLock other = MaintenanceLock.tryTake(Path.of(archive))) {
      assertEquals(ExitCodes.FAILED, run("expire", "--archive", archive, "--rows", "800"));
    }
    assertEquals("1500", count());
  }
}
