package org.flowmon.udaf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/** Every approximate column has a query for its exact answer. */
class ApproximationTest {
  private static List<String> exact(String sql) {
    return Approximation.of(QueryParser.parseQuery(sql)).stream()
        .map(one -> one.column() + ": " + one.exact())
        .toList();
  }

  @Test
  void exactQueriesAreOverTheSameFlowsAndGroups() {
    assertEquals(
        List.of(
            "m: SELECT dst_port AS port, MEDIAN(QUANTILES(bytes, 0)) AS exact FROM flows WHERE"
                + " bytes > 5 GROUP BY dst_port ORDER BY dst_port",
            "ratio: SELECT dst_port AS port, COUNT(DISTINCT src_addr, dst_addr) AS exact FROM flows"
                + " WHERE bytes > 5 GROUP BY dst_port ORDER BY dst_port",
            "t: SELECT dst_port AS port, src_addr, SUM(packets) AS exact FROM flows WHERE bytes > 5"
                + " GROUP BY dst_port, src_addr ORDER BY dst_port, SUM(packets) DESC"),
        exact(
            "SELECT dst_port AS port, QUANTILES(bytes) AS q, COUNT(q) AS n, MEDIAN(q) AS m,"
                + " LOWER(m) AS low, CARDINALITY(APPROX_COUNT_DISTINCT(src_addr, dst_addr)) /"
                + " COUNT(*) AS ratio, TOP(HEAVY_HITTERS(src_addr, packets), 3) AS t FROM flows"
                + " WHERE bytes > 5 GROUP BY dst_port"));
    assertEquals(
        List.of(
            "t: SELECT src_addr, COUNT(*) AS exact FROM flows GROUP BY src_addr ORDER BY COUNT(*)"
                + " DESC"),
        exact("SELECT t FROM (SELECT TOP(src_addr, 3) AS t FROM flows) AS x"));
    assertEquals(List.of(), exact("SELECT src_addr, COUNT(*) FROM flows GROUP BY src_addr"));
    String states =
        "SELECT dst_port AS port, HEAVY_HITTERS(src_addr) AS h, DISTINCT_SAMPLE(src_addr) AS d,"
            + " MEDIAN(bytes) AS m FROM flows GROUP BY port";
    String sums =
        "SELECT dst_port AS port, src_addr, COUNT(*) AS exact FROM flows GROUP BY dst_port,"
            + " src_addr ORDER BY dst_port, ";
    assertEquals(
        List.of(
            "c: " + sums + "COUNT(*) DESC",
            "n: " + sums + "src_addr",
            "d: SELECT dst_port AS port, COUNT(DISTINCT src_addr) AS exact FROM flows GROUP BY"
                + " dst_port ORDER BY dst_port",
            "s: SELECT dst_port AS port, MEDIAN(QUANTILES(bytes, 0)) AS exact FROM flows GROUP BY"
                + " dst_port ORDER BY dst_port"),
        exact(
            "SELECT CHANGES(h, h) AS c, h, CARDINALITY(DIFFERENCE(d, d)) AS n, LOWER(n) AS l,"
                + " CARDINALITY(d) AS d, TOTAL(h) AS t, m + 1 AS s, port FROM ("
                + states
                + ") AS x"));
    assertEquals(
        List.of("t: " + sums + "COUNT(*) DESC", "n: " + sums + "src_addr"),
        exact(
            "SELECT TOP(MERGE(h), 3) AS t, CARDINALITY(MERGE(d)) AS n"
                + " FROM ("
                + states
                + ") AS x"));
  }

