package org.flowmon.udaf.enrich;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

class EnrichedQueryTest {
  private static final long SEED = 20;

  private final Random random = new Random(SEED);
  private final List<IpAddress> addresses = addresses();
  private final TestTables tables = new TestTables(SEED, addresses.subList(0, 20));
  private final List<Row> rows = new ArrayList<>();
  private final List<FlowBatch> flows = flows();

  private List<IpAddress> addresses() {
    List<IpAddress> all = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      all.add(
          i % 3 == 0
              ? new IpAddress(0x2001_0db8_0000_0000L, random.nextInt(1 << 14))
              : IpAddress.ofIpv4(0x0a00_0000 + random.nextInt(1 << 13)));
    }
    return all;
  }

  private record Row(IpAddress source, Long system, long bytes) {}

  private List<FlowBatch> flows() {
    List<FlowBatch> batches = new ArrayList<>();
    for (int b = 0; b < 5; b++) {
      FlowBatchBuilder builder = new FlowBatchBuilder(3000);
      for (int r = 0; r < 3000; r++) {
        IpAddress source =
            random.nextInt(20) == 0 ? null : addresses.get(random.nextInt(addresses.size()));
        Long system = random.nextInt(3) > 0 ? null : Long.valueOf(64_500L + random.nextInt(9));
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, r);
        builder.set(FlowColumn.BYTES, r);
        builder.set(FlowColumn.PROTOCOL, b % 2 == 0 ? 6 : 17);
        builder.set(FlowColumn.DST_PORT, r % 2 == 0 ? 53 : 65_000);
        if (source != null) {
          builder.setAddress(FlowColumn.SRC_ADDR, source);
        }
        if (system != null && b != 3) { // without the column in a batch
          builder.set(FlowColumn.SRC_AS, system);
        }
        builder.endRow();
        rows.add(new Row(source, b == 3 ? null : system, r));
      }
      batches.add(FlowBatch.open(builder.build(1, b, 0, 0)));
    }
    return batches;
  }

  private ResultTable run(String sql) {
    return FlowQueries.run(flows, QueryParser.parseQuery(sql).enriched(tables));
  }

  private static Map<String, Long> groups(ResultTable table, String key) {
    Map<String, Long> groups = new TreeMap<>();
    int column = table.column(key);
    for (int row = 0; row < table.rowCount(); row++) {
      groups.put(
          table.isNull(row, column) ? "NULL" : table.formatted(row, column),
          table.longValue(row, table.column("bytes")));
    }
    return groups;
  }

  @Test
  void groupsOfCountriesAreThoseOfAPlainSearch() {
    Map<String, Long> expected = new TreeMap<>();
    for (Row row : rows) {
      String country = row.source() == null ? null : tables.country(row.source());
      expected.merge(String.valueOf(country).replace("null", "NULL"), row.bytes(), Long::sum);
    }
    assertTrue(expected.size() > 3, expected.toString());
    assertEquals(
        expected,
        groups(
            run("SELECT src_country, SUM(bytes) AS bytes FROM flows GROUP BY src_country"),
            "src_country"),
        "seed " + SEED);
  }

  @Test
  void anExportersNumberComesBeforeThatOfTheFile() {
    Map<String, Long> expected = new TreeMap<>();
    Map<String, Long> names = new TreeMap<>();
    for (Row row : rows) {
      Long system = tables.system(row.system(), row.source());
      expected.merge(system == null ? "NULL" : system.toString(), row.bytes(), Long::sum);
      String name = tables.systemName(system);
      names.merge(name == null ? "NULL" : name, row.bytes(), Long::sum);
    }
    assertEquals(
        expected,
        groups(run("SELECT src_as, SUM(bytes) AS bytes FROM flows GROUP BY src_as"), "src_as"));
    assertEquals(
        names,
        groups(
            run("SELECT src_as_name, SUM(bytes) AS bytes FROM flows GROUP BY src_as_name"),
            "src_as_name"));
    ResultTable both =
        run("SELECT src_as, src_as_name, SUM(bytes) AS bytes FROM flows GROUP BY src_as");
    for (int row = 0; row < both.rowCount(); row++) {
      Long number = both.isNull(row, 0) ? null : both.longValue(row, 0);
      String name = tables.systemName(number);
      assertEquals(name == null, both.isNull(row, 1));
      assertEquals(name == null ? "" : name, both.formatted(row, 1));
    }
  }

  @Test
  void aColumnOfAKeyStandsWithoutBeingOneItself() {
    ResultTable table =
        run(
            "SELECT src_addr, src_country, SUM(bytes) AS bytes FROM flows GROUP BY src_addr HAVING"
                + " src_country <> 'A' ORDER BY src_country, src_addr");
    assertTrue(table.rowCount() > 10);
    for (int row = 0; row < table.rowCount(); row++) {
      String country = tables.country(IpAddress.parse(table.formatted(row, 0)));
      assertEquals(country, table.formatted(row, 1));
    }
  }

  @Test
  void conditionsFollowTheRulesOfNull() {
    long all = count("TRUE");
    long known = count("src_country IS NOT NULL");
    long ofA = count("src_country = 'A'");
    assertTrue(0 < ofA && ofA < known && known < all);
    assertEquals(known - ofA, count("src_country <> 'A'"));
    assertEquals(known - ofA, count("src_country NOT IN ('A', 'nowhere')"));
    assertEquals(all - known, count("src_country IS NULL"));
    assertEquals(0, count("src_city IS NOT NULL")); // without a table
    assertEquals(
        count("protocol = 17 AND dst_port = 53"),
        count("dst_port_name = 'domain' AND protocol_name = 'udp'"));
    assertEquals(
        ofA,
        count("src_country IN (SELECT src_country FROM flows WHERE src_country = 'A' LIMIT 1)"));
  }

  private long count(String condition) {
    return run("SELECT COUNT(*) AS n FROM flows WHERE " + condition).longValue(0, 0);
  }

  @Test
  void theTextOfAQueryGivesItBack() {
    String sql =
        "SELECT src_country, dst_as_name, COUNT(*) AS n FROM flows WHERE in_if_boundary ="
            + " 'external' GROUP BY src_country, dst_as_name";
    Query query = QueryParser.parseQuery(sql);
    assertEquals(query, QueryParser.parseQuery(query.toString()));
    assertEquals(query.toString(), query.enriched(tables).toString());
    assertEquals(query.enriched(tables), query.enriched(tables));
    assertEquals(query.enriched(tables), query.enriched(tables).enriched(Enrichment.NONE));
  }

  @Test
  void aStoredColumnStaysAloneWithoutATable() {
    FlowQuery query = QueryParser.parse("SELECT src_as FROM flows WHERE src_as = 1");
    assertEquals(query, query.enriched(Enrichment.NONE));
    assertEquals(List.of(), List.copyOf(query.enriched(Enrichment.NONE).enrichedColumns()));
    assertEquals(
        List.of(EnrichedColumn.SRC_AS), List.copyOf(query.enriched(tables).enrichedColumns()));
  }

  @Test
  void withoutTablesAQueryIsRefusedAndNotAnsweredWithNull() {
    Query query = QueryParser.parseQuery("SELECT src_country FROM flows");
    QueryException e = assertThrows(QueryException.class, () -> FlowQueries.run(flows, query));
    assertEquals("src_country is joined from files, which are not given here", e.getMessage());
  }

  @Test
  void aMisspeltColumnIsSuggested() {
    QueryException e =
        assertThrows(QueryException.class, () -> QueryParser.parse("SELECT src_contry FROM flows"));
    assertTrue(e.getMessage().contains("did you mean 'src_country'?"), e.getMessage());
  }

  @Test
  void aColumnWhoseKeysAreNotThoseOfTheGroupsIsRefused() {
    QueryException e =
        assertThrows(
            QueryException.class,
            () -> QueryParser.parse("SELECT in_if_name FROM flows GROUP BY exporter"));
    assertTrue(e.getMessage().contains("found in_if_name"), e.getMessage());
  }
}
