package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.plan.PlanStep;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.enrich.AddressTable;
import org.flowmon.udaf.enrich.AddressTexts;
import org.flowmon.udaf.enrich.AsTable;
import org.flowmon.udaf.enrich.CodeTexts;
import org.flowmon.udaf.enrich.Duplicates;
import org.flowmon.udaf.enrich.EnrichedColumn.Table;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.enrich.ExporterTexts;
import org.flowmon.udaf.enrich.Lookup;
import org.flowmon.udaf.enrich.TrafficDirections;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queries with enriched columns answer as a scan does, by whatever way segments are read. */
class EnrichedArchiveTest {
  private static final long SEED = 61;
  private static final List<String> KEYS =
      List.of(
          "src_country",
          "dst_country",
          "src_as",
          "src_as_name",
          "src_addr",
          "dst_port_name",
          "traffic_direction",
          "CASE WHEN src_country = dst_country THEN 'within' ELSE src_country END");
  private static final List<String> CONDITIONS =
      List.of(
          "src_country = 'rare'",
          "'rare' = dst_country",
          "src_country <> 'common'",
          "src_country IN ('rare', 'none', NULL)",
          "src_country NOT IN ('common', 'rare')",
          "src_country = 'rare' OR dst_country = 'rare'",
          "NOT (src_country = 'common' AND dst_country = 'common')",
          "src_country IS NULL",
          "src_country = 'nowhere'",
          "src_as = 64503",
          "src_as_name = 'AS 2'",
          "protocol_name = 'udp'",
          "traffic_direction IN ('in', 'internal')",
          "is_duplicate IS NOT TRUE",
          "end_time >= :now - INTERVAL '2' DAY",
          "src_addr IN '10.0.0.0/16'");

  @TempDir private Path directory;

  private record Tables(Map<Table, Lookup> lookups) implements Enrichment {
    @Override
    public Supplier<Lookup> lookup(Table table) {
      Lookup lookup = lookups.get(table);
      return lookup == null ? Enrichment.NONE.lookup(table) : lookup;
    }

    @Override
    public Optional<String> version(Table table) {
      return Optional.ofNullable(lookups.get(table)).map(any -> "test");
    }
  }

  /** Stretches of the addresses of {@link Traffic}: some of one host, and large ones. */
  private static Tables tables(Random random) {
    AddressTable.Builder table = new AddressTable.Builder();
    String[] texts = {"common", "rare", "some", "none"};
    long[] numbers = {64_500, 64_501, 64_502, 64_503};
    table.addIpv4(0x0a00_0000, 0x0aff_ffff, 0);
    int at = 0x0a00_0000;
    for (int i = 0; i < 200; i++) {
      at += 1 + random.nextInt(500);
      table.addIpv4(at, at, 1 + random.nextInt(2));
    }
    table.addIpv4(0xc000_0200, 0xc000_0203, 1);
    table.addIpv6(0x2001_0db8_0000_0001L, 0, 0x2001_0db8_0000_0001L, -1, 2);
    AddressTable built = table.build();
    return new Tables(
        Map.of(
            Table.COUNTRY, new AddressTexts(built, texts),
            Table.AS_NUMBER, new AsTable(built, numbers),
            Table.TRAFFIC_DIRECTION,
                new TrafficDirections(
                    List.of(TrafficDirections.Sign.NETWORKS),
                    built,
                    new ExporterTexts(true, Map.of())),
            Table.DUPLICATE, new Duplicates(List.of(), new ExporterTexts(true, Map.of())),
            Table.AS_NAME, new CodeTexts(Map.of(64_501L, "AS 1", 64_502L, "AS 2"))));
  }

