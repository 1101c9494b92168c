package org.flowmon.it.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.publish.BatchCollectingSink;
import org.flowmon.it.ProjectFiles;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Thousands of seeded random queries: the archive answers as a scan of all flows does, and as
 * DuckDB does over the segments, as they were sealed, half merged, merged, with day sums that are
 * up to date or behind, and with sidecars gone or damaged. {@code -Dflowmon.oracle.queries=N} asks
 * more of each state; the seed is in a failure's message.
 */
class ArchiveOracleIT {
  private static final int QUERIES = Integer.getInteger("flowmon.oracle.queries", 120);
  private static final int ROWS = 9000;

  @TempDir Path directory;

  private String name;
  private long seed;
  private Archive archive;
  private List<FlowBatch> flows;
  private List<? extends FlowRows> visible;
  private OracleQueries queries;
  private SplittableRandom random;
  private int withRows;

  @Test
  void ofIpv4() throws Exception {
    generated(MixedTraffic.Family.IPV4, 4101);
  }

  @Test
  void ofIpv6() throws Exception {
    generated(MixedTraffic.Family.IPV6, 4102);
  }

  @Test
  void ofBoth() throws Exception {
    generated(MixedTraffic.Family.BOTH, 4103);
  }

  @Test
  void ofRealConnections() throws Exception {
    Path log = ProjectFiles.data().resolve("zeek/m57/conn.log.gz");
    List<FlowBatch> real = new ArrayList<>();
    try (BatchCollectingSink sink = new BatchCollectingSink(500, real::add)) {
      FlowFiles.open(log).read(sink);
    }
    long[] times = new long[1];
    List<IpAddress> seen = new ArrayList<>();
    long begin = Long.MAX_VALUE;
    for (FlowBatch batch : real) {
      long[] high = new long[batch.rows()];
      long[] low = new long[batch.rows()];
      batch.readAddresses(FlowColumn.SRC_ADDR, 0, batch.rows(), high, low);
      seen.add(new IpAddress(high[0], low[0]));
      batch.readAddresses(FlowColumn.DST_ADDR, 0, batch.rows(), high, low);
      for (int r = 0; r < batch.rows(); r += 37) {
        seen.add(new IpAddress(high[r], low[r]));
      }
      batch.readLongs(FlowColumn.ARRIVAL, 0, 1, times);
      begin = Math.min(begin, times[0]);
    }
    SplittableRandom choice = new SplittableRandom(4104);
    Supplier<IpAddress> addresses = () -> seen.get(choice.nextInt(seen.size()));
    List<List<FlowBatch>> parts = new ArrayList<>();
    for (int from = 0; from < real.size(); from += 2) {
      parts.add(real.subList(from, Math.min(from + 2, real.size())));
    }
    all("real", 4104, parts, addresses, begin);
  }

  private void generated(MixedTraffic.Family family, long seeds) throws Exception {
    MixedTraffic traffic = new MixedTraffic(seeds, family);
    SplittableRandom sizes = new SplittableRandom(seeds);
    List<List<FlowBatch>> parts = new ArrayList<>();
    for (int rows = 0; rows < ROWS; ) {
      double from = sizes.nextDouble();
      double to = Math.min(1, from + sizes.nextDouble() / (1 + sizes.nextInt(12)));
      int n = sizes.nextInt(9) == 0 ? 1 : 1 + sizes.nextInt(2500);
      parts.add(traffic.batches(n, from, to));
      rows += n;
    }
    all(family.name(), seeds, parts, traffic::address, MixedTraffic.BEGIN);
  }

  private void all(
      String of, long seeds, List<List<FlowBatch>> parts, Supplier<IpAddress> addresses, long begin)
      throws Exception {
    name = of;
    seed = seeds;
    random = new SplittableRandom(seeds);
    flows = new ArrayList<>();
    queries = new OracleQueries(seeds, addresses, begin, MixedTraffic.DAYS);
    Path folder = directory.resolve(of);
    try (Archive opened = Archive.create(folder, ArchiveOptions.DEFAULTS)) {
      archive = opened;
      for (List<FlowBatch> part : parts) {
        commit(part);
      }
      visible = flows;
      check("as sealed");
      archive.updateDays(CompactionOptions.NONE::settled, false, () -> false);
      Compactor compactor = new Compactor(archive, new CompactionOptions(4000, 8000));
      compactor.step(() -> false);
      check("half merged, with day sums from before");
      expire();
      check("expired");
      while (compactor.step(() -> false) != null) {
        // until nothing is left to merge
      }
      archive.updateDays(CompactionOptions.NONE::settled, false, () -> false);
      check("expired and merged, with day sums");
    }
    hurtSidecars(folder);
    try (Archive opened = Archive.open(folder)) {
      archive = opened;
      check("expired, merged, some sidecars gone or damaged");
    }
    for (Path sidecar : sidecars(folder)) {
      Files.delete(sidecar);
    }
    try (Archive opened = Archive.open(folder)) {
      archive = opened;
      check("all sidecars gone");
    }
    assertTrue(withRows > 3 * QUERIES, "most queries should find rows, " + withRows + " did");
  }

  private void commit(List<FlowBatch> part) throws IOException {
    SealedSegment segment =
        new SegmentWriter().seal(archive.segmentsDirectory(), part, Provenance.NONE);
    ImportedFile file =
        new ImportedFile(String.format("%064x", flows.size() + 1), "part", segment.rows());
    archive.commit(ArchiveCommit.ofFile(List.of(segment), file, false, "oracle"));
    flows.addAll(part);
  }

