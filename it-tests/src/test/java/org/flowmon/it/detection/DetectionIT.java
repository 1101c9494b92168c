package org.flowmon.it.detection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.it.ProjectFiles;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.FlowWindows;
import org.flowmon.udaf.lowlevel.LowLevelCounts;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.window.WindowPart;
import org.junit.jupiter.api.Test;

/**
 * The analyses that come along over real traffic of which it is known who scans and who beacons,
 * through both levels of the live query and the report's logic. The hosts have no past: whatever
 * reaches a threshold is a scan. {@code docs/detection.md} has what comes out, and this test fails
 * where it says anything else.
 */
class DetectionIT {
  private static final String PORTSCANS = "portscans";
  private static final String SLOW_SCANS = "slow_scans";
  private static final String BEACONS = "beacons";
  private static final String ZEEK = "labelled/stratosphere/";
  private static final List<String> EXPORTED = List.of("v5", "v9", "v10");

  /**
   * A labelled set.
   *
   * @param name in the docs
   * @param files below the folder of data
   * @param scanners who scans; null where nobody has said
   * @param beacons source, destination and port of each beacon; null likewise
   * @param innocent who must never be called a scanner: victims, servers, clients
   */
  private record LabelledSet(
      String name,
      List<String> files,
      Set<String> scanners,
      Set<String> beacons,
      Set<String> innocent) {
    List<Path> paths() throws IOException {
      List<Path> paths = new ArrayList<>();
      for (String file : files) {
        Path path = ProjectFiles.data().resolve(file);
        if (!Files.isDirectory(path)) {
          paths.add(path);
          continue;
        }
        try (Stream<Path> found = Files.list(path)) {
          found
              .filter(f -> f.getFileName().toString().startsWith("conn."))
              .sorted()
              .forEach(paths::add);
        }
      }
      return paths;
    }
  }

  private static LabelledSet scan(String name, String file, String scanner, String... innocent) {
    return new LabelledSet(name, List.of(file), Set.of(scanner), null, Set.of(innocent));
  }

  private static LabelledSet noScan(String name, String file) {
    return new LabelledSet(name, List.of(file), Set.of(), null, Set.of());
  }

  private static List<LabelledSet> sets() throws IOException {
    List<LabelledSet> sets = new ArrayList<>();
    Map<String, List<String>> scans = new TreeMap<>();
    scans.put("ndpi-synscan", List.of("172.16.0.8", "64.13.134.52"));
    for (String kind : List.of("tcp_syn", "tcp_connect", "udp", "xmas_tree")) {
      scans.put("nmap-" + kind + "_scan", List.of("192.168.1.10", "192.168.1.25"));
    }
    for (String version : EXPORTED) {
      scans.forEach(
          (capture, hosts) ->
              sets.add(
                  scan(
                      capture,
                      "netflow-from-pcap/" + capture + "/export." + version + ".pcap",
                      hosts.get(0),
                      hosts.get(1))));
      for (String capture : List.of("many-protocols", "ndpi-1kxun", "pcpp-example")) {
        sets.add(noScan(capture, "netflow-from-pcap/" + capture + "/export." + version + ".pcap"));
      }
    }
    String simple = "pcap/bro-simple-scan/";
    sets.add(noScan("backscatter", simple + "backscatter.trace.gz"));
    sets.add(scan("10 ports", simple + "port_scan.pcap", "192.168.2.154", "192.168.2.22"));
    sets.add(scan("port 445", simple + "445_scan.pcap", "176.192.150.3"));
    sets.add(scan("several ports", simple + "multiport_scan.pcap", "125.27.226.209"));
    sets.add(scan("10 hosts", simple + "scan_with_zero_windows.pcap", "10.0.0.1"));
    sets.add(scan("web servers", "pcap/vast/nmap_vsn.pcap", "192.168.1.71"));
    sets.add(
        scan("slips 12, ICMP sweep", "labelled/slips/test12-icmp-portscan.pcap", "192.168.1.109"));
    sets.add(scan("slips 11, port scan", "labelled/slips/test11-portscan.binetflow", "10.8.0.69"));
    sets.add(
        scan(
            "stratosphere 002",
            ZEEK + "002-zeek-scenario-port-scanning/conn.log.gz",
            "172.16.1.11"));
    sets.add(attacked("stratosphere 008", "008-zeek-mixed", "147.32.81.167"));
    sets.add(attacked("stratosphere 010", "010-zeek-mixed", "147.32.83.234"));
    sets.add(noScan("stratosphere 001", ZEEK + "001-zeek-scenario-malicious/conn.log.gz"));
    sets.add(noScan("stratosphere 003", ZEEK + "003-zeek-scenario-malicious/conn.log"));
    sets.add(noScan("stratosphere 005", ZEEK + "005-zeek-scenario-malicious/conn.log.gz"));
    sets.add(noScan("idps benign", "labelled/idps/2023-02-20-benign/conn.log.labeled.gz"));
    sets.add(noScan("m57", "zeek/m57/conn.log.gz"));
    sets.add(
        new LabelledSet(
            "rita",
            List.of("zeek/rita-missing-host/2024-04-19", "zeek/rita-missing-host/2024-04-20"),
            null,
            Set.of("73.54.23.243 64.225.56.201 80"),
            Set.of("73.54.23.243", "64.225.56.201")));
    return sets;
  }

