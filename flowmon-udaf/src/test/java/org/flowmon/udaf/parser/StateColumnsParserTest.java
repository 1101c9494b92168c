package org.flowmon.udaf.parser;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.OfStates;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;

/**
 * Columns of states: merged, differenced and read by extractors in queries over the results of
 * others.
 */
class StateColumnsParserTest {
  private static final String Q =
      "(SELECT src_addr AS k, QUANTILES(bytes) AS q FROM flows GROUP BY k)";
  private static final String D =
      "(SELECT dst_port AS k, DISTINCT_SAMPLE(src_addr) AS d FROM flows GROUP BY k)";
  private static final String H =
      "(SELECT dst_port AS k, HEAVY_HITTERS(src_addr, bytes) AS h FROM flows GROUP BY k)";

  @Test
  void callsReadBackAsTheirText() {
    String d = D.replace("BY k", "BY dst_port");
    String h = H.replace("BY k", "BY dst_port");
    String[][] pairs = {
      {
        "SELECT k, median(q) AS m, COUNT(MERGE(q)) AS n FROM " + Q + " GROUP BY k, MEDIAN(q)",
        "SELECT k, MEDIAN(q) AS m, COUNT(MERGE(q)) AS n FROM "
            + Q.replace("BY k", "BY src_addr")
            + " GROUP BY k, MEDIAN(q)"
      },
      {
        "SELECT MERGE(q) AS all, MEDIAN(all) AS m, UPPER(m) AS u FROM " + Q + " HAVING m > 5",
        "SELECT MERGE(q) AS all, MEDIAN(MERGE(q)) AS m, UPPER(MEDIAN(MERGE(q))) AS u FROM "
            + Q.replace("BY k", "BY src_addr")
            + " HAVING MEDIAN(MERGE(q)) > 5"
      },
      {
        "SELECT DIFFERENCE(a.d, b.d) AS gone, CARDINALITY(gone) AS n, LOWER(n) AS l,"
            + " CARDINALITY(UNION(a.d, INTERSECTION(a.d, b.d))) AS u FROM "
            + D
            + " AS a JOIN "
            + D
            + " AS b ON a.k = b.k WHERE CARDINALITY(a.d) > 3",
        "SELECT DIFFERENCE(a.d, b.d) AS gone, CARDINALITY(DIFFERENCE(a.d, b.d)) AS n,"
            + " LOWER(CARDINALITY(DIFFERENCE(a.d, b.d))) AS l, CARDINALITY(UNION(a.d,"
            + " INTERSECTION(a.d, b.d))) AS u FROM "
            + d
            + " AS a JOIN "
            + d
            + " AS b ON a.k = b.k WHERE CARDINALITY(a.d) > 3"
      },
      {
        "SELECT CHANGES(MERGE(h) FILTER (WHERE k < 100), MERGE(CASE WHEN k >= 100 THEN h END),"
            + " 0.05) AS c FROM "
            + H,
        "SELECT CHANGES(MERGE(CASE WHEN k < 100 THEN h ELSE NULL END), MERGE(CASE WHEN k >= 100"
            + " THEN h ELSE NULL END), 0.05) AS c FROM "
            + h
      },
      {
        "SELECT dst_port, CARDINALITY(DIFFERENCE(DISTINCT_SAMPLE(src_addr) FILTER (WHERE"
            + " outgoing), DISTINCT_SAMPLE(dst_addr))) AS n, COUNT(*) FILTER (WHERE outgoing) AS o,"
            + " MEDIAN(bytes) FILTER (WHERE outgoing) AS m FROM flows GROUP BY dst_port HAVING"
            + " n > 2 ORDER BY SUM(bytes) FILTER (WHERE outgoing) DESC",
        "SELECT dst_port, CARDINALITY(DIFFERENCE(DISTINCT_SAMPLE(CASE WHEN outgoing THEN src_addr"
            + " ELSE NULL END), DISTINCT_SAMPLE(dst_addr))) AS n, COUNT(CASE WHEN outgoing THEN 1"
            + " ELSE NULL END) AS o, MEDIAN(QUANTILES(CASE WHEN outgoing THEN bytes ELSE NULL"
            + " END)) AS m FROM flows GROUP BY dst_port HAVING"
            + " CARDINALITY(DIFFERENCE(DISTINCT_SAMPLE(CASE WHEN outgoing THEN src_addr ELSE NULL"
            + " END), DISTINCT_SAMPLE(dst_addr))) > 2 ORDER BY SUM(CASE WHEN outgoing THEN bytes"
            + " ELSE NULL END) DESC"
      },
      {
        "SELECT COUNT(q) AS n FROM " + Q,
        "SELECT COUNT(q) AS n FROM " + Q.replace("BY k", "BY src_addr")
      },
    };
    for (String[] pair : pairs) {
      Query query = QueryParser.parseQuery(pair[0]);
      assertEquals(pair[1], query.toString());
      assertEquals(query, QueryParser.parseQuery(pair[1]));
      assertEquals(query.hashCode(), QueryParser.parseQuery(pair[1]).hashCode());
    }
  }

