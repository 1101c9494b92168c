package org.flowmon.udaf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.catalogue.ExportedState;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;

/** Function results lie within their bounds of the answers from sorted lists and sets. */
class FunctionQueriesTest {
  private static final double[] SHARES = {0, 0.05, 0.5, 0.95, 0.99, 1};

  /** By the keys' values as text: the values of an argument in the group's rows, sorted. */
  private static Map<String, List<Long>> values(
      List<FlowBatch> flows, FlowQuery query, Expression argument) {
    Map<String, List<Long>> groups = new HashMap<>();
    for (FlowBatch batch : flows) {
      for (int r = 0; r < batch.rows(); r++) {
        NaiveRow row = new NaiveRow(batch, r);
        String key =
            query.groupBy().stream()
                .map(e -> String.valueOf(row.value(e)))
                .collect(Collectors.joining("|"));
        List<Long> group = groups.computeIfAbsent(key, k -> new ArrayList<>());
        if (row.value(argument) != null) {
          group.add(Long.parseLong(row.value(argument).toString()));
        }
      }
    }
    groups.values().forEach(Collections::sort);
    return groups;
  }

  private static Expression argument(FlowQuery query, int item) {
    return ((AggregateCall) query.select().get(item).what()).argument();
  }

  private static long rankError(List<Long> sorted, long rank, long value) {
    long below = sorted.stream().filter(v -> v < value).count();
    long upTo = sorted.stream().filter(v -> v <= value).count();
    assertTrue(upTo > below, value + " is none of the values");
    return rank <= below ? below + 1 - rank : Math.max(0, rank - upTo);
  }

  @Test
  void quantilesOfEachGroupAreWithinTheirBounds() {
    for (String call :
        List.of("bytes", "bytes, 0.1", "bytes, 0.1, 'medium'", "bytes, 0.05, 'heavy'")) {
      for (String keys : List.of("src_addr", "protocol, dst_port", "NETWORK(src_addr, 8)", "")) {
        for (long seed = 1; seed <= 3; seed++) {
          check(seed, call, keys);
        }
      }
    }
  }

  private static void check(long seed, String call, String keys) {
    List<FlowBatch> flows = new RandomFlows(seed).batches(6, 3000);
    StringBuilder sql = new StringBuilder("SELECT QUANTILES(" + call + ") AS q, COUNT(q) AS n");
    for (int s = 0; s < SHARES.length; s++) {
      sql.append(
          ", QUANTILE(q, " + SHARES[s] + ") AS v" + s + ", LOWER(v" + s + "), UPPER(v" + s + ")");
    }
    sql.append(keys.isEmpty() ? " FROM flows" : ", " + keys + " FROM flows GROUP BY " + keys);
    FlowQuery query = QueryParser.parse(sql.toString());
    double epsilon = call.contains("0.1") ? 0.1 : call.contains("0.05") ? 0.05 : 0.01;
    ResultTable answer = FlowQueries.run(flows, query);
    Map<String, List<Long>> exact = values(flows, query, argument(query, 0));
    assertEquals(exact.size(), answer.rowCount());
    int firstKey = 2 + 3 * SHARES.length;
    for (int row = 0; row < answer.rowCount(); row++) {
      String at = "seed " + seed + ", row " + row + " of " + query;
      List<Long> sorted = exact.get(key(answer, row, firstKey));
      assertEquals(sorted.size(), answer.value(row, 1).low(), at);
      for (int s = 0; s < SHARES.length; s++) {
        int column = 2 + 3 * s;
        if (sorted.isEmpty()) {
          assertTrue(answer.isNull(row, column), at);
          continue;
        }
        int rank = (int) Math.max(1, Math.ceil(SHARES[s] * sorted.size()));
        long truth = sorted.get(rank - 1);
        assertTrue(answer.value(row, column + 1).low() <= truth, at);
        assertTrue(answer.value(row, column + 2).low() >= truth, at);
        long error = rankError(sorted, rank, answer.value(row, column).low());
        assertTrue(error <= epsilon * sorted.size(), error + " ranks of " + sorted.size() + at);
      }
    }
  }

  private static String key(ResultTable answer, int row, int first) {
    List<String> keys = new ArrayList<>();
    for (int c = first; c < answer.columnCount(); c++) {
      Expression column = new Expression.Named(answer.name(c), answer.kind(c));
      keys.add(String.valueOf(new NaiveRow(answer, row).value(column)));
    }
    return String.join("|", keys);
  }

