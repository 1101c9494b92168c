package org.flowmon.deploy.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.block.FlowScan;
import org.flowmon.deploy.export.ExportedFlows;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GroupedStatisticsTest {
  private static final int ROWS = 400;
  private static final long ENOUGH_FOR_VALUES = 16 * 8 * ROWS;

  @TempDir Path folder;

  private GroupedStatistics of(Path directory, FlowColumn by, boolean keep) throws IOException {
    Expression value = new Expression.Column(FlowColumn.BYTES);
    Expression key = by == null ? null : new Expression.Column(by);
    GroupedStatistics statistics =
        new GroupedStatistics(value, key, keep, keep ? ENOUGH_FOR_VALUES : 0);
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot();
        FlowScan scan = FlowScan.of(snapshot).open()) {
      statistics.addAll(scan);
    }
    return statistics;
  }

  @Test
  void manyGroupsEndWithAnErrorThatSaysWhyThoughTheirValuesAreFew() throws Exception {
    int withMany = 0;
    for (long seed = 1; seed <= 8; seed++) {
      Path archive = ExportedFlows.archive(folder.resolve("a" + seed), seed, ROWS, false);
      assertEquals(1, of(archive, null, true).groups().size(), "seed " + seed);
      if (of(archive, FlowColumn.SRC_PORT, false).groups().size() < ROWS / 4) {
        continue; // one of the columns is mostly NULL
      }
      withMany++;
      IOException e =
          assertThrows(
              IOException.class, () -> of(archive, FlowColumn.SRC_PORT, true), "seed " + seed);
      assertTrue(e.getMessage().contains("groups take more than 51200 bytes"), e.getMessage());
    }
    assertTrue(withMany > 0);
  }
}
