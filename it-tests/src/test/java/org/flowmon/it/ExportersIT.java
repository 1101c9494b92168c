package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real exporters (softflowd, nfreplay), each a process of its own, send to a running {@code flowmon
 * collect}: what they sent is what is stored and what is counted as dropped.
 *
 * <p>softflowd says itself how many records it exported, and exports to nfcapd at the same time;
 * nfdump says what nfcapd got and what is in the file that nfreplay sends.
 */
class ExportersIT {
  private static final List<String> CAPTURES = List.of("ndpi-synscan", "many-protocols");

  /** The versions of softflowd's exports and the source kinds of flowmon. */
  private static final Map<Integer, Integer> SOURCE_KINDS = Map.of(5, 1, 9, 2, 10, 3);

  private static final Pattern EXPORTED =
      Pattern.compile(
          "Flows exported: \\d+ \\((\\d+) records\\) in (\\d+) packets \\(0 failures\\)");

  @TempDir static Path folder;
  private static OneJvm jvm;

  @BeforeAll
  static void start() throws IOException {
    ProjectFiles.data();
    for (String tool : List.of("softflowd", "nfcapd", "nfdump", "nfreplay")) {
      ProjectFiles.tool(tool);
    }
    for (String capture : CAPTURES) {
      Path gz = ProjectFiles.data().resolve("netflow-from-pcap").resolve(capture);
      try (InputStream in = ProjectFiles.open(gz.resolve("source.pcap.gz"))) {
        Files.copy(in, pcap(capture));
      }
    }
    jvm = OneJvm.start(folder);
  }

  @AfterAll
  static void stop() {
    if (jvm != null) {
      jvm.close();
    }
  }

  @Test
  void everyFlowThatSoftflowdAndNfreplaySendIsStored() throws Exception {
    Counts expected = new Counts();
    long sent = 0;
    long datagrams = 0;
    String counts;
    try (Program collector = collector("exporters", 1 << 24)) {
      int port = port(collector);
      Map<Integer, Path> received = new TreeMap<>();
      for (int version : SOURCE_KINDS.keySet()) {
        Path flows = Files.createDirectory(folder.resolve("nfcapd-" + version));
        int other = EmbeddedKafka.freePort();
        try (Program nfcapd = nfcapd(flows, other)) {
          long records = 0;
          for (String capture : CAPTURES) {
            Matcher said = softflowd(capture, version, port, other);
            records += Long.parseLong(said.group(1));
            datagrams += Long.parseLong(said.group(2));
          }
          received.put(version, onlyFile(nfcapd, flows));
          Counts taken = nfdump(received.get(version), SOURCE_KINDS.get(version));
          assertEquals(records, taken.flows(), "softflowd and nfcapd, version " + version);
          expected.add(taken);
          sent += records;
        }
      }
      Path file = repeated(received.get(5), 8); // what came as v5 can be sent as v5
      for (int version : List.of(5, 9)) {
        nfreplay(file, version, port, 0); // as fast as it can
        Counts replayed = nfdump(file, SOURCE_KINDS.get(version));
        expected.add(replayed);
        sent += replayed.flows();
      }
      counts = end(collector);
    }
    assertEquals(sent, expected.flows());
    assertEquals(0, count(counts, "kernel_drops"), counts);
    assertEquals(0, count(counts, "flows_failed"), counts);
    assertEquals(0, count(counts, "sequence_lost_flows"), counts);
    assertEquals(0, count(counts, "sequence_unproven_flows"), counts);
    assertEquals(0, count(counts, "sequence_lost_datagrams"), counts);
    assertEquals(0, count(counts, "sequence_unproven_datagrams"), counts);
    assertEquals(0, count(counts, "flows_dropped_no_template"), counts);
    assertEquals(sent, count(counts, "flows_decoded"), counts);
    assertEquals(sent, count(counts, "flows_published"), counts);
    assertTrue(count(counts, "datagrams_received") > datagrams, counts);
    assertEquals(count(counts, "datagrams_received"), count(counts, "datagrams_decoded"), counts);

    assertEquals(expected.sums, stored("exporters").sums, counts);
  }

