package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.query.limit.QueryTimeoutException;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.IpPrefix;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArchiveQueryTest {
  private static final int QUERIES = 100;

  @TempDir Path directory;

  private static FlowQuery bind(String sql) {
    return QueryParser.parse(sql).bind(Parameters.NONE.with("now", Value.ofTimestamp(Traffic.NOW)));
  }

  private record Filled(Archive archive, List<FlowBatch> flows, List<SealedSegment> segments) {}

  /** Segments of different sizes, overlapping in time, with different columns. */
  private Filled fill(String name, Traffic traffic) throws IOException {
    Archive archive = Archive.create(directory.resolve(name), ArchiveOptions.DEFAULTS);
    List<FlowBatch> flows = new ArrayList<>();
    List<SealedSegment> segments = new ArrayList<>();
    double[][] parts = {{0, 0.3}, {0.25, 0.5}, {0.5, 0.55}, {0.5, 1}, {0.9, 1}, {0, 1}};
    int[] rows = {6000, 9000, 700, 20_000, 3000, 12_000};
    for (int p = 0; p < parts.length; p++) {
      List<FlowBatch> batches = traffic.batches(rows[p], parts[p][0], parts[p][1]);
      segments.add(Traffic.commit(archive, batches));
      flows.addAll(batches);
    }
    return new Filled(archive, flows, segments);
  }

  private static void compare(Filled filled, String sql, QueryOptions options, String context)
      throws IOException {
    FlowQuery query = bind(sql);
    FlowQuery asOf =
        options.asOfArrival() == Long.MAX_VALUE
            ? query
            : query.withWhere(Filter.asOf(query.where(), options.asOfArrival()));
    ResultTable expected = FlowQueries.run(filled.flows, asOf);
    try (ArchiveSnapshot snapshot = filled.archive.snapshot()) {
      QueryAnswer answer = ArchiveQuery.run(snapshot, query, options);
      if (!expected.equals(answer.table())) {
        assertEquals(expected.toString(), answer.table().toString(), context + ": " + sql);
      }
    }
  }

  @Test
  void everyQueryAnswersAsAScanOfAllFlowsDoes() throws IOException {
    long seed = 77;
    Random random = new Random(seed);
    RandomQueries queries = new RandomQueries(seed);
    for (int round = 0; round < 2; round++) {
      Filled filled = fill("a" + round, new Traffic(seed + round, round == 1, 0.1 * round));
      int byIndex = 0;
      int byScan = 0;
      for (int q = 0; q < QUERIES; q++) {
        String sql = random.nextInt(3) == 0 ? queries.rows() : queries.grouped();
        QueryOptions options =
            QueryOptions.DEFAULTS
                .withThreads(1 + random.nextInt(3))
                .withPieceRows(1 + random.nextInt(300));
        if (random.nextInt(3) == 0) {
          options = options.withAsOfArrival(Traffic.BEGIN + random.nextInt(10 * 24) * Traffic.HOUR);
        }
        compare(filled, sql, options, "seed " + seed + ", round " + round + ", query " + q);
        try (ArchiveSnapshot snapshot = filled.archive.snapshot()) {
          QueryStats stats = ArchiveQuery.run(snapshot, bind(sql), options).stats();
          byIndex += stats.segmentsByIndex();
          byScan += stats.segmentsRead() - stats.segmentsByIndex();
          assertEquals(List.of(), stats.warnings());
        }
      }
      assertTrue(byIndex > 20 && byScan > 20, "by index " + byIndex + ", by scan " + byScan);
      filled.archive.close();
    }
  }

  @Test
  void withoutSidecarsOrWithDamagedOnesAnswersAreTheSameAndCounted() throws IOException {
    long seed = 78;
    Random random = new Random(seed);
    Filled filled = fill("a", new Traffic(seed, true, 0.05));
    filled.archive.close();
    for (int s = 0; s < filled.segments.size(); s++) {
      Path index = directory.resolve("a/segments").resolve(filled.segments.get(s).indexFileName());
      byte[] bytes = Files.readAllBytes(index);
      switch (s % 3) {
        case 0 -> Files.delete(index);
        case 1 -> Files.write(index, java.util.Arrays.copyOf(bytes, bytes.length / 2));
        default -> {
          for (int i = 0; i < bytes.length; i += 50) {
            bytes[i] ^= (byte) (1 + random.nextInt(255));
          }
          Files.write(index, bytes);
        }
      }
    }
    RandomQueries queries = new RandomQueries(seed);
    try (Archive archive = Archive.open(directory.resolve("a"))) {
      Filled hurt = new Filled(archive, filled.flows, filled.segments);
      for (int q = 0; q < QUERIES; q++) {
        String sql = random.nextInt(3) == 0 ? queries.rows() : queries.grouped();
        compare(hurt, sql, QueryOptions.DEFAULTS, "seed " + seed + ", query " + q);
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        QueryStats stats =
            ArchiveQuery.run(
                    snapshot,
                    bind("SELECT COUNT(*) FROM flows WHERE src_addr = '192.0.2.1'"),
                    QueryOptions.DEFAULTS)
                .stats();
        // The segment of 700 rows is too small for its sidecar to be read.
        assertEquals(filled.segments.size() - 1, stats.warnings().size());
        assertTrue(stats.warnings().get(0).contains(".idx"), "names the file: " + stats.warnings());
        assertEquals(0, stats.segmentsByIndex());
      }
    }
  }

  @Test
  void aDamagedSegmentIsAnErrorThatNamesIt() throws IOException {
    Filled filled = fill("a", new Traffic(79, false, 0));
    filled.archive.close();
    SealedSegment segment = filled.segments.get(1);
    Path file = directory.resolve("a/segments").resolve(segment.fileName());
    byte[] bytes = Files.readAllBytes(file);
    FlowQuery all = bind("SELECT * FROM flows WHERE end_time IS NOT NULL ORDER BY arrival LIMIT 5");
    Random random = new Random(79);
    for (int i = 0; i < 40; i++) {
      byte[] hurt = bytes.clone();
      int at = random.nextInt(bytes.length);
      hurt[at] ^= (byte) (1 + random.nextInt(255));
      Files.write(file, hurt);
      requireNamed(segment, all, "byte " + at);
    }
    Files.write(file, java.util.Arrays.copyOf(bytes, bytes.length - 1));
    requireNamed(segment, all, "truncated");
    Files.delete(file);
    requireNamed(segment, all, "missing");
  }

  private void requireNamed(SealedSegment segment, FlowQuery query, String context)
      throws IOException {
    try (Archive archive = Archive.open(directory.resolve("a"));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      SegmentCorruptException e =
          assertThrows(
              SegmentCorruptException.class,
              () -> ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS),
              context);
      assertTrue(e.getMessage().contains(segment.fileName()), e.getMessage());
    }
  }

  @Test
  void aSnapshotDoesNotShowWhatIsCommittedLater() throws IOException {
    Traffic traffic = new Traffic(80, false, 0);
    FlowQuery count = bind("SELECT COUNT(*) FROM flows");
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      Traffic.commit(archive, traffic.batches(1000, 0, 1));
      try (ArchiveSnapshot before = archive.snapshot()) {
        Traffic.commit(archive, traffic.batches(500, 0, 1));
        QueryOptions options = QueryOptions.DEFAULTS;
        assertEquals(1000, ArchiveQuery.run(before, count, options).table().longValue(0, 0));
        try (ArchiveSnapshot after = archive.snapshot()) {
          assertEquals(1500, ArchiveQuery.run(after, count, options).table().longValue(0, 0));
        }
      }
    }
  }

  @Test
  void aQueryBeyondItsTimeLimitHasNoAnswer() throws IOException {
    Filled filled = fill("a", new Traffic(81, false, 0));
    try (Archive archive = filled.archive;
        ArchiveSnapshot snapshot = archive.snapshot()) {
      QueryOptions options = QueryOptions.DEFAULTS.withTimeLimit(Duration.ZERO).withThreads(2);
      QueryTimeoutException e =
          assertThrows(
              QueryTimeoutException.class,
              () ->
                  ArchiveQuery.run(
                      snapshot, bind("SELECT COUNT(*) FROM flows WHERE bytes > 5"), options));
      assertTrue(e.getMessage().contains("of 6 segments"), e.getMessage());
    }
  }

  @Test
  void anAnswerSaysHowFarHistoryReachesAndWhatWasRead() throws IOException {
    Traffic traffic = new Traffic(82, false, 0);
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      for (int day = 0; day < 10; day++) {
        Traffic.commit(archive, traffic.batches(5000, day / 10.0, (day + 1) / 10.0));
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        long from = Traffic.BEGIN + 3 * Traffic.DAY + Traffic.HOUR;
        QueryStats stats =
            ArchiveQuery.run(
                    snapshot,
                    bind(
                        "SELECT COUNT(*) FROM flows WHERE end_time >= "
                            + RandomQueries.timestamp(from)
                            + " AND end_time < "
                            + RandomQueries.timestamp(from + Traffic.HOUR)),
                    QueryOptions.DEFAULTS)
                .stats();
        assertEquals(10, stats.segmentsTotal());
        assertEquals(1, stats.segmentsConsidered());
        assertEquals(1, stats.segmentsRead());
        assertEquals(50_000, stats.rowsTotal());
        assertTrue(stats.rowsExamined() < 400, "rows of one hour: " + stats.rowsExamined());
        assertEquals(stats.rowsMatched(), stats.rowsExamined());
        assertEquals(snapshot.historyFrom(), stats.historyFrom());
        assertEquals(snapshot.historyThrough(), stats.historyThrough());
        assertTrue(stats.historyFrom() >= Traffic.BEGIN);
      }
    }
  }

  @Test
  void theNewestFlowsAreFoundWithoutReadingOldSegments() throws IOException {
    Traffic traffic = new Traffic(83, false, 0);
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      for (int day = 0; day < 10; day++) {
        Traffic.commit(archive, traffic.batches(500, day / 10.0, (day + 1) / 10.0));
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        QueryAnswer newest =
            ArchiveQuery.run(
                snapshot,
                bind("SELECT end_time FROM flows ORDER BY end_time DESC LIMIT 10"),
                QueryOptions.DEFAULTS);
        assertEquals(10, newest.table().rowCount());
        assertEquals(1, newest.stats().segmentsRead());
      }
    }
  }

  @Test
  void aLookupFindsAnAddressOnBothSides() throws IOException {
    Filled filled = fill("a", new Traffic(84, true, 0.1));
    try (Archive archive = filled.archive;
        ArchiveSnapshot snapshot = archive.snapshot()) {
      for (String prefix : new String[] {"192.0.2.5", "192.0.2.0/28", "2001:db8::/64", "::/0"}) {
        QueryAnswer answer =
            ArchiveQuery.lookup(
                snapshot,
                IpPrefix.parse(prefix),
                Traffic.BEGIN,
                Traffic.NOW - Traffic.DAY,
                1000,
                QueryOptions.DEFAULTS);
        ResultTable expected =
            FlowQueries.run(
                filled.flows,
                bind(
                    "SELECT * FROM flows WHERE (src_addr IN ('"
                        + prefix
                        + "') OR dst_addr IN ('"
                        + prefix
                        + "')) AND end_time >= "
                        + RandomQueries.timestamp(Traffic.BEGIN)
                        + " AND end_time < "
                        + RandomQueries.timestamp(Traffic.NOW - Traffic.DAY)
                        + " ORDER BY end_time LIMIT 1000"));
        assertTrue(expected.rowCount() > 0);
        assertEquals(expected.toString(), answer.table().toString(), prefix);
      }
    }
  }
}
