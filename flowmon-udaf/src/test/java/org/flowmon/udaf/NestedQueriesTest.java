package org.flowmon.udaf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.TableQuery;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;

/** Queries over the results of queries, and IN (SELECT …). */
class NestedQueriesTest {
  @Test
  void duckDbGivesTheSameAnswersToQueriesOfQueries() throws Exception {
    int answersWithRows = 0;
    for (long seed = 1; seed <= 2 * Integer.getInteger("flowmon.test.times", 1); seed++) {
      List<FlowBatch> flows = new RandomFlows(seed).modest().batches(6, 200);
      try (DuckDb duck = new DuckDb(flows)) {
        RandomNestedQueries queries = new RandomNestedQueries(new Random(seed));
        for (int q = 0; q < 120; q++) {
          RandomQueries.Pair pair = queries.next();
          String at = "seed " + seed + ", query " + q + ":\n" + pair.ours() + "\n" + pair.duck();
          Query query;
          List<List<String>> found;
          try {
            query = QueryParser.parseQuery(pair.ours());
            found = DuckDb.rows(FlowQueries.run(flows, query));
          } catch (RuntimeException e) {
            throw new AssertionError(at, e);
          }
          List<List<String>> expected = duck.rows(pair.duck());
          assertEquals(expected, found, at);
          assertEquals(query, QueryParser.parseQuery(query.toString()), at);
          answersWithRows += expected.isEmpty() ? 0 : 1;
        }
      }
    }
    assertTrue(answersWithRows > 100, "many queries should find rows, " + answersWithRows + " did");
  }

  @Test
  void everyFormGivesWhatDuckDbGives() throws Exception {
    List<FlowBatch> flows = new RandomFlows(7).batches(6, 300);
    try (DuckDb duck = new DuckDb(flows)) {
      for (String sql :
          List.of(
              "SELECT COUNT(*) AS n, SUM(flows) AS flows FROM (SELECT src_addr, COUNT(*) AS flows"
                  + " FROM flows GROUP BY src_addr)",
              "SELECT * FROM (SELECT src_addr, dst_port, bytes FROM flows WHERE bytes > 100) AS x"
                  + " WHERE dst_port < 60000 ORDER BY src_addr, dst_port, bytes",
              "SELECT n, COUNT(*) AS sources FROM (SELECT src_addr, COUNT(*) AS n FROM flows GROUP"
                  + " BY src_addr) x GROUP BY n ORDER BY sources DESC, n LIMIT 5",
              "SELECT a.*, b.bytes AS back FROM (SELECT src_addr, dst_addr, SUM(bytes) AS bytes"
                  + " FROM flows GROUP BY src_addr, dst_addr) AS a LEFT OUTER JOIN (SELECT src_addr"
                  + " AS s, dst_addr AS d, SUM(bytes) AS bytes FROM flows GROUP BY s, d) AS b ON"
                  + " a.src_addr = d AND a.dst_addr = b.s ORDER BY a.src_addr, a.dst_addr",
              "SELECT a.src_addr, a.n, b.n AS m, c.n AS k FROM (SELECT src_addr, COUNT(*) AS n FROM"
                  + " flows GROUP BY src_addr) AS a JOIN (SELECT dst_addr, COUNT(*) AS n FROM flows"
                  + " GROUP BY dst_addr) AS b ON a.src_addr = b.dst_addr LEFT JOIN (SELECT"
                  + " src_addr, COUNT(*) AS n FROM flows WHERE outgoing GROUP BY src_addr) AS c ON"
                  + " c.src_addr = b.dst_addr AND c.n = a.n ORDER BY a.src_addr",
              "SELECT p.protocol, d.outgoing, p.n - d.n AS more FROM (SELECT protocol, COUNT(*) AS"
                  + " n FROM flows GROUP BY protocol) AS p CROSS JOIN (SELECT outgoing, COUNT(*) AS"
                  + " n FROM flows GROUP BY outgoing) AS d ORDER BY p.protocol, d.outgoing",
              "SELECT p.protocol, d.outgoing FROM (SELECT protocol, COUNT(*) AS n FROM flows GROUP"
                  + " BY protocol) AS p, (SELECT outgoing, COUNT(*) AS n FROM flows GROUP BY"
                  + " outgoing) AS d WHERE p.n IS DISTINCT FROM d.n ORDER BY p.protocol,"
                  + " d.outgoing",
              "SELECT outgoing, MEDIAN(n) AS median, MEDIAN(n) FILTER (WHERE n > 2) AS some,"
                  + " COUNT(*) AS hosts FROM (SELECT src_addr, outgoing, COUNT(*) AS n FROM flows"
                  + " GROUP BY src_addr, outgoing) AS x GROUP BY outgoing ORDER BY outgoing",
              "SELECT COUNT(*) AS n FROM flows WHERE src_port IS NOT DISTINCT FROM dst_port",
              "SELECT kind, SUM(n) AS n FROM (SELECT 'in' AS kind, protocol, COUNT(*) AS n FROM"
                  + " flows WHERE NOT outgoing GROUP BY protocol UNION ALL SELECT 'out', 1.5,"
                  + " COUNT(*) FROM flows WHERE outgoing) AS x GROUP BY kind ORDER BY kind",
              "SELECT SUM(total) AS total, AVG(n) AS n FROM (SELECT SUM(reverse_bytes) AS total,"
                  + " COUNT(*) AS n FROM flows GROUP BY src_addr) x",
              "SELECT protocol, COUNT(*) AS n FROM flows WHERE src_addr IN (SELECT dst_addr FROM"
                  + " flows) GROUP BY protocol ORDER BY protocol",
              "SELECT protocol, COUNT(*) AS n FROM flows WHERE src_addr NOT IN (SELECT dst_addr"
                  + " FROM flows WHERE dst_addr IS NOT NULL AND outgoing) GROUP BY protocol ORDER"
                  + " BY protocol",
              "SELECT COUNT(*) AS n FROM flows WHERE (next_hop IN (SELECT next_hop FROM flows WHERE"
                  + " outgoing)) IS NULL",
              "SELECT COUNT(*) AS n FROM flows WHERE next_hop NOT IN (SELECT next_hop FROM flows"
                  + " WHERE bytes < 0)",
              "SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr HAVING COUNT(*) IN"
                  + " (SELECT COUNT(*) AS c FROM flows GROUP BY dst_addr) ORDER BY src_addr",
              "SELECT src_addr, COUNT(*) AS n FROM flows WHERE service IN (SELECT service FROM"
                  + " (SELECT service, COUNT(*) AS n FROM flows WHERE src_port IN (SELECT dst_port"
                  + " FROM flows) GROUP BY service) AS x WHERE n > 3) GROUP BY src_addr ORDER BY"
                  + " src_addr")) {
        Query query = QueryParser.parseQuery(sql);
        assertEquals(duck.rows(sql), DuckDb.rows(FlowQueries.run(flows, query)), sql);
        assertEquals(query, QueryParser.parseQuery(query.toString()), query.toString());
      }
    }
  }

