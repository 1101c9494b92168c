package org.flowmon.udaf.parser;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.Set;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;

class QueryParserTest {
  @Test
  void parsedQueriesReadBackAsTheirText() {
    String[][] pairs = {
      {
        "select src_addr, Sum(bytes) as bytes from flows where not outgoing group by src_addr order"
            + " by bytes desc limit 100",
        "SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE NOT outgoing GROUP BY src_addr ORDER"
            + " BY SUM(bytes) DESC LIMIT 100"
      },
      {
        "SELECT src_addr FROM flows WHERE src_addr IN (:live.src_addr) AND SAME_HOUR(end_time,"
            + " :now, 7);",
        "SELECT src_addr FROM flows WHERE (src_addr IN (:live.src_addr)) AND SAME_HOUR(end_time,"
            + " :now, 7)"
      },
      {
        "SELECT bytes FROM flows WHERE service NOT LIKE 'a''%\\_' AND (tcp_flags & 'SA') = 's'"
            + " AND dst_port IN ('HTTPS', 22) AND protocol <> 'udp' AND arrival < NOW()"
            + " ORDER BY 1 DESC, 'x', 1.5",
        "SELECT bytes FROM flows WHERE (NOT (service LIKE 'a''%\\_')) AND ((tcp_flags & 18) = 2)"
            + " AND (dst_port IN (443, 22)) AND (protocol <> 17) AND (arrival < :now)"
            + " ORDER BY bytes DESC"
      },
      {
        "SELECT uid FROM flows WHERE SAME_HOUR(end_time, :now, 7, INTERVAL 5 MINUTE) IS NULL",
        "SELECT uid FROM flows WHERE SAME_HOUR(end_time, :now, 7, INTERVAL '5' MINUTE) IS NULL"
      },
      {
        "SELECT SUM(NULL) AS a, MAX(NULL - end_time) AS b, -0.0 AS c FROM flows",
        "SELECT SUM(NULL + 0) AS a, MAX(NULL - end_time) AS b, 0.0 AS c FROM flows"
      },
      {
        "SELECT SUM(estimated_packets) p FROM flows",
        "SELECT SUM(estimated_packets) AS p FROM flows"
      },
      {
        "SELECT NETWORK(dst_addr, 24) net, COUNT(*) FROM flows GROUP BY net -- a comment",
        "SELECT NETWORK(dst_addr, 24, 24) AS net, COUNT(*) AS \"count(*)\" FROM flows GROUP BY"
            + " NETWORK(dst_addr, 24, 24)"
      },
      {
        "SELECT uid FROM flows WHERE state = 'SF' AND source_kind <> 'zeek' AND src_addr IN"
            + " '10.1.2.3/8'",
        "SELECT uid FROM flows WHERE (state = 3) AND (source_kind <> 5) AND (src_addr IN"
            + " ('10.0.0.0/8'))"
      },
      {
        "SELECT bytes FROM flows WHERE end_time BETWEEN '2026-11-21' AND '2026-11-21"
            + " 01:00:00.5+01:00'",
        "SELECT bytes FROM flows WHERE (end_time >= TIMESTAMP '2026-11-21T00:00:00Z') AND"
            + " (end_time <= TIMESTAMP '2026-11-21T00:00:00.500Z')"
      },
      {
        "SELECT CASE WHEN bytes > -5 + 2 * 3 THEN 1.5 END AS x FROM flows WHERE dst_addr IN ('::1',"
            + " '2001:db8::/32')",
        "SELECT CASE WHEN bytes > (-5 + (2 * 3)) THEN 1.5 ELSE NULL END AS x FROM flows WHERE"
            + " dst_addr IN (ADDRESS '::1', '2001:db8::/32')"
      },
      {
        "SELECT TIME_BUCKET(INTERVAL '5 minutes', end_time) AS t FROM flows WHERE duration >="
            + " INTERVAL 2 SECONDS ORDER BY t NULLS FIRST",
        "SELECT TIME_BUCKET(end_time, INTERVAL '5' MINUTE) AS t FROM flows WHERE"
            + " duration >= INTERVAL '2' SECOND ORDER BY"
            + " TIME_BUCKET(end_time, INTERVAL '5' MINUTE) NULLS FIRST"
      },
      {
        "select src_addr, sum(bytes) as bytes from flows group by src_addr having bytes > 1000 and"
            + " src_addr in '10.0.0.0/8' and count(*) between 2 and :most order by bytes",
        "SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr HAVING (SUM(bytes) >"
            + " 1000) AND (src_addr IN ('10.0.0.0/8')) AND ((COUNT(*) >= 2) AND (COUNT(*) <="
            + " :most)) ORDER BY SUM(bytes)"
      },
      {
        "SELECT NETWORK(src_addr, 24) AS net, COUNT(*) AS src_addr FROM flows GROUP BY net HAVING"
            + " net = '10.0.0.0' AND NETWORK(src_addr, 24) IS NOT NULL",
        "SELECT NETWORK(src_addr, 24, 24) AS net, COUNT(*) AS src_addr FROM flows GROUP BY"
            + " NETWORK(src_addr, 24, 24) HAVING (NETWORK(src_addr, 24, 24) = ADDRESS '10.0.0.0')"
            + " AND (NOT (NETWORK(src_addr, 24, 24) IS NULL))"
      },
      {
        "SELECT SUM(bytes) / SUM(packets) AS size, 1 FROM flows HAVING size > 2 ORDER BY COUNT(*) %"
            + " 7 DESC",
        "SELECT SUM(bytes) / SUM(packets) AS size, 1 AS \"1\" FROM flows HAVING (SUM(bytes) /"
            + " SUM(packets)) > 2 ORDER BY COUNT(*) % 7 DESC"
      },
      {
        "SELECT dst_port, packets, COUNT(DISTINCT src_addr) AS \"packets n\" FROM flows GROUP BY"
            + " packets, dst_port HAVING packets > 1 OR \"packets n\" < 5",
        "SELECT dst_port, packets, COUNT(DISTINCT src_addr) AS \"packets n\" FROM flows GROUP BY"
            + " packets, dst_port HAVING (packets > 1) OR (COUNT(DISTINCT src_addr) < 5)"
      },
    };
    for (String[] pair : pairs) {
      FlowQuery query = QueryParser.parse(pair[0]);
      assertEquals(pair[1], query.toString());
      assertEquals(query, QueryParser.parse(query.toString()));
    }
  }

