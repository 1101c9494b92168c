package org.flowmon.udaf.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.udaf.parser.ParseErrors;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls of aggregate functions by name, and of their extractors. */
class FunctionCallTest {
  private static AggregateCall item(FlowQuery query, int place) {
    return (AggregateCall) query.select().get(place).what();
  }

  @Test
  void callsReadBackAsTheirText() {
    String[][] pairs = {
      {
        "SELECT src_addr, quantile(quantiles(bytes, 0.01), 0.95) p95 FROM flows GROUP BY src_addr",
        "SELECT src_addr, QUANTILE(QUANTILES(bytes, 0.01), 0.95) AS p95 FROM flows GROUP BY"
            + " src_addr"
      },
      {
        "SELECT QUANTILES(bytes) AS q, MEDIAN(q) AS m, LOWER(m) AS low, COUNT(q) AS n FROM flows"
            + " HAVING m > 5 ORDER BY n DESC, UPPER(m)",
        "SELECT QUANTILES(bytes) AS q, MEDIAN(QUANTILES(bytes)) AS m,"
            + " LOWER(MEDIAN(QUANTILES(bytes))) AS low, COUNT(QUANTILES(bytes)) AS n FROM flows"
            + " HAVING MEDIAN(QUANTILES(bytes)) > 5 ORDER BY COUNT(QUANTILES(bytes)) DESC,"
            + " UPPER(MEDIAN(QUANTILES(bytes)))"
      },
      {
        "SELECT QUANTILE(bytes / packets, 0.5) AS x FROM flows",
        "SELECT QUANTILE(QUANTILES(bytes / packets), 0.5) AS x FROM flows"
      },
      {
        "SELECT TOP(HEAVY_HITTERS(src_addr, bytes), 3) AS t, TOP(src_port, 2) AS u FROM flows",
        "SELECT TOP(HEAVY_HITTERS(src_addr, bytes), 3) AS t, TOP(HEAVY_HITTERS(src_port), 2) AS u"
            + " FROM flows"
      },
      {
        "SELECT SUM(bytes / packets) AS s, AVG(bytes / packets) AS a, STDDEV(bytes / packets) AS d"
            + " FROM flows HAVING STDDEV_POP(bytes / packets) > 1",
        "SELECT SUM(DOUBLE_SUMS(bytes / packets)) AS s, AVG(DOUBLE_SUMS(bytes / packets)) AS a,"
            + " STDDEV(DOUBLE_SUMS(bytes / packets)) AS d FROM flows HAVING"
            + " STDDEV_POP(DOUBLE_SUMS(bytes / packets)) > 1"
      },
      {
        "SELECT RANK(duration, INTERVAL '5' SECOND) AS r, COUNT(bytes) AS b FROM flows",
        "SELECT RANK(QUANTILES(duration), INTERVAL '5' SECOND) AS r, COUNT(bytes) AS b"
            + " FROM flows"
      },
      {
        "SELECT CARDINALITY(APPROX_COUNT_DISTINCT(src_addr, dst_port)) / COUNT(*) AS r FROM flows",
        "SELECT CARDINALITY(APPROX_COUNT_DISTINCT(src_addr, dst_port)) / COUNT(*) AS r FROM flows"
      },
    };
    for (String[] pair : pairs) {
      FlowQuery query = QueryParser.parse(pair[0]);
      assertEquals(pair[1], query.toString());
      assertEquals(query, QueryParser.parse(pair[1]));
      assertEquals(query.hashCode(), QueryParser.parse(pair[1]).hashCode());
    }
  }

  @Test
  void valuesHaveTheKindOfWhatTheyAreTakenFrom() {
    FlowQuery query =
        QueryParser.parse(
            "SELECT QUANTILES(duration) AS q, MEDIAN(q) AS m, UPPER(m) AS u, RANK(start_time,"
                + " TIMESTAMP '2026-11-21') AS r, TOP(src_addr, 3) AS t,"
                + " TOTAL(HEAVY_HITTERS(src_addr, duration)) AS s FROM flows");
    List<ValueKind> kinds = query.columns(null).stream().map(Expression.Named::kind).toList();
    assertEquals(
        List.of(
            ValueKind.TEXT,
            ValueKind.DURATION,
            ValueKind.DURATION,
            ValueKind.LONG,
            ValueKind.TEXT,
            ValueKind.DURATION),
        kinds);
    assertTrue(item(query, 0).value().isState());
    assertTrue(item(query, 4).value().isList());
    assertEquals(StateValue.Part.UPPER, item(query, 2).value().part());
  }

