package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.query.AnswerTooLargeException;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.QueryParser;
import org.flowmon.udaf.table.GroupCollector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A query whose groups take more of the heap than it has ends and says so. */
class GroupMemoryTest {
  private static final int SEGMENTS = 4;
  private static final int ROWS = 8000; // of a segment
  private static final List<String> QUERIES =
      List.of(
          "SELECT src_addr, src_port, COUNT(QUANTILES(bytes)) AS n FROM flows GROUP BY src_addr,"
              + " src_port",
          "SELECT dst_port, TOTAL(HEAVY_HITTERS(src_addr)) AS n FROM flows GROUP BY dst_port",
          "SELECT bytes / 7 AS b, COUNT(*) AS n FROM flows GROUP BY b");

  @TempDir Path directory;

  @Test
  void groupsAreWithinTheMemoryOfTheirQueryOrItEnds() throws IOException {
    List<FlowBatch> flows = new ArrayList<>();
    Traffic traffic = new Traffic(11, false, 0);
    try (Archive archive = Archive.create(directory.resolve("archive"), ArchiveOptions.DEFAULTS)) {
      for (int s = 0; s < SEGMENTS; s++) {
        List<FlowBatch> batches =
            traffic.batches(ROWS, (double) s / SEGMENTS, (s + 1.0) / SEGMENTS);
        Traffic.commit(archive, batches);
        flows.addAll(batches);
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (String sql : QUERIES) {
          check(snapshot, QueryParser.parse(sql), flows);
        }
      }
    }
  }

  private static void check(ArchiveSnapshot snapshot, FlowQuery query, List<FlowBatch> flows)
      throws IOException {
    GroupCollector whole = new GroupCollector(query);
    for (FlowBatch batch : flows) {
      for (int from = 0; from < batch.rows(); from += 1000) {
        int[] selection = new int[Math.min(1000, batch.rows() - from)];
        Arrays.setAll(selection, row -> row);
        whole.add(batch, from, selection, selection.length);
      }
    }
    long bytes = whole.table().heapBytes();
    for (int threads = 1; threads <= 3; threads++) {
      QueryOptions options =
          QueryOptions.DEFAULTS.withThreads(threads).withPieceRows(1000).withRollups(false);
      String at = query + ", " + bytes + " bytes, " + threads + " threads";
      // Each thread may have nearly all groups, and one takes those of the others.
      QueryOptions enough = options.withGroupMemory(threads * bytes + (bytes >> 2));
      assertEquals(whole.finish(), ArchiveQuery.run(snapshot, query, enough).table(), at);
      for (long most : new long[] {0, bytes >> 3, bytes - (bytes >> 3)}) {
        AnswerTooLargeException e =
            assertThrows(
                AnswerTooLargeException.class,
                () -> ArchiveQuery.run(snapshot, query, options.withGroupMemory(most)),
                at + ", " + most);
        assertTrue(
            e.getMessage().contains((most >> 20) + " MiB of the heap that one query has"),
            e.getMessage());
      }
    }
  }
}
