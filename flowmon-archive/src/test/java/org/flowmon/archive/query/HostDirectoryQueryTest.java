package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.derived.RunUpdate;
import org.flowmon.archive.directory.HostDirectory;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
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

/** Queries that the host directory narrows, in every state of it. */
class HostDirectoryQueryTest {
  @TempDir Path directory;

  private static FlowQuery bind(String sql) {
    return QueryParser.parse(sql).bind(Parameters.NONE.with("now", Value.ofTimestamp(Traffic.NOW)));
  }

  private static QueryAnswer lookup(Archive archive, String prefix) throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      return ArchiveQuery.lookup(
          snapshot,
          IpPrefix.parse(prefix),
          Long.MIN_VALUE,
          Long.MAX_VALUE,
          -1,
          QueryOptions.DEFAULTS);
    }
  }

  private List<Path> runs() throws IOException {
    Path folder = directory.resolve(HostDirectory.FOLDER);
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      // By size: names are random.
      return files.sorted(Comparator.comparingLong(file -> file.toFile().length())).toList();
    }
  }

  private static FlowBatch rows(String... pairs) {
    FlowBatchBuilder builder = new FlowBatchBuilder(pairs.length);
    for (String pair : pairs) {
      String[] hosts = pair.split(" ", -1);
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, Traffic.NOW);
      builder.set(FlowColumn.END_TIME, Traffic.NOW - 1);
      if (!hosts[0].isEmpty()) {
        builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.parse(hosts[0]));
      }
      if (!hosts[1].isEmpty()) {
        builder.setAddress(FlowColumn.DST_ADDR, IpAddress.parse(hosts[1]));
      }
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 1, 0, 0));
  }

  private static String condition(Random random, Traffic traffic) {
    String a = "'" + traffic.address() + "'";
    String b = random.nextInt(4) == 0 ? "'203.0.113.7'" : "'" + traffic.address() + "'";
    boolean ipv4 = a.indexOf(':') < 0;
    String network = a.replace("'", "");
    String prefix =
        "'" + network + "/" + (ipv4 ? 32 - random.nextInt(33) : 128 - random.nextInt(129)) + "'";
    return switch (random.nextInt(9)) {
      case 0 -> "src_addr = " + a;
      case 1 -> "(src_addr = " + a + " OR dst_addr = " + a + ")";
      case 2 -> "src_addr = " + a + " AND dst_addr = " + b;
      case 3 -> "src_addr IN (" + a + ", " + b + ", " + prefix + ")";
      case 4 -> "(src_addr IN " + prefix + " OR dst_addr IN " + prefix + ")";
      case 5 -> "dst_addr IN (" + prefix + ") AND NOT outgoing";
      case 6 -> "(src_addr = " + a + " AND dst_port = 53 OR dst_addr = " + b + ")";
      case 7 -> "NOT (src_addr <> " + a + ")";
      default ->
          "(src_addr = "
              + a
              + " OR dst_addr = "
              + b
              + ") AND end_time >= "
              + RandomQueries.timestamp(Traffic.BEGIN + random.nextInt(9) * Traffic.DAY);
    };
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void whateverStateTheDirectoryIsInAnswersAreThoseOfAScan(long seed) throws IOException {
    Random random = new Random(seed);
    Traffic traffic = new Traffic(seed, seed % 2 == 0, seed % 2 == 0 ? 0.1 : 0);
    List<FlowBatch> flows = new ArrayList<>();
    int leftOut = 0;
    int warnings = 0;
    int uncovered = 0;
    for (int step = 0; step < 24; step++) {
      if (step % 4 == 3) {
        damage(random);
      }
      // Opened again each time: only the state on disk counts.
      try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
        double from = random.nextDouble();
        List<FlowBatch> batches =
            traffic.batches(
                random.nextInt(4) == 0 ? 1 : 1 + random.nextInt(3000),
                from,
                Math.min(1, from + 0.1));
        flows.addAll(batches);
        Traffic.commit(archive, batches);
        switch (step % 4 == 3 ? 3 : random.nextInt(4)) {
          case 0, 1 -> archive.updateDirectory(random.nextBoolean(), () -> false);
          case 2 -> new Compactor(archive, new CompactionOptions(2000, 6000)).step(() -> false);
          default -> {
            // Left behind by one commit.
          }
        }
        for (int q = 0; q < 12; q++) {
          String sql =
              (random.nextBoolean()
                      ? "SELECT * FROM flows WHERE "
                      : "SELECT src_addr, COUNT(*), SUM(bytes) FROM flows WHERE ")
                  + condition(random, traffic);
          sql += sql.startsWith("SELECT *") ? " ORDER BY end_time" : " GROUP BY src_addr";
          String context = "seed " + seed + ", step " + step + ": " + sql;
          try (ArchiveSnapshot snapshot = archive.snapshot()) {
            QueryAnswer answer = ArchiveQuery.run(snapshot, bind(sql), QueryOptions.DEFAULTS);
            assertEquals(FlowQueries.run(flows, bind(sql)), answer.table(), context);
            leftOut += answer.stats().segmentsByDirectory();
            warnings += answer.stats().warnings().size();
            uncovered += answer.stats().segmentsUncovered();
          }
        }
      }
    }
    try (Archive archive = Archive.open(directory)) {
      archive.updateDirectory(true, () -> false);
      QueryStats stats = lookup(archive, "203.0.113.7").stats();
      assertEquals(0, stats.segmentsConsidered(), "seed " + seed);
      assertEquals(List.of(), stats.warnings(), "seed " + seed);
    }
    assertTrue(
        leftOut > 100 && warnings > 0 && uncovered > 0,
        "seed " + seed + ": " + leftOut + ", " + warnings + ", " + uncovered);
  }

  private void damage(Random random) throws IOException {
    List<Path> runs = runs();
    if (runs.isEmpty()) {
      return;
    }
    Path run = runs.get(random.nextInt(runs.size()));
    byte[] bytes = Files.readAllBytes(run);
    switch (random.nextInt(3)) {
      case 0 -> Files.delete(run);
      case 1 -> replace(run, java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length)));
      default -> {
        for (int i = random.nextInt(20); i < bytes.length; i += 20) {
          bytes[i] ^= (byte) (1 + random.nextInt(255));
        }
        replace(run, bytes);
      }
    }
  }

  private static void replace(Path file, byte[] bytes) throws IOException {
    Files.delete(file);
    Files.write(file, bytes);
  }

  @Test
  void anAddressThatNeverWasTouchesNoneOfAThousandSegments() throws IOException {
    int segments = 1000;
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      List<SealedSegment> sealed = new ArrayList<>();
      for (int s = 0; s < segments; s++) {
        String host = "10.0." + s / 256 + "." + s % 256;
        FlowBatch rows = rows(host + " 192.0.2.1", "2001:db8::" + s + " " + host, " 10.9.9.9");
        sealed.add(archive.seal(new SegmentWriter(), List.of(rows), Provenance.NONE));
        if (sealed.size() == 20) {
          SourceRange range = new SourceRange("t:0", s - 19, s + 1, Traffic.NOW);
          archive.commit(ArchiveCommit.ofRanges(sealed, List.of(range), "test"));
          sealed.clear();
        }
        if (s % 100 == 39) {
          archive.updateDirectory(false, () -> false);
        }
      }
      assertTrue(lookup(archive, "198.51.100.1").stats().segmentsUncovered() > 0);
      RunUpdate.Done done = archive.updateDirectory(false, () -> false);
      assertEquals(0, done.uncovered());
      assertTrue(archive.updateDirectory(false, () -> false).isNothing());
      assertTrue(runs().size() <= 5, "few runs: " + runs());
      for (String absent : new String[] {"198.51.100.1", "2001:db8:1::", "10.200.0.0/16", "::1"}) {
        QueryAnswer answer = lookup(archive, absent);
        assertEquals(0, answer.table().rowCount());
        assertEquals(0, answer.stats().segmentsConsidered(), absent);
        assertEquals(segments, answer.stats().segmentsByDirectory(), absent);
      }
      QueryAnswer one = lookup(archive, "10.0.2.5");
      assertEquals(2, one.table().rowCount());
      assertEquals(1, one.stats().segmentsConsidered());
      assertEquals(256, lookup(archive, "10.0.1.0/24").stats().segmentsConsidered());
      assertEquals(segments, lookup(archive, "192.0.2.1").table().rowCount());
      assertEquals(segments, lookup(archive, "10.9.9.9").stats().segmentsConsidered());
    }
  }

  @Test
  void everyFlippedByteOfARunIsNoticedOrHarmless() throws IOException {
    List<String> hosts =
        List.of("10.0.0.1", "10.0.0.2", "192.0.2.1", "2001:db8::5", "198.51.100.1");
    List<ResultTable> expected = new ArrayList<>();
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      Traffic.commit(archive, List.of(rows("10.0.0.1 192.0.2.1", "2001:db8::5 10.0.0.2")));
      Traffic.commit(archive, List.of(rows("10.0.0.2 10.0.0.1")));
      Traffic.commit(archive, List.of(rows("10.0.0.1 192.0.2.1")));
      for (String host : hosts) {
        expected.add(lookup(archive, host).table());
      }
      archive.updateDirectory(false, () -> false);
    }
    assertEquals(1, runs().size());
    Path run = runs().get(0);
    byte[] sound = Files.readAllBytes(run);
    int warned = 0;
    for (int at = 0; at < sound.length; at++) {
      byte[] hurt = sound.clone();
      hurt[at] ^= (byte) (1 << (at % 8));
      replace(run, hurt);
      try (Archive archive = Archive.open(directory)) {
        for (int h = 0; h < hosts.size(); h++) {
          QueryAnswer answer = lookup(archive, hosts.get(h));
          assertEquals(expected.get(h), answer.table(), "byte " + at + ", " + hosts.get(h));
          warned += answer.stats().warnings().isEmpty() ? 0 : 1;
        }
      }
    }
    for (int length = 0; length < sound.length; length += 3) {
      replace(run, java.util.Arrays.copyOf(sound, length));
      try (Archive archive = Archive.open(directory)) {
        QueryAnswer answer = lookup(archive, "10.0.0.1");
        assertEquals(expected.get(0), answer.table(), "length " + length);
        assertEquals(1, answer.stats().warnings().size(), "length " + length);
      }
    }
    assertTrue(warned > sound.length * 3, warned + " warnings of " + sound.length + " bytes");
    // Damaged runs are made again.
    try (Archive archive = Archive.open(directory)) {
      RunUpdate.Done done = archive.updateDirectory(false, () -> false);
      assertEquals(1, done.damaged());
      assertEquals(0, lookup(archive, "198.51.100.1").stats().segmentsConsidered());
      assertEquals(List.of(), lookup(archive, "10.0.0.1").stats().warnings());
    }
  }

  /** It may be of a process that saw a commit which this one did not. */
  @Test
  void aRunOfSegmentsThatAreNotInTheSnapshotIsDeletedOnlyWhenItIsOld() throws IOException {
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      Traffic.commit(archive, List.of(rows("10.0.0.1 192.0.2.1")));
      archive.updateDirectory(false, () -> false);
      Path run = runs().get(0);
      for (int s = 0; s < 3; s++) {
        Traffic.commit(archive, List.of(rows("10.0.0.2 192.0.2.2")));
      }
      assertNotNull(new Compactor(archive, new CompactionOptions(4, 4)).step(() -> false));
      archive.updateDirectory(false, () -> false);
      assertEquals(2, runs().size(), "the run of what was merged away is new");
      Files.setLastModifiedTime(run, java.nio.file.attribute.FileTime.fromMillis(0));
      archive.updateDirectory(false, () -> false);
      assertEquals(1, runs().size());
      assertEquals(0, lookup(archive, "10.0.0.3").stats().segmentsConsidered());
    }
  }

  @Test
  void lookupsStayRightWhileSegmentsAndRunsAreMerged() throws Exception {
    long seed = 5;
    Traffic traffic = new Traffic(seed, true, 0.05);
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      Traffic.commit(archive, List.of(rows("203.0.113.1 203.0.113.2")));
      Future<?> maintenance =
          threads.submit(
              () -> {
                Compactor compactor = new Compactor(archive, new CompactionOptions(500, 1500));
                while (!done.get()) {
                  compactor.step(() -> false);
                  archive.updateDirectory(false, () -> false);
                  archive.removeReplaced(java.time.Duration.ZERO);
                }
                return null;
              });
      Future<Integer> reader =
          threads.submit(
              () -> {
                int asked = 0;
                while (!done.get()) {
                  assertEquals(1, lookup(archive, "203.0.113.1").table().rowCount());
                  assertEquals(1, lookup(archive, "203.0.113.0/24").table().rowCount());
                  assertEquals(0, lookup(archive, "203.0.113.3").table().rowCount());
                  asked++;
                }
                return asked;
              });
      for (int i = 0; i < 60; i++) {
        Traffic.commit(archive, traffic.batches(150, 0, 1));
      }
      done.set(true);
      maintenance.get();
      assertTrue(reader.get() > 10);
      archive.updateDirectory(false, () -> false);
      assertEquals(0, lookup(archive, "203.0.113.3").stats().segmentsConsidered());
    } finally {
      done.set(true);
      threads.shutdownNow();
    }
  }
}