  @Test
  void parametersAreCheckedWhenTheyHaveValues() {
    FlowQuery open =
        QueryParser.parse(
            "SELECT QUANTILE(QUANTILES(bytes, :eps), :share) AS q FROM flows HAVING q > :least");
    assertEquals(
        QueryParser.parse(
            "SELECT QUANTILE(QUANTILES(bytes, 0.05), 0.9) AS q FROM flows HAVING q > 7"),
        open.bind(
            Parameters.NONE
                .with("eps", Value.ofDouble(0.05))
                .with("share", Value.ofDouble(0.9))
                .with("least", Value.ofLong(7))));
    QueryException e =
        assertThrows(
            QueryException.class,
            () ->
                open.bind(
                    Parameters.NONE
                        .with("eps", Value.ofDouble(0.05))
                        .with("share", Value.ofDouble(9))
                        .with("least", Value.ofLong(7))));
    assertTrue(e.getMessage().contains("share to be a number from 0 to 1"), e.getMessage());
  }

  @Test
  void errorsTellPlaceAndWhatWasExpected() {
    String[][] errors = {
      {"SELECT ^QUANTILS(bytes) FROM flows", "did you mean QUANTILES?"},
      {"SELECT ^MEDIEN(bytes) FROM flows", "did you mean MEDIAN?"},
      {"SELECT QUANTILES(bytes, ^7) FROM flows", "expected epsilon to be a number from 0 to"},
      {"SELECT QUANTILES(^src_addr) FROM flows", "expected x to be LONG or DURATION"},
      {"SELECT QUANTILES(bytes, ^packets) FROM flows", "expected epsilon to be a constant"},
      {"SELECT ^QUANTILES() FROM flows", "QUANTILES(x [, epsilon [, strategy [, words]]])"},
      {"SELECT ^QUANTILE(QUANTILES(bytes)) FROM flows", "expected share, found 0 arguments"},
      {"SELECT QUANTILE(QUANTILES(bytes), ^2) FROM flows", "share to be a number from 0 to 1"},
      {"SELECT ^RARE(APPROX_COUNT_DISTINCT(bytes), 1) FROM flows", "have no extractor 'RARE'"},
      {
        "SELECT CARDINALITY(^src_addr) FROM flows",
        "expected one of them, as CARDINALITY(APPROX_COUNT_DISTINCT(src_addr))"
      },
      {"SELECT SUM(bytes) AS s, MEDIAN(^s) FROM flows", "MEDIAN takes a state of QUANTILES, found"},
      {"SELECT LOWER(^SUM(bytes)) FROM flows", "LOWER takes a value out of a state"},
      {"SELECT LOWER(^TOP(src_addr, 3)) FROM flows", "LOWER takes a value out of a state"},
      {"SELECT bytes FROM flows WHERE ^MEDIAN(bytes) > 5", "MEDIAN is of an aggregate"},
      {"SELECT MIN(^QUANTILES(bytes)) FROM flows", "QUANTILES is an aggregate"},
      {
        "SELECT ^SUM(QUANTILES(bytes)) FROM flows",
        "states of QUANTILES have no extractor 'SUM'; expected one of QUANTILE, MEDIAN"
      },
      {"SELECT src_addr, MEDIAN(bytes) AS m FROM flows GROUP BY ^m", "has an aggregate"},
    };
    for (String[] error : errors) {
      int position = error[0].indexOf('^');
      ParseErrors.require(QueryParser::parse, error[0].replace("^", ""), position, error[1]);
    }
  }

  @Test
  void functionsThatCannotBeListedAreAnErrorOfTheQuery(@TempDir Path folder) throws Exception {
    Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    Files.writeString(services.resolve(FunctionCatalogue.class.getName()), "no.such.Catalogue");
    ClassLoader parent = new ClassLoader(null) {};
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, parent)) {
      QueryException e = assertThrows(QueryException.class, () -> Functions.load(loader));
      assertTrue(
          e.getMessage().startsWith("the aggregate functions cannot be listed: ")
              && e.getMessage().contains("no.such.Catalogue"),
          e.getMessage());
    }
  }

  @Test
  void countOfAColumnStaysTheCount() {
    FlowQuery query =
        QueryParser.parse("SELECT QUANTILES(bytes) AS packets, COUNT(packets) FROM flows");
    assertEquals(AggregateFunction.COUNT, item(query, 1).function());
  }
}
