package org.flowmon.udaf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.DistinctCounts;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;

/** COUNT(DISTINCT …) equals the size of sets of rows' values. */
class DistinctCountsTest {
  private static final String[] ARGUMENTS = {
    "src_addr",
    "dst_addr",
    "dst_port",
    "service",
    "outgoing",
    "bytes",
    "bytes / 3",
    "state",
    "NETWORK(dst_addr, 24)",
    "CASE WHEN outgoing THEN src_addr ELSE dst_addr END",
    "exporter",
  };
  private static final String[] KEYS = {
    "src_addr", "protocol", "service", "outgoing", "dst_port", "NETWORK(src_addr, 24)", "end_time",
  };

  private final Random random = new Random();

  private String some(String[] of, int most) {
    List<String> chosen = new ArrayList<>();
    for (int i = 1 + random.nextInt(most); i > 0; i--) {
      chosen.add(of[random.nextInt(of.length)]);
    }
    return String.join(", ", chosen);
  }

  /** By keys as text: the value of each column of the answer. */
  private static Map<String, List<Object>> sets(List<FlowBatch> flows, FlowQuery query) {
    Map<String, List<Object>> groups = new HashMap<>();
    for (FlowBatch batch : flows) {
      for (int r = 0; r < batch.rows(); r++) {
        NaiveRow row = new NaiveRow(batch, r);
        String key =
            query.groupBy().stream()
                .map(e -> String.valueOf(row.value(e)))
                .collect(Collectors.joining("|"));
        List<Object> group = groups.computeIfAbsent(key, k -> empty(query));
        for (int c = 0; c < query.select().size(); c++) {
          if (query.select().get(c).what() instanceof AggregateCall call) {
            group.set(c, added(group.get(c), call, row));
          }
        }
      }
    }
    if (query.groupBy().isEmpty()) {
      groups.computeIfAbsent("", k -> empty(query));
    }
    return groups;
  }

  private static List<Object> empty(FlowQuery query) {
    List<Object> group = new ArrayList<>();
    query
        .select()
        .forEach(
            item ->
                group.add(
                    item.what() instanceof AggregateCall call && call.isDistinct()
                        ? new HashSet<>()
                        : 0L));
    return group;
  }

  @SuppressWarnings("unchecked") // sets stand for distinct counts
  private static Object added(Object before, AggregateCall call, NaiveRow row) {
    List<Object> values = new ArrayList<>();
    for (Expression argument : call.arguments()) {
      values.add(row.value(argument));
    }
    if (!call.isDistinct()) {
      return (Long) before + (values.contains(null) ? 0 : 1);
    }
    if (!values.contains(null)) {
      ((Set<Object>) before).add(values);
    }
    return before;
  }

  @Test
  void countsWhatSetsHold() {
    for (long seed = 1; seed <= 150; seed++) {
      random.setSeed(seed);
      List<FlowBatch> flows = new RandomFlows(seed).batches(random.nextInt(4), 1500);
      String keys = random.nextInt(4) == 0 ? "" : some(KEYS, 3);
      StringBuilder sql = new StringBuilder("SELECT ");
      int n = 0;
      for (String key : keys.isEmpty() ? new String[0] : keys.split(", (?![^(]*\\))", -1)) {
        sql.append(key).append(" AS k").append(n++).append(", ");
      }
      for (int a = 1 + random.nextInt(4); a > 0; a--) {
        String call =
            random.nextInt(4) > 0
                ? "COUNT(DISTINCT " + some(ARGUMENTS, 3) + ")"
                : "COUNT(" + (random.nextBoolean() ? "*" : some(ARGUMENTS, 1)) + ")";
        sql.append(call).append(" AS a").append(n++).append(a > 1 ? ", " : "");
      }
      sql.append(" FROM flows");
      sql.append(keys.isEmpty() ? "" : " GROUP BY " + keys);
      check(flows, sql.toString(), seed);
    }
  }

