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
import org.flowmon.archive.query.limit.ByteLimitException;
import org.flowmon.archive.query.plan.PlanStep;
import org.flowmon.archive.query.plan.SegmentAccess;
import org.flowmon.archive.query.plan.SegmentAccess.Way;
import org.flowmon.udaf.parser.QueryParser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An answer reports how each segment was read, and a query that reads too much ends. */
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

  /**
   * The statistics of a query without explanation: in pieces of so many rows, by so many threads.
   */
  private QueryStats[] run(String sql, int threads, int pieceRows) throws IOException {
    QueryOptions options = QueryOptions.DEFAULTS.withThreads(threads).withPieceRows(pieceRows);
    QueryAnswer told =
        ArchiveQuery.run(snapshot, QueryParser.parse(sql), options.withExplain(true));
    QueryAnswer untold = ArchiveQuery.run(snapshot, QueryParser.parse(sql), options);
    assertEquals(untold.table().toString(), told.table().toString(), sql);
    return new QueryStats[] {told.stats(), untold.stats()};
  }

  @Test
  void tellsOfTheWaysThatTheQueryTakesWhenItIsNotExplained() throws IOException {
    for (String sql :
        List.of(
            "SELECT protocol, MAX(bytes) AS n FROM flows WHERE bytes > packets GROUP BY protocol",
            "SELECT MIN(packets) AS n FROM flows WHERE src_port = 2222 OR src_port > 50000",
            "SELECT src_addr, dst_addr, MAX(bytes) AS n FROM flows WHERE src_addr = '192.0.2.1'"
                + " AND protocol = 6 GROUP BY src_addr, dst_addr",
            "SELECT bytes, packets FROM flows WHERE bytes > packets",
            "SELECT src_addr, SUM(bytes) AS n FROM flows GROUP BY src_addr")) {
      for (int threads = 1; threads <= 3; threads++) {
        for (int pieceRows : new int[] {3000, 1_000_000}) {
          QueryStats[] both = run(sql, threads, pieceRows);
          QueryStats told = both[0];
          String context = sql + ", " + threads + " threads, " + pieceRows + " rows";
          assertEquals(both[1].segmentsRead(), told.segmentsRead(), context);
          assertEquals(both[1].segmentsByIndex(), told.segmentsByIndex(), context);
          assertEquals(both[1].segmentsByRollup(), told.segmentsByRollup(), context);
          assertEquals(both[1].rowsExamined(), told.rowsExamined(), context);
          assertEquals(both[1].rowsMatched(), told.rowsMatched(), context);
          assertEquals(both[1].bytesRead(), told.bytesRead(), context);
          List<SegmentAccess> accesses = told.accesses();
          assertEquals(4, accesses.size(), context);
          assertEquals(
              told.rowsExamined(),
              accesses.stream().mapToLong(SegmentAccess::rowsExamined).sum(),
              context);
          assertEquals(
              told.rowsMatched(),
              accesses.stream().mapToLong(SegmentAccess::rowsMatched).sum(),
              context);
          boolean isCut = threads > 1 && pieceRows < ROWS && !sql.contains("SUM(");
          for (SegmentAccess access : accesses) {
            assertEquals(isCut ? threads : 1, access.pieces(), context);
          }
        }
      }
    }
  }

  @Test
  void tellsOfListsThatMakeGroups() throws IOException {
    String sql =
        "SELECT src_addr, dst_addr, MAX(bytes) AS n FROM flows WHERE src_addr = '192.0.2.1'"
            + " GROUP BY src_addr, dst_addr";
    QueryStats[] both = run(sql, 2, 3000);
    assertEquals(List.of(Way.LISTS), ways(both[0]));
    assertEquals(4, both[0].accesses().size());
    assertEquals(both[1].rowsMatched(), both[0].rowsMatched());
    for (SegmentAccess access : both[0].accesses()) {
      QueryStats alone = explain("SELECT MAX(bytes) FROM flows WHERE src_addr = '192.0.2.1'");
      long rows =
          alone.accesses().stream()
              .filter(other -> other.segment().equals(access.segment()))
              .mapToLong(SegmentAccess::rowsMatched)
              .sum();
      assertEquals(rows, access.rowsMatched());
      assertTrue(rows > 1000 && access.bytesRead() > rows, access.toString());
    }
  }

  /** A list is planned whole, though the query's times cut it. */
  @Test
  void tellsOfTheRowsThatListsMayHave() throws IOException {
    String of = "SELECT src_addr, dst_addr, MAX(bytes) AS n FROM flows WHERE %s src_addr = '%s'";
    String by = " GROUP BY src_addr, dst_addr";
    QueryStats all = run(String.format(of, "", "192.0.2.1") + by, 1, 1_000_000)[0];
    assertEquals(List.of(Way.LISTS), ways(all));
    String cut = "end_time < " + RandomQueries.timestamp(Traffic.NOW - Traffic.DAY) + " AND";
    QueryStats some = run(String.format(of, cut, "192.0.2.1") + by, 1, 1_000_000)[0];
    assertEquals(List.of(Way.LISTS), ways(some));
    for (int s = 0; s < 4; s++) {
      SegmentAccess whole = all.accesses().get(s);
      SegmentAccess access = some.accesses().get(s);
      assertEquals(whole.rowsExamined(), whole.rowsPlanned());
      assertEquals(whole.rowsPlanned(), access.rowsPlanned());
      assertEquals(s == 3, access.rowsExamined() < access.rowsPlanned(), access.toString());
    }
  }

  @Test
  void countsTheThreadsThatRun() throws IOException {
    QueryOptions many = QueryOptions.DEFAULTS.withExplain(true).withThreads(8);
    String lists =
        "SELECT src_addr, dst_addr, MAX(bytes) AS n FROM flows WHERE src_addr = '192.0.2.1'"
            + " GROUP BY src_addr, dst_addr";
    assertThreads(8, ArchiveQuery.run(snapshot, QueryParser.parse(lists), many).stats());
    String sums = "SELECT src_addr, SUM(bytes) AS n FROM flows GROUP BY src_addr";
    assertThreads(4, ArchiveQuery.run(snapshot, QueryParser.parse(sums), many).stats());
    assertThreads(
        4,
        ArchiveQuery.stream(
                List.of(snapshot), QueryParser.parse("SELECT bytes FROM flows"), many, some -> {})
            .stats());
  }

  private static void assertThreads(int threads, QueryStats stats) {
    List<String> steps = stats.plans().get(0).lines().stream().map(PlanStep.Line::text).toList();
    assertTrue(
        steps.stream().anyMatch(step -> step.endsWith("threads: " + threads)), steps.toString());
  }

  @Test
  void valuesOfDictionariesAreDecidedOnceForAllPieces() throws IOException {
    String sql =
        "SELECT MAX(bytes) AS n FROM flows WHERE dst_port % 2 = 1 AND dst_port > 23 AND bytes > 0";
    long once = decided(run(sql, 1, 1_000_000)[0]);
    // Of 22, 53, 80, 443 and 8080 those above 23, in each of four segments.
    assertEquals(4 * 4, once);
    for (int threads = 2; threads <= 4; threads++) {
      QueryStats told = run(sql, threads, 1000)[0];
      assertEquals(threads, told.accesses().get(0).pieces());
      assertEquals(once, decided(told), threads + " threads");
    }
  }

  private static long decided(QueryStats stats) {
    return stats.accesses().stream().mapToLong(SegmentAccess::valuesDecided).sum();
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