  private static List<Path> sidecars(Path folder) throws IOException {
    try (var files = Files.list(folder.resolve(Archive.SEGMENTS))) {
      return files.filter(file -> file.toString().endsWith(".idx")).sorted().toList();
    }
  }

  /** Deletes one of three, and damages a byte of one of three. */
  private void hurtSidecars(Path folder) throws IOException {
    for (Path sidecar : sidecars(folder)) {
      int fate = random.nextInt(3);
      if (fate == 0) {
        Files.delete(sidecar);
      } else if (fate == 1) {
        byte[] bytes = Files.readAllBytes(sidecar);
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        Files.write(sidecar, bytes);
      }
    }
  }

  private void check(String state) throws Exception {
    try (ArchiveSnapshot snapshot = archive.snapshot();
        DuckDbFlows duckdb = new DuckDbFlows(snapshot.files(), ofArchive(snapshot))) {
      for (int q = 0; q < QUERIES; q++) {
        OracleQueries.Query query = queries.next();
        String at = name + ", seed " + seed + ", " + state + ", query " + q + "\n";
        byBruteForce(snapshot, query.ours() + query.end(), at);
        byDuckDb(snapshot, duckdb, query, at);
      }
    }
  }

  /** Of the files the rows that have not expired, for DuckDB. */
  private static String ofArchive(ArchiveSnapshot snapshot) {
    StringBuilder condition = new StringBuilder("file_row_number >= CASE");
    for (SealedSegment segment : snapshot.segments()) {
      condition
          .append(" WHEN filename LIKE '%")
          .append(segment.fileName())
          .append("' THEN ")
          .append(snapshot.firstRow(segment));
    }
    return condition + " END";
  }

  /** Keeps the most recent two thirds, in segments of which some then have hidden rows. */
  private void expire() throws IOException {
    long[] times = VisibleRows.times(flows);
    int first = times.length / 3;
    while (times[first] == times[first - 1]) {
      first++; // which of equal ones goes would be the archive's choice
    }
    int kept = times.length - first;
    RetentionOptions options = new RetentionOptions(kept, times.length, 0, 0);
    archive.commit(
        ArchiveCommit.ofRetention(new RetentionChange(options, Long.MIN_VALUE, false), "oracle"));
    visible = VisibleRows.from(flows, times[first]);
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(kept, snapshot.rows());
      assertTrue(snapshot.segments().stream().anyMatch(s -> snapshot.firstRow(s) > 0));
    }
  }

  private QueryOptions options() {
    return QueryOptions.DEFAULTS
        .withThreads(1 + random.nextInt(3))
        .withPieceRows(1 + random.nextInt(3000))
        .withRollups(random.nextInt(4) > 0)
        .withVerifyChecksums(true);
  }

  private void byBruteForce(ArchiveSnapshot snapshot, String sql, String at) throws IOException {
    Query query = parse(sql, at);
    ResultTable expected = FlowQueries.run(visible, query);
    QueryAnswer answer = ArchiveQuery.run(snapshot, query, options());
    if (!expected.equals(answer.table())) {
      assertEquals(expected.toString(), answer.table().toString(), at + sql);
    }
  }

  private void byDuckDb(
      ArchiveSnapshot snapshot, DuckDbFlows duckdb, OracleQueries.Query query, String at)
      throws Exception {
    ResultTable ours = ArchiveQuery.run(snapshot, parse(query.ours(), at), options()).table();
    List<String> theirs = sorted(duckdb.rows(query.duck(), ours.columnCount()));
    List<String> mine = sorted(text(ours));
    if (!theirs.equals(mine)) {
      assertEquals(
          String.join("\n", theirs),
          String.join("\n", mine),
          at + query.ours() + "\n" + query.duck());
    }
    withRows += theirs.isEmpty() ? 0 : 1;
    Optional<OracleQueries.Both> page = query.page();
    if (page.isPresent()) {
      Query paged = parse(page.get().ours(), at);
      ResultTable rows = ArchiveQuery.run(snapshot, paged, options()).table();
      int first = rows.column("a0");
      List<String> found =
          IntStream.range(0, rows.rowCount())
              .mapToObj(row -> rows.isNull(row, first) ? "null|" : rows.formatted(row, first) + "|")
              .toList();
      assertEquals(duckdb.rows(page.get().duck(), 1), found, at + page.get());
    }
  }

  private static List<String> sorted(List<String> rows) {
    return rows.stream().sorted().toList();
  }

  private static Query parse(String sql, String at) {
    try {
      return QueryParser.parseQuery(sql);
    } catch (RuntimeException e) {
      throw new AssertionError(at + sql, e);
    }
  }

  /** Rows as {@link DuckDbFlows#rows} gives them: times as µs. */
  private static List<String> text(ResultTable table) {
    List<String> rows = new ArrayList<>();
    for (int r = 0; r < table.rowCount(); r++) {
      StringBuilder row = new StringBuilder();
      for (int c = 0; c < table.columnCount(); c++) {
        String cell =
            table.isNull(r, c)
                ? "null"
                : table.kind(c) == ValueKind.TIMESTAMP
                    ? Long.toString(table.longValue(r, c))
                    : table.formatted(r, c);
        row.append(cell).append('|');
      }
      rows.add(row.toString());
    }
    return rows;
  }
}
