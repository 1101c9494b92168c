package org.flowmon.udaf.parser;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.text.QueryException;
import org.junit.jupiter.api.Test;

/** Queries within queries, as text. */
class NestedQueryParserTest {
  private static final String SENT =
      "(SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr)";
  private static final String GOT =
      "(SELECT dst_addr, SUM(bytes) AS bytes FROM flows GROUP BY dst_addr)";

  @Test
  void parsedQueriesReadBackAsTheirText() {
    String[][] pairs = {
      {
        "select * from (select src_addr, bytes from flows where bytes > 1) limit 3;",
        "SELECT src_addr, bytes FROM (SELECT src_addr, bytes FROM flows WHERE bytes > 1) LIMIT 3"
      },
      {
        "SELECT BYTES b FROM " + SENT + " X WHERE x.Bytes > 5 order by b desc",
        "SELECT x.bytes AS b FROM " + SENT + " AS x WHERE x.bytes > 5 ORDER BY x.bytes DESC"
      },
      {
        "SELECT a.src_addr, a.bytes / b.bytes AS share FROM "
            + SENT
            + " a LEFT OUTER JOIN "
            + GOT
            + " AS b ON b.dst_addr = src_addr AND a.bytes = b.bytes",
        "SELECT a.src_addr, a.bytes / b.bytes AS share FROM "
            + SENT
            + " AS a LEFT JOIN "
            + GOT
            + " AS b ON a.src_addr = b.dst_addr AND a.bytes = b.bytes"
      },
      {
        "SELECT b.*, src_addr FROM "
            + SENT
            + " AS a INNER JOIN "
            + GOT
            + " AS b ON src_addr = dst_addr",
        "SELECT b.dst_addr, b.bytes, a.src_addr FROM "
            + SENT
            + " AS a JOIN "
            + GOT
            + " AS b ON a.src_addr = b.dst_addr"
      },
      {
        "SELECT NETWORK(src_addr, 8) AS net, SUM(x.bytes) AS bytes FROM "
            + SENT
            + " AS x GROUP BY net HAVING bytes > 5 AND COUNT(*) > 1",
        "SELECT NETWORK(x.src_addr, 8, 8) AS net, SUM(x.bytes) AS bytes FROM "
            + SENT
            + " AS x GROUP BY NETWORK(x.src_addr, 8, 8) HAVING (SUM(x.bytes) > 5) AND (COUNT(*) >"
            + " 1)"
      },
      {
        "SELECT \"count(*)\", \"A b\".\"p.q\" FROM (SELECT COUNT(*), src_port AS \"p.q\" FROM"
            + " flows GROUP BY src_port) AS \"A b\"",
        "SELECT \"A b\".\"count(*)\", \"A b\".\"p.q\" FROM (SELECT COUNT(*) AS \"count(*)\","
            + " src_port AS \"p.q\" FROM flows GROUP BY src_port) AS \"A b\""
      },
      {
        "SELECT uid FROM flows WHERE src_addr NOT IN (SELECT dst_addr FROM flows WHERE dst_port IN"
            + " (:ports)) AND bytes IN (SELECT MAX(bytes) FROM flows)",
        "SELECT uid FROM flows WHERE (NOT (src_addr IN (SELECT dst_addr FROM flows WHERE dst_port"
            + " IN (:ports)))) AND (bytes IN (SELECT MAX(bytes) AS \"max(bytes)\" FROM flows))"
      },
      {
        "SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr HAVING n IN (SELECT bytes FROM"
            + " "
            + SENT
            + ") OR src_addr IN (SELECT src_addr FROM flows)",
        "SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr HAVING (COUNT(*) IN (SELECT"
            + " bytes FROM "
            + SENT
            + ")) OR (src_addr IN (SELECT src_addr FROM flows))"
      },
      {
        "SELECT s FROM (SELECT state AS s, COUNT(*) AS n FROM flows GROUP BY s) AS x WHERE s ="
            + " 'SF'",
        "SELECT x.s FROM (SELECT state AS s, COUNT(*) AS n FROM flows GROUP BY state) AS x WHERE"
            + " x.s = 3"
      },
      {
        "SELECT DISTINCT x.bytes FROM (SELECT * FROM " + SENT + " AS y) AS x",
        "SELECT x.bytes FROM (SELECT y.src_addr, y.bytes FROM "
            + SENT
            + " AS y) AS x GROUP BY x.bytes"
      },
    };
    for (String[] pair : pairs) {
      Query query = QueryParser.parseQuery(pair[0]);
      assertEquals(pair[1], query.toString());
      assertEquals(query, QueryParser.parseQuery(query.toString()));
    }
  }

