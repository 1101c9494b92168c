package org.flowmon.deploy.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.lease.MaintenanceLock;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CompactCommandTest {
  private static final String LINE =
      "{\"ts\":%d.5,\"uid\":\"C1\",\"id.orig_h\":\"192.0.2.1\",\"id.orig_p\":1,"
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

  @Test
  void smallSegmentsBecomeOneAndNothingElseChanges() throws Exception {
    String archive = folder.resolve("archive").toString();
    List<String> imports = new ArrayList<>(List.of("import", "--archive", archive));
    for (int i = 0; i < 12; i++) {
      Path file = folder.resolve("f" + i);
      imports.add(Files.writeString(file, LINE.formatted(1_700_000_000 + i)).toString());
    }
    assertEquals(ExitCodes.DONE, run(imports.toArray(String[]::new)));
    String query = "SELECT end_time, COUNT(*) AS n FROM flows GROUP BY end_time ORDER BY end_time";
    assertEquals(0, run("query", query, "--archive", archive, "--format", "csv"));
    String before = out;
    assertEquals(13, before.lines().count());

    try (MaintenanceLock other = MaintenanceLock.tryTake(Path.of(archive))) {
      assertEquals(ExitCodes.FAILED, run("compact", "--archive", archive));
      assertTrue(err.contains("another process compacts"), err);
    }
    assertEquals(ExitCodes.DONE, run("compact", "--archive", archive));
    String said = out;
    assertTrue(said.startsWith("12 segments became 1; 12 flows rewritten"), said);
    assertTrue(said.contains("files of 12 segments deleted"), said);

    assertEquals(0, run("query", query, "--archive", archive, "--format", "csv"));
    assertEquals(before, out);
    assertTrue(ArchiveVerifier.verify(Path.of(archive)).isSound());
    assertEquals(ExitCodes.DONE, run("compact", "--archive", archive));
    assertTrue(out.startsWith("1 segments became 1; 0 flows"));
    assertEquals(ExitCodes.USAGE, run("compact", "--archive", archive, "--target-rows", "1"));
    String[] none = {"compact", "--archive", archive, "--target-rows", "0", "--final-rows", "0"};
    assertEquals(ExitCodes.USAGE, run(none));
    assertEquals(
        ExitCodes.USAGE, run("compact", "--archive", archive, "--final-rows", "100000000"));
    assertTrue(err.contains("2 <= target <= final <= 8388608") && !err.contains("0 and 0"), err);
  }

  @Test
  void whatWritersLeftGoesFirstAlsoWhereAnotherProcessCompacts() throws Exception {
    Path archive = folder.resolve("archive");
    Path file = Files.writeString(folder.resolve("f"), LINE.formatted(1_700_000_000));
    assertEquals(ExitCodes.DONE, run("import", "--archive", archive.toString(), file.toString()));
    for (String command : List.of("compact", "expire")) {
      long bytes = 0;
      for (String name : List.of("20260101t000000-0.parquet", ".20260101t000000-1.idx.tmp")) {
        Files.write(archive.resolve("segments").resolve(name), new byte[700]);
        bytes += 700;
      }
      try (MaintenanceLock other = MaintenanceLock.tryTake(archive)) {
        assertEquals(ExitCodes.FAILED, run(command, "--archive", archive.toString()));
        assertTrue(err.contains("deleted 2 files that writers left which are gone: 1,400"), err);
      }
      assertEquals(1400, bytes);
      assertEquals(ExitCodes.DONE, run(command, "--archive", archive.toString()));
      assertTrue(!err.contains("writers left"), err);
    }
    assertEquals(List.of(), ArchiveVerifier.verify(archive).orphans());
  }
}