  @Test
  void columnsOfStatesSayWhatTheyAreOf() {
    Query query =
        QueryParser.parseQuery(
            "SELECT k, UNION(h, h) AS u, CHANGES(h, h) AS c, TOTAL(h) AS t, h FROM " + H);
    List<Expression.Named> columns = query.columns(null);
    String type = "HEAVY_HITTERS(ADDRESS, LONG, 256, 2, 'auto/frequent', 64)";
    assertEquals(type, columns.get(1).states().toString());
    assertEquals(type, columns.get(4).states().toString());
    assertEquals(null, columns.get(2).states());
    assertEquals(ValueKind.TEXT, columns.get(2).kind());
    assertEquals(ValueKind.LONG, columns.get(3).kind());
    assertTrue(((OfStates) query.select().get(2).what()).isList());
    assertFalse(query.isAggregated());
    assertFalse(query.isKey(3));
  }

  @Test
  void parametersAreCheckedWhenTheyHaveValues() {
    String sql =
        "SELECT QUANTILE(q, :share) AS v, QUANTILE(UNION(q, q), 0.5) AS u FROM (SELECT src_addr,"
            + " QUANTILES(bytes, :eps) AS q FROM flows GROUP BY src_addr) WHERE MEDIAN(q) > :least";
    Query open = QueryParser.parseQuery(sql);
    assertEquals(null, open.columns(null).get(0).kind());
    Parameters values =
        Parameters.NONE
            .with("eps", Value.ofDouble(0.05))
            .with("least", Value.ofLong(7))
            .with("share", Value.ofDouble(0.9));
    assertEquals(
        QueryParser.parseQuery(
            sql.replace(":eps", "0.05").replace(":least", "7").replace(":share", "0.9")),
        open.bind(values));
    QueryException e =
        assertThrows(
            QueryException.class, () -> open.bind(values.with("share", Value.ofDouble(9))));
    assertTrue(e.getMessage().contains("share to be a number from 0 to 1"), e.getMessage());
    Query differ =
        QueryParser.parseQuery(
            "SELECT UNION(a.q, b.q) AS u FROM (SELECT src_port AS k, QUANTILES(bytes, :eps) AS q"
                + " FROM flows GROUP BY k) AS a JOIN (SELECT dst_port AS k, QUANTILES(bytes) AS q"
                + " FROM flows GROUP BY k) AS b ON a.k = b.k");
    e = assertThrows(QueryException.class, () -> differ.bind(values));
    assertTrue(e.getMessage().contains("expected one of QUANTILES(LONG, 0.05"), e.getMessage());
    assertEquals(1, differ.bind(values.with("eps", Value.ofDouble(0.01))).select().size());
  }

  @Test
  void errorsTellPlaceAndWhatWasExpected() {
    String other = D.replace("src_addr)", "src_addr, 64)");
    String join = " FROM " + D + " AS a JOIN " + other + " AS b ON a.k = b.k";
    String[][] errors = {
      {
        "SELECT UNION(a.d, ^b.d) AS u" + join,
        "expected one of DISTINCT_SAMPLE(ADDRESS, 4096), found one of DISTINCT_SAMPLE(ADDRESS, 64)"
      },
      {
        "SELECT CHANGES(MERGE(a.d), ^MERGE(b.d)) AS u" + join,
        "expected one of DISTINCT_SAMPLE(ADDRESS, 4096)"
      },
      {"SELECT CHANGES(^a.d, a.d) AS u" + join, "CHANGES is of states of HEAVY_HITTERS, found"},
      {"SELECT DIFFERENCE(^h, h) AS u FROM " + H, "DIFFERENCE is of states of DISTINCT_SAMPLE"},
      {"SELECT CHANGES(h, h, ^2) AS u FROM " + H, "expected a share to be a number from"},
      {"SELECT UNION(a.d, ^a.k) AS u" + join, "UNION takes two states, found a.k"},
      {"SELECT UNION(a.d^) AS u" + join, "expected ','"},
      {"SELECT ^DIFERENCE(h, h) AS u FROM " + H, "did you mean DIFFERENCE?"},
      {"SELECT ^MERG(h) AS u FROM " + H, "did you mean MERGE?"},
      {"SELECT MERGE(^k) AS u FROM " + H, "MERGE takes a column of states"},
      {"SELECT MERGE(^bytes) AS u FROM flows", "MERGE takes a column of states"},
      {"SELECT k FROM " + H + " WHERE ^MERGE(h) IS NULL", "MERGE is an aggregate"},
      {"SELECT ^MEDIAN(h) AS m FROM " + H, "states of HEAVY_HITTERS have no extractor 'MEDIAN'"},
      {"SELECT k, ^q FROM " + Q + " GROUP BY k", "expected an aggregate or a key of GROUP BY"},
      {"SELECT LOWER(^TOP(h, 3)) AS l FROM " + H, "LOWER takes a value out of a state"},
      {"SELECT bytes FROM flows WHERE ^CHANGES(bytes, bytes) > 5", "CHANGES is of an aggregate"},
      {"SELECT MEDIAN(q) ^FILTER (WHERE k = '::1') AS m FROM " + Q, "FILTER stands behind an"},
      {"SELECT SUM(bytes) FILTER (WHERE ^packets) AS m FROM flows", "expected a condition"},
      {
        "SELECT UNION(^CASE WHEN a.k = 1 THEN a.d ELSE b.d END, a.d) AS u" + join,
        "UNION takes two states"
      },
    };
    for (String[] error : errors) {
      int position = error[0].indexOf('^');
      ParseErrors.require(QueryParser::parseQuery, error[0].replace("^", ""), position, error[1]);
    }
  }
}
