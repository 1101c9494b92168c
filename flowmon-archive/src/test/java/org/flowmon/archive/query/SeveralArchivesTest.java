package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.manifest.HistoryReach;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeveralArchivesTest {
  private static final int QUERIES = 150;

  @TempDir Path directory;

  private static List<FlowBatch> fill(Archive archive, Traffic traffic, int segments)
      throws IOException {
    List<FlowBatch> flows = new ArrayList<>();
    for (int s = 0; s < segments; s++) {
      List<FlowBatch> batches = traffic.batches(s == 0 ? 1 : 3000, 0.3 * s, 0.3 * s + 0.3);
      Traffic.commit(archive, batches);
      flows.addAll(batches);
    }
    return flows;
  }

  @Test
  void severalArchivesAnswerAsOneWithAllTheirFlows() throws IOException {
    long seed = 91;
    Random random = new Random(seed);
    RandomQueries queries = new RandomQueries(seed);
    ArchiveLocation remote =
        ArchiveLocation.parse(
            "memory://several/archive",
            Map.of("cache_directory", directory.resolve("cache").toString()));
    try (Archive one = Archive.create(directory.resolve("one"), ArchiveOptions.DEFAULTS);
        Archive two = Archive.create(directory.resolve("two"), ArchiveOptions.DEFAULTS);
        Archive three = Archive.create(remote, ArchiveOptions.DEFAULTS);
        Archive none = Archive.create(directory.resolve("none"), ArchiveOptions.DEFAULTS)) {
      List<FlowBatch> flows = new ArrayList<>(fill(one, new Traffic(seed, true, 0.1), 3));
      flows.addAll(fill(two, new Traffic(seed + 1, false, 0), 2));
      flows.addAll(fill(three, new Traffic(seed + 3, true, 0.05), 3));
      try (ArchiveSnapshot a = one.snapshot();
          ArchiveSnapshot b = two.snapshot();
          ArchiveSnapshot c = three.snapshot();
          ArchiveSnapshot d = none.snapshot()) {
        List<ArchiveSnapshot> all = List.of(a, b, c, d);
        for (int q = 0; q < QUERIES; q++) {
          String sql = random.nextInt(3) == 0 ? queries.rows() : queries.grouped();
          FlowQuery query =
              QueryParser.parse(sql)
                  .bind(Parameters.NONE.with("now", Value.ofTimestamp(Traffic.NOW)));
          QueryOptions options =
              QueryOptions.DEFAULTS
                  .withThreads(1 + random.nextInt(3))
                  .withPieceRows(1 + random.nextInt(300))
                  .withRollups(random.nextBoolean());
          ResultTable expected = FlowQueries.run(flows, query);
          QueryAnswer answer = ArchiveQuery.run(all, query, options);
          if (!expected.equals(answer.table())) {
            assertEquals(
                expected.toString(),
                answer.table().toString(),
                "seed " + seed + ", query " + q + ": " + sql);
          }
          assertEquals(8, answer.stats().segmentsTotal());
          assertEquals(a.rows() + b.rows() + c.rows(), answer.stats().rowsTotal());
        }
      }
    }
  }

  private static void commit(
      Archive archive, String source, long first, long end, List<FlowBatch> batches)
      throws IOException {
    SealedSegment segment =
        new SegmentWriter().seal(archive.segmentsDirectory(), batches, Provenance.NONE);
    archive.commit(
        ArchiveCommit.ofRanges(
            List.of(segment),
            List.of(
                new SourceRange(
                    source, first, end, segment.arrival().min(), segment.arrival().max(), false)),
            "test"));
  }

  /** Of one topic the second archive goes on where the first ends; two topics each reach far. */
  @Test
  void theReachOfAllIsThatOfOneArchiveWithAll() throws IOException {
    for (String other : List.of("t:0", "u:0")) {
      Path folder = directory.resolve(other.replace(':', '-'));
      try (Archive one = Archive.create(folder.resolve("one"), ArchiveOptions.DEFAULTS);
          Archive two = Archive.create(folder.resolve("two"), ArchiveOptions.DEFAULTS);
          Archive whole = Archive.create(folder.resolve("whole"), ArchiveOptions.DEFAULTS)) {
        List<FlowBatch> earlier = new Traffic(1, false, 0).batches(100, 0, 0.4);
        List<FlowBatch> later = new Traffic(2, false, 0).batches(100, 0.5, 1);
        long first = other.equals("t:0") ? 10 : 0;
        commit(one, "t:0", 0, 10, earlier);
        commit(two, other, first, 20, later);
        commit(whole, "t:0", 0, 10, earlier);
        commit(whole, other, first, 20, later);
        try (ArchiveSnapshot a = one.snapshot();
            ArchiveSnapshot b = two.snapshot();
            ArchiveSnapshot all = whole.snapshot()) {
          FlowQuery query = QueryParser.parse("SELECT COUNT(*) FROM flows");
          QueryStats stats = ArchiveQuery.run(List.of(a, b), query, QueryOptions.DEFAULTS).stats();
          assertTrue(a.historyThrough() < b.historyThrough());
          assertEquals(all.historyThrough(), stats.historyThrough(), other);
          assertEquals(
              other.equals("t:0") ? b.historyThrough() : a.historyThrough(),
              stats.historyThrough(),
              other);
          assertEquals(a.historyFrom(), stats.historyFrom());
          HistoryReach both = ArchivesSnapshot.reachOf(List.of(b, a));
          assertEquals(all.committedEnds(), both.committedEnds());
          assertEquals(all.gaps(), both.gaps());
          for (long time : new long[] {a.historyThrough(), b.historyThrough() - 1}) {
            assertEquals(
                all.reaches(List.of("t:0", other), time),
                both.reaches(List.of("t:0", other), time),
                other);
          }
        }
      }
    }
  }

  /** In any order; a gap between two is filled by a third, and what overlaps counts once. */
  @Test
  void reachesAddUpInAnyOrder() throws IOException {
    try (Archive one = Archive.create(directory.resolve("one"), ArchiveOptions.DEFAULTS);
        Archive two = Archive.create(directory.resolve("two"), ArchiveOptions.DEFAULTS);
        Archive three = Archive.create(directory.resolve("three"), ArchiveOptions.DEFAULTS)) {
      commit(one, "t:0", 0, 3, new Traffic(1, false, 0).batches(5, 0, 0.1));
      commit(two, "t:0", 5, 9, new Traffic(2, false, 0).batches(5, 0.4, 0.5));
      Traffic.commit(two, new Traffic(3, false, 0).batches(5, 0.2, 0.3));
      commit(three, "t:0", 2, 6, new Traffic(4, false, 0).batches(9, 0.1, 0.4));
      try (ArchiveSnapshot a = one.snapshot();
          ArchiveSnapshot b = two.snapshot();
          ArchiveSnapshot c = three.snapshot()) {
        List<CommitResult.Gap> gaps = ArchivesSnapshot.reachOf(List.of(b, a)).gaps();
        assertEquals(List.of(3L), gaps.stream().map(CommitResult.Gap::firstOffset).toList());
        HistoryReach all = ArchivesSnapshot.reachOf(List.of(a, b, c));
        assertEquals(List.of(), all.gaps());
        assertEquals(all.toString(), ArchivesSnapshot.reachOf(List.of(c, b, a)).toString());
        assertEquals(all.toString(), ArchivesSnapshot.reachOf(List.of(b, a, c)).toString());
        assertEquals(b.importedArrivals(), all.importedArrivals());
        assertEquals(10, all.committedEnd("t:0"));
      }
    }
  }

  @Test
  void whatHasExpiredInOneArchiveIsHeldByNone() {
    HistoryReach imported =
        new HistoryReach(new TreeMap<>(), new TreeMap<>(Map.of(0L, 100L)), 0, 100, Long.MIN_VALUE);
    HistoryReach expired = new HistoryReach(new TreeMap<>(), new TreeMap<>(), 50, 200, 50);
    for (HistoryReach all : List.of(imported.union(expired), expired.union(imported))) {
      assertEquals(Map.of(50L, 100L), all.importedArrivals());
      assertEquals(50, all.historyFrom());
    }
  }

  @Test
  void anArchiveBesideItselfOrItsCopyIsRefused() throws IOException {
    Path original = directory.resolve("one");
    try (Archive one = Archive.create(original, ArchiveOptions.DEFAULTS)) {
      Traffic.commit(one, new Traffic(1, false, 0).batches(100, 0, 1));
    }
    Path copy = directory.resolve("copy");
    try (Stream<Path> files = Files.walk(original)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(original.relativize(file)));
      }
    }
    FlowQuery query = QueryParser.parse("SELECT COUNT(*) FROM flows");
    try (Archive one = Archive.open(original);
        Archive two = Archive.open(copy);
        ArchiveSnapshot a = one.snapshot();
        ArchiveSnapshot b = two.snapshot()) {
      IllegalArgumentException e =
          assertThrows(
              IllegalArgumentException.class,
              () -> ArchiveQuery.run(List.of(a, b), query, QueryOptions.DEFAULTS));
      assertTrue(e.getMessage().contains(copy.toString()), e.getMessage());
      assertThrows(
          IllegalArgumentException.class,
          () -> ArchiveQuery.run(List.of(a, a), query, QueryOptions.DEFAULTS));
      assertThrows(
          IllegalArgumentException.class,
          () -> ArchiveQuery.run(List.of(), query, QueryOptions.DEFAULTS));
    }
  }
}