  @Test
  void aQueryOverFlowsIsTheSameWhoeverParsesIt() {
    String sql = "SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr";
    assertEquals(QueryParser.parse(sql), QueryParser.parseQuery(sql));
    assertEquals(List.of(QueryParser.parse(sql)), QueryParser.parseQuery(sql).leaves());
  }

  @Test
  void leavesAreTheQueriesOverFlowsWithoutWhatTheyAskThemselves() {
    Query query =
        QueryParser.parseQuery(
            "SELECT src_addr FROM (SELECT src_addr FROM flows WHERE bytes IN (SELECT packets FROM"
                + " flows)) AS a WHERE src_addr IN (SELECT dst_addr FROM "
                + GOT
                + " AS b)");
    assertEquals(2, query.leaves().size());
    assertEquals(1, query.leaves().get(0).inQueries().size());
    assertEquals("(" + query.leaves().get(1) + ")", GOT);
  }

  private static void error(String sql, int position, String message) {
    ParseErrors.require(QueryParser::parseQuery, sql, position, message);
  }

  @Test
  void errorsNameThePlaceAndWhatWasExpected() {
    String from = "SELECT n FROM " + SENT;
    error("SELECT n FROM (SELECT bytes FROM flow)", 33, "no table 'flow'");
    error("SELECT n FROM (SELECT COUNT(*) AS n FROM flows", 46, "expected WHERE, GROUP BY");
    error("SELECT n FROM (flows)", 15, "expected SELECT, found 'flows'");
    error(from + " AS x", 7, "no column 'n' in x; expected one of src_addr, bytes");
    error(from, 7, "no column 'n' in the subquery; expected one of src_addr, bytes");
    error("SELECT x.byts FROM " + SENT + " AS x", 9, "no column 'byts' in x; did you mean 'bytes'");
    String sums = " FROM (SELECT SUM(bytes), src_addr FROM flows GROUP BY src_addr) AS x";
    assertEquals(
        List.of("sum(bytes)"),
        QueryParser.parseQuery("SELECT \"sum(bytes)\"" + sums).select().stream()
            .map(SelectItem::name)
            .toList());
    error(
        "SELECT \"SUM(bytes)\"" + sums, 7, "in x; did you mean 'sum(bytes)'?; a text takes single");
    error("SELECT \"dns\"" + sums, 7, "in x; expected one of sum(bytes), src_addr; a text takes");
    error("SELECT z.bytes FROM " + SENT + " AS x", 7, "no query named 'z': expected one of x");
    error("SELECT z.* FROM " + SENT + " AS x", 7, "no query named 'z': expected one of x");
    error("SELECT x. FROM " + SENT + " AS x", 10, "no column 'FROM' in x");
    error("SELECT bytes FROM " + SENT + " AS", 18 + SENT.length() + 3, "expected a name after AS");
    String join = SENT + " AS a JOIN " + GOT + " AS b ";
    String select = "SELECT 1 AS n FROM ";
    int on = select.length() + join.length();
    error(
        "SELECT bytes FROM " + join + "ON a.src_addr = b.dst_addr",
        7,
        "the name 'bytes' is of several columns: expected one of a.bytes, b.bytes");
    error(
        "SELECT * FROM " + join + "ON a.src_addr = b.dst_addr",
        7,
        "two columns of the result are named 'bytes'");
    error(select + join, on, "expected ON, found the end of the query");
    error(select + join + "ON a.src_addr", on + 13, "expected '='");
    error(select + join + "ON 5 = a.src_addr", on + 3, "expected a column to join by");
    error(
        select + join + "ON a.src_addr = a.src_addr",
        on + 3,
        "expected a column of a = a column of b, found a.src_addr = a.src_addr");
    error(
        select + join + "ON a.src_addr = b.bytes",
        on + 3,
        "expected an ADDRESS to join with, found a LONG");
    error(select + join + "ON a.bytes < b.bytes", on + 11, "expected '=', found '<'");
    error(
        select + SENT + " JOIN " + GOT + " AS b ON src_addr = dst_addr",
        select.length(),
        "expected a name for the query that is joined");
    error(
        select + SENT + " AS a JOIN " + GOT + " ON src_addr = dst_addr",
        select.length() + SENT.length() + 11,
        "expected a name for the query that is joined");
    error(
        select + SENT + " AS a JOIN " + GOT + " AS a ON src_addr = dst_addr",
        select.length() + SENT.length() + 12 + GOT.length(),
        "two queries are named 'a'");
    error(
        select + SENT + " AS a JOIN flows ON TRUE",
        select.length() + SENT.length() + 11,
        "expected a query in parentheses");
    for (String other : List.of("RIGHT JOIN", "FULL", "NATURAL")) {
      error(
          select + SENT + " AS a " + other + " " + GOT + " AS b",
          select.length() + SENT.length() + 6,
          "expected JOIN, LEFT JOIN or CROSS JOIN, found '" + other.split(" ", 2)[0] + "'");
    }
    error(
        select + SENT + " CROSS JOIN " + GOT + " AS b",
        select.length(),
        "expected a name for the query that is joined");
    error(
        SENT.substring(1, SENT.length() - 1) + " UNION SELECT 1 FROM flows",
        SENT.length() + 5,
        "expected ALL");
    String grouped =
        "SELECT %1$s AS one, COUNT(*) AS n FROM flows GROUP BY %2$s UNION ALL SELECT 1, 2 FROM"
            + " flows";
    assertEquals(
        QueryParser.parseQuery(grouped.formatted("src_port", "src_port")),
        QueryParser.parseQuery(grouped.formatted("src_port", "one")));
    String union = "SELECT src_addr, bytes FROM flows UNION ALL ";
    error(union + "SELECT 1 FROM flows", union.length(), "expected 2 columns, found 1");
    error(
        union + "SELECT src_addr, src_addr FROM flows",
        union.length(),
        "expected a LONG as bytes, found an ADDRESS");
    error(
        union + "SELECT src_addr, bytes FROM flows LIMIT 5",
        union.length(),
        "a SELECT of UNION ALL has no ORDER BY, LIMIT and OFFSET");
    error(
        union + "SELECT src_addr, bytes FROM flows OFFSET 1",
        union.length(),
        "a SELECT of UNION ALL has no ORDER BY, LIMIT and OFFSET");
    error(
        "SELECT ROW_NUMBER() OVER () AS n FROM " + SENT + " AS x ORDER BY n",
        0,
        "numbers the rows of the answer");
    error(
        "SELECT ROW_NUMBER() OVER (ORDER BY bytes) AS n FROM " + SENT + " AS x",
        26,
        "ROW_NUMBER() OVER () is the row's place");
    error("SELECT bytes IS DISTINCT bytes FROM " + SENT + " AS x", 25, "expected FROM");
    error(
        "SELECT uid FROM flows WHERE src_addr IN (SELECT src_addr, bytes FROM flows)",
        41,
        "expected a query of one column in IN (SELECT …), found 2");
    error(
        "SELECT uid FROM flows WHERE src_addr IN (SELECT bytes FROM flows)",
        41,
        "expected an ADDRESS to compare with, found a LONG");
    error(
        "SELECT uid FROM flows WHERE src_addr IN (SELECT src_addr FROM flows WERE bytes > 1)",
        68,
        "or ')', found 'WERE'; did you mean WHERE?");
    error(
        "SELECT uid FROM flows WHERE src_addr IN (SELECT src_addr FROM flows; )",
        67,
        "expected WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET or ')', found ';'");
    error(
        "SELECT src_addr, bytes FROM " + SENT + " AS x GROUP BY src_addr",
        17,
        "expected an aggregate or a key of GROUP BY in SELECT, found x.bytes");
    QueryException flowsOnly =
        assertThrows(QueryException.class, () -> QueryParser.parse("SELECT bytes FROM " + SENT));
    assertEquals(18, flowsOnly.position());
    assertTrue(flowsOnly.getMessage().contains("expected flows"), flowsOnly.getMessage());
    QueryException condition =
        assertThrows(
            QueryException.class,
            () -> QueryParser.parseCondition("src_addr IN (SELECT src_addr FROM flows)"));
    assertEquals(13, condition.position());
  }