  /**
   * A day's log of a host under attack: scanners are those of ten targets or more by its labels.
   */
  private static LabelledSet attacked(String name, String folder, String host) throws IOException {
    String file = ZEEK + folder + "/conn.log.labeled.gz";
    Set<String> scanners = LabelledFlows.maliciousSources(ProjectFiles.data().resolve(file), 10);
    return new LabelledSet(name, List.of(file), scanners, null, Set.of(host));
  }

  /**
   * A file that comes along, with another number of targets that make a scan.
   *
   * @param targets 0: what the file says
   */
  private static AnalysisConfig analysis(String name, int targets) {
    // Old captures were exported years later: nothing is to be late.
    String text = AnalysisConfig.textOf(name).replace("lateness: 1s", "lateness: 36000d");
    if (targets > 0) {
      assertTrue(text.contains("HAVING targets >= 20 "), "what the live query lets through");
      text =
          text.replace("HAVING targets >= 20 ", "HAVING targets >= " + Math.min(20, targets) + " ")
              .replaceFirst("    targets: \\d+", "    targets: " + targets);
    }
    return AnalysisConfig.parse(name + ".yaml", text);
  }

  private static Iterable<WindowPart> windows(LiveQuery live, List<FlowBatch> batches) {
    FlowWindows windows = FlowWindows.run(batches, live.query(), live.window(), 256, 8);
    LowLevelCounts counts = windows.counts();
    assertEquals(counts.selected(), counts.counted(), "no flow is late or ahead");
    return windows.windows().values();
  }

  /** The window with a history that reaches back for ever and in which no source occurs. */
  private static WindowHistory window(AnalysisConfig analysis, WindowPart part) {
    ResultTable nobody =
        FlowQueries.run(
            List.of(),
            QueryParser.parse(
                "SELECT src_addr, COUNT(*) AS targets, COUNT(bytes) AS day FROM flows"
                    + " GROUP BY src_addr"));
    long end = part.windowEnd();
    return new WindowHistory(
        new WindowResult(
            analysis.name(),
            end - analysis.live().windowMicros(),
            end,
            part.result(),
            part.totals(),
            part.groups(),
            new ArrivalCounts(0, 0, 0, 0)),
        analysis.history() == null
            ? HistoryAnswer.NONE
            : new HistoryAnswer(
                HistoryStatus.EXACT, end, 0, end, LongRanges.NONE, Optional.of(nobody), null));
  }

  /** Who has a verdict in any window. */
  private static Set<String> named(
      AnalysisConfig analysis, List<FlowBatch> batches, String verdict, String... keys) {
    ReportLogic logic = ReportLogics.of(analysis);
    logic.open(analysis);
    Set<String> named = new TreeSet<>();
    for (WindowPart part : windows(LiveQuery.of(analysis), batches)) {
      ResultTable rows = logic.report(window(analysis, part));
      for (int row = 0; row < rows.rowCount(); row++) {
        if (rows.text(row, rows.column("verdict")).equals(verdict)) {
          List<String> cells = new ArrayList<>();
          for (String key : keys) {
            cells.add(rows.formatted(row, rows.column(key)));
          }
          named.add(String.join(" ", cells));
        }
      }
    }
    return named;
  }

  // The same traffic exported as NetFlow v5, v9 and IPFIX has one row, where it gives the same.
  private static void add(List<String> lines, String line) {
    if (!lines.contains(line)) {
      lines.add(line);
    }
  }

