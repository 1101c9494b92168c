package org.flowmon.jobs.distributed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.limit.QueryTimeoutException;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.sql.RandomArchive;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.text.QueryException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries as jobs of a cluster answer as they do in one process. */
class DistributedQueryTest {
  private static final long SEED = 20261127;
  private static final int QUERIES = Integer.getInteger("flowmon.test.times", 1) * 12;
  private static final String[] KEYS = {
    "src_addr", "dst_addr", "protocol", "dst_port", "src_as", "outgoing", "service", "bytes / 1000"
  };
  private static final String[] AGGREGATES = {
    "COUNT(*)",
    "COUNT(src_as)",
    "SUM(bytes)",
    "MIN(bytes)",
    "MAX(packets)",
    "AVG(packets)",
    "MIN(end_time)",
    "COUNT(DISTINCT dst_addr)",
    "COUNT(DISTINCT service, dst_port)",
    "SUM(bytes) FILTER (WHERE protocol = 6)"
  };
  private static final String[] CONDITIONS = {
    "src_addr = '192.0.2.1'",
    "protocol = 6",
    "dst_port > 53",
    "NOT outgoing",
    "service = 'é'''",
    "dst_addr IS NULL",
    "end_time >= {1800000000}",
    "bytes + packets > 100000",
    "src_addr IN (SELECT dst_addr FROM flows WHERE protocol = 17 GROUP BY dst_addr)"
  };

  @TempDir static Path folder;

  private static Archive archive;
  private static Archive other;

  @BeforeAll
  static void fill() throws IOException {
    archive = RandomArchive.create(folder.resolve("archive"), SEED, 9, 1500);
    other = RandomArchive.create(folder.resolve("other"), SEED + 1, 3, 700);
  }

  @AfterAll
  static void close() throws IOException {
    archive.close();
    other.close();
  }

  private static DistributedQuery cluster(int parallelism) {
    return new DistributedQuery(LocalFlink.environment(parallelism), parallelism, 1);
  }

  private static String time(long offset) {
    return "TIMESTAMP '"
        + Instant.EPOCH.plus(RandomArchive.BEGIN + offset, ChronoUnit.MICROS)
        + "'";
  }

  private static void assertSame(List<ArchiveSnapshot> snapshots, String sql, int parallelism)
      throws IOException {
    Query query = QueryParser.parseQuery(sql);
    QueryAnswer local = ArchiveQuery.run(snapshots, query, QueryOptions.DEFAULTS);
    QueryAnswer found = cluster(parallelism).run(snapshots, query, QueryOptions.DEFAULTS);
    assertEquals(local.table().toString(), found.table().toString(), sql);
    assertEquals(local.stats().segmentsTotal(), found.stats().segmentsTotal(), sql);
    assertEquals(local.stats().rowsMatched(), found.stats().rowsMatched(), sql);
  }

  private static String pick(Random random, String... some) {
    return some[random.nextInt(some.length)];
  }

  private static String query(Random random) {
    List<String> keys = new ArrayList<>();
    for (int k = random.nextInt(4); k > 0; k--) {
      String key = pick(random, KEYS);
      if (!keys.contains(key)) {
        keys.add(key);
      }
    }
    List<String> items = new ArrayList<>();
    keys.forEach(key -> items.add(key + " AS c" + items.size()));
    for (int a = 1 + random.nextInt(3); a > 0; a--) {
      items.add(pick(random, AGGREGATES) + " AS c" + items.size());
    }
    String sql = "SELECT " + String.join(", ", items) + " FROM flows";
    if (random.nextInt(2) == 0) {
      sql += " WHERE " + pick(random, CONDITIONS).replace("{1800000000}", time(1_800_000_000));
    }
    sql += keys.isEmpty() ? "" : " GROUP BY " + String.join(", ", keys);
    sql += random.nextInt(3) == 0 ? " HAVING COUNT(*) > " + random.nextInt(20) : "";
    sql += random.nextInt(2) == 0 ? " ORDER BY c" + (items.size() - 1) + " DESC" : "";
    return sql + (random.nextInt(2) == 0 ? " LIMIT " + (1 + random.nextInt(30)) : "");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void randomQueriesAnswerAsInOneProcess(int parallelism) throws IOException {
    Random random = new Random(SEED + parallelism);
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      for (int i = 0; i < QUERIES; i++) {
        assertSame(List.of(snapshot), query(random), parallelism);
      }
    }
  }