  @Test
  void deepAndManyQueriesAreRefusedInTime() {
    String deepest = nested("SELECT bytes FROM (", Query.MAX_NESTING, ")");
    assertEquals(1, QueryParser.parseQuery(deepest).leaves().size());
    for (String head :
        List.of(
            "SELECT bytes FROM (",
            "SELECT bytes FROM flows WHERE bytes IN (",
            "SELECT bytes FROM flows GROUP BY bytes HAVING bytes IN (")) {
      for (int depth : new int[] {Query.MAX_NESTING + 1, 50, 15_000}) {
        QueryException e =
            assertThrows(
                QueryException.class, () -> QueryParser.parseQuery(nested(head, depth, ")")));
        assertTrue(e.getMessage().contains("nest deeper than 8"), e.getMessage());
      }
    }
    // HAVING is parsed twice, but its subqueries once: otherwise this would be 2⁸ times the inner
    // list.
    String list = "SELECT bytes FROM flows WHERE bytes IN (1" + ", 2".repeat(200_000) + ")";
    String having = "SELECT bytes AS b FROM flows GROUP BY bytes HAVING b IN (";
    String inner = having.repeat(Query.MAX_NESTING) + list + ")".repeat(Query.MAX_NESTING);
    assertEquals(1, QueryParser.parse(inner).inQueries().size());
    String many =
        "SELECT bytes FROM flows WHERE bytes IN (SELECT 1 FROM flows)"
            + " OR bytes IN (SELECT 1 FROM flows)".repeat(100);
    QueryException e = assertThrows(QueryException.class, () -> QueryParser.parse(many));
    assertTrue(e.getMessage().contains("at most 32 SELECTs"), e.getMessage());
    String operators =
        "SELECT bytes FROM flows WHERE bytes IN (SELECT bytes FROM flows WHERE bytes > 1"
            + " AND bytes > 1".repeat(2000)
            + ")";
    e = assertThrows(QueryException.class, () -> QueryParser.parse(operators));
    assertTrue(e.getMessage().contains("at most 2000 operators"), e.getMessage());
    String parentheses =
        "SELECT bytes FROM flows WHERE "
            + "(".repeat(60)
            + "bytes IN (SELECT bytes FROM flows WHERE "
            + "(".repeat(60);
    e = assertThrows(QueryException.class, () -> QueryParser.parse(parentheses));
    assertTrue(e.getMessage().contains("nests deeper than 100"), e.getMessage());
  }

