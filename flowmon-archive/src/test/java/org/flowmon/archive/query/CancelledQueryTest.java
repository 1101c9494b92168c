package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.limit.QueryCancelledException;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A query that nobody waits for any more ends with the current block, whatever it is doing. */
class CancelledQueryTest {
  private static final long SEED = 43;
  private static final int SEGMENTS = 3;
  private static final int ROWS = 40_000; // of a segment
  private static final int ROUNDS = 5; // of each query and number of threads
  private static final int LOOKS = 4; // of a thread at most after the end

  /** A query for each way to an answer. */
  private static final List<String> QUERIES =
      List.of(
          "SELECT COUNT(*) AS n FROM flows WHERE bytes % 7 = 3",
          "SELECT bytes FROM flows WHERE src_addr IN '10.0.0.0/17' AND dst_port IN (22, 80)",
          "SELECT src_addr, dst_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr, dst_addr ORDER"
              + " BY b DESC LIMIT 10",
          "SELECT src_addr, dst_addr, MAX(bytes) AS m FROM flows WHERE src_addr = '192.0.2.1' GROUP"
              + " BY src_addr, dst_addr",
          "SELECT src_addr, dst_port, bytes, COUNT(*) AS n FROM flows GROUP BY src_addr, dst_port,"
              + " bytes ORDER BY n DESC, bytes LIMIT 2 BY src_addr",
          "SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr ORDER BY b DESC LIMIT 10",
          "SELECT NETWORK(src_addr, 24, 64) AS net, COUNT(*) AS n FROM flows GROUP BY net",
          "SELECT src_addr, COUNT(DISTINCT dst_addr) AS n FROM flows GROUP BY src_addr",
          "SELECT dst_port, COUNT(DISTINCT bytes, service) AS n FROM flows GROUP BY dst_port",
          "SELECT service, MAX(bytes) AS b FROM flows GROUP BY service HAVING b > 5 ORDER BY b"
              + " DESC",
          "SELECT dst_port, MEDIAN(QUANTILES(bytes, 0)) AS m, TOTAL(HEAVY_HITTERS(src_addr)) AS t"
              + " FROM flows GROUP BY dst_port",
          "SELECT src_addr, QUANTILES(bytes) AS state FROM flows GROUP BY src_addr",
          "SELECT src_addr, bytes FROM flows ORDER BY bytes, src_addr",
          "SELECT bytes, src_addr FROM flows ORDER BY bytes DESC LIMIT 30000",
          "SELECT a.p, COUNT(*) AS n FROM (SELECT bytes AS b, dst_port AS p FROM flows LIMIT 20000)"
              + " AS a JOIN (SELECT bytes AS b FROM flows LIMIT 20000) AS c ON a.b = c.b GROUP BY"
              + " a.p ORDER BY n",
          "SELECT COUNT(*) AS n FROM flows WHERE src_addr IN (SELECT dst_addr FROM flows GROUP BY"
              + " dst_addr)");

  private static final List<String> STREAMED =
      List.of("SELECT * FROM flows", "SELECT end_time, bytes FROM flows ORDER BY end_time DESC");

  @TempDir Path directory;

  /** Is asked whether to go on; says no from one question on. */
  private static final class Client {
    private final long leavesAt;
    private final AtomicLong looks = new AtomicLong();

    Client(long leavesAt) {
      this.leavesAt = leavesAt;
    }

    boolean isGone() {
      return looks.incrementAndGet() >= leavesAt;
    }
  }

  /** The answer's rows. */
  private static long ask(
      ArchiveSnapshot snapshot, String sql, boolean isStreamed, int threads, Client client)
      throws IOException {
    QueryOptions options =
        QueryOptions.DEFAULTS.withThreads(threads).withPieceRows(5000).withIsGone(client::isGone);
    Deadline deadline = options.deadline();
    GroupMemory memory = new GroupMemory(1L << 30, deadline::check);
    Query query = QueryParser.parseQuery(sql);
    try {
      return isStreamed
          ? ArchiveQuery.stream(
                  List.of(snapshot), (FlowQuery) query, options, some -> {}, deadline, memory)
              .rows()
          : ArchiveQuery.run(List.of(snapshot), query, options, deadline, memory)
              .table()
              .rowCount();
    } finally {
      assertEquals(0, memory.taken(), "memory that is not given back: " + sql);
      assertNoThreadWorksOn(sql);
    }
  }

  /** A thread whose work has ended may take a moment to end itself. */
  private static void assertNoThreadWorksOn(String sql) {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("archive-query")) {
        StackTraceElement[] stack = thread.getStackTrace();
        assertFalse(
            Arrays.stream(stack).anyMatch(e -> e.getClassName().startsWith("org.flowmon")),
            () -> "a thread works on: " + sql + " at " + Arrays.toString(stack));
      }
    }
  }

  @Test
  void whereverAQueryIsItEndsWithTheBlockAtHandAndGivesItsMemoryBack() throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      for (int s = 0; s < SEGMENTS; s++) {
        Traffic.commit(archive, new Traffic(SEED + s, true, 0).batches(ROWS, 0, 1));
      }
      archive.updateDirectory(false, () -> false);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (int q = 0; q < QUERIES.size() + STREAMED.size(); q++) {
          boolean isStreamed = q >= QUERIES.size();
          String sql = isStreamed ? STREAMED.get(q - QUERIES.size()) : QUERIES.get(q);
          for (int threads = 1; threads <= 2; threads++) {
            cancelAtRandom(snapshot, sql, isStreamed, threads, random);
          }
        }
      }
    }
  }

  private static void cancelAtRandom(
      ArchiveSnapshot snapshot,
      String sql,
      boolean isStreamed,
      int threads,
      SplittableRandom random)
      throws IOException {
    Client patient = new Client(Long.MAX_VALUE);
    long rows = ask(snapshot, sql, isStreamed, threads, patient);
    long looks = patient.looks.get();
    for (int round = 0; round < ROUNDS; round++) {
      // Threads share out blocks differently each time: the last few may not come.
      long leavesAt = 1 + random.nextLong(Math.max(1, looks * 9 / 10));
      Client client = new Client(leavesAt);
      String context =
          String.format(
              "seed %d, look %d of %d, %d threads: %s", SEED, leavesAt, looks, threads, sql);
      assertThrows(
          QueryCancelledException.class,
          () -> ask(snapshot, sql, isStreamed, threads, client),
          context);
      long after = client.looks.get() - leavesAt;
      assertTrue(after <= (long) LOOKS * threads, context + ": looked " + after + " times more");
    }
    Client next = new Client(Long.MAX_VALUE);
    assertEquals(rows, ask(snapshot, sql, isStreamed, threads, next), "the next one: " + sql);
  }

  @Test
  void aQueryLooksAtLeastOnceForEachBlockOfRowsThatItReadsOrSorts() throws IOException {
    int blockRows = 1024;
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      Traffic.commit(archive, new Traffic(SEED, true, 0).batches(ROWS, 0, 1));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (String sql : QUERIES) {
          if (sql.contains("WHERE") || sql.contains("NETWORK") || sql.contains("SUM(bytes)")) {
            continue; // indexes and sums are fewer blocks
          }
          Client client = new Client(Long.MAX_VALUE);
          ask(snapshot, sql, false, 1, client);
          long looks = client.looks.get();
          assertTrue(looks >= ROWS / blockRows / 3, looks + " looks: " + sql);
        }
      }
    }
  }
}