  @Test
  void starSelectsEveryColumn() {
    FlowQuery query = QueryParser.parse("SELECT * FROM flows LIMIT 1");
    assertEquals(FlowColumn.all().size(), query.select().size());
    assertEquals(1, query.limit());
    assertEquals(-1, QueryParser.parse("SELECT uid FROM flows").limit());
  }

  @Test
  void errorsNameThePlaceAndWhatWasExpected() {
    error("SELECT src_adr FROM flows", 7, "did you mean 'src_addr'?");
    error("SELECT bytes FROM flow", 18, "no table 'flow': expected flows, the only one");
    error("SELECT bytes FROM", 17, "expected the table flows, found the end of the query");
    error(
        "SELECT bytes FROM flows WERE bytes > 1",
        24,
        "the end of the query, found 'WERE'; did you mean WHERE?");
    error("SELECT bytes FROM flows limits 1", 24, "found 'limits'; did you mean LIMIT?");
    error("SELECT Byts FROM flows", 7, "no column 'Byts' in flows; did you mean 'bytes'?");
    error(
        "SELECT bytes FROM flows WHERE service = \"d'ns\"",
        40,
        "no column 'd'ns' in flows; double quotes hold a name, a text takes single quotes:"
            + " 'd''ns'");
    error(
        "SELECT bytes FROM flows WHERE", 29, "expected an expression, found the end of the query");
    error(
        "SELECT bytes FROM flows\nWHERE bytes = '5'",
        38,
        "line 2:15: expected a LONG to compare with, found a TEXT");
    error(
        "SELECT bytes FROM flows WHERE src_addr = '10.0.0.0/8'", 41, "prefixes are matched by IN");
    error("SELECT bytes FROM flows WHERE src_addr IN '10.0.0.0/33'", 42, "33 is outside 0…32");
    error("SELECT bytes FROM flows WHERE bytes", 30, "expected a condition, found a LONG");
    error(
        "SELECT bytes FROM flows WHERE end_time > 5",
        41,
        "expected a TIMESTAMP to compare with, found a LONG");
    error("SELECT bytes FROM flows WHERE end_time > 'noon'", 41, "expected a time such as");
    error(
        "SELECT bytes, SUM(packets) FROM flows",
        7,
        "expected an aggregate or a key of GROUP BY in SELECT");
    error(
        "SELECT SUM(service) AS s FROM flows",
        11,
        "SUM takes LONG, DOUBLE or DURATION, found TEXT");
    error(
        "SELECT SUM(bytes) / packets FROM flows",
        20,
        "expected an aggregate or a key of GROUP BY in SELECT, found packets");
    error("SELECT SUM(1 + COUNT(*)) FROM flows", 15, "COUNT is an aggregate");
    error("SELECT SUM(bytes) + TRUE AS x FROM flows", 7, "cannot compute LONG + BOOLEAN");
    error("SELECT uid FROM flows WHERE SUM(bytes) > 5", 28, "SUM is an aggregate: expected it in");
    error("SELECT SUM(DISTINCT bytes) FROM flows", 11, "no SUM(DISTINCT …): expected COUNT");
    error("SELECT COUNT(DISTINCT *) FROM flows", 22, "a column or an expression after DISTINCT");
    error("SELECT COUNT(DISTINCT uid, NULL) FROM flows", 27, "takes no bare NULL");
    error("SELECT COUNT_DISTINCT(uid) FROM flows", 7, "no function 'COUNT_DISTINCT'");
    error("SELECT DISTINCT COUNT(*) FROM flows", 16, "aggregates over distinct rows");
    error("SELECT DISTINCT uid FROM flows GROUP BY uid", 7, "DISTINCT and GROUP BY");
    error("SELECT DISTINCT 1 FROM flows", 7, "expected a column or an expression");
    error("SELECT DISTINCT uid FROM flows ORDER BY bytes", 40, "expected an aggregate or a key");
    error("SELECT bytes FROM flows LIMIT x", 30, "expected a number of rows");
    error("SELECT bytes FROM flows LIMIT 2 BY bytes", 32, "there are none: expected GROUP BY");
    error("SELECT uid FROM flows GROUP BY uid LIMIT 0 BY uid", 43, "LIMIT 0 BY keeps nothing");
    error(
        "SELECT uid, COUNT(*) AS n FROM flows GROUP BY uid LIMIT 2 BY n",
        61,
        "expected one of the keys of GROUP BY, uid");
    error(
        "SELECT uid, COUNT(*) AS n FROM flows GROUP BY uid LIMIT 2 BY uid, src_addr LIMIT 5",
        66,
        "expected one of the keys of GROUP BY, uid");
    error("SELECT uid FROM flows GROUP BY uid LIMIT 2 BY uid BY uid", 50, "expected WHERE");
    error("SELECT bytes FROM flows LIMIT 5 OFFSET x", 39, "expected a number of rows");
    error("SELECT bytes FROM flows LIMIT 5 OFFSET 3 LIMIT 5", 41, "expected WHERE");
    error("SELECT bytes FROM flows LIMIT 5 OFFSET 3", 18, "expected flows without OFFSET");
    error("SELECT f.bytes FROM flows AS f", 7, "expected a column of flows alone, found 'f.'");
    error("SELECT bytes FROM flows AS f", 24, "expected WHERE, GROUP BY");
    error("SELECT bytes FROM flows, flows", 23, "flows itself is not joined");
    error(
        "SELECT uid FROM flows WHERE SAME_HOUR(end_time, :now, 7, INTERVAL '2' DAY)",
        57,
        "expected a length of up to a day");
    error("SELECT NOW(1) FROM flows", 7, "NOW takes 0 arguments, found 1");
    error("SELECT FOO(bytes) FROM flows", 7, "no function 'FOO'");
    error("SELECT QUANTILS(bytes) FROM flows", 7, "'QUANTILS': did you mean QUANTILES?");
    error("SELECT P99(bytes) FROM flows", 7, "'P99': expected QUANTILE, as in QUANTILE(bytes,");
    error("SELECT CONCATENATE(uid) FROM flows", 7, "an aggregate (COUNT, SUM, ");
    error("SELECT CONCATENATE(uid) FROM flows", 7, "HEAVY_HITTERS, ");
    error("SELECT NETWORK(src_addr, 129) FROM flows", 25, "expected a prefix length of 0 … 128");
    error(
        "SELECT bytes, packets AS bytes FROM flows",
        14,
        "two columns of the result are named 'bytes'");
    error(
        "SELECT bytes FROM flows WHERE service LIKE 5", 43, "expected a pattern in single quotes");
    error(
        "SELECT bytes FROM flows WHERE service LIKE 'a\\b'",
        30,
        "after a backslash in the pattern");
    error("SELECT bytes FROM flows WHERE bytes LIKE 'd%'", 30, "expected a TEXT before LIKE");
    error("SELECT bytes FROM flows WHERE protocol = 'tpc'", 41, "its name such as 'tcp'");
    error(
        "SELECT bytes FROM flows WHERE dst_port = 'htps'",
        41,
        "its service's name such as 'https'");
    error("SELECT bytes FROM flows WHERE tcp_flags = 'SX'", 42, "letters of FSRPAUEC");
    error("SELECT 99999999999999999999 AS n FROM flows", 7, "expected a whole number of 64 bits");
    error("SELECT bytes FROM flows WHERE service = 'x", 40, "this text does not end: expected '");
    error("SELECT bytes FROM flows WHERE bytes = 5x", 39, "a number ends before 'x'");
    error("SELECT bytes ? FROM flows", 13, "found the character '?'");
    error("SELECT outgoing + 1 AS x FROM flows", 7, "cannot compute BOOLEAN + LONG");
    error("SELECT bytes FROM flows GROUP BY SUM(bytes)", 33, "SUM is an aggregate");
    error(
        "SELECT bytes FROM flows WHERE state = 'XX'",
        38,
        "expected a code or one of S0, S1, SF, REJ, S2, S3, RSTO, RSTR, RSTOS0, RSTRH, SH, SHR,"
            + " OTH, found 'XX'");
    error(
        "SELECT bytes FROM flows WHERE source_kind IN ('zeek', 'bro')",
        54,
        "expected a code or one of netflow_v5, netflow_v9, ipfix, sflow, zeek, csv, json,"
            + " synthetic, parquet, packets, found 'bro'");
  }