  /** The printed text of a query is parsed again, for example by a merging job. */
  @Test
  void aChainOfOperatorsNestsAsItsTextDoes() {
    for (int operators = 80; operators < 130; operators++) {
      for (String head :
          List.of(
              "SELECT bytes",
              "SELECT SUM(bytes)",
              "SELECT bytes FROM flows WHERE 1 < bytes",
              "SELECT bytes FROM flows WHERE NOT bytes + 1 IN (SELECT packets FROM flows WHERE 1"
                  + " < bytes - 2 - 3 - :e0")) {
        String query =
            head
                + " - :ll".repeat(operators)
                + (head.contains("FROM") ? "" : " FROM flows")
                + (head.contains("(SELECT") ? ")" : "");
        Query parsed;
        try {
          parsed = QueryParser.parseQuery(query);
        } catch (QueryException e) {
          assertTrue(operators > 90, query);
          assertTrue(e.getMessage().contains("nests deeper than 100"), e.getMessage());
          continue;
        }
        assertTrue(operators < 100, query);
        assertEquals(parsed, QueryParser.parseQuery(parsed.toString()), query);
      }
    }
  }

  @Test
  void whatRepeatsItsValueDoesNotGrowAQueryExponentially() {
    List<UnaryOperator<String>> repeating =
        List.of(
            of -> "COALESCE(" + of + ", 1)",
            of -> "CASE " + of + " WHEN 1 THEN 2 WHEN 3 THEN 4 WHEN 5 THEN 6 ELSE 7 END",
            of -> "CASE WHEN " + of + " BETWEEN 1 AND 2 THEN 3 ELSE 4 END");
    for (UnaryOperator<String> repeat : repeating) {
      String value = "bytes";
      for (int times = 1; times <= 33; times++) {
        value = repeat.apply(value);
        for (String query :
            List.of(
                "SELECT " + value + " AS v FROM flows",
                "SELECT uid FROM flows WHERE " + value + " > 1",
                "SELECT SUM(" + value + ") AS v FROM flows",
                "SELECT bytes FROM flows GROUP BY bytes HAVING " + value + " = 1")) {
          Optional<Query> read =
              assertTimeoutPreemptively(Duration.ofMinutes(1), () -> read(query), query);
          assertTrue(times > 5 || read.isPresent(), query);
          assertTrue(times < 11 || read.isEmpty(), query);
          read.ifPresent(was -> assertEquals(was, QueryParser.parseQuery(was.toString()), query));
        }
      }
    }
  }

  private static Optional<Query> read(String query) {
    try {
      return Optional.of(QueryParser.parseQuery(query));
    } catch (QueryException e) {
      assertTrue(
          e.getMessage().contains("at most 2000 operators")
              || e.getMessage().contains("nests deeper than 100"),
          e.getMessage());
      return Optional.empty();
    }
  }