  /** A row of the docs' table. */
  private static String line(String set, String analysis, Set<String> truth, Set<String> named) {
    if (truth == null) {
      return "| %s | `%s` | | %d | | | | |".formatted(set, analysis, named.size());
    }
    Set<String> found = new TreeSet<>(named);
    found.retainAll(truth);
    int missed = truth.size() - found.size();
    int wrong = named.size() - found.size();
    return "| %s | `%s` | %d | %d | %d | %d | %s | %s |"
        .formatted(
            set,
            analysis,
            truth.size(),
            found.size(),
            missed,
            wrong,
            share(found.size(), named.size()),
            share(found.size(), truth.size()));
  }

  private static String share(int part, int whole) {
    return whole == 0 ? "" : String.format(Locale.ROOT, "%.2f", (double) part / whole);
  }

  /** What is found over all sets whose scanners are known, with another number of targets. */
  private static final class Threshold {
    private final String analysis;
    private final int targets;
    private int scanners;
    private int found;
    private int wrong;

    Threshold(String analysis, int targets) {
      this.analysis = analysis;
      this.targets = targets;
    }

    void add(Set<String> truth, Set<String> named) {
      scanners += truth.size();
      found += (int) named.stream().filter(truth::contains).count();
      wrong += (int) named.stream().filter(source -> !truth.contains(source)).count();
    }

    String line() {
      return "| `%s` | %d | %d | %d | %d | %s | %s |"
          .formatted(
              analysis,
              targets,
              scanners,
              found,
              wrong,
              share(found, found + wrong),
              share(found, scanners));
    }
  }

  @Test
  void theDocsSayWhatIsFoundInLabelledTrafficAndTheInnocentAreNeverNamed() throws IOException {
    List<String> lines = new ArrayList<>();
    List<String> wronged = new ArrayList<>();
    List<Threshold> thresholds = new ArrayList<>();
    for (int targets : new int[] {100, 50, 20, 10, 5}) {
      thresholds.add(new Threshold(PORTSCANS, targets));
    }
    for (int targets : new int[] {20, 10, 5}) {
      thresholds.add(new Threshold(SLOW_SCANS, targets));
    }
    Set<String> counted = new TreeSet<>(); // the same traffic in three formats counts once
    for (LabelledSet set : sets()) {
      List<FlowBatch> batches = LabelledFlows.read(set.paths());
      assertTrue(batches.size() > 0, "no flows in " + set.name());
      for (String analysis : List.of(PORTSCANS, SLOW_SCANS)) {
        Set<String> named = named(analysis(analysis, 0), batches, "scan", "src_addr");
        add(lines, line(set.name(), analysis, set.scanners(), named));
        named.stream()
            .filter(
                source ->
                    set.innocent().contains(source)
                        || (set.scanners() != null && set.scanners().isEmpty()))
            .forEach(source -> wronged.add(set.name() + ", " + analysis + ": " + source));
      }
      if (set.scanners() != null && counted.add(set.name())) {
        for (Threshold threshold : thresholds) {
          AnalysisConfig other = analysis(threshold.analysis, threshold.targets);
          threshold.add(set.scanners(), named(other, batches, "scan", "src_addr"));
        }
      }
      Set<String> beacons =
          named(analysis(BEACONS, 0), batches, "beacon", "src_addr", "dst_addr", "dst_port");
      if (set.beacons() != null || !beacons.isEmpty()) {
        add(lines, line(set.name(), BEACONS, set.beacons(), beacons));
      }
    }
    lines.forEach(System.out::println);
    assertEquals(List.of(), wronged, "innocent, and called a scanner");
    List<String> sums = thresholds.stream().map(Threshold::line).toList();
    sums.forEach(System.out::println);
    assertEquals(
        documented("<!-- DetectionIT -->"), lines, "docs/detection.md against what is found");
    assertEquals(
        documented("<!-- DetectionIT, thresholds -->"),
        sums,
        "docs/detection.md against what other thresholds find");
  }

  private static List<String> documented(String mark) throws IOException {
    List<String> lines = Files.readAllLines(ProjectFiles.root().resolve("docs/detection.md"));
    int from = lines.indexOf(mark);
    assertTrue(from >= 0, "no table " + mark + " in docs/detection.md");
    List<String> table = new ArrayList<>();
    for (String line : lines.subList(from + 3, lines.size())) {
      if (!line.startsWith("|")) {
        break;
      }
      table.add(line);
    }
    return table;
  }
}
