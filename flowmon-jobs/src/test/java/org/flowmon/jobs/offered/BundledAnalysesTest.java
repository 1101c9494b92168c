package org.flowmon.jobs.offered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.replay.Replay;
import org.flowmon.jobs.replay.ReplaySpec;
import org.flowmon.jobs.report.Report;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The bundled and offered analyses, unchanged, over planted traffic: each row of each report equals
 * that of a program over plain lists, and the planted traffic is found.
 */
class BundledAnalysesTest {
  private static final long SEED = 20_261_122;
  private static final long END = 1_795_255_200L * Program.SECOND; // 2026-11-21T10:00:00Z
  private static final Duration DELAY = Duration.ofSeconds(20);

  @TempDir private static Path directory;
  private static List<PlainFlow> flows;
  // Reports by analysis: each is replayed once.
  private static final Map<String, Map<Long, ResultTable>> REPORTS = new HashMap<>();

  @BeforeAll
  static void archiveFlows() throws Exception {
    List<FlowBatch> batches = PlantedTraffic.batches(SEED, Cells.time(END), 1000);
    flows = PlainFlow.of(batches);
    long first = flows.get(0).arrival();
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      SealedSegment segment =
          new SegmentWriter().seal(archive.segmentsDirectory(), batches, Provenance.NONE);
      SourceRange range = new SourceRange("t:0", 0, 1, first, END + Program.HOUR, false);
      archive.commit(ArchiveCommit.ofRanges(List.of(segment), List.of(range), "test"));
    }
  }

  private static List<AnalysisConfig> analyses() {
    return Stream.concat(AnalysisConfig.bundled().stream(), AnalysisConfig.offered().stream())
        .toList();
  }

  static List<String> names() {
    return analyses().stream().map(AnalysisConfig::name).toList();
  }

  private static AnalysisConfig analysis(String name) {
    return analyses().stream().filter(a -> a.name().equals(name)).findFirst().orElseThrow();
  }

  private static Program program(String name) {
    long delay = DELAY.toNanos() / 1000;
    return switch (name) {
      case "elephants" -> new ProgramsOfVolume.Elephants(flows, delay);
      case "mice" -> new ProgramsOfVolume.Mice(flows);
      case "anomaly" -> new ProgramsOfVolume.Anomaly(flows, delay);
      case "portscans" -> new ProgramsOfHosts.Portscans(flows, delay);
      case "scans" -> ProgramsOfHosts.Scans.ofADay(flows, delay);
      case "scans_fast" -> ProgramsOfHosts.Scans.ofMinutes(flows, delay);
      case "first_contact" -> new ProgramsOfScans.FirstContact(flows);
      case "scan_networks" -> new ProgramsOfScans.ScanNetworks(flows);
      case "fan_out" -> new ProgramsOfHosts.FanOut(flows, delay);
      case "new_talkers" -> new ProgramsOfHosts.NewTalkers(flows, delay);
      case "new_targets" -> new ProgramsOfHosts.NewTargets(flows);
      case "ddos" -> new ProgramsOfThreats.Ddos(flows, delay);
      case "brute_force" -> new ProgramsOfThreats.BruteForce(flows, delay);
      case "dns_tunnels" -> new ProgramsOfThreats.DnsTunnels(flows, delay);
      case "icmp_tunnels" -> new ProgramsOfThreats.IcmpTunnels(flows);
      case "exporters" -> new ProgramsOfThreats.Exporters(flows, delay);
      case "long_connections" -> new ProgramsOfNovelty.LongConnections(flows, delay);
      case "exfiltration" -> new ProgramsOfNovelty.Exfiltration(flows, delay);
      case "dark_space" -> new ProgramsOfNovelty.DarkSpace(flows);
      case "new_services" -> new ProgramsOfNovelty.NewServices(flows, delay);
      case "dispersion" -> new ProgramsOfTimes.Dispersion(flows, delay);
      case "beacons" -> new ProgramsOfTimes.Beacons(flows, delay);
      case "traffic_by_protocol" ->
          new ProgramsOfVolume.Traffic(flows, 10, flow -> Arrays.asList(flow.protocol()));
      case "traffic_by_port" ->
          new ProgramsOfVolume.Traffic(
              flows,
              20,
              flow ->
                  Arrays.asList(
                      flow.protocol(),
                      flow.sourcePort() != null
                              && flow.port() != null
                              && flow.sourcePort() < flow.port()
                          ? flow.sourcePort()
                          : flow.port()));
      case "traffic_by_as" ->
          new ProgramsOfVolume.Traffic(
              flows,
              20,
              flow ->
                  Arrays.asList(
                      Boolean.TRUE.equals(flow.outgoing()) ? flow.targetAs() : flow.sourceAs()));
      case "traffic_by_interface" ->
          new ProgramsOfVolume.Traffic(
              flows, 20, flow -> Arrays.asList(flow.exporter(), flow.inputIf()));
      case "traffic_by_exporter" ->
          new ProgramsOfVolume.Traffic(
              flows, 20, flow -> Arrays.asList(flow.exporter(), flow.domain()));
      default -> throw new AssertionError("no program says what " + name + " has to report");
    };
  }

  /** Returns the start of the compared windows: the last ones, which have many flows. */
  private static long from(AnalysisConfig analysis) {
    long slide = analysis.live().slideMicros();
    return END - analysis.live().windowMicros() - (slide > 10 * Program.MINUTE ? 2 : 5) * slide;
  }

  private static Map<Long, ResultTable> reports(AnalysisConfig analysis) throws Exception {
    Map<Long, ResultTable> known = REPORTS.get(analysis.name());
    if (known == null) {
      known = replayed(analysis);
      REPORTS.put(analysis.name(), known);
    }
    return known;
  }

  private static Map<Long, ResultTable> replayed(AnalysisConfig analysis) throws Exception {
    ReplaySpec spec =
        new ReplaySpec(
            List.of(ArchiveLocation.of(directory)),
            analysis,
            from(analysis),
            END,
            DELAY,
            Duration.ZERO);
    StreamExecutionEnvironment env = LocalFlink.environment(2);
    env.setMaxParallelism(16);
    Map<Long, ResultTable> found = new TreeMap<>();
    try (CloseableIterator<Report> reports = Replay.reports(env, spec, 16).executeAndCollect()) {
      while (reports.hasNext()) {
        Report report = reports.next();
        HistoryStatus status = report.confidence().history();
        boolean isLookedUp = analysis.history() != null && report.rows().rowCount() > 0;
        if (isLookedUp) {
          assertEquals(HistoryStatus.EXACT, status, report.confidence().toString());
        }
        assertEquals(null, found.put(report.windowEnd(), report.rows()), "reports of a window");
      }
    }
    return found;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("names")
  void eachRowIsThatOfAProgramOverPlainLists(String name) throws Exception {
    AnalysisConfig analysis = analysis(name);
    Program program = program(analysis.name());
    assertEquals(analysis.live().windowMicros(), program.width());
    Map<Long, List<String>> expected = new TreeMap<>();
    long slide = analysis.live().slideMicros();
    for (long end = from(analysis) + program.width(); end <= END; end += slide) {
      List<String> rows = program.rows(end);
      if (rows != null) {
        expected.put(end, rows);
      }
    }
    Map<Long, List<String>> found = new TreeMap<>();
    reports(analysis).forEach((end, rows) -> found.put(end, Cells.lines(rows)));
    assertTrue(expected.get(END).size() > 0, "rows in the last window");
    assertEquals(expected.keySet(), found.keySet(), "windows");
    expected.forEach(
        (end, rows) ->
            assertEquals(
                String.join("\n", rows),
                String.join("\n", found.get(end)),
                analysis.name() + ", seed " + SEED + ", window that ends " + Cells.time(end)));
  }

  /** Returns the keys with a verdict in the last window, by a column of the report. */
  private static List<String> named(String analysis, String verdict, String column)
      throws Exception {
    ResultTable rows = reports(analysis(analysis)).get(END);
    List<String> named = new ArrayList<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      if (rows.text(row, rows.column("verdict")).equals(verdict)) {
        named.add(rows.formatted(row, rows.column(column)));
      }
    }
    return named.stream().sorted().toList();
  }

  private static List<String> sorted(IpAddress... addresses) {
    return Arrays.stream(addresses).map(IpAddress::toString).sorted().toList();
  }

  @Test
  void whatIsPlantedIsFoundAndWhatLooksLikeItIsNot() throws Exception {
    assertEquals(
        sorted(
            PlantedTraffic.VERTICAL_SCANNER,
            PlantedTraffic.HORIZONTAL_SCANNER,
            PlantedTraffic.SWEEPER),
        named("portscans", "scan", "src_addr"));
    assertTrue(named("portscans", "usual", "src_addr").contains(PlantedTraffic.POLLER.toString()));
    assertEquals(sorted(PlantedTraffic.BEACON_HOST), named("beacons", "beacon", "src_addr"));
    // Hosts that answer the sweep are new, too, and some of the crowd.
    List<String> talkers = new ArrayList<>(named("new_talkers", "new", "src_addr"));
    talkers.removeIf(source -> !source.startsWith("10.20.3."));
    assertEquals(sorted(PlantedTraffic.NEW_TALKER), talkers);
    assertEquals(
        sorted(PlantedTraffic.FAN_OUT, PlantedTraffic.HORIZONTAL_SCANNER),
        named("fan_out", "more", "src_addr"));
    assertTrue(named("elephants", "new", "src_addr").contains(PlantedTraffic.ELEPHANT.toString()));
    assertTrue(!named("elephants", "new", "src_addr").contains(PlantedTraffic.REGULAR.toString()));
    List<String> scanners = named("scans", "scan", "src_addr");
    for (IpAddress scanner :
        List.of(
            PlantedTraffic.SLOW_SCANNER,
            PlantedTraffic.VERTICAL_SCANNER,
            PlantedTraffic.HORIZONTAL_SCANNER)) {
      assertTrue(scanners.contains(scanner.toString()), scanner + " in " + scanners);
    }
    assertTrue(!scanners.contains(PlantedTraffic.FLOOD_VICTIM.toString()), scanners.toString());
    // All that the sweeper pings answer.
    assertEquals(
        sorted(PlantedTraffic.VERTICAL_SCANNER, PlantedTraffic.HORIZONTAL_SCANNER),
        named("scans_fast", "scan", "src_addr"));
    assertEquals(List.of(""), named("anomaly", "anomalous", "inside"));
    assertTrue(named("dispersion", "known", "prefix").contains("192.0.2.0"));
  }

  @Test
  void floodsTunnelsAndGuessersAreFoundAndTheirLookAlikesAreNot() throws Exception {
    assertEquals(sorted(PlantedThreats.FLOODED), named("ddos", "amplification", "dst_addr"));
    assertEquals(sorted(PlantedThreats.SYN_FLOODED), named("ddos", "syn_flood", "dst_addr"));
    assertEquals(List.of(), named("ddos", "flood", "dst_addr"));
    assertEquals(sorted(PlantedThreats.RESOLVER), named("ddos", "usual", "dst_addr"));
    assertEquals(sorted(PlantedThreats.BURGLAR), named("brute_force", "broken_in", "src_addr"));
    assertEquals(
        sorted(PlantedThreats.GUESSER, PlantedThreats.KEEPER),
        named("brute_force", "brute_force", "src_addr"));
    assertEquals(sorted(PlantedThreats.CHECKER), named("brute_force", "usual", "src_addr"));
    assertEquals(sorted(PlantedThreats.DNS_TUNNEL), named("dns_tunnels", "tunnel", "src_addr"));
    assertEquals(sorted(PlantedThreats.MAIL_FILTER), named("dns_tunnels", "usual", "src_addr"));
    assertEquals(sorted(PlantedThreats.ICMP_TUNNEL), named("icmp_tunnels", "tunnel", "src_addr"));
    assertEquals(sorted(PlantedThreats.PINGER), named("icmp_tunnels", "usual", "src_addr"));
  }

  @Test
  void whatIsNewOrMissingIsFoundAndWhatIsKnownIsNot() throws Exception {
    assertEquals(sorted(PlantedThreats.HELD), named("long_connections", "long", "src_addr"));
    assertEquals(sorted(PlantedThreats.THIEF), named("exfiltration", "exfiltration", "src_addr"));
    assertEquals(sorted(PlantedThreats.WORM), named("dark_space", "dark_space", "src_addr"));
    assertEquals(
        sorted(PlantedThreats.BACK_DOOR, PlantedThreats.ANSWERER),
        named("new_services", "new", "server"));
    assertEquals(
        sorted(PlantedThreats.GONE, PlantedThreats.SILENT),
        named("exporters", "silent", "exporter"));
    assertEquals(sorted(PlantedThreats.AHEAD), named("exporters", "clock_ahead", "exporter"));
    assertEquals(sorted(PlantedThreats.BEHIND), named("exporters", "clock_behind", "exporter"));
    assertEquals(sorted(PlantedThreats.ODD), named("exporters", "wrong_times", "exporter"));
    assertTrue(named("exporters", "usual", "exporter").size() > 20, "the crowd's exporters");
  }
}