  @Test
  void flowsThatTheKernelDroppedAreCountedByTheirSequenceNumbers() throws Exception {
    Path one = Files.createDirectory(folder.resolve("nfcapd-once"));
    int other = EmbeddedKafka.freePort();
    Path file;
    try (Program nfcapd = nfcapd(one, other)) {
      softflowd(CAPTURES.get(0), 5, other);
      file = onlyFile(nfcapd, one);
    }
    Path many = repeated(file, 8);
    long sent = nfdump(many, SOURCE_KINDS.get(5)).flows();

    String counts;
    try (Program collector = collector("dropped", 1 << 16)) {
      int port = port(collector);
      try (Program nfreplay = startNfreplay(many, 5, port, 5_000)) {
        Thread.sleep(500);
        signal(collector, "STOP"); // its buffer runs over
        Thread.sleep(1_000);
        signal(collector, "CONT"); // and what is sent now tells how much is missing
        assertEquals(0, nfreplay.await(), nfreplay.printed());
      }
      counts = end(collector);
    }
    long lost = // the exporter is not known yet
        count(counts, "sequence_lost_flows") + count(counts, "sequence_unproven_flows");
    assertTrue(count(counts, "kernel_drops") > 0, counts);
    assertTrue(lost >= count(counts, "kernel_drops"), counts);
    assertEquals(0, count(counts, "flows_failed"), counts);
    assertEquals(sent, stored("dropped").flows() + lost, counts);
  }

  // ---- The collector ---------------------------------------------------------------------------

  private static Program collector(String topic, int receiveBuffer) throws IOException {
    return Program.flowmon(
        folder,
        "collect-" + topic,
        "collect",
        "--listen",
        "127.0.0.1:0",
        "--bootstrap",
        jvm.bootstrap(),
        "--topic",
        topic,
        "--receive-buffer",
        Integer.toString(receiveBuffer));
  }

  /** Waits until it listens, and says where. */
  private static int port(Program collector) throws Exception {
    Matcher listening = collector.awaitLine(Pattern.compile("listening on \\S*:(\\d+), writing"));
    return Integer.parseInt(listening.group(1));
  }

  /** Ends it as a service manager would, and returns its last counts. */
  private static String end(Program collector) throws Exception {
    collector.stop();
    List<String> lines = collector.output().lines().toList();
    assertEquals(1, lines.size(), collector.printed());
    return lines.get(0);
  }

  private static long count(String counts, String name) {
    Matcher matcher = Pattern.compile("\\b" + name + "=(\\d+)").matcher(counts);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }

  private static void signal(Program program, String signal) throws Exception {
    List<String> command = List.of("kill", "-" + signal, Long.toString(program.pid()));
    try (Program kill = Program.start(folder, "kill", command)) {
      assertEquals(0, kill.await(), kill.printed());
    }
  }

  /** Archives a topic and counts what is there, per kind of source and source address. */
  private static Counts stored(String topic) throws IOException {
    Path archive = folder.resolve("archive-" + topic);
    jvm.run(topic, archive, 2);
    ResultTable table =
        OneJvm.query(
            archive,
            "SELECT source_kind, src_addr, COUNT(*) AS n, SUM(packets) AS p, SUM(bytes) AS b FROM"
                + " flows GROUP BY source_kind, src_addr");
    Counts counts = new Counts();
    for (int r = 0; r < table.rowCount(); r++) {
      counts.add(
          table.formatted(r, 0) + " " + table.formatted(r, 1),
          table.longValue(r, 2),
          table.longValue(r, 3),
          table.longValue(r, 4));
    }
    return counts;
  }

  // ---- The exporters ---------------------------------------------------------------------------

  private static Path pcap(String capture) {
    return folder.resolve(capture + ".pcap");
  }

  /** Exports a capture to every port, at the same time; returns what softflowd said of it. */
  private static Matcher softflowd(String capture, int version, int... ports) throws Exception {
    List<String> to = new ArrayList<>();
    for (int port : ports) {
      to.add("127.0.0.1:" + port);
    }
    List<String> command =
        List.of(
            ProjectFiles.tool("softflowd").toString(),
            "-r",
            pcap(capture).toString(),
            "-n",
            String.join(",", to),
            "-v",
            Integer.toString(version),
            "-6",
            "-m",
            "100000",
            "-a",
            "-d",
            "-p",
            folder.resolve("softflowd.pid").toString(),
            "-c",
            "none");
    try (Program softflowd = Program.start(folder, "softflowd", command)) {
      assertEquals(0, softflowd.await(), softflowd.printed());
      return softflowd.awaitLine(EXPORTED);
    }
  }

