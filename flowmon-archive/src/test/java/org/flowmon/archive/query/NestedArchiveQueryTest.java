package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.limit.QueryTimeoutException;
import org.flowmon.archive.query.limit.RowLimitException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queries over the results of queries, over the archive. */
class NestedArchiveQueryTest {
  private static final long SEED = 17;

  private static final List<String> QUERIES =
      List.of(
          "SELECT COUNT(*) AS sources, SUM(b) AS b FROM (SELECT src_addr, SUM(bytes) AS b FROM"
              + " flows WHERE end_time >= :now - INTERVAL '3' DAY GROUP BY src_addr)",
          "SELECT a.src_addr, a.day, a.b, c.b AS back FROM (SELECT src_addr, DAYS_BEFORE(end_time,"
              + " :now) AS day, SUM(bytes) AS b FROM flows WHERE SAME_HOUR(end_time, :now, 7) GROUP"
              + " BY src_addr, day) AS a LEFT JOIN (SELECT dst_addr, DAYS_BEFORE(end_time, :now) AS"
              + " day, SUM(reverse_bytes) AS b FROM flows WHERE SAME_HOUR(end_time, :now, 7) GROUP"
              + " BY dst_addr, day) AS c ON a.src_addr = c.dst_addr AND a.day = c.day ORDER BY a.b"
              + " DESC LIMIT 50",
          "SELECT dst_port, COUNT(*) AS n FROM flows WHERE src_addr IN (SELECT src_addr FROM flows"
              + " WHERE end_time >= :now - INTERVAL '1' DAY GROUP BY src_addr ORDER BY SUM(bytes)"
              + " DESC LIMIT 10) GROUP BY dst_port ORDER BY n DESC LIMIT 20",
          "SELECT src_addr, n FROM (SELECT src_addr, COUNT(DISTINCT dst_addr) AS n FROM flows WHERE"
              + " src_addr NOT IN (SELECT src_addr FROM flows WHERE src_addr IS NOT NULL GROUP BY"
              + " src_addr ORDER BY COUNT(*) DESC LIMIT 5) GROUP BY src_addr) AS x WHERE n > 1 AND"
              + " src_addr IN (SELECT src_addr FROM (SELECT src_addr, SUM(packets) AS p FROM flows"
              + " GROUP BY src_addr) AS y WHERE p > 10) ORDER BY n DESC",
          "SELECT x.service, MAX(x.bytes) AS most FROM (SELECT service, src_addr, bytes FROM flows"
              + " WHERE dst_port IN (53, 443)) AS x GROUP BY x.service");

  @TempDir Path directory;

  private static List<FlowBatch> fill(Archive archive, long seed) throws IOException {
    Traffic traffic = new Traffic(seed, true, 0.05);
    List<FlowBatch> flows = new ArrayList<>();
    for (int s = 0; s < 4; s++) {
      List<FlowBatch> batches = traffic.batches(4000, 0.2 * s, 0.2 * s + 0.4);
      Traffic.commit(archive, batches);
      flows.addAll(batches);
    }
    return flows;
  }

  private static Query query(String sql) {
    return QueryParser.parseQuery(sql)
        .bind(Parameters.NONE.with("now", Value.ofTimestamp(Traffic.NOW)));
  }

  @Test
  void theArchiveAnswersAsTheFlowsThemselves() throws IOException {
    try (Archive one = Archive.create(directory.resolve("one"), ArchiveOptions.DEFAULTS);
        Archive two = Archive.create(directory.resolve("two"), ArchiveOptions.DEFAULTS)) {
      List<FlowBatch> flows = fill(one, SEED);
      List<FlowBatch> all = new ArrayList<>(flows);
      all.addAll(fill(two, SEED + 1));
      try (ArchiveSnapshot a = one.snapshot();
          ArchiveSnapshot b = two.snapshot()) {
        for (String sql : QUERIES) {
          Query query = query(sql);
          QueryAnswer answer = ArchiveQuery.run(a, query, QueryOptions.DEFAULTS);
          assertEquals(FlowQueries.run(flows, query), answer.table(), sql);
          assertTrue(answer.table().rowCount() > 0, "says nothing: " + sql);
          assertEquals(
              answer.table(),
              ArchiveQuery.run(a, query, QueryOptions.DEFAULTS.withThreads(3).withRollups(false))
                  .table(),
              sql);
          assertEquals(
              FlowQueries.run(all, query),
              ArchiveQuery.run(List.of(a, b), query, QueryOptions.DEFAULTS).table(),
              sql);
        }
      }
    }
  }

