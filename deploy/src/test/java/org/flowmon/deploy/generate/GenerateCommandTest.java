package org.flowmon.deploy.generate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.export.ExportedFlows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class GenerateCommandTest {
  private static final String SCENARIO =
      """
      duration: 20s
      flows_per_second: 200
      attacks:
        - {type: scan, name: sweep, begin: 2s, hosts: 50, ports: 2, first_port: 22}
        - {type: exfiltration, name: theft, bytes: 9000000000, flows: 2}
        - {type: ddos, name: flood, begin: 5s, duration: 5s, flows_per_second: 100}
      routers:
        - {protocol: netflow_v9, domain: 7, sampling: 10}
        - {protocol: ipfix, domain: 8, clock_skew: -1s}
        - {protocol: sflow, domain: 9, sampling: 100}
      """;

  @TempDir Path folder;

  private Path scenario() throws IOException {
    return Files.writeString(folder.resolve("mine.yaml"), SCENARIO);
  }

  private static CommandRun generate(Object... arguments) {
    List<Object> all = new ArrayList<>(List.of("generate"));
    all.addAll(Arrays.asList(arguments));
    CommandRun run = CommandRun.of(all.toArray());
    assertEquals(0, run.code(), run.err());
    return run;
  }

  private static CommandRun refused(Object... arguments) {
    List<Object> all = new ArrayList<>(List.of("generate"));
    all.addAll(Arrays.asList(arguments));
    CommandRun run = CommandRun.of(all.toArray());
    assertEquals(2, run.code(), run.err());
    return run;
  }

  private static String ask(Path archive, String select) {
    CommandRun run =
        CommandRun.of(
            "query", "--archive", archive, "--format", "csv", "SELECT " + select + " FROM flows");
    assertEquals(0, run.code(), run.err());
    return run.out().lines().skip(1).findFirst().orElseThrow();
  }

  private Path imported(Path file) {
    Path archive = folder.resolve(file.getFileName() + ".archive");
    CommandRun run = CommandRun.of("import", file, "--archive", archive);
    assertEquals(0, run.code(), run.err());
    assertTrue(run.out().contains("; lost: nothing"), run.out());
    return archive;
  }

  @Test
  void theSameSeedGivesTheSameBytes() throws Exception {
    for (String name : List.of("x.pcap", "x.pcap.gz", "x.csv", "x.json", "x.parquet")) {
      List<byte[]> files = new ArrayList<>();
      for (String seed : List.of("5", "5", "6")) {
        Path file = folder.resolve(name);
        Path labels = folder.resolve("labels.csv");
        generate(scenario(), "--seed", seed, "--to", file, "--labels", labels, "--force");
        files.add(Files.readAllBytes(file));
        files.add(Files.readAllBytes(labels));
      }
      assertArrayEquals(files.get(0), files.get(2), name);
      assertArrayEquals(files.get(1), files.get(3), name);
      assertFalse(Arrays.equals(files.get(0), files.get(4)), name);
      assertFalse(Arrays.equals(files.get(1), files.get(5)), name);
    }
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void importOfACaptureIsWhatTheRoutersSaw(Protocol protocol) throws Exception {
    Path capture = folder.resolve("x.pcap");
    Path rows = folder.resolve("x.csv");
    generate(scenario(), "--protocol", protocol, "--to", capture);
    generate(scenario(), "--protocol", protocol, "--to", rows);
    boolean split = protocol == Protocol.SFLOW; // a row for each packet
    boolean counted = protocol == Protocol.IPFIX; // others split flows of more than 4 GB
    String sums = "SUM(bytes), SUM(packets)";
    String more =
        ", COUNT(*), SUM(src_port), SUM(dst_port), SUM(protocol), SUM(tos), SUM(src_as),"
            + " SUM(dst_as), SUM(input_if), SUM(sampling_rate), MIN(start_time), MAX(end_time),"
            + " COUNT(DISTINCT src_addr), COUNT(DISTINCT dst_addr)";
    Path expected = imported(rows);
    Path found = imported(capture);
    assertEquals(ask(expected, sums), ask(found, sums));
    assertEquals(
        ask(expected, "COUNT(DISTINCT src_addr), COUNT(DISTINCT dst_addr)"),
        ask(found, "COUNT(DISTINCT src_addr), COUNT(DISTINCT dst_addr)"));
    if (counted) {
      assertEquals(ask(expected, sums + more), ask(found, sums + more));
    }
    if (split) {
      assertEquals(ask(expected, "SUM(packets)"), ask(found, "COUNT(*)"));
    }
  }

  @Test
  void anArchiveIsWhatImportMakesOfTheFile() throws Exception {
    Path file = folder.resolve("x.csv");
    Path archive = folder.resolve("archive");
    generate(scenario(), "--to", file);
    generate(scenario(), "--to", "archive:" + archive);
    assertEquals(
        ExportedFlows.sorted(ExportedFlows.rows(imported(file))),
        ExportedFlows.sorted(ExportedFlows.rows(archive)));
    CommandRun again = CommandRun.of("generate", scenario(), "--to", "archive:" + archive);
    assertEquals(3, again.code(), again.err());
    String flows = ask(archive, "COUNT(*)");
    generate(scenario(), "--to", "archive:" + archive, "--force");
    assertEquals(2 * Long.parseLong(flows), Long.parseLong(ask(archive, "COUNT(*)")));
  }

  @Test
  void labelsHaveTheFlowsOfAttacksAndNoOthers() throws Exception {
    Path rows = folder.resolve("x.csv");
    Path labels = folder.resolve("labels.csv");
    CommandRun run = generate(scenario(), "--to", rows, "--labels", labels);
    List<String> lines = Files.readAllLines(labels);
    assertTrue(lines.get(0).startsWith("attack,type,start_time,end_time,src_addr,"), lines.get(0));
    for (String attack : List.of("sweep,scan", "theft,exfiltration", "flood,ddos")) {
      long labelled = lines.stream().filter(line -> line.startsWith(attack + ",")).count();
      String name = attack.substring(0, attack.indexOf(','));
      String type = attack.substring(attack.indexOf(',') + 1);
      assertTrue(labelled > 0, attack);
      assertTrue(
          run.err().contains(String.format("of them %,d of %s (%s)", labelled, name, type)),
          run.err());
    }
    List<String> flows = Files.readAllLines(rows);
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      assertTrue(
          flows.stream()
              .anyMatch(
                  flow ->
                      flow.contains(cells[2])
                          && flow.contains(cells[4] + "," + cells[5] + "," + cells[6])),
          line);
    }
  }

  @Test
  void tsharkReadsACaptureOfEveryProtocolWithoutComplaint() throws Exception {
    requireTshark();
    // tshark takes its time for each packet, and sFlow has a record for each of a flow's.
    Path scenario =
        Files.writeString(
            folder.resolve("short.yaml"),
            SCENARIO
                .replace("duration: 20s", "duration: 10s")
                .replace("bytes: 9000000000", "bytes: 90000000"));
    for (Protocol protocol : Protocol.values()) {
      Path capture = folder.resolve(protocol + ".pcap");
      generate(scenario, "--protocol", protocol, "--to", capture);
      List<String> lines =
          run(
              List.of(
                  "tshark",
                  "-n",
                  "-o",
                  "ip.check_checksum:TRUE",
                  "-r",
                  capture.toString(),
                  "-T",
                  "fields",
                  "-E",
                  "separator=;",
                  "-e",
                  "_ws.malformed",
                  "-e",
                  "_ws.expert.message",
                  "-e",
                  "frame.protocols"));
      assertFalse(lines.isEmpty());
      String expected = protocol == Protocol.SFLOW ? ":udp:sflow" : ":udp:cflow";
      for (String line : lines) {
        // Of sampled packets it remarks how a connection begins and ends.
        String plain = protocol == Protocol.SFLOW ? line.replaceFirst(";[^;]*;", ";;") : line;
        assertTrue(plain.startsWith(";;eth:ethertype:ip" + expected), protocol + ": " + line);
      }
    }
  }

  private static void requireTshark() throws InterruptedException {
    boolean there;
    try {
      there = new ProcessBuilder("tshark", "--version").start().waitFor() == 0;
    } catch (IOException e) {
      there = false;
    }
    if (!there && "1".equals(System.getenv("FLOWMON_REQUIRE_TOOLS"))) {
      fail("tshark is not installed, and FLOWMON_REQUIRE_TOOLS=1");
    }
    if (!there) {
      abort("skipped: tshark is not installed");
    }
  }

  private List<String> run(List<String> command) throws IOException, InterruptedException {
    Path errors = folder.resolve("errors.txt");
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    List<String> lines =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    assertEquals(0, process.waitFor(), () -> command + ": " + errors);
    return lines;
  }

  @Test
  void aTraceIsPlayedAgainWithItsTimesShifted() throws Exception {
    Path rows = folder.resolve("x.csv");
    generate(scenario(), "--to", rows, "--protocol", "ipfix", "--flows", "2000");
    Path recorded = imported(rows);
    String sums = "COUNT(*), SUM(bytes), SUM(packets), SUM(src_port), SUM(duration)";
    for (Object from : List.of(rows, recorded)) {
      Path capture = folder.resolve("y.pcap");
      generate("--from", from, "--to", capture, "--force");
      Path once = imported(capture);
      assertEquals(ask(recorded, sums), ask(once, sums));
      assertEquals(
          ask(recorded, "MIN(start_time), MAX(end_time)"),
          ask(once, "MIN(start_time), MAX(end_time)"));
      Path looped = folder.resolve("z.pcap");
      generate(
          "--from",
          from,
          "--loop",
          "3",
          "--start",
          "2027-02-03T00:00:00Z",
          "--to",
          looped,
          "--force");
      Path thrice = imported(looped);
      assertEquals(thrice(ask(recorded, sums)), ask(thrice, sums));
      assertEquals(
          "2027-02-03T00:00:00Z", ask(thrice, "MIN(TIME_BUCKET(arrival, INTERVAL '1' MINUTE))"));
      deleteArchive(once);
      deleteArchive(thrice);
    }
  }

  private static String thrice(String sums) {
    return Stream.of(sums.split(","))
        .map(sum -> Long.toString(3 * Long.parseLong(sum)))
        .reduce((a, b) -> a + "," + b)
        .orElseThrow();
  }

  private static void deleteArchive(Path archive) throws IOException {
    try (Stream<Path> all = Files.walk(archive)) {
      for (Path path : all.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(path);
      }
    }
  }

  @Test
  void bothDirectionsOfARowAreExported() throws Exception {
    Path rows =
        Files.writeString(
            folder.resolve("in.csv"),
            """
            end_time,src_addr,dst_addr,src_port,dst_port,protocol,bytes,packets,reverse_bytes,reverse_packets
            2026-01-05T08:00:00Z,10.0.0.1,192.0.2.9,1000,80,6,500,5,7000,7
            2026-01-05T08:00:01Z,10.0.0.1,192.0.2.9,1001,80,6,500,5,0,0
            2026-01-05T08:00:02Z,,192.0.2.9,1001,80,6,500,5,0,0
            """);
    Path capture = folder.resolve("out.pcap");
    CommandRun run = generate("--from", rows, "--to", capture);
    assertEquals("3,8000,17", ask(imported(capture), "COUNT(*), SUM(bytes), SUM(packets)"));
    assertTrue(run.err().contains("left out, as no router can export them: 1 flows"), run.err());
  }

  @Test
  void udpArrivesOnLoopbackAtTheRateAskedFor() throws Exception {
    try (DatagramChannel channel = DatagramChannel.open()) {
      channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      channel.configureBlocking(false);
      int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
      long start = System.nanoTime();
      CommandRun run = // a scenario with the same rate at each hour
          generate(
              "beacon",
              "--protocol",
              "netflow_v5",
              "--rate",
              "500",
              "--flows",
              "500",
              "--to",
              "udp:" + port);
      double seconds = (System.nanoTime() - start) / 1e9;
      assertTrue(seconds > 0.8, "500 flows at 500/s took " + seconds + " s: " + run.err());
      ByteBuffer buffer = ByteBuffer.allocate(2_000);
      int flows = 0;
      while (channel.receive(buffer.clear()) != null) {
        assertEquals(5, buffer.getShort(0));
        flows += buffer.getShort(2);
      }
      assertEquals(500, flows);
      generate("beacon", "--fast", "--flows", "5", "--to", "udp://127.0.0.1:" + port);
      assertNotNull(channel.receive(buffer.clear()), "as flowmon collect has its addresses");
    }
  }

  @Test
  void bundledScenariosAreListedAndShown() {
    CommandRun listed = generate("--list");
    for (String name : ScenarioFile.BUNDLED) {
      assertTrue(listed.out().contains(name + " "), listed.out());
      assertEquals(ScenarioFile.textOf(name), generate("--show", name).out());
    }
  }

  @Test
  void wrongArgumentsAreNamedAndNothingIsWritten() throws Exception {
    Path there = Files.writeString(folder.resolve("there.csv"), "mine");
    assertTrue(refused("scan").err().contains("--to is missing"));
    assertTrue(refused("--to", "x.csv").err().contains("either a scenario or --from"));
    assertTrue(refused("scam", "--to", "x.csv").err().contains("no scenario 'scam'"));
    assertTrue(refused("scan", "--to", there).err().contains("the file exists; --force"));
    assertTrue(refused("scan", "--to", "x.doc").err().contains("its name tells no format"));
    assertTrue(refused("scan", "--to", "udp:0").err().contains("a port of 1…65535"));
    assertTrue(refused("scan", "--to", "udp:x").err().contains("expected udp:PORT"));
    assertTrue(refused("scan", "--to", "x.csv", "--loop", "2").err().contains("--loop is for"));
    assertTrue(refused("scan", "--to", "x.csv", "--fast").err().contains("for UDP"));
    assertTrue(refused("scan", "--to", "x.csv", "--rate", "0").err().contains("more than 0"));
    assertTrue(refused("scan", "--to", "x.csv", "--for", "0s").err().contains("--for: expected"));
    assertTrue(refused("scan", "--protocol", "v7", "--to", "x.csv").err().contains("NETFLOW_V9"));
    Path labels = folder.resolve("labels.csv");
    refused("scan", "--to", there, "--labels", labels);
    assertEquals("mine", Files.readString(there));
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(there), files.toList());
    }
  }
}