  @Test
  void valuesOfOneStateAndTheExportedStateAgree() {
    List<FlowBatch> flows = new RandomFlows(7).batches(8, 2000);
    ResultTable answer =
        FlowQueries.run(
            flows,
            QueryParser.parse(
                "SELECT dst_port, QUANTILES(bytes, 0.05) AS q, MEDIAN(q) AS m, LOWER(m) AS low"
                    + " FROM flows GROUP BY dst_port"));
    Udafs functions = Udafs.load(getClass().getClassLoader());
    assertTrue(answer.rowCount() > 5);
    for (int row = 0; row < answer.rowCount(); row++) {
      byte[] bytes = Base64.getDecoder().decode(answer.value(row, 1).text());
      ExportedState exported = ExportedState.read(bytes);
      assertEquals("QUANTILES", exported.name());
      BoundUdaf function = exported.bind(functions);
      SuperState state = function.superAggregate().initialize();
      exported.mergeInto(state);
      Estimate median =
          (Estimate) functions.bindExtractor(function, "MEDIAN", List.of()).extract(state);
      assertEquals(answer.value(row, 2), median.value());
      assertEquals(answer.value(row, 3), median.lower());
    }
  }

  @Test
  void orderHavingAndLimitGoByWhatIsTakenOut() {
    List<FlowBatch> flows = new RandomFlows(11).modest().batches(8, 2000);
    String select = "SELECT dst_port, MEDIAN(bytes) AS m, COUNT(*) AS n FROM flows";
    ResultTable all =
        FlowQueries.run(flows, QueryParser.parse(select + " GROUP BY dst_port ORDER BY m DESC"));
    assertTrue(all.rowCount() > 5);
    for (int row = 1; row < all.rowCount(); row++) {
      boolean last = all.isNull(row, 1);
      assertTrue(last || all.value(row - 1, 1).low() >= all.value(row, 1).low(), "row " + row);
    }
    long third = all.value(2, 1).low();
    ResultTable some =
        FlowQueries.run(
            flows,
            QueryParser.parse(
                select + " GROUP BY dst_port HAVING m >= " + third + " ORDER BY m DESC LIMIT 2"));
    assertEquals(2, some.rowCount());
    for (int row = 0; row < 2; row++) {
      assertEquals(all.value(row, 0), some.value(row, 0));
      assertEquals(all.value(row, 1), some.value(row, 1));
    }
    ResultTable ratio =
        FlowQueries.run(
            flows,
            QueryParser.parse(
                "SELECT MEDIAN(bytes) + 1 AS more, CASE WHEN MEDIAN(bytes) > 0 THEN 'some' END AS t"
                    + " FROM flows"));
    ResultTable plain =
        FlowQueries.run(flows, QueryParser.parse("SELECT MEDIAN(bytes) FROM flows"));
    assertEquals(plain.value(0, 0).low() + 1, ratio.value(0, 0).low());
    assertEquals("some", ratio.value(0, 1).text());
  }

  @Test
  void whatHavingDropsLeavesTheOrderOfTheOthersAsItIs() {
    int rows = 0;
    for (long seed = 1; seed <= 12; seed++) {
      List<FlowBatch> flows = new RandomFlows(seed).modest().batches(6, 1500);
      String select = "SELECT src_port, COUNT(*) AS n, MEDIAN(bytes) AS m FROM flows";
      String order = " ORDER BY MEDIAN(bytes) / COUNT(*) DESC, UPPER(MEDIAN(bytes)), src_port";
      ResultTable all =
          FlowQueries.run(flows, QueryParser.parse(select + " GROUP BY src_port" + order));
      String having = " GROUP BY src_port HAVING src_port % " + (2 + seed) + " = 1";
      for (int limit : new int[] {3, 40, 1_000_000}) {
        ResultTable some =
            FlowQueries.run(flows, QueryParser.parse(select + having + order + " LIMIT " + limit));
        int row = 0;
        for (int of = 0; of < all.rowCount() && row < limit; of++) {
          if (!all.isNull(of, 0) && all.longValue(of, 0) % (2 + seed) == 1) {
            assertEquals(all.value(of, 0), some.value(row, 0), "seed " + seed + ", row " + row);
            assertEquals(all.value(of, 2), some.value(row++, 2), "seed " + seed);
          }
        }
        assertEquals(row, some.rowCount(), "seed " + seed);
        rows += row;
      }
    }
    assertTrue(rows > 1000, rows + " rows");
  }