  @Test
  void countsAndLimitsAreOfAllQueriesOverFlowsTogether() throws IOException {
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      fill(archive, SEED);
      String one = "SELECT src_port AS k, COUNT(*) AS n FROM flows WHERE bytes > 10 GROUP BY k";
      String other = "SELECT dst_port AS k, COUNT(*) AS n FROM flows WHERE bytes > 20 GROUP BY k";
      Query both =
          query(
              "SELECT a.k, a.n FROM ("
                  + one
                  + ") AS a JOIN ("
                  + other
                  + ") AS b ON a.k = b.k WHERE"
                  + " a.k IN (SELECT k FROM ("
                  + one
                  + ") AS c)");
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        QueryOptions options = QueryOptions.DEFAULTS.withExplain(true);
        QueryStats first = ArchiveQuery.run(snapshot, query(one), options).stats();
        QueryStats second = ArchiveQuery.run(snapshot, query(other), options).stats();
        QueryStats sum = ArchiveQuery.run(snapshot, both, options).stats();
        assertEquals(first.rowsExamined() + second.rowsExamined(), sum.rowsExamined());
        assertEquals(first.rowsMatched() + second.rowsMatched(), sum.rowsMatched());
        assertEquals(first.rowsTotal() + second.rowsTotal(), sum.rowsTotal());
        assertEquals(first.segmentsRead() + second.segmentsRead(), sum.segmentsRead());
        assertEquals(first.bytesRead() + second.bytesRead(), sum.bytesRead());
        assertEquals(first.accesses().size() + second.accesses().size(), sum.accesses().size());
        assertEquals(first.snapshot(), sum.snapshot());
        long rows = first.rowsExamined() + second.rowsExamined();
        ArchiveQuery.run(snapshot, both, QueryOptions.DEFAULTS.withRowLimit(rows));
        assertThrows(
            RowLimitException.class,
            () -> ArchiveQuery.run(snapshot, both, QueryOptions.DEFAULTS.withRowLimit(rows - 1)));
        assertThrows(
            QueryTimeoutException.class,
            () ->
                ArchiveQuery.run(
                    snapshot, both, QueryOptions.DEFAULTS.withTimeLimit(Duration.ZERO)));
      }
    }
  }

  @Test
  void everyQueryOverFlowsSeesHistoryAsOfTheSameArrival() throws IOException {
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      List<FlowBatch> flows = fill(archive, SEED);
      long first = flows.stream().mapToLong(FlowBatch::minArrival).min().orElseThrow();
      long last = flows.stream().mapToLong(FlowBatch::maxArrival).max().orElseThrow();
      long asOf = first + (last - first) / 3;
      String before = "arrival <= :asof";
      Query query =
          query(
              "SELECT a.k, a.n, b.n AS m FROM (SELECT src_addr AS k, COUNT(*) AS n FROM flows GROUP"
                  + " BY k) AS a JOIN (SELECT dst_addr AS k, COUNT(*) AS n FROM flows WHERE bytes"
                  + " IN (SELECT bytes FROM flows) GROUP BY k) AS b ON a.k = b.k ORDER BY a.k");
      Query written =
          QueryParser.parseQuery(
                  query
                      .toString()
                      .replace("WHERE bytes IN", "WHERE " + before + " AND bytes IN")
                      .replace("FROM flows GROUP", "FROM flows WHERE " + before + " GROUP")
                      .replace("FROM flows))", "FROM flows WHERE " + before + "))")
                      .replace("FROM flows)", "FROM flows WHERE " + before + ")"))
              .bind(Parameters.NONE.with("asof", Value.ofTimestamp(asOf)));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        QueryAnswer answer =
            ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS.withAsOfArrival(asOf));
        assertEquals(FlowQueries.run(flows, written), answer.table());
        assertTrue(!answer.table().equals(FlowQueries.run(flows, query)), "as-of says nothing");
      }
    }
  }

  @Test
  void aParameterWithoutAValueIsNamed() throws IOException {
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      fill(archive, SEED);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (String sql : QUERIES.subList(0, 3)) {
          QueryException e =
              assertThrows(
                  QueryException.class,
                  () ->
                      ArchiveQuery.run(
                          snapshot, QueryParser.parseQuery(sql), QueryOptions.DEFAULTS));
          assertTrue(e.getMessage().contains("parameter :now has no value"), e.getMessage());
        }
      }
    }
  }
}
