package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.result.GroupCollector;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A query whose groups exceed its memory ends with an error. */
class GroupMemoryTest {
  private static final int SEGMENTS = 4;
  private static final int ROWS = 8000; // of a segment
  private static final int BYTES_OF_VALUE = 17; // of an answer
  private static final List<String> QUERIES =
      List.of(
          "SELECT src_addr, src_port, COUNT(QUANTILES(bytes)) AS n FROM flows GROUP BY src_addr,"
              + " src_port",
          "SELECT dst_port, TOTAL(HEAVY_HITTERS(src_addr)) AS n FROM flows GROUP BY dst_port",
          "SELECT bytes / 7 AS b, COUNT(*) AS n FROM flows GROUP BY b");

  @TempDir Path directory;

  @Test
  void groupsAreWithinTheMemoryOfTheirQueryOrItEnds() throws IOException {
    List<FlowBatch> flows = new ArrayList<>();
    Traffic traffic = new Traffic(11, false, 0);
    try (Archive archive = Archive.create(directory.resolve("archive"), ArchiveOptions.DEFAULTS)) {
      for (int s = 0; s < SEGMENTS; s++) {
        List<FlowBatch> batches =
            traffic.batches(ROWS, (double) s / SEGMENTS, (s + 1.0) / SEGMENTS);
        Traffic.commit(archive, batches);
        flows.addAll(batches);
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (String sql : QUERIES) {
          check(snapshot, QueryParser.parse(sql), flows);
        }
      }
    }
  }

  private static void check(ArchiveSnapshot snapshot, FlowQuery query, List<FlowBatch> flows)
      throws IOException {
    GroupCollector whole = new GroupCollector(query);
    for (FlowBatch batch : flows) {
      for (int from = 0; from < batch.rows(); from += 1000) {
        int[] selection = new int[Math.min(1000, batch.rows() - from)];
        Arrays.setAll(selection, row -> row);
        whole.add(batch, from, selection, selection.length);
      }
    }
    long bytes = whole.table().heapBytes();
    for (int threads = 1; threads <= 3; threads++) {
      QueryOptions options =
          QueryOptions.DEFAULTS.withThreads(threads).withPieceRows(1000).withRollups(false);
      String at = query + ", " + bytes + " bytes, " + threads + " threads";
      // Each thread may have nearly all groups, and one takes those of the others; a growing array
      // exists twice.
      long answer = (long) BYTES_OF_VALUE * query.select().size() * whole.table().size();
      QueryOptions enough = options.withGroupMemory(threads * bytes + (bytes >> 1) + answer);
      assertEquals(whole.finish(), ArchiveQuery.run(snapshot, query, enough).table(), at);
      for (long most : new long[] {0, bytes >> 3, bytes - (bytes >> 3)}) {
        AnswerTooLargeException e =
            assertThrows(
                AnswerTooLargeException.class,
                () -> ArchiveQuery.run(snapshot, query, options.withGroupMemory(most)),
                at + ", " + most);
        assertTrue(
            e.getMessage().contains((most >> 20) + " MiB of heap that one query may take"),
            e.getMessage());
      }
    }
  }

  /**
   * A way to an answer that takes its own memory.
   *
   * @param least minimum bytes that it takes: so many items of so many bytes each
   */
  private record Way(String name, String sql, QueryOptions options, long least) {}

  private static final int LARGE_ROWS = 200_000;

