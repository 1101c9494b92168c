package org.flowmon.deploy.export.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.file.Path;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.export.ExportedFlows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SqlTargetTest {
  @TempDir Path folder;

  @Test
  void aTableMayHaveTheLongestNameThatTheDatabaseTakes() throws Exception {
    Path archive = ExportedFlows.archive(folder.resolve("a"), 3, 20, false);
    String url = "jdbc:sqlite:" + folder.resolve("flows.db");
    for (int length : new int[] {45, 238, 239, 255}) {
      CommandRun said = export(archive, url, "t".repeat(length));
      assertEquals(0, said.code(), length + " characters: " + said.err());
    }
    assertNotEquals(0, export(archive, url, "t".repeat(256)).code());
  }

  @Test
  void whatIsCancelledWhileRowsAreAddedLeavesTheTableAsItWas() throws Exception {
    String url = "jdbc:sqlite:" + folder.resolve("flows.db");
    SlowTable.fill(folder.resolve("a"), url).requireCancelled();
  }

  private static CommandRun export(Path archive, String url, String table) {
    return CommandRun.of("export", "--archive", archive, "--to", url, "--table", table);
  }
}
