package org.flowmon.udaf.lowlevel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.RandomFlows;
import org.flowmon.udaf.expression.SharedExpressions;
import org.flowmon.udaf.expression.SharedSelection;
import org.flowmon.udaf.expression.SharedVector;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.vector.ChosenRows;
import org.flowmon.udaf.vector.Vector;
import org.flowmon.udaf.window.TwoLevelsTest;
import org.junit.jupiter.api.Test;

/**
 * Queries with shared evaluation send the same bytes as each alone; {@link TwoLevelsTest} compares
 * each alone with a plain run.
 */
class SharedEvaluationTest {
  private static final long MINUTE = 60_000_000L;
  private static final List<String> FILTERS =
      List.of(
          "",
          " WHERE outgoing IS NOT TRUE",
          " WHERE outgoing IS NOT TRUE AND dst_port > 52",
          " WHERE dst_port > 52 AND outgoing IS NOT TRUE",
          " WHERE dst_port > 52 OR service = 'dns' OR NOT outgoing",
          " WHERE CASE WHEN outgoing THEN bytes > 100 ELSE protocol IN (1, 2) END",
          " WHERE NETWORK(src_addr, 24, 64) <> NETWORK(dst_addr, 24, 64)",
          " WHERE FALSE");
  private static final List<String> KEYS =
      List.of(
          "src_addr",
          "src_addr, dst_addr",
          "dst_addr, src_addr",
          "service, src_addr",
          "bytes / packets",
          "outgoing, CASE WHEN outgoing THEN src_addr ELSE dst_addr END",
          "NETWORK(src_addr, 24, 64), TIME_BUCKET(end_time, INTERVAL '1' MINUTE)",
          "protocol, dst_port");
  private static final List<String> AGGREGATES =
      List.of(
          "COUNT(*) AS n",
          "SUM(bytes) AS b, MIN(bytes / packets) AS least, MAX(bytes / packets) AS most",
          "SUM(CASE WHEN outgoing THEN bytes ELSE COALESCE(reverse_bytes, 0) END) AS b",
          "COUNT(DISTINCT dst_addr, COALESCE(dst_port, 0)) AS targets, COUNT(*) AS n",
          "COUNT(DISTINCT dst_addr) AS targets, COUNT(DISTINCT bytes / packets) AS sizes",
          "MAX(src_addr) AS high, STDDEV(packets) AS d");

  private record Live(FlowQuery query, WindowSpec window, int slots) {}

  @Test
  void queriesThatShareSendWhatEachAloneSends() {
    int messages = 0;
    for (long seed = 1; seed <= 30; seed++) {
      Random random = new Random(seed);
      List<Live> queries = new ArrayList<>();
      for (int q = 2 + random.nextInt(7); q > 0; q--) {
        queries.add(
            query(
                KEYS.get(random.nextInt(KEYS.size())),
                AGGREGATES.get(random.nextInt(AGGREGATES.size())),
                FILTERS.get(random.nextInt(FILTERS.size())),
                random));
      }
      // Batches longer than a vector, and the same one again.
      List<FlowBatch> flows =
          new ArrayList<>(new RandomFlows(seed).within(20 * MINUTE).batches(6, 2500));
      flows.add(flows.get(flows.size() - 1));
      messages += assertSendWhatEachAloneSends(queries, flows, seed);
    }
    assertTrue(messages > 1000, "only " + messages + " messages were compared");
  }

  /**
   * Each query skips stretches without chosen rows: shared results may then be of another stretch
   * than a query's last one.
   */
  @Test
  void queriesThatChooseFromDifferentStretchesSendWhatEachAloneSends() {
    int messages = 0;
    for (long seed = 1; seed <= 25; seed++) {
      Random random = new Random(seed);
      int others = random.nextInt(KEYS.size());
      List<Live> queries = new ArrayList<>();
      for (int q = 5 + random.nextInt(6); q > 0; q--) {
        // Few lists of keys, so that equal ones occur with others in between.
        int keys = random.nextInt(5);
        queries.add(
            query(
                KEYS.get(keys < 4 ? keys / 2 : others),
                AGGREGATES.get(random.nextInt(AGGREGATES.size())),
                stretches(random),
                random));
      }
      List<FlowBatch> flows = new ArrayList<>();
      for (int b = 0; b < 4; b++) {
        int rows = (2 + random.nextInt(2)) * Vector.CAPACITY + random.nextInt(3) - 1;
        flows.add(new RandomFlows(100 * seed + b).numbered().within(20 * MINUTE).batch(rows));
      }
      messages += assertSendWhatEachAloneSends(queries, flows, seed);
    }
    assertTrue(messages > 1000, "only " + messages + " messages were compared");
  }

