package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.SegmentAccess.Way;
import org.flowmon.udaf.query.QueryParser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An answer says how each segment was read, and a query that reads too much ends. */
class ExplainTest {
  private static final int ROWS = 20_000;

  @TempDir Path directory;
  private Archive archive;
  private ArchiveSnapshot snapshot;

  @BeforeEach
  void fill() throws IOException {
    archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS);
    Traffic traffic = new Traffic(6, false, 0);
    for (int s = 0; s < 4; s++) {
      Traffic.commit(archive, traffic.batches(ROWS, s * 0.25, s * 0.25 + 0.24));
    }
    snapshot = archive.snapshot();
  }

  @AfterEach
  void close() {
    snapshot.close();
    archive.close();
  }

  private QueryStats explain(String sql) throws IOException {
    QueryOptions options = QueryOptions.DEFAULTS.withExplain(true).withThreads(2);
    return ArchiveQuery.run(snapshot, QueryParser.parse(sql), options).stats();
  }

  private static List<Way> ways(QueryStats stats) {
    return stats.accesses().stream().map(SegmentAccess::way).distinct().toList();
  }

  @Test
  void saysHowSegmentsWereRead() throws IOException {
    QueryStats sums = explain("SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr");
    assertEquals(List.of(Way.SUMS), ways(sums));
    assertEquals(4, sums.accesses().size());
    assertEquals(sums.cellsRead(), sums.accesses().stream().mapToLong(SegmentAccess::cells).sum());
    assertEquals(0, sums.bytesRead());

    QueryStats scan = explain("SELECT COUNT(*) AS n FROM flows WHERE bytes > packets");
    assertEquals(List.of(Way.SCAN), ways(scan));
    assertEquals(4 * ROWS, scan.rowsExamined());
    long stored = 0;
    for (var segment : snapshot.segments()) {
      try (var lease = snapshot.open(segment, true)) {
        stored += lease.rows().encodedBytes(org.flowmon.flow.FlowColumn.BYTES);
        stored += lease.rows().encodedBytes(org.flowmon.flow.FlowColumn.PACKETS);
      }
    }
    assertEquals(stored, scan.bytesRead());

    QueryStats index = explain("SELECT bytes FROM flows WHERE src_port = 2222");
    assertEquals(List.of(Way.INDEX), ways(index));
    assertTrue(index.bytesRead() > 0 && index.bytesRead() < scan.bytesRead() / 100);

    String late = RandomQueries.timestamp(Traffic.NOW - Traffic.DAY);
    QueryStats times = explain("SELECT bytes FROM flows WHERE end_time >= " + late);
    assertEquals(1, times.accesses().size());
    assertEquals(1, times.segmentsConsidered());

    assertEquals(
        List.of(Way.NONE),
        ways(explain("SELECT bytes FROM flows WHERE src_as IS NULL AND vlan = 3")));
    assertEquals(
        List.of(),
        ArchiveQuery.run(
                snapshot, QueryParser.parse("SELECT bytes FROM flows"), QueryOptions.DEFAULTS)
            .stats()
            .accesses());
  }

  @Test
  void endsAQueryThatReadsTooMuch() throws IOException {
    String sql = "SELECT MAX(bytes) AS n FROM flows WHERE bytes > packets";
    long all = explain(sql).bytesRead();
    QueryOptions enough = QueryOptions.DEFAULTS.withByteLimit(all);
    assertEquals(1, ArchiveQuery.run(snapshot, QueryParser.parse(sql), enough).table().rowCount());
    ByteLimitException e =
        assertThrows(
            ByteLimitException.class,
            () ->
                ArchiveQuery.run(
                    snapshot,
                    QueryParser.parse(sql),
                    QueryOptions.DEFAULTS.withByteLimit(all / 2)));
    assertTrue(
        e.getMessage().contains("more than the " + all / 2 + " that it may"), e.getMessage());
    assertTrue(e.getMessage().endsWith("of 4 segments were done"), e.getMessage());
  }
}