  private static String query(Random random) {
    List<String> keys = new ArrayList<>();
    for (int i = 1 + random.nextInt(2); i > 0; i--) {
      String key = KEYS.get(random.nextInt(KEYS.size()));
      if (!keys.contains(key)) {
        keys.add(key);
      }
    }
    List<String> terms = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      terms.add("(" + CONDITIONS.get(random.nextInt(CONDITIONS.size())) + ")");
    }
    String where = terms.isEmpty() ? "" : " WHERE " + String.join(" AND ", terms);
    if (random.nextInt(4) == 0) {
      return "SELECT end_time, src_addr, src_country, src_as FROM flows"
          + where
          + " ORDER BY end_time, src_addr, arrival, bytes LIMIT 50";
    }
    String list = String.join(", ", keys);
    return "SELECT "
        + list
        + (keys.contains("src_addr") ? ", src_country AS country" : "")
        + ", SUM(bytes) AS bytes, COUNT(*) AS n FROM flows"
        + where
        + " GROUP BY "
        + list
        + (random.nextBoolean() ? " ORDER BY bytes DESC LIMIT 20" : "");
  }

  @Test
  void everyQueryAnswersAsAScanOfAllFlowsDoes() throws IOException {
    Random random = new Random(SEED);
    Tables tables = tables(random);
    List<FlowBatch> flows = new ArrayList<>();
    Set<String> ways = new HashSet<>();
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      for (int segment = 0; segment < 5; segment++) {
        Traffic traffic = new Traffic(SEED + segment, segment % 2 == 1, 0.05 * segment);
        List<FlowBatch> batches = traffic.batches(4000, 0.15 * segment, 0.2 + 0.15 * segment);
        Traffic.commit(archive, batches);
        flows.addAll(batches);
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (int q = 0; q < 300; q++) {
          String sql = query(random);
          Query bound = bind(sql);
          ResultTable expected = FlowQueries.run(flows, bound.enriched(tables));
          QueryOptions options =
              QueryOptions.DEFAULTS
                  .withEnrichment(tables)
                  .withExplain(true)
                  .withThreads(1 + random.nextInt(3))
                  .withPieceRows(1 + random.nextInt(2000));
          QueryAnswer answer = ArchiveQuery.run(snapshot, bound, options);
          assertEquals(
              expected.toString(),
              answer.table().toString(),
              "seed " + SEED + ", " + q + ": " + sql);
          answer
              .stats()
              .plans()
              .forEach(plan -> plan.accesses().forEach(one -> ways.add(one.way().toString())));
        }
      }
    }
    assertTrue(ways.size() >= 2, "segments were read by " + ways);
  }

  private static Query bind(String sql) {
    return QueryParser.parseQuery(sql)
        .bind(Parameters.NONE.with("now", Value.ofTimestamp(Traffic.NOW)));
  }

  @Test
  void fewAddressesOfANetworkAreLookedForAndExplainSaysSo() throws IOException {
    Random random = new Random(SEED);
    Tables tables = tables(random);
    try (Archive archive = Archive.create(directory.resolve("b"), ArchiveOptions.DEFAULTS)) {
      Traffic.commit(archive, new Traffic(SEED, false, 0).batches(20_000, 0, 1));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        QueryOptions options = QueryOptions.DEFAULTS.withEnrichment(tables).withExplain(true);
        Query few = bind("SELECT COUNT(*) AS n FROM flows WHERE src_country = 'rare'");
        QueryStats stats = ArchiveQuery.run(snapshot, few, options).stats();
        assertEquals(List.of("join src_country (filter: addresses)"), joins(stats));
        assertTrue(stats.rowsExamined() < 20_000, stats.rowsExamined() + " rows examined");
        Query all =
            bind(
                "SELECT dst_country, COUNT(*) AS n FROM flows WHERE src_as = 64500"
                    + " GROUP BY dst_country");
        assertEquals(
            List.of("join dst_country, src_as (filter: each value read)"),
            joins(ArchiveQuery.run(snapshot, all, options).stats()));
        for (String each :
            List.of(
                "src_country <> 'rare' AND src_addr IN '10.0.0.0/16'",
                "src_addr = '10.0.0.37' AND src_country IS NOT NULL",
                "(src_country <> 'rare' AND src_addr = '10.0.0.37') OR src_addr = '10.0.0.74'")) {
          assertEquals(
              List.of("join src_country (filter: each value read)"),
              joins(ArchiveQuery.run(snapshot, counting(each), options).stats()),
              each);
        }
        for (String addresses :
            List.of(
                "src_country = 'rare' AND src_addr IN '10.0.0.0/16'",
                "src_country = 'rare' OR src_addr = '10.0.0.37'",
                "NOT (src_country <> 'rare') OR src_addr = '10.0.0.37'",
                "src_country IN ('rare') AND bytes > 10")) {
          assertEquals(
              List.of("join src_country (filter: addresses)"),
              joins(ArchiveQuery.run(snapshot, counting(addresses), options).stats()),
              addresses);
        }
      }
    }
  }

  private static Query counting(String where) {
    return bind("SELECT COUNT(*) AS n FROM flows WHERE " + where);
  }

  private static List<String> joins(QueryStats stats) {
    return stats.plans().stream()
        .flatMap(plan -> plan.lines().stream())
        .map(PlanStep.Line::text)
        .map(String::strip)
        .filter(text -> text.contains("join "))
        .map(text -> text.substring(text.indexOf("join ")))
        .collect(Collectors.toList());
  }

  /** As a file that is read again between two queries, or amid one. */
  @Test
  void aQueryKeepsTheVersionOfItsBegin() throws IOException {
    Random random = new Random(SEED);
    Tables first = tables(random);
    Map<Table, Lookup> none = new TreeMap<>();
    int[] asked = {0};
    Enrichment changing =
        new Enrichment() {
          @Override
          public Supplier<Lookup> lookup(Table table) {
            return first.lookup(table);
          }

          @Override
          public Optional<String> version(Table table) {
            return first.version(table);
          }

          @Override
          public Enrichment pinned() {
            return asked[0]++ == 0 ? first : new Tables(none);
          }
        };
    try (Archive archive = Archive.create(directory.resolve("c"), ArchiveOptions.DEFAULTS)) {
      Traffic.commit(archive, new Traffic(SEED, false, 0).batches(1000, 0, 1));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        QueryOptions options = QueryOptions.DEFAULTS.withEnrichment(changing);
        Query query =
            bind(
                "SELECT COUNT(*) AS n FROM flows WHERE src_country IN (SELECT src_country FROM"
                    + " flows WHERE src_country = 'common' GROUP BY src_country)");
        long before = ArchiveQuery.run(snapshot, query, options).table().longValue(0, 0);
        long after = ArchiveQuery.run(snapshot, query, options).table().longValue(0, 0);
        assertTrue(before > 0, "no flow has the country");
        assertEquals(0, after);
        assertEquals(2, asked[0]);
      }
    }
  }

  @Test
  void withoutTablesAColumnIsNull() throws IOException {
    try (Archive archive = Archive.create(directory.resolve("d"), ArchiveOptions.DEFAULTS)) {
      Traffic.commit(archive, new Traffic(SEED, false, 0).batches(100, 0, 1));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        Query query = bind("SELECT src_country, COUNT(*) AS n FROM flows GROUP BY src_country");
        ResultTable table = ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS).table();
        assertEquals(1, table.rowCount());
        assertTrue(table.isNull(0, 0));
        assertEquals(100, table.longValue(0, 1));
      }
    }
  }
}