  private static List<Way> ways(int pairs, int hosts, int ports, int sizes) {
    QueryOptions rows = QueryOptions.DEFAULTS.withRollups(false).withPieceRows(10_000);
    QueryOptions sums = QueryOptions.DEFAULTS.withThreads(2);
    String ofPairs =
        "SELECT src_addr, dst_addr, COUNT(*) AS n, SUM(bytes) AS b FROM flows GROUP BY src_addr,"
            + " dst_addr";
    String ofHosts = "SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr";
    // A key of one word or two, and a state of one word or three.
    return List.of(
        new Way("packed", ofPairs, rows.withThreads(1), 32L * pairs),
        new Way("packed, ordered", ofPairs + " ORDER BY b DESC", rows.withThreads(2), 32L * pairs),
        new Way(
            "packed, counted",
            "SELECT src_addr, COUNT(DISTINCT dst_addr) AS d FROM flows GROUP BY src_addr",
            rows,
            8L * pairs),
        new Way(
            "ports",
            "SELECT src_port, COUNT(*) AS n FROM flows GROUP BY src_port",
            rows,
            8L * ports),
        new Way(
            "lists",
            "SELECT src_addr, dst_addr, MAX(bytes) AS m FROM flows WHERE src_addr = '192.0.2.1'"
                + " GROUP BY src_addr, dst_addr",
            rows,
            8L * hosts),
        new Way("sums by address", ofHosts, sums, 24L * hosts),
        new Way("sums by address, first", ofHosts + " ORDER BY n DESC LIMIT 5", sums, 24L * hosts),
        new Way(
            "sums by network",
            "SELECT NETWORK(src_addr, 32, 128) AS net, COUNT(*) AS n FROM flows GROUP BY net",
            sums,
            24L * hosts),
        new Way(
            "sums by address, counted",
            "SELECT src_addr, COUNT(DISTINCT outgoing) AS d FROM flows GROUP BY src_addr",
            sums,
            100L * hosts),
        new Way("rows", "SELECT src_addr, bytes FROM flows", rows, 24L * LARGE_ROWS),
        new Way(
            "rows of one thread",
            "SELECT src_addr, bytes FROM flows LIMIT 100000",
            rows,
            24L * 100_000),
        new Way("a result", "SELECT COUNT(*) AS c FROM (" + ofHosts + ") AS h", sums, 32L * hosts),
        new Way(
            "a join",
            "SELECT COUNT(*) AS c FROM (SELECT dst_port AS p FROM flows LIMIT 4000) AS a JOIN"
                + " (SELECT dst_port AS p FROM flows LIMIT 4000) AS b ON a.p = b.p",
            rows,
            8L * 4000 * 4000 / 10),
        new Way(
            "groups over a result",
            "SELECT b, COUNT(*) AS c FROM (SELECT bytes * 2 AS b FROM flows) AS a GROUP BY b",
            rows,
            16L * sizes + 8L * LARGE_ROWS),
        new Way(
            "values of IN",
            "SELECT COUNT(*) AS n FROM flows WHERE src_addr IN (SELECT src_addr FROM flows GROUP"
                + " BY src_addr)",
            sums,
            100L * hosts),
        new Way(
            "an exact quantile",
            "SELECT MEDIAN(QUANTILES(bytes, 0)) AS m FROM flows",
            rows.withThreads(1),
            32L * sizes));
  }

  @Test
  void aPlaceForEachPossibleKeyInEachThreadIsNoReasonToRefuseAQueryOfFewGroups()
      throws IOException {
    FlowQuery query =
        QueryParser.parse("SELECT dst_port, COUNT(*) AS n FROM flows GROUP BY dst_port");
    try (Archive archive = Archive.create(directory.resolve("ports"), ArchiveOptions.DEFAULTS)) {
      List<FlowBatch> batches = new Traffic(13, false, 0).batches(LARGE_ROWS, 0, 1);
      Traffic.commit(archive, batches);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        QueryOptions options = QueryOptions.DEFAULTS.withRollups(false).withPieceRows(10_000);
        for (int threads = 1; threads <= 4; threads++) {
          // For each thread half the memory of a place for each port, since groups begin with as
          // much.
          long most = threads * ((Long.BYTES << 16) + (1L << 16));
          QueryOptions little = options.withThreads(threads).withGroupMemory(most);
          assertEquals(
              FlowQueries.run(batches, query).toString(),
              ArchiveQuery.run(snapshot, query, little).table().toString(),
              threads + " threads");
        }
      }
    }
  }

  @Test
  void everyWayToAnAnswerIsRefusedWhereItTakesMoreThanItMay() throws IOException {
    Traffic traffic = new Traffic(12, false, 0);
    List<FlowBatch> batches = traffic.batches(LARGE_ROWS, 0, 1);
    Set<String> pairs = new HashSet<>();
    Set<String> hosts = new HashSet<>();
    Set<Long> ports = new HashSet<>();
    Set<Long> sizes = new HashSet<>();
    for (FlowBatch batch : batches) {
      for (int row = 0; row < batch.rows(); row++) {
        String host = batch.getAddress(FlowColumn.SRC_ADDR, row).toString();
        hosts.add(host);
        pairs.add(host + " " + batch.getAddress(FlowColumn.DST_ADDR, row));
        ports.add(batch.getLong(FlowColumn.SRC_PORT, row));
        sizes.add(batch.getLong(FlowColumn.BYTES, row));
      }
    }
    try (Archive archive = Archive.create(directory.resolve("large"), ArchiveOptions.DEFAULTS)) {
      Traffic.commit(archive, batches);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (Way way : ways(pairs.size(), hosts.size(), ports.size(), sizes.size())) {
          Query query = QueryParser.parseQuery(way.sql());
          QueryOptions options = way.options();
          QueryOptions all = options.withGroupMemory(Long.MAX_VALUE);
          assertEquals(
              ArchiveQuery.run(snapshot, query, all).table(),
              ArchiveQuery.run(snapshot, query, options.withGroupMemory(256L << 20)).table(),
              way.name());
          for (long most : new long[] {0, way.least() / 2, way.least()}) {
            assertThrows(
                AnswerTooLargeException.class,
                () -> ArchiveQuery.run(snapshot, query, options.withGroupMemory(most)),
                way + ": " + most + " bytes are enough");
          }
        }
      }
    }
  }
}