  private static ResultTable numbers(String name, long... values) {
    ResultTable.Builder builder =
        new ResultTable.Builder().column("k", ValueKind.LONG).column(name, ValueKind.LONG);
    for (int k = 0; k < values.length; k++) {
      builder.row().set(0, k).set(1, values[k]);
    }
    return builder.build();
  }

  private static ResultTable answer(String sql, ResultTable... tables) {
    List<ResultTable> left = new ArrayList<>(List.of(tables));
    return NestedQueries.answer(QueryParser.parseQuery(sql), query -> left.remove(0), () -> {});
  }

  private static final String A = "(SELECT src_port AS k, SUM(bytes) AS v FROM flows GROUP BY k)";
  private static final String B = "(SELECT dst_port AS k, SUM(bytes) AS w FROM flows GROUP BY k)";

  @Test
  void sumsBeyond64BitsStayExactOrAreRefused() {
    BigInteger huge = BigInteger.ONE.shiftLeft(70);
    ResultTable.Builder builder =
        new ResultTable.Builder().column("k", ValueKind.LONG).column("v", ValueKind.LONG);
    builder.row().set(0, 1).set(1, 64, 5); // 64 · 2⁶⁴ + 5
    builder.row().set(0, 2).set(1, -7);
    builder.row().set(0, 3);
    ResultTable wide = builder.build();
    ResultTable sum = answer("SELECT SUM(v) AS s, AVG(v) AS a, COUNT(v) AS n FROM " + A, wide);
    assertEquals(huge.subtract(BigInteger.TWO), sum.bigValue(0, 0));
    assertEquals(huge.subtract(BigInteger.TWO).doubleValue() / 2, sum.doubleValue(0, 1));
    assertEquals(2, sum.longValue(0, 2));
    ResultTable rows = answer("SELECT v, k FROM " + A + " ORDER BY v DESC", wide);
    assertEquals(huge.add(BigInteger.valueOf(5)), rows.bigValue(0, 0));
    assertEquals(-7, rows.longValue(1, 0));
    assertTrue(rows.isNull(2, 0));
    assertEquals(1, answer("SELECT k FROM " + A + " WHERE v > 9", wide).rowCount());
    ResultTable joined =
        answer(
            "SELECT a.k FROM "
                + A
                + " AS a JOIN "
                + B.replace("AS w", "AS v")
                + " AS b ON a.v = b.v",
            wide,
            wide);
    assertEquals(2, joined.rowCount(), "a NULL is equal to none");
    for (String refused :
        List.of(
            "SELECT v, COUNT(*) AS n FROM " + A + " GROUP BY v",
            "SELECT MAX(v) AS m FROM " + A,
            "SELECT STDDEV(v) AS m FROM " + A,
            "SELECT COUNT(DISTINCT v) AS m FROM " + A)) {
      QueryException error = assertThrows(QueryException.class, () -> answer(refused, wide));
      assertTrue(error.getMessage().contains(huge.add(BigInteger.valueOf(5)).toString()), refused);
    }
    QueryException list =
        assertThrows(
            QueryException.class,
            () -> answer("SELECT bytes FROM flows WHERE bytes IN (SELECT v FROM " + A + ")", wide));
    assertTrue(list.getMessage().contains("64 bits"), list.getMessage());
  }

