package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.days.DaySums;
import org.flowmon.archive.days.DayTraffic;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SelectedRows;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries that day sums answer, in every state of an archive and its sums. */
class DaySumsQueryTest {
  private static final CompactionOptions SMALL = new CompactionOptions(3000, 9000);
  private static final long NOW = DayTraffic.BEGIN + 8 * DayTraffic.DAY;

  @TempDir Path directory;

  private static FlowQuery bind(String sql) {
    return QueryParser.parse(sql).bind(Parameters.NONE.with("now", Value.ofTimestamp(NOW)));
  }

  private List<Path> runs() throws IOException {
    Path folder = directory.resolve(DaySums.FOLDER);
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  private static BitSet all(List<SealedSegment> segments) {
    BitSet all = new BitSet();
    all.set(0, segments.size());
    return all;
  }

  /** The visible rows of a snapshot, segment by segment. */
  private static List<FlowRows> visible(ArchiveSnapshot snapshot, List<SegmentLease> leases)
      throws IOException {
    List<FlowRows> rows = new ArrayList<>();
    for (SealedSegment segment : snapshot.segments()) {
      SegmentLease lease = snapshot.open(segment, true);
      leases.add(lease);
      for (int from = lease.firstRow(); from < segment.rows(); from += 1000) {
        int n = Math.min(1000, segment.rows() - from);
        int first = from;
        int[] some = new int[n];
        Arrays.setAll(some, i -> first + i);
        rows.add(new SelectedRows(lease.rows()).select(some, n));
      }
    }
    return rows;
  }

  private static ResultTable scan(List<? extends FlowRows> rows, FlowQuery query, long asOf) {
    return FlowQueries.run(
        rows, asOf == Long.MAX_VALUE ? query : query.withWhere(Filter.asOf(query.where(), asOf)));
  }

  private static final class Seen {
    int byDays;
    int whole;
    int mixed;
    int warned;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void whateverLifeAnArchiveHasAnswersAreThoseOfAScan(long seed) throws IOException {
    Random random = new Random(seed);
    boolean nulls = seed % 2 == 0;
    DayTraffic traffic = new DayTraffic(seed, nulls ? 0.05 : 0, seed % 4 < 2);
    SumQueries queries = SumQueries.ofDays(seed, traffic);
    Seen seen = new Seen();
    double day = 0;
    for (int step = 0; step < 20; step++) {
      // Opened again each time: only the state on disk counts.
      try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
        live(archive, random, traffic, day);
        day = Math.min(7, day + random.nextDouble() * 0.8);
        if (step % 5 == 4) {
          damage(random);
        }
        ask(archive, random, queries, "seed " + seed + ", step " + step, seen);
      }
    }
    try (Archive archive = Archive.open(directory)) {
      archive.updateDays(DaySumsQueryTest::all, true, () -> false);
      int before = seen.warned;
      ask(archive, random, queries, "seed " + seed + ", repaired", seen);
      assertEquals(before, seen.warned, "seed " + seed);
    }
    assertTrue(
        seen.byDays > 30 && seen.mixed > 15, "seed " + seed + ": " + seen.byDays + " by days");
    wholes += seen.whole;
    warnings += seen.warned;
  }

  private static int wholes;
  private static int warnings;

  @AfterAll
  static void someOpenedNoSegmentAndSomeMetDamage() {
    assertTrue(wholes > 10 && warnings > 10, wholes + " opened none, " + warnings + " warnings");
  }

  /** Some flows come, some are merged, some expire; the sums are brought up to date or not. */
  private static void live(Archive archive, Random random, DayTraffic traffic, double day)
      throws IOException {
    for (int commits = 1 + random.nextInt(3); commits > 0; commits--) {
      double from = random.nextInt(6) == 0 ? random.nextDouble() * day : day;
      int rows = random.nextInt(6) == 0 ? 1 : 1 + random.nextInt(3500);
      Traffic.commit(
          archive, traffic.batches(rows, from, from + (random.nextInt(5) == 0 ? 3 : 0.5)));
    }
    switch (random.nextInt(5)) {
      case 0, 1 -> {
        Compactor compactor = new Compactor(archive, SMALL);
        while (compactor.step(() -> false) != null && random.nextInt(4) > 0) {
          // as many as it likes
        }
      }
      case 2 ->
          archive.commit(
              ArchiveCommit.ofRetention(
                  RetentionChange.to(
                      new RetentionOptions(
                          15_000 + random.nextInt(15_000), 3000 + random.nextInt(4000), 0, 0)),
                  "test"));
      default -> {
        // Nothing else.
      }
    }
    switch (random.nextInt(4)) {
      case 0 -> archive.updateDays(DaySumsQueryTest::all, random.nextBoolean(), () -> false);
      case 1, 2 -> archive.updateDays(SMALL::settled, false, () -> false);
      default -> {
        // Left behind.
      }
    }
  }

  private static void ask(
      Archive archive, Random random, SumQueries queries, String context, Seen seen)
      throws IOException {
    List<SegmentLease> leases = new ArrayList<>();
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      List<FlowRows> rows = visible(snapshot, leases);
      for (int q = 0; q < 30; q++) {
        String sql = queries.next();
        long asOf =
            random.nextInt(8) == 0
                ? DayTraffic.BEGIN + (long) (random.nextDouble() * 7 * DayTraffic.DAY)
                : Long.MAX_VALUE;
        QueryOptions options =
            QueryOptions.DEFAULTS.withThreads(1 + random.nextInt(2)).withAsOfArrival(asOf);
        QueryAnswer answer = ArchiveQuery.run(snapshot, bind(sql), options);
        assertEquals(
            scan(rows, bind(sql), asOf).toString(),
            answer.table().toString(),
            context + ": " + sql);
        QueryStats stats = answer.stats();
        seen.byDays += stats.days() > 0 ? 1 : 0;
        seen.whole += stats.days() > 0 && stats.segmentsConsidered() == 0 ? 1 : 0;
        seen.mixed += stats.days() > 0 && stats.segmentsConsidered() > 0 ? 1 : 0;
        seen.warned += stats.warnings().size();
      }
    } finally {
      leases.forEach(SegmentLease::close);
    }
  }