  @Test
  void errorsInHavingNameThePlaceAndWhatWasExpected() {
    String bySource = "SELECT src_addr, SUM(bytes) AS total FROM flows GROUP BY src_addr ";
    int at = bySource.length();
    error(
        "SELECT src_addr FROM flows HAVING src_addr = '::1'",
        27,
        "HAVING keeps groups, and there are none: expected GROUP BY or an aggregate; WHERE keeps"
            + " flows");
    error(
        bySource + "HAVING bytes > 5",
        at + 7,
        "expected an aggregate or a key of GROUP BY in HAVING, found bytes; did you mean"
            + " SUM(bytes)?");
    error(
        bySource + "HAVING total > 5 AND SUM(packets) > packets + 1",
        at + 36,
        "expected an aggregate or a key of GROUP BY in HAVING, found packets");
    error(
        bySource + "HAVING totl > 5",
        at + 7,
        "no column 'totl' in flows, and no item of that name; did you mean 'total'?");
    error(bySource + "HAVING \"Total\" > 5", at + 7, "a text takes single quotes: 'Total'");
    error(bySource + "HAVING total", at + 7, "expected a condition, found a LONG");
    error(bySource + "HAVING total > '5'", at + 15, "expected a LONG to compare with");
    error(bySource + "HAVING 1 < total + TRUE", at + 11, "cannot compute LONG + BOOLEAN");
    error(bySource + "HAVING SUM(total) > 5", at + 11, "no column 'total' in flows; ");
    error(bySource + "HAVING SUM(COUNT(*)) > 5", at + 11, "COUNT is an aggregate");
    error(bySource + "HAVING", at + 6, "expected an expression, found the end of the query");
    error(bySource + "HAVIN total > 5", at, "found 'HAVIN'; did you mean HAVING?");
    error(bySource + "ORDER BY total HAVING total > 5", at + 15, "found 'HAVING'");
    error("SELECT uid FROM flows HAVING COUNT(*) > 5", 7, "in SELECT, found uid");
    error("SELECT DISTINCT uid FROM flows HAVING uid = 'a'", 7, "DISTINCT and HAVING");
    error(
        "SELECT COUNT(*) + 1 AS n FROM flows GROUP BY n",
        45,
        "'n' has an aggregate: expected a key without one");
  }