  @Test
  void queriesOverResultsJoinsAndSeveralArchivesAnswerAsInOneProcess() throws IOException {
    try (ArchiveSnapshot one = archive.snapshot();
        ArchiveSnapshot two = other.snapshot()) {
      assertSame(
          List.of(one, two),
          "SELECT n, COUNT(*) AS hosts FROM (SELECT src_addr, COUNT(*) AS n FROM flows"
              + " GROUP BY src_addr) GROUP BY n ORDER BY n",
          2);
      assertSame(
          List.of(one, two),
          "SELECT a.src_addr, a.n, b.n AS m FROM (SELECT src_addr, COUNT(*) AS n FROM flows GROUP"
              + " BY src_addr) AS a JOIN (SELECT dst_addr, COUNT(*) AS n FROM flows GROUP BY"
              + " dst_addr) AS b ON a.src_addr = b.dst_addr ORDER BY a.n DESC, b.n LIMIT 9",
          2);
      // No segment is of that time, and none has a group: one row all the same.
      assertSame(
          List.of(one),
          "SELECT COUNT(*), SUM(bytes) FROM flows WHERE end_time < TIMESTAMP"
              + " '1999-01-01T00:00:00Z'",
          2);
      // Exact while there are as few values as here.
      assertSame(
          List.of(one),
          "SELECT protocol, APPROX_COUNT_DISTINCT(dst_addr) AS n FROM flows GROUP BY protocol",
          4);
    }
  }

  @Test
  void theBytesOfAllQueriesOverFlowsCount() throws IOException {
    String senders = "SELECT src_addr AS host, COUNT(*) AS n FROM flows GROUP BY src_addr";
    String receivers = "SELECT dst_addr AS host, COUNT(*) AS n FROM flows GROUP BY dst_addr";
    String both =
        "SELECT a.n, b.n AS m FROM (%s) AS a JOIN (%s) AS b ON a.host = b.host"
            .formatted(senders, receivers);
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      long ofSenders = bytesRead(snapshot, senders);
      long ofReceivers = bytesRead(snapshot, receivers);
      assertTrue(Math.min(ofSenders, ofReceivers) > 0);
      assertEquals(ofSenders + ofReceivers, bytesRead(snapshot, both));
    }
  }

  private static long bytesRead(ArchiveSnapshot snapshot, String sql) throws IOException {
    return cluster(2)
        .run(List.of(snapshot), QueryParser.parseQuery(sql), QueryOptions.DEFAULTS)
        .stats()
        .bytesRead();
  }

  @Test
  void rowsWithoutGroupsAreRefusedBeforeAJobStarts() throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      QueryException e =
          assertThrows(
              QueryException.class,
              () ->
                  cluster(2)
                      .run(
                          List.of(snapshot),
                          QueryParser.parseQuery("SELECT src_addr FROM flows LIMIT 3"),
                          QueryOptions.DEFAULTS));
      assertTrue(
          String.valueOf(e.getMessage()).startsWith("a cluster answers queries with groups"));
    }
  }

  @Test
  void aTimeLimitEndsTheJob() throws IOException {
    Path late = folder.resolve("late");
    try (Archive archive = RandomArchive.create(late, SEED + 3, 3, 400);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      QueryOptions options = QueryOptions.DEFAULTS.withTimeLimit(Duration.ofMillis(1));
      QueryTimeoutException e =
          assertThrows(
              QueryTimeoutException.class,
              () -> cluster(2).run(List.of(snapshot), byPort(), options));
      assertFalse(String.valueOf(e.getMessage()).isEmpty());
    }
  }

  @Test
  void aMissingSegmentEndsTheJobWithItsName() throws IOException {
    Path copy = folder.resolve("damaged"); // no other job may have its segments open
    RandomArchive.create(copy, SEED + 2, 3, 400).close();
    Path segment;
    try (var files = Files.walk(copy)) {
      segment =
          files.filter(file -> file.toString().endsWith(".parquet")).findFirst().orElseThrow();
    }
    Files.delete(segment);
    try (Archive damaged = Archive.open(copy);
        ArchiveSnapshot snapshot = damaged.snapshot()) {
      // Each time: a split that is on its way when the task fails must not hide the reason.
      for (int times = 0; times < 5; times++) {
        IOException e =
            assertThrows(
                IOException.class,
                () -> cluster(2).run(List.of(snapshot), byPort(), QueryOptions.DEFAULTS));
        assertTrue(
            String.valueOf(e.getMessage()).contains(segment.getFileName().toString()),
            e.getMessage());
      }
    }
  }

  private static Query byPort() {
    return QueryParser.parseQuery("SELECT dst_port, SUM(bytes) FROM flows GROUP BY dst_port");
  }
}
