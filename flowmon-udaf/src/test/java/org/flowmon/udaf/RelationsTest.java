package org.flowmon.udaf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.parser.QueryScope;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.TableQuery.Relation;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;

/** Queries over tables that are given by name, with parameters of known kinds. */
class RelationsTest {
  private static final QueryScope SCOPE =
      new QueryScope(
          List.of(
              relation("live", "k", "v"),
              relation("days", "day"),
              relation("history", "k", "day", "v")),
          Map.of(
              "now", ValueKind.TIMESTAMP,
              "seconds", ValueKind.DOUBLE,
              "groups", ValueKind.LONG,
              "history", ValueKind.TEXT));

  private static Relation relation(String name, String... columns) {
    List<Named> all =
        List.of(columns).stream().map(column -> new Named(column, ValueKind.LONG)).toList();
    return new Relation(name, all, Set.of("k", "day"), Optional.empty());
  }

  /** A table of whole numbers, NULL for the least. */
  private static ResultTable table(String columns, long[]... rows) {
    ResultTable.Builder table = new ResultTable.Builder();
    for (String column : columns.split(" ", -1)) {
      table.column(column, ValueKind.LONG);
    }
    for (long[] row : rows) {
      table.row();
      for (int c = 0; c < row.length; c++) {
        if (row[c] != Long.MIN_VALUE) {
          table.set(c, row[c]);
        }
      }
    }
    return table.build();
  }

  private static final long NULL = Long.MIN_VALUE;

  private static final Map<String, ResultTable> TABLES =
      Map.of(
          "live", table("k v", new long[] {7, 100}, new long[] {NULL, 50}, new long[] {5, 10}),
          "days", table("day", new long[] {1}, new long[] {2}),
          "history",
              table(
                  "k day v",
                  new long[] {7, 1, 30},
                  new long[] {NULL, 1, 8},
                  new long[] {NULL, 2, 10},
                  new long[] {9, 1, 99}));

  private static String answer(String sql) {
    Query query = QueryParser.parseQuery(sql, SCOPE);
    assertEquals(query, QueryParser.parseQuery(query.toString(), SCOPE), query.toString());
    Parameters values =
        Parameters.NONE
            .with("now", Value.ofTimestamp(0))
            .with("seconds", Value.ofDouble(10))
            .with("groups", Value.NULL)
            .with("history", Value.ofText("exact"));
    ResultTable answer = NestedQueries.answer(query.bind(values), TABLES, 1000);
    String text = answer.toString();
    return text.indexOf('\n') < 0 ? "" : text.substring(text.indexOf('\n') + 1).replace('\t', ' ');
  }

  @Test
  void daysWithoutARowCountAsNothing() {
    assertEquals(
        "7 100 15.0\nNULL 50 9.0\n5 10 0.0",
        answer(
            "SELECT live.k, live.v, past.median FROM live LEFT JOIN (SELECT l.k,"
                + " MEDIAN(COALESCE(h.v, 0)) AS median FROM live AS l, days AS d LEFT JOIN history"
                + " AS h ON h.k IS NOT DISTINCT FROM l.k AND h.day = d.day GROUP BY l.k) AS past ON"
                + " past.k IS NOT DISTINCT FROM live.k"));
  }

  @Test
  void joinsMatchNullsOnlyIfTheQuerySaysSo() {
    assertEquals("7 30", answer("SELECT live.k, h.v FROM live JOIN history AS h ON h.k = live.k"));
    assertEquals(
        "7 30\nNULL 8\nNULL 10",
        answer(
            "SELECT live.k, h.v FROM live JOIN history AS h ON h.k IS NOT DISTINCT FROM live.k"));
    assertEquals(
        "9",
        answer(
            "SELECT h.k FROM history AS h LEFT JOIN (SELECT k, TRUE AS is_live FROM live) AS l ON"
                + " l.k IS NOT DISTINCT FROM h.k WHERE l.is_live IS NULL"));
  }

  @Test
  void unionsNumbersAndTexts() {
    assertEquals(
        "top 7 100.0 1\ntop NULL 50.0 2\ntop 5 10.0 3\nother NULL 0.5 NULL",
        answer(
            "SELECT 'top' AS part, k, v, ROW_NUMBER() OVER () AS n FROM live UNION ALL SELECT"
                + " 'other', NULL, 0.5, NULL FROM (SELECT COUNT(*) AS n FROM live)"));
    assertEquals(
        "5 10 1\n7 100 2",
        answer("SELECT k, v, ROW_NUMBER() OVER () AS n FROM live ORDER BY v LIMIT 1 ")
            + "\n"
            + answer(
                "SELECT k, v, 1 + n AS n FROM (SELECT k, v, ROW_NUMBER() OVER () AS n FROM"
                    + " live ORDER BY v DESC) WHERE n = 1"));
  }

  @Test
  void parametersHaveKindsBeforeTheyHaveValues() {
    assertEquals(
        "10.0 NULL yes",
        answer(
            "SELECT v / :seconds AS rate, :groups - v AS rest, CASE WHEN :history IN ('exact',"
                + " 'partial') THEN 'yes' ELSE 'no' END AS known FROM live LIMIT 1"));
    Query query = QueryParser.parseQuery("SELECT :groups - v AS rest FROM live", SCOPE);
    Query bound = query.bind(Parameters.NONE.with("groups", Value.NULL));
    assertEquals(ValueKind.LONG, bound.select().get(0).resultKind(), "NULL keeps its kind");
  }

  @Test
  void keysAreColumnsOfKeysAndNeverConstants() {
    Query query =
        QueryParser.parseQuery(
            "SELECT part, k, n, one, v FROM (SELECT 'top' AS part, k, 1 AS n, 1 AS one, v FROM live"
                + " UNION ALL SELECT 'other', NULL, :groups, 1, v FROM live)",
            SCOPE);
    assertEquals(
        List.of(true, true, false, false, false),
        List.of(query.isKey(0), query.isKey(1), query.isKey(2), query.isKey(3), query.isKey(4)));
  }

  private static void error(String sql, int position, String message) {
    QueryException e = assertThrows(QueryException.class, () -> QueryParser.parseQuery(sql, SCOPE));
    assertTrue(e.getMessage().contains(message), e.getMessage());
    assertEquals(position, e.position(), e.getMessage());
  }

  @Test
  void errorsNameThePlaceAndWhatWasExpected() {
    error("SELECT k FROM flows", 14, "no table 'flows': expected one of live, days, history, or");
    error("SELECT k FROM live JOIN past ON k = k", 24, "no table 'past'");
    error("SELECT kk FROM live", 7, "no column 'kk' in live; did you mean 'k'");
    error("SELECT live.x FROM live", 12, "no column 'x' in live; expected one of k, v");
    error("SELECT :secnds AS x FROM live", 7, "no parameter :secnds: did you mean :seconds?");
    error("SELECT :whatever AS x FROM live", 7, "expected one of :groups, :history, :now");
    error(
        "SELECT :now > 5 AS x FROM live", 14, "expected a TIMESTAMP to compare with, found a LONG");
    error("SELECT k FROM live JOIN live ON k = k", 24, "two queries are named 'live'");
    error("SELECT src_addr FROM (SELECT src_addr FROM flows) AS x", 43, "no table 'flows'");
  }
}
