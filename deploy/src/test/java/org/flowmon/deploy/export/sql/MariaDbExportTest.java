package org.flowmon.deploy.export.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.export.ExportedFlows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports to a real MariaDB, by its own URL and by MySQL's. */
final class MariaDbExportTest {
  @TempDir Path folder;

  @Test
  void mariaDbHoldsTheVerySameFlowsWhateverTypesAndBatches() throws Exception {
    assumeTrue(MariaDbServer.isThere(), "no MariaDB for this platform");
    try (MariaDbServer server = MariaDbServer.start(folder.resolve("server"))) {
      String url = server.url("flows");
      for (int seed = 1; seed <= 2 * Integer.getInteger("flowmon.test.times", 1); seed++) {
        Path archive =
            ExportedFlows.archive(folder.resolve("a" + seed), seed, seed == 1 ? 1 : 200, false);
        List<String> expected = ExportedFlows.sorted(ExportedFlows.rows(archive));
        for (SqlTypes types : SqlTypes.values()) {
          String table = "t" + seed + types.name().charAt(0);
          CommandRun said =
              CommandRun.of(
                  "export",
                  "--archive",
                  archive,
                  "--to",
                  seed == 2 ? url.replace("jdbc:mariadb:", "jdbc:mysql:") : url,
                  "--table",
                  table,
                  "--types",
                  types,
                  "--batch",
                  seed == 2 ? "7" : "auto");
          String what = "seed " + seed + ", " + types;
          if (types == SqlTypes.INTEGER && said.code() == 3) {
            assertTrue(said.err().contains("is that of an IPv4 address"), what + said.err());
            continue;
          }
          assertEquals(0, said.code(), what + ": " + said.err());
          assertEquals(expected, ExportedFlows.sorted(DatabaseExportTest.read(url, table)), what);
        }
        CommandRun refused =
            CommandRun.of("export", "--archive", archive, "--to", url, "--table", "t1N");
        assertEquals(3, refused.code());
      }
    }
  }
}