  @Test
  void parametersOfHavingAreBoundAndChecked() {
    FlowQuery query =
        QueryParser.parse(
            "SELECT src_addr FROM flows GROUP BY src_addr HAVING SUM(bytes) > :least AND"
                + " SUM(duration) / :unit > 2");
    assertEquals(Set.of("least", "unit"), query.parameters());
    Parameters least = Parameters.NONE.with("least", Value.ofLong(7));
    assertEquals("parameter :unit has no value", message(query, least));
    assertTrue(
        message(query, least.with("unit", Value.ofText("x"))).contains("expected a duration"));
    assertEquals(
        "(SUM(bytes) > 7) AND ((SUM(duration) / INTERVAL '5' MICROSECOND) > 2)",
        query.bind(least.with("unit", Value.ofDuration(5))).having().toString());
  }

  private static void error(String sql, int position, String message) {
    ParseErrors.require(QueryParser::parse, sql, position, message);
  }

  /** The receiver of a query parses its printed text again. */
  @Test
  void noGroupsAreMadeByAConstantWhateverItsName() {
    String expected = "expected a column, an alias or an expression to group by, found a constant";
    error("SELECT COUNT(*) FROM flows GROUP BY 0", 36, expected);
    error("SELECT 0 AS x, COUNT(*) FROM flows GROUP BY protocol, x", 54, expected);
  }

