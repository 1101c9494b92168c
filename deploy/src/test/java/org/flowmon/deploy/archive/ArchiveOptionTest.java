package org.flowmon.deploy.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class ArchiveOptionTest {
  private static final String LINE =
      "{\"ts\":%d.5,\"uid\":\"C1\",\"id.orig_h\":\"192.0.2.1\",\"id.orig_p\":%d,"
          + "\"id.resp_h\":\"192.0.2.2\",\"id.resp_p\":53,\"proto\":\"udp\",\"duration\":1.5}\n";

  @TempDir Path folder;
  private String out;
  private String err;

  private int run(String... arguments) {
    CommandRun run = CommandRun.of((Object[]) arguments);
    out = run.out();
    err = run.err();
    return run.code();
  }

  private String said() {
    return err;
  }

  private String imported(String name, int flows) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < flows; i++) {
      lines.append(LINE.formatted(1_700_000_000 + i, 1024 + i));
    }
    Path file = Files.writeString(folder.resolve(name + ".log"), lines);
    String archive = folder.resolve(name).toString();
    assertEquals(0, run("import", "--archive", archive, file.toString()));
    return archive;
  }

  @Test
  void aQueryTakesSeveralArchivesAndStatesTheReachOfEach() throws IOException {
    String one = imported("one", 3);
    String two = imported("two", 4);
    String sql = "SELECT COUNT(*) AS n FROM flows";
    assertEquals(
        0, run("query", sql, "--archive", one, "--archive", "file:" + two, "--format", "csv"));
    assertEquals("n\n7\n", out.replace("\r", ""));
    assertEquals(0, run("query", sql, "--archive", one, "--archive", two));
    assertTrue(said().contains(one + " holds flows of"), said());
    assertTrue(said().contains(two + " holds flows of"), said());
    assertEquals(
        ExitCodes.FAILED,
        run("query", sql, "--archive", one, "--archive", folder.resolve("no").toString()));
    assertEquals(ExitCodes.USAGE, run("query", sql, "--archive", one, "--archive", one));
    assertTrue(said().contains("would count twice"), said());
    assertEquals(ExitCodes.USAGE, run("compact", "--archive", one, "--archive", two));
    assertTrue(said().contains("takes one archive"), said());
  }

  @Test
  void settingsOfAStoreAreCheckedAndNeverPrinted() throws IOException {
    String one = imported("one", 3);
    assertEquals(ExitCodes.USAGE, run("verify", "--archive", one, "--store", "endpoint=http://x"));
    assertTrue(said().contains("[endpoint]"), said());
    assertEquals(
        ExitCodes.FAILED,
        run("verify", "--archive", "s3://bucket/x", "--store", "secret=in-plain-sight"));
    assertTrue(said().contains("[secret]") && said().contains("secret_key_file"), said());
    assertFalse(said().contains("in-plain-sight"), said());
    assertEquals(ExitCodes.FAILED, run("verify", "--archive", "nowhere://host/x"));
    assertEquals(ExitCodes.USAGE, run("verify", "--archive", "s3://user:word@bucket/x"));
    assertFalse(said().contains("word@"), said());
  }

  @Test
  void aNewArchiveStaysIfAnotherProcessHasBegunToWriteIt() throws IOException {
    Path directory = folder.resolve("new");
    ArchiveOption option =
        CommandLine.populateCommand(new ArchiveOption(), "--archive", directory.toString());
    option.openOrCreate().close();
    Path segment = Files.writeString(directory.resolve("segments").resolve("other"), "");
    assertFalse(option.removeUnused());
    Files.delete(segment);
    assertTrue(option.removeUnused());
    assertFalse(Files.exists(directory));
  }
}