  @Test
  void columnsWhoseFunctionIsToBeCalledOtherwiseShareTheirQuery() {
    String both =
        "SELECT dst_port, QUANTILE(QUANTILES(bytes, 0), 0.9) AS p_exact,"
            + " RANK(QUANTILES(bytes, 0), 7) AS p_exact_2, MEDIAN(QUANTILES(duration, 0)) AS"
            + " m_exact FROM flows GROUP BY dst_port ORDER BY dst_port";
    assertEquals(
        List.of("p: " + both, "p: " + both, "m: " + both),
        exact(
            "SELECT dst_port, QUANTILES(bytes, 0.1, 'kll') AS q, QUANTILE(q, 0.9) / RANK(q, 7) AS"
                + " p, MEDIAN(duration) AS m FROM flows GROUP BY dst_port"));
    // States of columns do not exist when the others are made.
    assertEquals(
        List.of(
            "m: SELECT dst_port AS p, bytes, COUNT(*) AS exact FROM flows GROUP BY dst_port, bytes"
                + " ORDER BY dst_port, bytes"),
        exact(
            "SELECT MEDIAN(MERGE(q)) AS m FROM (SELECT dst_port AS p, QUANTILES(bytes) AS q FROM"
                + " flows GROUP BY p) AS x"));
    assertEquals(
        List.of(),
        exact("SELECT MEDIAN(QUANTILES(bytes, 0)) AS m, UPPER(m) AS u FROM flows"),
        "it is exact itself");
  }

  @Test
  void noKeyHasTheNameOfAnotherColumn() {
    for (String sql :
        List.of(
            "SELECT src_addr AS p_exact, QUANTILE(QUANTILES(bytes), 0.5) AS p,"
                + " QUANTILE(QUANTILES(packets), 0.9) AS r FROM flows GROUP BY src_addr",
            "SELECT src_addr AS p_exact, dst_addr AS p_exact_2, QUANTILE(QUANTILES(bytes), 0.5) AS"
                + " p, RANK(QUANTILES(bytes), 7) AS \"P\" FROM flows GROUP BY src_addr, dst_addr",
            "SELECT src_addr AS exact, MEDIAN(bytes) AS p FROM flows GROUP BY src_addr",
            "SELECT src_addr AS \"Exact\", TOP(dst_port, 3) AS p FROM flows GROUP BY src_addr",
            "SELECT dst_port AS src_port, TOP(src_port, 3) AS t FROM flows GROUP BY dst_port",
            "SELECT dst_port AS src_addr, TOP(src_addr, 3) AS t, CARDINALITY("
                + "APPROX_COUNT_DISTINCT(bytes)) AS exact FROM flows GROUP BY dst_port")) {
      List<Approximation> all = Approximation.of(QueryParser.parseQuery(sql));
      assertTrue(!all.isEmpty(), sql);
      for (Approximation one : all) {
        String exact = one.exact().toString();
        assertEquals(one.exact(), QueryParser.parseQuery(exact), exact);
      }
    }
  }

  @Test
  void exactAnswersAreThoseOfTheSortedValuesAndWithinTheBounds() {
    List<FlowBatch> flows = new RandomFlows(5).modest().batches(6, 2000);
    FlowQuery query =
        QueryParser.parse(
            "SELECT QUANTILE(QUANTILES(bytes, 0.1), 0.9) AS v, LOWER(v) AS low, UPPER(v) AS high,"
                + " COUNT(QUANTILES(bytes, 0.1)) AS n FROM flows");
    ResultTable answer = FlowQueries.run(flows, query);
    ResultTable values =
        FlowQueries.run(
            flows,
            QueryParser.parse("SELECT bytes FROM flows WHERE bytes IS NOT NULL ORDER BY bytes"));
    long rank = (long) Math.ceil(0.9 * answer.longValue(0, 3));
    assertEquals(values.rowCount(), answer.longValue(0, 3));
    long truth = values.longValue((int) rank - 1, 0);
    ResultTable exact = FlowQueries.run(flows, Approximation.of(query).get(0).exact());
    assertEquals(List.of("exact"), exact.names());
    assertEquals(truth, exact.longValue(0, 0));
    assertTrue(answer.longValue(0, 1) <= truth && truth <= answer.longValue(0, 2));
  }
}
