package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.query.limit.QueryCancelledException;
import org.flowmon.archive.query.rollup.CellGrouping;
import org.flowmon.archive.query.rollup.WaitingCells;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.rollup.DenseTraffic;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rollups answer like rows, and rows like a scan of all flows. */
class RollupQueryTest {
  private static final int QUERIES = 400;

  @TempDir Path directory;

  private static FlowQuery bind(String sql) {
    return QueryParser.parse(sql)
        .bind(Parameters.NONE.with("now", Value.ofTimestamp(SumQueries.NOW)));
  }

  private record Filled(List<FlowBatch> flows, List<SealedSegment> segments) {}

  private Filled fill(Archive archive, long seed) throws IOException {
    List<FlowBatch> flows = new ArrayList<>();
    List<SealedSegment> segments = new ArrayList<>();
    Random random = new Random(seed);
    int count = 1 + random.nextInt(4);
    for (int s = 0; s < count; s++) {
      // Some segments are too small for their rollups to be read.
      List<FlowBatch> batches =
          new DenseTraffic(100 * seed + s).batches(random.nextInt(5) == 0 ? 500 : 4000);
      segments.add(Traffic.commit(archive, batches));
      flows.addAll(batches);
    }
    return new Filled(flows, segments);
  }

  private static ResultTable scan(Filled filled, FlowQuery query, QueryOptions options) {
    return FlowQueries.run(
        filled.flows,
        options.asOfArrival() == Long.MAX_VALUE
            ? query
            : query.withWhere(Filter.asOf(query.where(), options.asOfArrival())));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void sumsAnswerAsRowsDo(long seed) throws IOException {
    Random random = new Random(seed);
    SumQueries queries = SumQueries.ofHours(seed);
    long byRollup = 0;
    long mixed = 0;
    try (Archive archive = Archive.create(directory.resolve("a" + seed), ArchiveOptions.DEFAULTS)) {
      Filled filled = fill(archive, seed);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (int q = 0; q < QUERIES; q++) {
          String sql = queries.next();
          QueryOptions options =
              QueryOptions.DEFAULTS
                  .withThreads(1 + random.nextInt(3))
                  .withPieceRows(1 + random.nextInt(300));
          if (random.nextInt(8) == 0) {
            options =
                options.withAsOfArrival(DenseTraffic.BEGIN + random.nextInt(10) * Traffic.HOUR);
          }
          String context = "seed " + seed + ", query " + q + ": " + sql;
          FlowQuery query = bind(sql);
          QueryAnswer bySums = ArchiveQuery.run(snapshot, query, options);
          QueryAnswer byRows = ArchiveQuery.run(snapshot, query, options.withRollups(false));
          String expected = scan(filled, query, options).toString();
          assertEquals(expected, byRows.table().toString(), context);
          assertEquals(expected, bySums.table().toString(), context);
          assertEquals(scan(filled, query, options), bySums.table(), context);
          assertEquals(List.of(), bySums.stats().warnings());
          assertEquals(0, byRows.stats().segmentsByRollup());
          byRollup += bySums.stats().segmentsByRollup() > 0 ? 1 : 0;
          mixed +=
              bySums.stats().segmentsByRollup() > 0 && bySums.stats().rowsExamined() > 0 ? 1 : 0;
        }
      }
    }
    assertTrue(byRollup > 40, byRollup + " queries by sums, of them with rows too " + mixed);
    ANSWERED[0] += byRollup;
    ANSWERED[1] += mixed;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "MIN(CASE WHEN %s THEN -1.5 ELSE -2.5 END)",
        "MAX(CASE WHEN %s THEN -1.5 ELSE 2.5 END)",
        "MAX(CASE WHEN %s THEN ADDRESS '192.0.2.1' ELSE ADDRESS '2001:db8::1' END)",
        "MIN(DAYS_BEFORE(end_time, :now))",
        "MAX(CASE WHEN %s THEN 7 ELSE -7 END)"
      })
  void whateverHoursAreMadeOfItsExtremesAreThoseOfRows(String extreme) throws IOException {
    try (Archive archive = Archive.create(directory.resolve("e"), ArchiveOptions.DEFAULTS)) {
      Filled filled = fill(archive, 3);
      String early =
          "TIME_BUCKET(end_time, INTERVAL '1' HOUR) < "
              + RandomQueries.timestamp(DenseTraffic.BEGIN + 4 * Traffic.HOUR);
      FlowQuery query = bind("SELECT COUNT(*), " + extreme.formatted(early) + " FROM flows");
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        QueryAnswer answer = ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS);
        assertEquals(scan(filled, query, QueryOptions.DEFAULTS), answer.table(), query.toString());
      }
    }
  }

  private static final long[] ANSWERED = new long[2];

  @org.junit.jupiter.api.AfterAll
  static void enoughWereAnsweredBySums() {
    assertTrue(
        ANSWERED[0] > 750 && ANSWERED[1] > 100,
        ANSWERED[0] + " by sums, of them with rows too " + ANSWERED[1]);
  }

  /** Enough cells for several parts, with rows of cut hours and of a segment without sums. */
  @ParameterizedTest
  @ValueSource(longs = {51, 52, 54, 55})
  void partsOfTheAddressesMakeOneAnswer(long seed) throws IOException {
    try (Archive archive = Archive.create(directory.resolve("p" + seed), ArchiveOptions.DEFAULTS)) {
      List<FlowBatch> flows = new ArrayList<>();
      for (int s = 0; s < 3; s++) {
        List<FlowBatch> batches =
            new DenseTraffic(seed + 10L * s, 12_000).batches(s == 1 ? 1500 : 110_000);
        Traffic.commit(archive, batches);
        flows.addAll(batches);
      }
      Filled filled = new Filled(flows, List.of());
      int parts = 0;
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (String sql : partitioned()) {
          FlowQuery query = bind(sql);
          ResultTable expected = scan(filled, query, QueryOptions.DEFAULTS);
          for (int threads = 1; threads <= 3; threads += 2) {
            QueryAnswer answer =
                ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS.withThreads(threads));
            assertEquals(expected, answer.table(), "seed " + seed + ": " + sql);
            parts += answer.stats().cellsRead() > 2 * CellGrouping.CELLS_PER_PART ? 1 : 0;
          }
        }
      }
      assertTrue(parts > 4, parts + " queries in parts");
    }
  }

  @Test
  void moreSegmentsThanMayWaitOpenAreAnsweredBySumsAsWell() throws IOException {
    int segments = WaitingCells.MAX_WAITING + 20;
    try (Archive archive = Archive.create(directory.resolve("many"), ArchiveOptions.DEFAULTS)) {
      List<FlowBatch> flows = new ArrayList<>();
      DenseTraffic traffic = new DenseTraffic(7);
      for (int s = 0; s < segments; s++) {
        List<FlowBatch> batches = traffic.batches(2100);
        Traffic.commit(archive, batches);
        flows.addAll(batches);
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (String keys : List.of("src_addr", "outgoing")) {
          FlowQuery query =
              bind("SELECT " + keys + ", COUNT(*), SUM(bytes) FROM flows GROUP BY " + keys);
          QueryAnswer answer = ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS);
          assertEquals(FlowQueries.run(flows, query), answer.table());
          assertEquals(segments, answer.stats().segmentsByRollup());
        }
      }
    }
  }

  @Test
  void aTimeThatIsReckonedIsAnsweredBySumsAsThePlainOne() throws IOException {
    try (Archive archive = Archive.create(directory.resolve("reckoned"), ArchiveOptions.DEFAULTS)) {
      List<FlowBatch> flows = new DenseTraffic(7).batches(4000);
      Traffic.commit(archive, flows);
      String late = RandomQueries.timestamp(DenseTraffic.BEGIN + 10 * Traffic.HOUR);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        FlowQuery query =
            bind(
                "SELECT src_addr, COUNT(*), SUM(bytes) FROM flows WHERE end_time < "
                    + late
                    + " - INTERVAL '1' HOUR AND "
                    + late
                    + " - INTERVAL '20' HOUR <= end_time GROUP BY src_addr");
        QueryAnswer answer = ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS);
        assertEquals(FlowQueries.run(flows, query), answer.table());
        assertEquals(1, answer.stats().segmentsByRollup());
      }
    }
  }

  @Test
  void addressesAloneInAnotherOrderAreAnsweredBySums() throws IOException {
    try (Archive archive = Archive.create(directory.resolve("alone"), ArchiveOptions.DEFAULTS)) {
      List<FlowBatch> flows = new DenseTraffic(7).batches(4000);
      Traffic.commit(archive, flows);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (String text :
            List.of(
                "SELECT src_addr FROM flows GROUP BY src_addr ORDER BY src_addr DESC LIMIT 5",
                "SELECT DISTINCT dst_addr FROM flows ORDER BY dst_addr DESC")) {
          FlowQuery query = bind(text);
          QueryAnswer answer = ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS);
          assertEquals(FlowQueries.run(flows, query), answer.table(), text);
          assertEquals(1, answer.stats().segmentsByRollup(), text);
        }
      }
    }
  }

  private static List<String> partitioned() {
    String cut = RandomQueries.timestamp(DenseTraffic.BEGIN + Traffic.HOUR / 2);
    List<String> all = new ArrayList<>();
    for (String side : List.of("src_addr", "dst_addr")) {
      for (String where :
          List.of(
              "",
              " WHERE end_time >= " + cut,
              " WHERE NOT outgoing",
              " WHERE " + side + " > '10.1.0.0'")) {
        for (String tail :
            List.of(
                " GROUP BY " + side,
                " GROUP BY " + side + " ORDER BY s DESC LIMIT 50",
                " GROUP BY outgoing, " + side + " ORDER BY n, s LIMIT 700")) {
          all.add("SELECT " + side + ", COUNT(*) AS n, SUM(bytes) AS s FROM flows" + where + tail);
        }
      }
    }
    return all;
  }

  /** Any changed byte of a sidecar's rollups: rows answer, and a warning names the file. */
  @Test
  void damagedSumsAreCountedAndRowsAnswer() throws IOException {
    Path folder = directory.resolve("hurt");
    SealedSegment segment;
    List<FlowBatch> flows = new DenseTraffic(7).batches(3000);
    try (Archive archive = Archive.create(folder, ArchiveOptions.DEFAULTS)) {
      segment = Traffic.commit(archive, flows);
    }
    Path file = folder.resolve("segments").resolve(segment.indexFileName());
    byte[] bytes = Files.readAllBytes(file);
    FlowQuery query =
        bind("SELECT src_addr, COUNT(*), SUM(bytes), SUM(packets) FROM flows GROUP BY src_addr");
    ResultTable expected = FlowQueries.run(flows, query);
    Random random = new Random(3);
    int warned = 0;
    int begin = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf("PFA1", 4);
    for (int at = 8; at < begin; at += 1 + random.nextInt(40)) {
      byte[] hurt = bytes.clone();
      hurt[at] ^= (byte) (1 + random.nextInt(255));
      Files.write(file, hurt);
      try (Archive archive = Archive.open(folder);
          ArchiveSnapshot snapshot = archive.snapshot()) {
        QueryAnswer answer = ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS);
        assertEquals(expected, answer.table(), "byte " + at);
        List<String> warnings = answer.stats().warnings();
        assertEquals(answer.stats().segmentsByRollup() == 0 ? 1 : 0, warnings.size());
        warned += warnings.size();
        assertTrue(warnings.stream().allMatch(w -> w.contains(segment.indexFileName())));
      }
    }
    assertTrue(warned > 10, warned + " warnings");
  }

  /** Damaged rollups that are found only when some of their cells are in groups already. */
  @Test
  void sumsFoundDamagedOnTheWayAreNotInTheAnswer() throws IOException {
    Path folder = directory.resolve("unchecked");
    SealedSegment segment;
    List<FlowBatch> flows = new DenseTraffic(7).batches(3000);
    try (Archive archive = Archive.create(folder, ArchiveOptions.DEFAULTS)) {
      segment = Traffic.commit(archive, flows);
    }
    Path file = folder.resolve("segments").resolve(segment.indexFileName());
    byte[] bytes = Files.readAllBytes(file);
    FlowQuery query = bind("SELECT src_addr, COUNT(*) FROM flows GROUP BY src_addr");
    ResultTable expected = FlowQueries.run(flows, query);
    String text = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
    int entry = text.indexOf(RollupFormat.TOTALS_2);
    String offset = text.substring(text.indexOf("\"offset\":", entry) + 9);
    int blob = Integer.parseInt(offset.substring(0, offset.indexOf(',')));
    int slices;
    try (SegmentIndex index = segment.openIndex(folder.resolve("segments"), true)) {
      slices = index.totals(org.flowmon.flow.FlowColumn.SRC_ADDR).slices();
    }
    assertTrue(slices > 1, "the last slice comes after others");
    java.nio.ByteBuffer hurt =
        java.nio.ByteBuffer.wrap(bytes.clone()).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    int directoryAt = blob + 12 + 4 * hurt.getInt(blob + 8);
    int last = blob + hurt.getInt(directoryAt + (slices - 1) * 24 + 16);
    hurt.putInt(last, 1 << 30); // the first id of the last slice
    Files.write(file, hurt.array());
    try (Archive archive = Archive.open(folder);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      QueryAnswer answer =
          ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS.withVerifyChecksums(false));
      assertEquals(expected, answer.table());
      assertEquals(1, answer.stats().warnings().size());
      assertEquals(0, answer.stats().segmentsByRollup());
    }
  }

  /** The query's own failure is told first, and no segment stays open. */
  @Test
  void segmentsThatWereCutWhileTheirSumsWaitedAreAllGivenBack() throws IOException {
    Path folder = directory.resolve("cut");
    try (Archive archive = Archive.create(folder, new ArchiveOptions(64, 1))) {
      for (int s = 0; s < 4; s++) {
        Traffic.commit(archive, new DenseTraffic(7).batches(3000));
      }
      FlowQuery query = bind("SELECT src_addr, COUNT(*) FROM flows GROUP BY src_addr");
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        List<SegmentLease> held = new ArrayList<>();
        for (SealedSegment segment : snapshot.segments()) {
          held.add(snapshot.open(segment, true));
          Path file = archive.segmentsDirectory().resolve(segment.fileName());
          try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() - 1); // which nobody reads any more
          }
        }
        QueryOptions options = QueryOptions.DEFAULTS;
        assertThrows(
            SegmentCorruptException.class, () -> ArchiveQuery.run(snapshot, query, options));
        int most = 0;
        for (int checks = 0; checks < 100; checks++) {
          AtomicInteger left = new AtomicInteger(checks);
          QueryOptions cancelled = options.withIsGone(() -> left.getAndDecrement() <= 0);
          RuntimeException e =
              assertThrows(
                  RuntimeException.class, () -> ArchiveQuery.run(snapshot, query, cancelled));
          boolean isOwn = e instanceof QueryCancelledException;
          assertTrue(isOwn || left.get() >= 0, e.toString());
          most = Math.max(most, isOwn ? e.getSuppressed().length : 0);
        }
        assertEquals(1, most);
        held.forEach(lease -> assertThrows(SegmentCorruptException.class, lease::close));
        for (SealedSegment closed : snapshot.segments().subList(0, 3)) {
          assertThrows(SegmentCorruptException.class, () -> snapshot.open(closed, true));
        }
      }
    }
  }
}