  @Test
  void aJoinFindsWhatNestedLoopsFind() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      long[] v = random.longs(random.nextInt(40), 0, 8).toArray();
      long[] w = random.longs(random.nextInt(40), 0, 8).toArray();
      boolean left = random.nextBoolean();
      List<String> expected = new ArrayList<>();
      for (int a = 0; a < v.length; a++) {
        boolean found = false;
        for (int b = 0; b < w.length; b++) {
          if (v[a] == w[b]) {
            found = true;
            expected.add(a + " " + b);
          }
        }
        if (!found && left) {
          expected.add(a + " ");
        }
      }
      ResultTable table =
          answer(
              "SELECT a.k AS x, b.k AS y FROM "
                  + A
                  + (left ? " AS a LEFT JOIN " : " AS a INNER JOIN ")
                  + B
                  + " AS b ON b.w = a.v",
              numbers("v", v),
              numbers("w", w));
      List<String> rows = new ArrayList<>();
      for (int row = 0; row < table.rowCount(); row++) {
        rows.add(table.formatted(row, 0) + " " + table.formatted(row, 1));
      }
      assertEquals(expected, rows, "seed " + seed);
    }
  }

  @Test
  void aJoinOfTooManyRowsIsRefusedAndSaysSo() {
    long[] same = new long[4000];
    AnswerTooLargeException error =
        assertThrows(
            AnswerTooLargeException.class,
            () ->
                answer(
                    "SELECT COUNT(*) AS n FROM " + A + " AS a JOIN " + B + " AS b ON a.v = b.w",
                    numbers("v", same),
                    numbers("w", same)));
    assertTrue(error.getMessage().contains("10,000,000"), error.getMessage());
    assertTrue(error.getMessage().contains("join"), error.getMessage());
  }

  @Test
  void equalQueriesOverFlowsAreAnsweredOnce() {
    List<FlowQuery> asked = new ArrayList<>();
    Query query =
        QueryParser.parseQuery(
            "SELECT a.k FROM "
                + A
                + " AS a JOIN "
                + A
                + " AS b ON a.k = b.k WHERE a.k IN (SELECT k"
                + " FROM "
                + A
                + " AS c)");
    ResultTable answer =
        NestedQueries.answer(
            query,
            of -> {
              asked.add(of);
              return numbers("v", 5, 6, 7);
            },
            () -> {});
    assertEquals(3, answer.rowCount());
    assertEquals(1, asked.size());
    assertEquals(asked, query.leaves());
  }

  /** A limit equal to the largest simultaneous use is enough, and a smaller one is not. */
  @Test
  void resultsJoinsAndValuesTakeMemory() {
    ResultTable large = numbers("v", LongStream.range(0, 50_000).toArray());
    long result = large.heapBytes();
    String join = "SELECT COUNT(*) AS c FROM " + A + " AS a JOIN " + A + " AS b ON a.v = b.v";
    for (Object[] each :
        new Object[][] {
          {"SELECT COUNT(*) AS c FROM " + A + " AS a", result},
          // The one result, and two numbers for each row of the join.
          {join, result + 2 * 4L * 50_000},
          {"SELECT v, COUNT(*) AS c FROM " + A + " AS a GROUP BY v", result + 16L * 50_000},
          {"SELECT v + 1 AS w FROM " + A + " AS a", result + 8L * 50_000},
          {"SELECT COUNT(*) AS c FROM flows WHERE bytes IN (SELECT v FROM " + A + " AS a)", result}
        }) {
      Query query = QueryParser.parseQuery((String) each[0]);
      long least = (long) each[1];
      GroupMemory enough = new GroupMemory(20 * least);
      ResultTable answer = NestedQueries.<RuntimeException>answer(query, of -> large, () -> {});
      assertEquals(
          answer, NestedQueries.<RuntimeException>answer(query, of -> large, enough, () -> {}));
      GroupMemory little = new GroupMemory(least - 1);
      assertThrows(
          AnswerTooLargeException.class,
          () -> NestedQueries.<RuntimeException>answer(query, of -> large, little, () -> {}),
          query::toString);
    }
    GroupMemory whole = new GroupMemory(100);
    try (GroupMemory part = whole.part()) {
      part.take(70);
      assertThrows(AnswerTooLargeException.class, () -> whole.take(31));
      whole.take(30);
    }
    assertEquals(30, whole.taken(), "what a part took is given back");
  }

  @Test
  void parametersAreBoundEverywhere() {
    List<FlowBatch> flows = new RandomFlows(3).modest().batches(5, 400);
    String sql =
        "SELECT a.k, a.v * %1$s AS v, b.x FROM (SELECT src_port AS k, SUM(bytes) AS v FROM flows"
            + " WHERE protocol IN (SELECT protocol FROM flows WHERE bytes > %2$s) GROUP BY k HAVING"
            + " COUNT(*) >= %3$s) AS a LEFT JOIN (SELECT dst_port AS k, COUNT(*) + %1$s AS x FROM"
            + " flows GROUP BY k) AS b ON a.k = b.k WHERE b.x > %3$s OR b.x IS NULL ORDER BY b.x *"
            + " %1$s DESC";
    Query open = QueryParser.parseQuery(String.format(sql, ":f", ":least", ":n"));
    assertEquals("[f, least, n]", open.parameters().toString());
    Query bound =
        open.bind(
            Parameters.NONE
                .with("f", Value.ofLong(3))
                .with("least", Value.ofLong(40))
                .with("n", Value.ofLong(1)));
    Query plain = QueryParser.parseQuery(String.format(sql, "3", "40", "1"));
    assertEquals(plain, bound);
    ResultTable answer = FlowQueries.run(flows, bound);
    assertEquals(FlowQueries.run(flows, plain), answer);
    assertTrue(answer.rowCount() > 3, answer.toString());
    QueryException unbound = assertThrows(QueryException.class, () -> FlowQueries.run(flows, open));
    assertTrue(unbound.getMessage().contains("has no value"), unbound.getMessage());
    QueryException wrong =
        assertThrows(
            QueryException.class,
            () ->
                open.bind(
                    Parameters.NONE
                        .with("f", Value.ofText("x"))
                        .with("least", Value.ofLong(40))
                        .with("n", Value.ofLong(1))));
    assertTrue(wrong.getMessage().contains("does not fit"), wrong.getMessage());
  }

  @Test
  void whatAColumnIsInTheSubqueryItStaysOutside() {
    Query query =
        QueryParser.parseQuery(
            "SELECT x.state, x.v, x.state = 'SF' AS fine FROM (SELECT state, SUM(bytes) AS v FROM"
                + " flows GROUP BY state) AS x");
    assertEquals("SF", query.select().get(0).codeNames().name(3));
    assertTrue(query.columns(null).get(1).isWide());
    assertTrue(query.isKey(0));
    assertTrue(!query.isKey(1));
    assertTrue(query.isKey(2));
    TableQuery table = (TableQuery) query;
    assertEquals(1, table.from().size());
  }
}