  private static void nfreplay(Path file, int version, int port, int delayMicros) throws Exception {
    try (Program nfreplay = startNfreplay(file, version, port, delayMicros)) {
      assertEquals(0, nfreplay.await(), nfreplay.printed());
    }
  }

  private static Program startNfreplay(Path file, int version, int port, int delayMicros)
      throws IOException {
    return Program.start(
        folder,
        "nfreplay",
        List.of(
            ProjectFiles.tool("nfreplay").toString(),
            "-H",
            "127.0.0.1",
            "-p",
            Integer.toString(port),
            "-v",
            Integer.toString(version),
            "-d",
            Integer.toString(delayMicros),
            "-r",
            file.toString()));
  }

  // ---- nfdump ----------------------------------------------------------------------------------

  private static Program nfcapd(Path flows, int port) throws Exception {
    Program nfcapd =
        Program.start(
            folder,
            flows.getFileName().toString(),
            List.of(
                ProjectFiles.tool("nfcapd").toString(),
                "-b",
                "127.0.0.1",
                "-p",
                Integer.toString(port),
                "-w",
                flows.toString(),
                "-t",
                "3600",
                "-B",
                "4000000"));
    nfcapd.awaitLine(Pattern.compile("Startup nfcapd"));
    return nfcapd;
  }

  /** Ends nfcapd when it has taken what was sent; returns its file. */
  private static Path onlyFile(Program nfcapd, Path flows) throws Exception {
    Thread.sleep(1_000); // it does not say when its socket is empty
    nfcapd.stop();
    try (Stream<Path> files = Files.list(flows)) {
      List<Path> all = files.toList();
      assertEquals(1, all.size(), all + "\n" + nfcapd.printed());
      return all.get(0);
    }
  }

  /**
   * A file that holds the flows of another so many times, in the order of their times: where those
   * fall back nfreplay's uptime does, which is an exporter's restart.
   */
  private static Path repeated(Path file, int times) throws Exception {
    Path copies = Files.createTempDirectory(folder, "copies");
    for (int i = 0; i < times; i++) {
      Files.copy(file, copies.resolve("nfcapd.20260101000" + i));
    }
    Path all = folder.resolve(copies.getFileName() + ".nfcapd");
    List<String> command =
        List.of(
            ProjectFiles.tool("nfdump").toString(),
            "-R",
            copies.toString(),
            "-O",
            "tstart",
            "-w",
            all.toString());
    try (Program nfdump = Program.start(folder, "nfdump", command)) {
      assertEquals(0, nfdump.await(), nfdump.printed());
    }
    return all;
  }

  /** What nfdump reads in a file, as flows of a kind of source. */
  private static Counts nfdump(Path file, int sourceKind) throws Exception {
    List<String> command =
        List.of(ProjectFiles.tool("nfdump").toString(), "-r", file.toString(), "-q", "-o", "csv");
    try (Program nfdump = Program.start(folder, "nfdump", command)) {
      assertEquals(0, nfdump.await(), nfdump.printed());
      Counts counts = new Counts();
      for (String line : nfdump.output().lines().toList()) {
        String[] cells = line.split(",", -1);
        String source = IpAddress.parse(cells[3].strip()).toString();
        counts.add(
            sourceKind + " " + source, 1, Long.parseLong(cells[11]), Long.parseLong(cells[12]));
      }
      return counts;
    }
  }

  /** Flows, packets and bytes per kind of source and source address. */
  private static final class Counts {
    private final Map<String, List<Long>> sums = new TreeMap<>();

    void add(String key, long flows, long packets, long bytes) {
      sums.merge(
          key,
          List.of(flows, packets, bytes),
          (a, b) -> List.of(a.get(0) + b.get(0), a.get(1) + b.get(1), a.get(2) + b.get(2)));
    }

    void add(Counts other) {
      other.sums.forEach((key, sum) -> add(key, sum.get(0), sum.get(1), sum.get(2)));
    }

    long flows() {
      return sums.values().stream().mapToLong(sum -> sum.get(0)).sum();
    }
  }
}
