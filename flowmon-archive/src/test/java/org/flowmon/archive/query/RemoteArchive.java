package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.MemoryObjectStore;
import org.flowmon.archive.store.MemoryStores;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** An archive in an object store, as several hosts see it. */
abstract class RemoteArchive {
  static final long SEED = 501;

  @TempDir Path directory;
  String url;
  MemoryObjectStore store;
  final List<FlowBatch> flows = new ArrayList<>();

  @BeforeEach
  void name(TestInfo test) {
    url = "memory://" + test.getTestMethod().orElseThrow().getName() + "/archive";
    store = MemoryStores.of(url);
  }

  /** The archive as seen from a host of this name. */
  ArchiveLocation from(String host) {
    return from(host, "1G");
  }

  ArchiveLocation from(String host, String cacheBytes) {
    return ArchiveLocation.parse(
        url,
        Map.of(
            "cache_directory",
            directory.resolve(host).toString(),
            "cache_bytes",
            cacheBytes,
            "grace_seconds",
            "1"));
  }

  Archive open(ArchiveLocation location) throws IOException {
    return Archive.openOrCreate(location, new ArchiveOptions(4, 1024));
  }

  /** Commits segments of random flows, one of them with a single row. */
  void fill(Archive archive, int segments, int rows) throws IOException {
    Traffic traffic = new Traffic(SEED + flows.size(), true, 0.05);
    for (int s = 0; s < segments; s++) {
      double from = 0.9 * s / segments;
      List<FlowBatch> batches = traffic.batches(s == 1 ? 1 : rows, from, from + 0.2);
      Traffic.commit(archive, batches);
      flows.addAll(batches);
    }
  }

  /** Runs seeded random queries and compares them with a scan of all flows. */
  void requireRightAnswers(Archive archive, int queries, long seed) throws IOException {
    RandomQueries random = new RandomQueries(seed);
    Random choice = new Random(seed);
    for (int q = 0; q < queries; q++) {
      String sql = choice.nextInt(3) == 0 ? random.rows() : random.grouped();
      FlowQuery query =
          QueryParser.parse(sql).bind(Parameters.NONE.with("now", Value.ofTimestamp(Traffic.NOW)));
      ResultTable expected = FlowQueries.run(flows, query);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        QueryAnswer answer = ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS);
        assertEquals(List.of(), answer.stats().warnings(), sql);
        if (!expected.equals(answer.table())) {
          assertEquals(expected.toString(), answer.table().toString(), "seed " + seed + ": " + sql);
        }
      }
    }
  }
}