  private void damage(Random random) throws IOException {
    List<Path> runs = runs();
    if (runs.isEmpty()) {
      return;
    }
    Path run = runs.get(random.nextInt(runs.size()));
    byte[] bytes = Files.readAllBytes(run);
    Files.delete(run);
    switch (random.nextInt(3)) {
      case 0 -> {
        // It is gone.
      }
      case 1 -> Files.write(run, Arrays.copyOf(bytes, random.nextInt(bytes.length)));
      default -> {
        for (int i = random.nextInt(20); i < bytes.length; i += 20) {
          bytes[i] ^= (byte) (1 + random.nextInt(255));
        }
        Files.write(run, bytes);
      }
    }
  }

  private static String day(int number) {
    return RandomQueries.timestamp(DayTraffic.BEGIN + number * DayTraffic.DAY);
  }

  @Test
  void sumsOfWholeDaysOpenNoSegment() throws IOException {
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      List<FlowBatch> flows = new ArrayList<>();
      DayTraffic traffic = new DayTraffic(5, 0, false);
      for (int d = 0; d < 6; d++) {
        for (int part = 0; part < 3; part++) {
          List<FlowBatch> batches = traffic.batches(2500, d, d + 1);
          Traffic.commit(archive, batches);
          flows.addAll(batches);
        }
      }
      archive.updateDays(DaySumsQueryTest::all, false, () -> false);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (String where :
            List.of(
                "",
                " WHERE end_time >= " + day(1) + " AND end_time < " + day(4),
                " WHERE NOT outgoing AND end_time < " + day(5),
                " WHERE src_addr IN ('10.0.0.0/8')")) {
          FlowQuery query =
              bind(
                  "SELECT src_addr, SUM(bytes) AS s, COUNT(*) FROM flows"
                      + where
                      + " GROUP BY src_addr ORDER BY s DESC LIMIT 10");
          QueryAnswer answer = ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS);
          assertEquals(FlowQueries.run(flows, query), answer.table(), where);
          assertEquals(0, answer.stats().segmentsConsidered(), where);
          assertEquals(1, answer.stats().dayRuns(), where);
          assertTrue(answer.stats().segmentsByDays() > 3, where);
          assertTrue(answer.stats().days() >= 3, where);
        }
        // An hour is cut off: only segments that have rows there are opened.
        FlowQuery cut =
            bind(
                "SELECT COUNT(*) FROM flows WHERE end_time >= "
                    + day(1)
                    + " AND end_time < "
                    + day(4)
                    + " + INTERVAL '1' HOUR");
        QueryAnswer answer = ArchiveQuery.run(snapshot, cut, QueryOptions.DEFAULTS);
        assertEquals(FlowQueries.run(flows, cut), answer.table());
        assertTrue(answer.stats().segmentsConsidered() <= 7, answer.stats().toString());
        assertEquals(3, answer.stats().days());
      }
    }
  }

  @Test
  void everyFlippedByteOfARunIsNoticedOrHarmless() throws IOException {
    List<FlowBatch> flows = new ArrayList<>();
    DayTraffic traffic = new DayTraffic(9, 0.02, false);
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      for (int s = 0; s < 3; s++) {
        List<FlowBatch> batches = traffic.batches(1200, s + 0.5, s + 0.6);
        Traffic.commit(archive, batches);
        flows.addAll(batches);
      }
      archive.updateDays(DaySumsQueryTest::all, false, () -> false);
    }
    Path run = runs().get(0);
    byte[] sound = Files.readAllBytes(run);
    FlowQuery query =
        bind("SELECT src_addr, COUNT(*), SUM(bytes), AVG(packets) FROM flows GROUP BY src_addr");
    ResultTable expected = FlowQueries.run(flows, query);
    Random random = new Random(4);
    int warned = 0;
    int asked = 0;
    assertTrue(sound.length > 3000, "sums of all segments");
    for (int at = 0; at < sound.length; at += 1 + random.nextInt(20)) {
      byte[] hurt = sound.clone();
      hurt[at] ^= (byte) (1 << (at % 8));
      Files.delete(run);
      Files.write(run, hurt);
      try (Archive archive = Archive.open(directory);
          ArchiveSnapshot snapshot = archive.snapshot()) {
        QueryAnswer answer = ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS);
        assertEquals(expected, answer.table(), "byte " + at);
        List<String> warnings = answer.stats().warnings();
        warned += warnings.isEmpty() ? 0 : 1;
        asked++;
        assertTrue(
            warnings.stream().allMatch(w -> w.contains(run.getFileName().toString())),
            warnings.toString());
        assertEquals(warnings.isEmpty(), answer.stats().days() > 0, "byte " + at);
      }
    }
    assertTrue(warned > asked / 3, warned + " warnings of " + asked);
    try (Archive archive = Archive.open(directory)) {
      Files.delete(run);
      Files.write(run, Arrays.copyOf(sound, sound.length / 2));
      assertFalse(archive.updateDays(DaySumsQueryTest::all, true, () -> false).isNothing());
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        QueryAnswer answer = ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS);
        assertEquals(expected, answer.table());
        assertEquals(List.of(), answer.stats().warnings());
        assertEquals(0, answer.stats().segmentsConsidered());
      }
    }
  }
}