  @Test
  void parametersAreValuesAndCheckedAsSuch() {
    FlowQuery query =
        QueryParser.parse(
            "SELECT uid FROM flows WHERE src_addr IN (:hosts) AND end_time >= :now - INTERVAL '1'"
                + " HOUR AND service = :s");
    assertEquals(Set.of("hosts", "now", "s"), query.parameters());
    Parameters some =
        Parameters.NONE
            .with("now", Value.ofTimestamp(3_600_000_000L))
            .with("s", Value.ofText("' OR TRUE --"));
    assertEquals("parameter :hosts has no value", message(query, some));
    FlowQuery bound =
        query.bind(
            some.with(
                "hosts",
                List.of(
                    Value.ofAddress(new IpAddress(0, 1)), Value.ofText("10.0.0.0/8"), Value.NULL)));
    assertEquals(
        "(src_addr IN (ADDRESS '::1', '10.0.0.0/8', NULL)) AND (end_time >= (TIMESTAMP"
            + " '1970-01-01T01:00:00Z' - INTERVAL '1' HOUR)) AND (service = ''' OR"
            + " TRUE --')",
        bound.where().toString());
    assertEquals(Set.of(), bound.parameters());
    assertTrue(message(query, some.with("hosts", Value.ofLong(5))).contains("found a LONG"));
    FlowQuery nobody = query.bind(some.with("hosts", List.of()));
    assertTrue(nobody.toString().contains("src_addr IN ()"), nobody.toString());
    assertEquals(nobody, QueryParser.parse(nobody.toString()));
    error("SELECT uid FROM flows WHERE src_addr IN (,)", 41, "expected an expression");
    assertTrue(
        message(query, some.with("hosts", List.of()).with("s", List.of()))
            .contains(":s has 0 values, expected one"));
  }

  @Test
  void aSelectHasAtMost1024Items() {
    StringBuilder items = new StringBuilder("SELECT bytes AS b0");
    for (int i = 1; i < 1024; i++) {
      items.append(", bytes AS b").append(i);
    }
    assertEquals(1024, QueryParser.parse(items + " FROM flows").select().size());
    int end = items.length();
    error(items + ", packets FROM flows", end + 2, "a SELECT has at most 1024 items");
  }

  @Test
  void aValueIsReadAsWhatItLooksLike() {
    assertEquals(Value.ofLong(-7), Value.parse("-7"));
    assertEquals(Value.ofDouble(2.5), Value.parse("2.5"));
    assertEquals(Value.ofDouble(1e6), Value.parse("1e6"));
    assertEquals(Value.ofBoolean(true), Value.parse("true"));
    assertEquals(Value.NULL, Value.parse("NULL"));
    assertEquals(Value.ofTimestamp(0), Value.parse("1970-01-01T00:00:00Z"));
    assertEquals(Value.ofTimestamp(86_400_000_000L), Value.parse("1970-01-02"));
    assertEquals(Value.ofDuration(300_000_000L), Value.parse("5 minutes"));
    assertEquals(Value.ofAddress(new IpAddress(0, 1)), Value.parse("::1"));
    for (String text : List.of("dns", "", "'", "10.0.0.0/8", "1x", "-", ".", "' OR TRUE --")) {
      assertEquals(Value.ofText(text), Value.parse(text));
    }
    assertEquals(Value.ofText("7"), Value.parse("'7'"));
    assertEquals(Value.ofText("it's"), Value.parse("'it''s'"));
    assertThrows(QueryException.class, () -> Value.parse("9223372036854775808"));
  }

  private static String message(FlowQuery query, Parameters parameters) {
    return assertThrows(QueryException.class, () -> query.bind(parameters)).getMessage();
  }