  @Test
  void whatHasManyOperatorsIsReadFromItsTextAgain() {
    for (int times = 0; times < 2; times++) {
      String query =
          "SELECT bytes FROM flows WHERE bytes > 1"
              + " AND bytes > 1".repeat(990)
              + " ORDER BY bytes BETWEEN 1 AND 2"
              + ", bytes > 1".repeat(1005 + times);
      Optional<Query> read = read(query);
      assertEquals(times == 0, read.isPresent());
      read.ifPresent(was -> assertEquals(was, QueryParser.parseQuery(was.toString())));
    }
  }

  @Test
  void aChainOfNotNestsAsItsTextDoes() {
    for (int times = 40; times < 60; times++) {
      String query = "SELECT uid FROM flows WHERE " + "NOT ".repeat(times) + "bytes = 1";
      assertEquals(times < 50, read(query).isPresent(), query);
      read(query)
          .ifPresent(was -> assertEquals(was, QueryParser.parseQuery(was.toString()), query));
    }
  }

  private static String nested(String head, int depth, String end) {
    return head.repeat(depth) + "SELECT bytes FROM flows" + end.repeat(depth);
  }

  @Test
  void whateverTheTextOnlyQueryExceptionIsThrown() {
    String[] parts = {
      "SELECT",
      "FROM",
      "flows",
      "(SELECT",
      "(",
      ")",
      ",",
      "bytes",
      "a.bytes",
      "b.bytes",
      "a",
      "b",
      ".",
      "AS a",
      "AS b",
      "JOIN",
      "LEFT JOIN",
      "ON a.bytes = b.bytes",
      "ON",
      "IN (SELECT",
      "NOT IN",
      "FROM flows",
      "FROM flows)",
      "FROM (SELECT bytes FROM flows) AS a",
      "WHERE",
      "AND",
      "OR",
      "SUM(a.bytes)",
      "a.*",
      "*",
      "1",
      "GROUP BY",
      "ORDER BY",
      "LIMIT 5",
      "HAVING",
      "COUNT(*)",
      "> 1",
      "=",
      ":now",
      "'x'",
      "\"b\"",
      ";",
      "(SELECT bytes FROM flows) AS b",
      "DISTINCT",
    };
    String[] heads = {
      "",
      "SELECT a.bytes FROM (SELECT bytes FROM flows) AS a ",
      "SELECT bytes FROM flows WHERE bytes IN (SELECT ",
      "SELECT COUNT(*) AS n FROM (SELECT ",
      "SELECT a.bytes FROM (SELECT bytes FROM flows) AS a JOIN (SELECT bytes FROM flows) AS b ",
      "SELECT a.bytes, COUNT(*) FROM (SELECT bytes FROM flows) AS a GROUP BY a.bytes HAVING ",
    };
    int parsed = 0;
    for (int seed = 0; seed < 30_000; seed++) {
      Random random = new Random(seed);
      StringBuilder sql = new StringBuilder(heads[random.nextInt(heads.length)]);
      for (int i = random.nextInt(12); i > 0; i--) {
        sql.append(parts[random.nextInt(parts.length)]).append(random.nextInt(9) == 0 ? "" : " ");
      }
      try {
        Query query = QueryParser.parseQuery(sql.toString());
        parsed++;
        assertEquals(query, QueryParser.parseQuery(query.toString()), "seed " + seed + ": " + sql);
      } catch (QueryException e) {
        assertTrue(
            e.position() >= 0 && e.position() <= sql.length(),
            "seed " + seed + ": " + sql + "\n" + e);
      }
    }
    assertTrue(parsed > 300, "some should be queries, " + parsed + " were");
  }

  @Test
  void whatWeAcceptAnotherParserReadsToo() throws Exception {
    for (String sql :
        List.of(
            "SELECT a.src_addr, a.bytes, b.bytes AS back FROM "
                + SENT
                + " AS a LEFT JOIN "
                + GOT
                + " AS b ON a.src_addr = b.dst_addr WHERE a.bytes > b.bytes ORDER BY a.bytes DESC",
            "SELECT uid FROM flows WHERE src_addr NOT IN (SELECT dst_addr FROM flows)")) {
      QueryParser.parseQuery(sql);
      assertEquals(
          net.sf.jsqlparser.statement.select.PlainSelect.class,
          net.sf.jsqlparser.parser.CCJSqlParserUtil.parse(sql).getClass());
    }
  }
}
