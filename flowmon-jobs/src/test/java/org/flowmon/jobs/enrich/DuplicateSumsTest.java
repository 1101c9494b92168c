package org.flowmon.jobs.enrich;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.enrich.EnrichmentConfig.Source;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two border routers and a core router between them, which all export each flow as it comes in and
 * as it goes out: by the rules of {@code docs/enrichment.md} each counts once.
 */
class DuplicateSumsTest {
  private static final long SEED = 41;
  private static final IpAddress[] ROUTERS = {
    IpAddress.parse("192.0.2.1"), IpAddress.parse("192.0.2.2"), IpAddress.parse("192.0.2.3")
  };
  private static final int CORE = 2;
  private static final int TRANSIT = 1; // interfaces of a border router
  private static final int TO_CORE = 2;
  private static final int LAN = 3;

  @TempDir private Path directory;

  /** Where a host is: at which border router, in its LAN or beyond. */
  private record Place(int router, boolean isInside) {
    int index() {
      return isInside ? LAN : TRANSIT;
    }

    IpAddress host(Random random) {
      int network = isInside ? 0x0a01_0000 + (router << 16) : 0xcb00_7100 + (router << 4);
      return IpAddress.ofIpv4(network + random.nextInt(16));
    }
  }

  private record Hop(int router, int in, int out) {}

  private static List<Hop> path(Place from, Place to) {
    if (from.router() == to.router()) {
      return List.of(new Hop(from.router(), from.index(), to.index()));
    }
    return List.of(
        new Hop(from.router(), from.index(), TO_CORE),
        new Hop(CORE, 1 + from.router(), 1 + to.router()),
        new Hop(to.router(), TO_CORE, to.index()));
  }

  private EnrichmentFiles files() throws IOException {
    Map<Source, String> texts =
        Map.of(
            Source.EXPORTERS,
                "exporter,name\n192.0.2.1,border-a\n192.0.2.2,border-b\n192.0.2.3,core\n",
            Source.INTERFACES,
                """
                exporter,index,name,description
                192.0.2.1,1,xe-1,Transit: A
                192.0.2.1,2,xe-2,core
                192.0.2.1,3,xe-3,lan
                192.0.2.2,1,xe-1,Transit: B
                192.0.2.2,2,xe-2,core
                192.0.2.2,3,xe-3,lan
                192.0.2.3,1,xe-1,border a
                192.0.2.3,2,xe-2,border b
                """,
            Source.CLASSES,
                """
                interfaces:
                  - {name: '^Transit', set: {boundary: external}}
                  - {name: '.', set: {boundary: internal}}
                """,
            Source.TRAFFIC,
                """
                inside: [10.0.0.0/8]
                direction: [networks]
                duplicates:
                  - {from: [10.1.0.0/16], to: [10.1.0.0/16], count: {flow_direction: ingress}}
                  - {from: [10.2.0.0/16], to: [10.2.0.0/16], count: {flow_direction: ingress}}
                  - from: [inside]
                    to: [inside]
                    count: {exporters: [192.0.2.3], flow_direction: ingress}
                  - from: [inside]
                    count: {out_boundary: external, flow_direction: egress}
                  - count: {in_boundary: external, flow_direction: ingress}
                """);
    Map<Source, String> files = new TreeMap<>();
    for (Map.Entry<Source, String> text : texts.entrySet()) {
      Path file = directory.resolve(text.getKey().name());
      files.put(text.getKey(), Files.writeString(file, text.getValue()).toString());
    }
    return new EnrichmentFiles(
        new EnrichmentConfig(files, Duration.ofSeconds(1)),
        line -> {
          throw new AssertionError(line);
        });
  }

  private static Map<String, Long> sums(ResultTable table) {
    Map<String, Long> sums = new TreeMap<>();
    for (int row = 0; row < table.rowCount(); row++) {
      sums.put(table.formatted(row, 0), table.longValue(row, 1));
    }
    return sums;
  }

  @Test
  void eachFlowCountsOnceHoweverManyRoutersExportIt() throws IOException {
    Random random = new Random(SEED);
    List<Place> places =
        List.of(new Place(0, true), new Place(0, false), new Place(1, true), new Place(1, false));
    Map<String, Long> expected = new TreeMap<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(60_000);
    for (int flow = 0; flow < 5000; flow++) {
      Place from = places.get(random.nextInt(4));
      Place to = places.get(random.nextInt(4));
      IpAddress source = from.host(random);
      IpAddress destination = to.host(random);
      long bytes = random.nextInt(1_000_000);
      String direction =
          from.isInside() ? (to.isInside() ? "internal" : "out") : to.isInside() ? "in" : "transit";
      expected.merge(direction, bytes, Long::sum);
      for (Hop hop : path(from, to)) {
        for (int metered = 0; metered < 2; metered++) {
          builder.beginRow();
          builder.set(FlowColumn.ARRIVAL, flow);
          builder.set(FlowColumn.BYTES, bytes);
          builder.setAddress(FlowColumn.SRC_ADDR, source);
          builder.setAddress(FlowColumn.DST_ADDR, destination);
          builder.setAddress(FlowColumn.EXPORTER, ROUTERS[hop.router()]);
          builder.set(FlowColumn.INPUT_IF, hop.in());
          builder.set(FlowColumn.OUTPUT_IF, hop.out());
          builder.set(FlowColumn.FLOW_DIRECTION, metered);
          builder.endRow();
        }
      }
    }
    List<FlowBatch> flows = new ArrayList<>();
    int rows = builder.rows();
    flows.add(FlowBatch.open(builder.build(1, 0, 0, 0)));
    EnrichmentFiles files = files();
    String sql =
        "SELECT traffic_direction, SUM(bytes) AS bytes, COUNT(*) AS n FROM flows"
            + " WHERE NOT is_duplicate GROUP BY traffic_direction";
    ResultTable counted = FlowQueries.run(flows, QueryParser.parseQuery(sql).enriched(files));
    assertEquals(expected, sums(counted), "seed " + SEED);
    ResultTable all =
        FlowQueries.run(
            flows,
            QueryParser.parseQuery(
                    "SELECT is_duplicate, COUNT(*) AS n FROM flows GROUP BY is_duplicate")
                .enriched(files));
    assertEquals(Map.of("false", 5000L, "true", rows - 5000L), sums(all));
    assertTrue(rows > 15_000, rows + " rows");
  }
}