  @Test
  void whateverTheTextOnlyQueryExceptionIsThrown() {
    String[] parts = {
      "SELECT",
      "FROM",
      "flows",
      "WHERE",
      "(",
      ")",
      ",",
      "bytes",
      "src_addr",
      "'10.0.0.0/8'",
      "IN",
      "NOT",
      "AND",
      "OR",
      "SUM(",
      "*",
      "-",
      "1",
      "2.5e3",
      "GROUP BY",
      "ORDER BY",
      "LIMIT",
      "CASE",
      "WHEN",
      "THEN",
      "END",
      "IS",
      "NULL",
      "BETWEEN",
      ":now",
      "INTERVAL",
      "'",
      "\"",
      "%",
      "&",
      "TIMESTAMP",
      "é",
      "/*",
      "SAME_HOUR(",
      "NETWORK(",
      "COALESCE(",
      "HAVING",
      "COUNT(*)",
      "> 1"
    };
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      StringBuilder sql =
          new StringBuilder(
              switch (random.nextInt(6)) {
                case 0 -> "";
                case 1 -> "SELECT bytes, MAX(uid IS NULL) FROM flows GROUP BY bytes HAVING ";
                default -> "SELECT bytes FROM flows WHERE ";
              });
      for (int i = random.nextInt(20); i > 0; i--) {
        sql.append(parts[random.nextInt(parts.length)]).append(random.nextInt(5) == 0 ? "" : " ");
      }
      try {
        FlowQuery query = QueryParser.parse(sql.toString());
        assertEquals(query, QueryParser.parse(query.toString()), "seed " + seed + ": " + sql);
      } catch (QueryException e) {
        assertTrue(
            e.position() >= 0 && e.position() <= sql.length(),
            "seed " + seed + ": " + sql + "\n" + e);
      }
    }
  }

  @Test
  void aNumberBeyondAllNumbersIsRefused() {
    for (String number : List.of("1E2058", "-1E309", "9e99999999", "1.8E308")) {
      QueryException e =
          assertThrows(
              QueryException.class,
              () -> QueryParser.parse("SELECT bytes FROM flows WHERE src_port < " + number));
      assertTrue(e.getMessage().contains("expected a number below 1.8E308"), e.getMessage());
    }
    assertThrows(QueryException.class, () -> Value.parse("1E2058"));
    FlowQuery largest = QueryParser.parse("SELECT bytes FROM flows WHERE src_port < 1.79E308");
    assertEquals(largest, QueryParser.parse(largest.toString()));
  }

  @Test
  void deepAndLongQueriesAreRefusedAndDoNotOverflow() {
    for (String nested : List.of("(", "NOT ", "- ", "CASE WHEN ", "COALESCE(")) {
      assertThrows(
          QueryException.class,
          () -> QueryParser.parse("SELECT bytes FROM flows WHERE " + nested.repeat(100_000)));
    }
    for (String before :
        List.of(
            "SELECT bytes FROM flows WHERE bytes > 1", "SELECT 1 FROM flows HAVING SUM(1) > 1")) {
      assertThrows(QueryException.class, () -> QueryParser.parse(before + " + 1".repeat(100_000)));
    }
    assertThrows(
        QueryException.class,
        () -> QueryParser.parse("SELECT 1 FROM flows HAVING " + "NOT ".repeat(100_000)));
    String half =
        "SELECT bytes, 1 AS n FROM flows GROUP BY bytes HAVING n > 1" + " AND n > 1".repeat(900);
    assertEquals(2, QueryParser.parse(half).select().size());
    String many = "SELECT uid FROM flows WHERE src_port IN (1" + ", 2".repeat(50_000) + ")";
    assertEquals(1, QueryParser.parse(many).select().size());
  }

  @Test
  void whatWeAcceptAnotherParserReadsToo() throws Exception {
    for (String sql :
        List.of(
            "SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE NOT outgoing GROUP BY src_addr"
                + " ORDER BY bytes DESC LIMIT 100",
            "SELECT src_addr FROM flows WHERE src_addr IN (:hosts) AND SAME_HOUR(end_time, :now,"
                + " 7)",
            "SELECT CASE WHEN bytes > 5 THEN 1 ELSE 2 END AS x FROM flows WHERE end_time >="
                + " TIMESTAMP '2026-11-21 00:00:00' AND (service IS NULL OR outgoing IS NOT TRUE)"
                + " ORDER BY x DESC NULLS LAST")) {
      QueryParser.parse(sql);
      assertEquals(
          net.sf.jsqlparser.statement.select.PlainSelect.class,
          net.sf.jsqlparser.parser.CCJSqlParserUtil.parse(sql).getClass());
    }
  }
}
