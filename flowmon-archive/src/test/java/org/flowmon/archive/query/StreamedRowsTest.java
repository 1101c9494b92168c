package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StreamedRowsTest {
  private static final long SEED = 31;
  private static final int SEGMENTS = 5;
  private static final int ROWS = 9000; // of a segment
  private static final List<String> QUERIES =
      List.of(
          "SELECT * FROM flows",
          "SELECT bytes, src_addr FROM flows WHERE dst_port = 443 OR bytes > 100000",
          "SELECT end_time, bytes FROM flows WHERE src_addr = '192.0.2.1'",
          "SELECT end_time, bytes, service FROM flows ORDER BY end_time",
          "SELECT bytes * bytes AS b, end_time FROM flows ORDER BY end_time DESC, bytes",
          "SELECT bytes FROM flows WHERE protocol = 6 ORDER BY end_time DESC NULLS FIRST LIMIT"
              + " 15000",
          "SELECT bytes FROM flows ORDER BY end_time NULLS FIRST LIMIT 20000",
          "SELECT bytes, end_time FROM flows WHERE src_addr IN (SELECT dst_addr FROM flows WHERE"
              + " dst_port = 22 GROUP BY dst_addr) ORDER BY end_time",
          "SELECT bytes FROM flows LIMIT 12345",
          "SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr",
          "SELECT b FROM (SELECT bytes AS b FROM flows) AS f ORDER BY b");

  @TempDir Path directory;

  private ArchiveSnapshot filled(Archive archive) throws IOException {
    for (int s = 0; s < SEGMENTS; s++) {
      // Overlapping segments, unknown times, and clocks that run ahead.
      Traffic traffic = new Traffic(SEED + s, true, 0.05);
      double from = 0.2 * Math.max(0, s - 1);
      Traffic.commit(archive, traffic.batches(ROWS, from, 0.2 * (s + 1)));
    }
    return archive.snapshot();
  }

  /** The lines of an answer that came in parts. */
  private static List<String> lines(List<ResultTable> parts) {
    List<String> lines = new ArrayList<>();
    for (ResultTable part : parts) {
      for (int row = 0; row < part.rowCount(); row++) {
        StringBuilder line = new StringBuilder();
        for (int c = 0; c < part.columnCount(); c++) {
          line.append(part.isNull(row, c) ? "NULL" : part.formatted(row, c)).append('|');
        }
        lines.add(line.toString());
      }
    }
    return lines;
  }

  @Test
  void rowsThatAreHandedOnAsTheyAreFoundAreThoseOfTheWholeAnswer() throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = filled(archive)) {
      SplittableRandom random = new SplittableRandom(SEED);
      for (String sql : QUERIES) {
        Query query = QueryParser.parseQuery(sql);
        QueryOptions options = QueryOptions.DEFAULTS.withExplain(true);
        QueryAnswer whole = ArchiveQuery.run(snapshot, query, options);
        for (int threads = 1; threads <= 3; threads++) {
          QueryOptions some =
              options.withThreads(threads).withGroupMemory((20L + random.nextInt(20)) << 20);
          List<ResultTable> parts = new ArrayList<>();
          StreamedAnswer answer = ArchiveQuery.stream(List.of(snapshot), query, some, parts::add);
          String context = "seed " + SEED + ", " + threads + " threads: " + sql;
          assertEquals(lines(List.of(whole.table())), lines(parts), context);
          assertEquals(whole.table().names(), parts.get(0).names(), context);
          assertEquals(whole.table().rowCount(), answer.rows(), context);
          assertEquals(whole.stats().warnings(), answer.stats().warnings(), context);
          // Threads may be ahead of the last wanted row.
          boolean isWhole = !sql.contains("LIMIT");
          int read = answer.stats().segmentsRead();
          assertTrue(
              isWhole ? read == whole.stats().segmentsRead() : read <= SEGMENTS,
              context + ": " + read + " segments read");
        }
      }
    }
  }

  /** No later part waits for a part that is dropped because there are enough rows. */
  @Test
  void aLimitEndsTheQueryWhicheverThreadReachesIt() throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = filled(archive)) {
      Query query = QueryParser.parseQuery("SELECT bytes FROM flows LIMIT 10001");
      QueryOptions little = QueryOptions.DEFAULTS.withThreads(8).withGroupMemory(6 << 20);
      for (int i = 0; i < 200; i++) {
        long[] given = new long[1];
        StreamedAnswer answer =
            ArchiveQuery.stream(
                List.of(snapshot), query, little, some -> given[0] += some.rowCount());
        assertEquals(10_001, given[0], "run " + i);
        assertEquals(10_001, answer.rows(), "run " + i);
      }
    }
  }

  @Test
  void aParameterWithoutAValueIsNamedBeforeAnythingRuns() throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      for (String sql :
          List.of(
              "SELECT COUNT(*) AS n, APPROX_COUNT_DISTINCT(:service) AS most FROM flows",
              "SELECT bytes FROM flows WHERE service = :service",
              "SELECT n FROM (SELECT COUNT(*) AS n FROM flows WHERE bytes > :service) AS f")) {
        Query query = QueryParser.parseQuery(sql);
        QueryException e =
            assertThrows(
                QueryException.class,
                () -> ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS),
                sql);
        assertEquals("parameter :service has no value", e.getMessage(), sql);
        e =
            assertThrows(
                QueryException.class,
                () ->
                    ArchiveQuery.stream(
                        List.of(snapshot), query, QueryOptions.DEFAULTS, some -> {}),
                sql);
        assertEquals("parameter :service has no value", e.getMessage(), sql);
        e = assertThrows(QueryException.class, () -> FlowQueries.run(List.of(), query), sql);
        assertEquals("parameter :service has no value", e.getMessage(), sql);
      }
    }
  }

  @Test
  void rowsOfAnAnswerThatNoHeapHoldsAreHandedOnWithinALittleMemory() throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = filled(archive)) {
      for (String order : List.of("", " ORDER BY end_time", " ORDER BY end_time DESC")) {
        Query query = QueryParser.parseQuery("SELECT * FROM flows" + order);
        QueryOptions little = QueryOptions.DEFAULTS.withThreads(2).withGroupMemory(6 << 20);
        assertThrows(
            AnswerTooLargeException.class, () -> ArchiveQuery.run(snapshot, query, little), order);
        AtomicInteger most = new AtomicInteger();
        StreamedAnswer answer =
            ArchiveQuery.stream(
                List.of(snapshot),
                query,
                little,
                some -> most.accumulateAndGet(some.rowCount(), Math::max));
        assertEquals(SEGMENTS * ROWS, answer.rows(), order);
        assertTrue(most.get() < 4000, order + ": " + most + " rows at once");
      }
    }
  }

  @Test
  void whoeverTakesNoMoreRowsEndsTheQuery() throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = filled(archive)) {
      for (int threads = 1; threads <= 3; threads++) {
        QueryOptions little = QueryOptions.DEFAULTS.withThreads(threads).withGroupMemory(8 << 20);
        AtomicInteger given = new AtomicInteger();
        IOException e =
            assertThrows(
                IOException.class,
                () ->
                    ArchiveQuery.stream(
                        List.of(snapshot),
                        QueryParser.parseQuery("SELECT * FROM flows ORDER BY end_time"),
                        little,
                        some -> {
                          if (given.addAndGet(some.rowCount()) > 1000) {
                            throw new IOException("nobody reads");
                          }
                        }));
        assertEquals("nobody reads", e.getMessage());
        assertTrue(given.get() < 6000, given + " rows were given with " + threads + " threads");
      }
    }
  }
}