  /** A filter that is TRUE in some stretches of a batch, for all of their rows or for some. */
  private static String stretches(Random random) {
    int first = random.nextInt(3) * Vector.CAPACITY;
    int end = first + Vector.CAPACITY;
    return switch (random.nextInt(5)) {
      case 0 -> "";
      case 1 -> " WHERE flow_sequence < " + first + " OR flow_sequence >= " + end;
      case 2 ->
          " WHERE flow_sequence >= " + first + " AND flow_sequence < " + end + " AND outgoing";
      default -> " WHERE flow_sequence >= " + first + " AND flow_sequence < " + end;
    };
  }

  @Test
  void keysAreThoseOfTheStretchWhereAnotherQueryHasEvaluatedAnotherInBetween() {
    List<FlowBatch> flows = List.of(new RandomFlows(11).numbered().within(MINUTE).batch(2000));
    for (String keys : KEYS) {
      List<Live> queries =
          List.of(
              hourly(keys, " WHERE flow_sequence >= 1024", false),
              hourly(keys + ", src_port", " WHERE flow_sequence < 1024", false),
              hourly(keys, " WHERE flow_sequence >= 1024", false));
      assertTrue(assertSendWhatEachAloneSends(queries, flows, 1) > 0, keys);
    }
  }

  @Test
  void keysAreThoseOfTheBatchWhereAnotherQueryHasDividedItsFlowsInBetween() {
    List<FlowBatch> flows = List.of(new RandomFlows(12).within(20 * MINUTE).batch(800));
    for (String keys : KEYS) {
      List<Live> queries =
          List.of(
              hourly(keys, "", false),
              hourly(keys + ", src_port", "", true),
              hourly(keys, "", false));
      assertTrue(assertSendWhatEachAloneSends(queries, flows, 1) > 0, keys);
    }
  }

  private static Live hourly(String keys, String filter, boolean spread) {
    long hour = 60 * MINUTE;
    WindowSpec window = new WindowSpec(hour, hour, FlowColumn.END_TIME, 0, hour, false, spread);
    return new Live(QueryParser.parse(sql(keys, "COUNT(*) AS n", filter)), window, 256);
  }

  /** Returns how many messages were compared. */
  private static int assertSendWhatEachAloneSends(
      List<Live> queries, List<FlowBatch> flows, long seed) {
    boolean withAnother = seed % 3 == 0;
    List<List<byte[]>> together =
        run(queries, flows, new SharedEvaluation(), new Random(seed), withAnother);
    int compared = 0;
    for (int q = 0; q < queries.size(); q++) {
      String at = "seed " + seed + ", query " + q + " of " + queries;
      List<byte[]> expected =
          run(queries.subList(q, q + 1), flows, new SharedEvaluation(), new Random(seed), false)
              .get(0);
      assertEquals(expected.size(), together.get(q).size(), at);
      for (int m = 0; m < expected.size(); m++) {
        assertArrayEquals(expected.get(m), together.get(q).get(m), at + ", message " + m);
      }
      compared += expected.size();
    }
    return compared;
  }

  private static String sql(String keys, String aggregates, String filter) {
    return "SELECT " + keys + ", " + aggregates + " FROM flows" + filter + " GROUP BY " + keys;
  }

  private static Live query(String keys, String aggregates, String filter, Random random) {
    long slide = (1 + random.nextInt(4)) * MINUTE;
    boolean byArrival = random.nextInt(4) == 0;
    WindowSpec window =
        new WindowSpec(
            slide * (1 + random.nextInt(2)),
            slide,
            byArrival ? FlowColumn.ARRIVAL : FlowColumn.END_TIME,
            random.nextInt(30) * MINUTE / 20,
            MINUTE,
            false,
            !byArrival && random.nextInt(3) == 0);
    return new Live(
        QueryParser.parse(sql(keys, aggregates, filter)), window, 2 << random.nextInt(8));
  }

  /**
   * The messages of queries, by query. In some runs a query that is not compared stops half way.
   *
   * @param random same seed, same times at which all is drained
   */
  private static List<List<byte[]>> run(
      List<Live> lives,
      List<FlowBatch> flows,
      SharedEvaluation evaluation,
      Random random,
      boolean withAnother) {
    List<List<byte[]>> sent = new ArrayList<>();
    List<LowLevelQuery> queries = new ArrayList<>();
    for (Live live : lives) {
      List<byte[]> messages = new ArrayList<>();
      sent.add(messages);
      queries.add(
          new LowLevelQuery(
              1,
              live.query(),
              live.window(),
              live.slots(),
              16,
              (keyGroup, bytes) -> messages.add(bytes),
              evaluation));
    }
    LowLevelQuery other =
        withAnother
            ? new LowLevelQuery(
                2,
                lives.get(lives.size() - 1).query(),
                lives.get(0).window(),
                8,
                16,
                (keyGroup, bytes) -> {},
                evaluation)
            : null;
    for (int b = 0; b < flows.size(); b++) {
      for (LowLevelQuery query : queries) {
        query.process(flows.get(b));
      }
      if (other != null && b < flows.size() / 2) {
        other.process(flows.get(b));
      }
      boolean all = random.nextInt(4) == 0;
      for (LowLevelQuery query : queries) {
        if (all) {
          query.drainAll();
        }
      }
    }
    queries.forEach(LowLevelQuery::drainAll);
    return sent;
  }

