package org.flowmon.it.detection;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.it.ProjectFiles;

/**
 * Real traffic of which it is known who scans and who beacons.
 *
 * @param name in the docs
 * @param files below the folder of data
 * @param form how the flows are had of the files
 * @param attackers by how many targets they tried at least; empty if nobody has said who scans
 * @param beacon source, destination and port; empty if it is not said
 */
record LabelledSet(
    String name,
    List<String> files,
    Form form,
    Optional<Map<String, Integer>> attackers,
    Optional<String> beacon) {
  private static final String ZEEK = "labelled/stratosphere/";
  private static final String TUNNELS = "labelled/tunnels/";

  /** A scanner of a capture tried many; how many is not asked. */
  private static final int MANY = 1_000_000;

  enum Form {
    AS_READ,
    BOTH_WAYS,
    ONE_WAY
  }

  List<FlowBatch> flows() throws IOException {
    return switch (form) {
      case AS_READ -> LabelledFlows.read(paths());
      case BOTH_WAYS -> LabelledFlows.bothWays(paths());
      case ONE_WAY -> LabelledFlows.oneWay(paths());
    };
  }

  /** Whether it is of hours, so that a beacon is one. */
  boolean isOfADay() {
    return name.startsWith("strato")
        || name.startsWith("idps")
        || name.startsWith("m57")
        || name.startsWith("rita");
  }

  /** Whether it is a capture of a scan of a thousand ports in one of the forms of exporters. */
  boolean isExported() {
    return name.startsWith("nmap") || name.equals("ndpi-synscan");
  }

  /** The sources known to have tried at least so many targets. */
  Set<String> scanners(int targets) {
    Map<String, Integer> all = new HashMap<>(attackers.orElseThrow());
    all.values().removeIf(tried -> tried < targets);
    return new TreeSet<>(all.keySet());
  }

  /** Of the named ones those who attack nobody. */
  Set<String> innocents(Set<String> named) {
    Set<String> all = new TreeSet<>(named);
    all.removeAll(attackers.orElseThrow().keySet());
    return all;
  }

  private List<Path> paths() throws IOException {
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

  private static LabelledSet scan(String name, String file, String scanner) {
    return new LabelledSet(
        name, List.of(file), Form.AS_READ, Optional.of(Map.of(scanner, MANY)), Optional.empty());
  }

  private static LabelledSet noScan(String name, String file) {
    return new LabelledSet(
        name, List.of(file), Form.AS_READ, Optional.of(Map.of()), Optional.empty());
  }

  private LabelledSet bothWays() {
    return new LabelledSet(name, files, Form.BOTH_WAYS, attackers, beacon);
  }

  /** What clients send. */
  LabelledSet oneWay() {
    return new LabelledSet(name, files, Form.ONE_WAY, attackers, beacon);
  }

  static List<LabelledSet> all() throws IOException {
    List<LabelledSet> sets = new ArrayList<>(exported());
    String simple = "pcap/bro-simple-scan/";
    sets.add(noScan("backscatter", simple + "backscatter.trace.gz"));
    sets.add(scan("10 ports", simple + "port_scan.pcap", "192.168.2.154"));
    sets.add(scan("port 445", simple + "445_scan.pcap", "176.192.150.3"));
    sets.add(scan("several ports", simple + "multiport_scan.pcap", "125.27.226.209"));
    sets.add(scan("10 hosts", simple + "scan_with_zero_windows.pcap", "10.0.0.1"));
    sets.add(scan("web servers", "pcap/vast/nmap_vsn.pcap", "192.168.1.71"));
    sets.add(
        scan("slips 12, ICMP sweep", "labelled/slips/test12-icmp-portscan.pcap", "192.168.1.109"));
    sets.add(scan("slips 11, port scan", "labelled/slips/test11-portscan.binetflow", "10.8.0.69"));
    sets.add(noScan("bittorrent", TUNNELS + "bittorrent.pcap"));
    sets.add(noScan("6in4", TUNNELS + "6in4tunnel.pcap"));
    sets.add(noScan("dns tunnel", TUNNELS + "dns-tunnel-iodine.pcap"));
    sets.add(noScan("icmp tunnel", TUNNELS + "icmp-tunnel.pcap"));
    sets.add(
        scan(
            "stratosphere 002",
            ZEEK + "002-zeek-scenario-port-scanning/conn.log.gz",
            "172.16.1.11"));
    sets.add(attacked("stratosphere 008", "008-zeek-mixed"));
    sets.add(attacked("stratosphere 010", "010-zeek-mixed"));
    sets.add(noScan("stratosphere 001", ZEEK + "001-zeek-scenario-malicious/conn.log.gz"));
    sets.add(noScan("stratosphere 003", ZEEK + "003-zeek-scenario-malicious/conn.log"));
    sets.add(noScan("stratosphere 005", ZEEK + "005-zeek-scenario-malicious/conn.log.gz"));
    sets.add(noScan("idps benign", "labelled/idps/2023-02-20-benign/conn.log.labeled.gz"));
    sets.add(noScan("m57", "zeek/m57/conn.log.gz"));
    sets.add(
        new LabelledSet(
            "caller home",
            List.of(TUNNELS + "test-cc-capture-2.pcap"),
            Form.AS_READ,
            Optional.of(Map.of()),
            Optional.empty()));
    sets.add(
        new LabelledSet(
            "rita",
            List.of("zeek/rita-missing-host/2024-04-19", "zeek/rita-missing-host/2024-04-20"),
            Form.AS_READ,
            Optional.empty(),
            Optional.of("73.54.23.243 64.225.56.201 80")));
    return sets;
  }

  /** Captures exported as NetFlow v5, v9 and IPFIX, and with both ways in one row. */
  private static List<LabelledSet> exported() {
    Map<String, String> scanners = new TreeMap<>();
    scanners.put("ndpi-synscan", "172.16.0.8");
    for (String kind : List.of("tcp_syn", "tcp_connect", "udp", "xmas_tree")) {
      scanners.put("nmap-" + kind + "_scan", "192.168.1.10");
    }
    List<LabelledSet> sets = new ArrayList<>();
    for (String version : List.of("v5", "v9", "v10")) {
      List<LabelledSet> exported = new ArrayList<>();
      String file = "netflow-from-pcap/%s/export." + version + ".pcap";
      scanners.forEach((of, scanner) -> exported.add(scan(of, file.formatted(of), scanner)));
      for (String of : List.of("many-protocols", "ndpi-1kxun", "pcpp-example")) {
        exported.add(noScan(of, file.formatted(of)));
      }
      sets.addAll(exported);
      if (version.equals("v5")) {
        exported.forEach(set -> sets.add(set.bothWays()));
      }
    }
    return sets;
  }

  /** A day's log of a host under attack, whose attackers are labelled. */
  private static LabelledSet attacked(String name, String folder) throws IOException {
    String file = ZEEK + folder + "/conn.log.labeled.gz";
    return new LabelledSet(
        name,
        List.of(file),
        Form.AS_READ,
        Optional.of(LabelledFlows.maliciousSources(ProjectFiles.data().resolve(file))),
        Optional.empty());
  }
}