  private static void check(List<FlowBatch> flows, String sql, long seed) {
    FlowQuery query = QueryParser.parse(sql);
    Map<String, List<Object>> expected = sets(flows, query);
    ResultTable table = FlowQueries.run(flows, query);
    String at = "seed " + seed + ": " + sql;
    assertEquals(query, QueryParser.parse(query.toString()), at);
    assertEquals(expected.size(), table.rowCount(), at);
    List<String> mine = new ArrayList<>();
    List<String> theirs = new ArrayList<>();
    for (int r = 0; r < table.rowCount(); r++) {
      mine.add(counts(query, table, r));
    }
    expected.values().forEach(group -> theirs.add(counts(query, group)));
    assertEquals(theirs.stream().sorted().toList(), mine.stream().sorted().toList(), at);
  }

  private static String counts(FlowQuery query, ResultTable table, int row) {
    StringBuilder text = new StringBuilder();
    for (int c = 0; c < query.select().size(); c++) {
      if (query.select().get(c).what() instanceof AggregateCall) {
        text.append(table.longValue(row, c)).append('|');
      }
    }
    return text.toString();
  }

  private static String counts(FlowQuery query, List<Object> group) {
    StringBuilder text = new StringBuilder();
    for (int c = 0; c < query.select().size(); c++) {
      if (query.select().get(c).what() instanceof AggregateCall) {
        Object value = group.get(c);
        text.append(value instanceof Set<?> set ? set.size() : value).append('|');
      }
    }
    return text.toString();
  }

  @Test
  void groupsAreOrderedByTheirCounts() {
    List<FlowBatch> flows = new RandomFlows(7).batches(4, 2000);
    ResultTable table =
        FlowQueries.run(
            flows,
            QueryParser.parse(
                "SELECT dst_port, SUM(bytes) AS s FROM flows GROUP BY dst_port"
                    + " ORDER BY COUNT(DISTINCT src_addr, src_port) DESC, s LIMIT 4"));
    ResultTable all =
        FlowQueries.run(
            flows,
            QueryParser.parse(
                "SELECT dst_port, SUM(bytes) AS s, COUNT(DISTINCT src_addr, src_port) AS n"
                    + " FROM flows GROUP BY dst_port ORDER BY n DESC, s"));
    assertEquals(4, table.rowCount());
    for (int r = 0; r < 4; r++) {
      assertEquals(all.formatted(r, 0), table.formatted(r, 0));
      assertEquals(all.bigValue(r, 1), table.bigValue(r, 1));
      assertTrue(r == 0 || all.longValue(r - 1, 2) >= all.longValue(r, 2));
    }
  }

  @Test
  void argumentsTakeParameters() {
    List<FlowBatch> flows = new RandomFlows(3).batches(2, 500);
    FlowQuery query = QueryParser.parse("SELECT COUNT(DISTINCT protocol + :by) AS n FROM flows");
    ResultTable bound =
        FlowQueries.run(flows, query.bind(Parameters.NONE.with("by", Value.ofLong(7))));
    ResultTable plain =
        FlowQueries.run(
            flows, QueryParser.parse("SELECT COUNT(DISTINCT protocol) AS n FROM flows"));
    assertEquals(plain, bound);
    assertThrows(
        QueryException.class, () -> query.bind(Parameters.NONE.with("by", Value.ofText("x"))));
  }

  @Test
  void whatCountsNothingDistinctHasNoGroupings() {
    assertNull(DistinctCounts.of(QueryParser.parse("SELECT COUNT(bytes) FROM flows")));
  }

  @Test
  void tablesOfRowsAloneRefuseIt() {
    FlowQuery query = QueryParser.parse("SELECT COUNT(DISTINCT bytes) FROM flows");
    QueryException e = assertThrows(QueryException.class, () -> GroupLayout.of(query));
    assertTrue(e.getMessage().contains("add rows to those groups"), e.getMessage());
  }

  @Test
  void keysAndArgumentsAreBounded() {
    StringBuilder arguments = new StringBuilder("bytes");
    for (int i = 0; i < 16; i++) {
      arguments.append(", bytes + ").append(i);
    }
    FlowQuery query = QueryParser.parse("SELECT COUNT(DISTINCT " + arguments + ") AS n FROM flows");
    QueryException e = assertThrows(QueryException.class, () -> DistinctCounts.of(query));
    assertTrue(e.getMessage().contains("at most 16 together, found 17"), e.getMessage());
  }
}
