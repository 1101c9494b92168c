package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.QueryParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InterruptedQueryTest {
  private static final String[] QUERIES = {
    "SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr",
    "SELECT src_addr, dst_port, SUM(bytes) AS b FROM flows GROUP BY src_addr, dst_port",
    "SELECT bytes FROM flows WHERE src_addr = '10.0.0.74'",
    "SELECT service, MAX(bytes) AS b FROM flows GROUP BY service ORDER BY b DESC",
    "SELECT src_addr, COUNT(DISTINCT dst_addr) AS n FROM flows GROUP BY src_addr",
  };

  @TempDir Path directory;

  @Test
  void aQueryOfAnInterruptedThreadHasNoAnswerAndHurtsNoLaterOne() throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      for (int s = 0; s < 3; s++) {
        Traffic.commit(archive, new Traffic(s, true, 0.05).batches(5000, 0, 1));
      }
      archive.updateDirectory(false, () -> false);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (String sql : QUERIES) {
          FlowQuery query = QueryParser.parse(sql);
          for (int threads = 1; threads <= 2; threads++) {
            QueryOptions options = QueryOptions.DEFAULTS.withThreads(threads).withPieceRows(1000);
            Thread.currentThread().interrupt();
            assertThrows(
                QueryCancelledException.class,
                () -> ArchiveQuery.run(snapshot, query, options),
                sql);
            assertTrue(Thread.interrupted(), sql);
            QueryAnswer answer = ArchiveQuery.run(snapshot, query, options);
            assertEquals(0, answer.stats().warnings().size(), answer.stats().warnings()::toString);
          }
        }
      }
    }
  }
}