  @Test
  void whatIsEqualIsEvaluatedOnceForTheSameRows() {
    FlowBatch rows = new RandomFlows(7).batch(500);
    SharedExpressions expressions = new SharedExpressions();
    String key = "CASE WHEN outgoing THEN src_addr ELSE dst_addr END";
    String sql = "SELECT COUNT(*) AS n FROM flows WHERE outgoing OR dst_port > 52 GROUP BY " + key;
    FlowQuery query = QueryParser.parse(sql);
    SharedVector values = expressions.value(query.groupBy().get(0));
    SharedSelection filter = expressions.filter(query.where());
    long value = values.values(rows, 0, 500).values()[0];
    int chosen = filter.select(rows, 0, 500);
    int first = filter.rows()[0];
    // A repeated evaluation overwrites it.
    values.values(rows, 0, 500).values()[0] = ~value;
    filter.rows()[0] = -1;
    FlowQuery again = QueryParser.parse(sql);
    SharedVector sameValues = expressions.value(again.groupBy().get(0));
    assertEquals(~value, sameValues.values(rows, 0, 500).values()[0]);
    assertEquals(chosen, expressions.filter(again.where()).select(rows, 0, 500));
    assertEquals(-1, expressions.filter(again.where()).rows()[0]);
    // An equal batch is another one, and so is another stretch of the same batch.
    FlowBatch equal = FlowBatch.open(rows.bytes().clone());
    assertEquals(value, sameValues.values(equal, 0, 500).values()[0]);
    assertEquals(chosen, filter.select(equal, 0, 500));
    assertEquals(first, filter.rows()[0]);
    filter.rows()[0] = -1;
    filter.select(equal, 0, 499);
    assertEquals(first, filter.rows()[0]);
  }

  @Test
  void rowsThatAreFilledAnewAreEvaluatedAgain() {
    FlowBatch[] behind = {new RandomFlows(8).batch(300)};
    FlowRows reused =
        (FlowRows)
            Proxy.newProxyInstance(
                FlowRows.class.getClassLoader(),
                new Class<?>[] {FlowRows.class},
                (proxy, method, arguments) -> method.invoke(behind[0], arguments));
    SharedExpressions expressions = new SharedExpressions();
    FlowQuery query =
        QueryParser.parse("SELECT COUNT(*) AS n FROM flows WHERE bytes > 50 GROUP BY bytes");
    SharedVector values = expressions.value(query.groupBy().get(0));
    SharedSelection filter = expressions.filter(query.where());
    var unused = values.values(reused, 0, 300);
    filter.select(reused, 0, 300);
    behind[0] = new RandomFlows(9).batch(300);
    Vector again = values.values(reused, 0, 300);
    SharedExpressions fresh = new SharedExpressions();
    SharedVector expected = fresh.value(query.groupBy().get(0));
    assertArrayEquals(expected.values(behind[0], 0, 300).values(), again.values());
    assertEquals(
        fresh.filter(query.where()).select(behind[0], 0, 300), filter.select(reused, 0, 300));
  }

  @Test
  void rowsChosenOnceAreEvaluatedOnceBesideThoseOfTheBatch() {
    FlowBatch batch = new RandomFlows(10).batch(500);
    Expression key =
        QueryParser.parse("SELECT COUNT(*) AS n FROM flows GROUP BY bytes + 1").groupBy().get(0);
    SharedVector values = new SharedExpressions().value(key);
    long[] all = values.values(batch, 0, 500).values().clone();
    ChosenRows chosen = new ChosenRows();
    chosen.begin(batch, 0);
    chosen.choose(new int[] {3, 77, 400}, 3);
    Vector some = values.values(chosen, 0, 3);
    assertArrayEquals(new long[] {all[3], all[77], all[400]}, Arrays.copyOf(some.values(), 3));
    some.values()[0] = ~all[3]; // a repeated evaluation overwrites it
    assertEquals(~all[3], values.values(chosen, 0, 3).values()[0]);
    assertEquals(all[0], values.values(batch, 0, 500).values()[0]);
    chosen.choose(new int[] {4, 77, 400}, 3);
    assertEquals(all[4], values.values(chosen, 0, 3).values()[0]);
    chosen.begin(batch, 10);
    chosen.choose(new int[] {4, 5, 6}, 3);
    assertEquals(all[14], values.values(chosen, 0, 3).values()[0]);
  }
}
