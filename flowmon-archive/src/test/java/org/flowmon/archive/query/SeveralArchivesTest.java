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
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
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

  @Test
  void theReachOfAllIsThatOfTheShortest() throws IOException {
    try (Archive one = Archive.create(directory.resolve("one"), ArchiveOptions.DEFAULTS);
        Archive two = Archive.create(directory.resolve("two"), ArchiveOptions.DEFAULTS)) {
      Traffic.commit(one, new Traffic(1, false, 0).batches(100, 0, 0.4));
      Traffic.commit(two, new Traffic(2, false, 0).batches(100, 0.2, 1));
      try (ArchiveSnapshot a = one.snapshot();
          ArchiveSnapshot b = two.snapshot()) {
        QueryStats stats =
            ArchiveQuery.run(
                    List.of(a, b),
                    QueryParser.parse("SELECT COUNT(*) FROM flows"),
                    QueryOptions.DEFAULTS)
                .stats();
        assertTrue(a.historyThrough() < b.historyThrough());
        assertEquals(a.historyThrough(), stats.historyThrough());
        assertEquals(a.historyFrom(), stats.historyFrom());
      }
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