  @Test
  void countsAndListsStandBesideExactCounts() {
    List<FlowBatch> flows = new RandomFlows(13).modest().batches(8, 2000);
    ResultTable answer =
        FlowQueries.run(
            flows,
            QueryParser.parse(
                "SELECT protocol, COUNT(DISTINCT src_addr) AS exact,"
                    + " CARDINALITY(APPROX_COUNT_DISTINCT(src_addr)) AS approx, COUNT(*) AS n,"
                    + " SUM(packets) AS p, TOTAL(HEAVY_HITTERS(dst_port, packets)) AS t,"
                    + " TOP(HEAVY_HITTERS(dst_port), 1) AS top FROM flows GROUP BY protocol"));
    assertTrue(answer.rowCount() > 1);
    for (int row = 0; row < answer.rowCount(); row++) {
      assertEquals(answer.value(row, 1), answer.value(row, 2)); // few: exact
      assertTrue(
          answer.value(row, 6).text().startsWith("[{\"item\":"), answer.value(row, 6).text());
    }
  }

  @Test
  void listsOfItemsAreJson() {
    List<FlowBatch> flows = new RandomFlows(17).modest().batches(5, 2000);
    Map<String, Long> counts = new HashMap<>();
    Set<String> all = new HashSet<>();
    for (FlowBatch batch : flows) {
      for (int r = 0; r < batch.rows(); r++) {
        Object port = new NaiveRow(batch, r).value(new Expression.Column(FlowColumn.DST_PORT));
        if (port != null) {
          counts.merge(port.toString(), 1L, Long::sum);
        }
      }
    }
    counts.forEach(
        (port, n) ->
            all.add(
                "{\"item\":"
                    + port
                    + ",\"value\":"
                    + n
                    + ",\"lower\":"
                    + n
                    + ",\"upper\":"
                    + n
                    + "}"));
    ResultTable answer =
        FlowQueries.run(flows, QueryParser.parse("SELECT TOP(dst_port, 100) AS t FROM flows"));
    String json = answer.value(0, 0).text();
    assertEquals(all, Set.of(json.substring(1, json.length() - 1).split("(?<=}),")));
  }

  @Test
  void groupsWithoutValuesHaveNullsAndEmptyStates() {
    ResultTable answer =
        FlowQueries.run(
            List.of(),
            QueryParser.parse(
                "SELECT MEDIAN(bytes) AS m, LOWER(MEDIAN(bytes)) AS l, COUNT(QUANTILES(bytes)) AS"
                    + " n, QUANTILES(bytes) AS q, TOP(src_addr, 3) AS t FROM flows"));
    assertEquals(1, answer.rowCount());
    assertTrue(answer.isNull(0, 0));
    assertTrue(answer.isNull(0, 1));
    assertEquals(Value.ofLong(0), answer.value(0, 2));
    assertEquals("[]", answer.value(0, 4).text());
    assertEquals(Value.NULL, answer.value(0, 0));
  }

  @Test
  void functionsOfResultsTakeTheRowsOfResults() {
    List<FlowBatch> flows = new RandomFlows(19).modest().batches(5, 2000);
    Query query =
        QueryParser.parseQuery(
            "SELECT MEDIAN(QUANTILES(b)) AS m, LOWER(m) AS low, UPPER(m) AS high FROM (SELECT"
                + " src_addr, SUM(packets) AS b FROM flows GROUP BY src_addr) AS x");
    ResultTable sums =
        FlowQueries.run(
            flows,
            QueryParser.parse("SELECT src_addr, SUM(packets) AS b FROM flows GROUP BY src_addr"));
    List<Long> sorted = new ArrayList<>();
    for (int row = 0; row < sums.rowCount(); row++) {
      if (!sums.isNull(row, 1)) {
        sorted.add(sums.value(row, 1).low());
      }
    }
    Collections.sort(sorted);
    long median = sorted.get((sorted.size() + 1) / 2 - 1);
    ResultTable answer = FlowQueries.run(flows, query);
    assertTrue(answer.value(0, 1).low() <= median && median <= answer.value(0, 2).low());
    assertTrue(
        rankError(sorted, (sorted.size() + 1) / 2, answer.value(0, 0).low())
            <= 0.01 * sorted.size());
  }
}
