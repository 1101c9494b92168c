package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.flowmon.bench.collect.CollectorProcess;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * pmacctd reads a capture as fast as it can and exports it over loopback to a running {@code
 * flowmon collect}. Its print plugin writes what it saw, by addresses, ports and protocol: that is
 * what is stored, or counted as lost.
 */
class PmacctdIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long ICMP = 1;
  private static final long ICMP6 = 58;

  /** The names of /etc/protocols, as pmacctd writes them. */
  private static final Map<String, Long> PROTOCOLS =
      Map.of("icmp", ICMP, "igmp", 2L, "tcp", 6L, "udp", 17L, "ipv6-icmp", ICMP6);

  // Its plugins are processes of their own, which on a busy machine send on after the first ends.
  private static final String UNTIL_ALL_END =
      "\"$0\" -f \"$1\"; code=$?; while pgrep -g $$ pmacctd; do sleep 0.1; done; exit $code";

  @TempDir static Path folder;
  private static Path capture;
  private static OneJvm jvm;

  /** Packets and bytes. */
  private record Sums(long packets, long bytes) {
    Sums plus(Sums other) {
      return new Sums(packets + other.packets, bytes + other.bytes);
    }
  }

  /** What pmacctd saw and what is stored of it. */
  private record Outcome(
      Map<String, Sums> seen, Map<String, Sums> stored, long flows, Map<String, Long> counts) {
    long packetsSeen() {
      return packets(seen);
    }

    long packetsStored() {
      return packets(stored);
    }

    private static long packets(Map<String, Sums> sums) {
      return sums.values().stream().mapToLong(Sums::packets).sum();
    }

    long count(String name) {
      return counts.getOrDefault(name, 0L);
    }
  }

  @BeforeAll
  static void start() throws IOException {
    ProjectFiles.tool("pmacctd");
    Path gz = ProjectFiles.data().resolve("netflow-from-pcap/many-protocols/source.pcap.gz");
    capture = folder.resolve("source.pcap");
    try (InputStream in = new GZIPInputStream(Files.newInputStream(gz))) {
      Files.copy(in, capture);
    }
    jvm = OneJvm.start(folder);
  }

  @AfterAll
  static void stop() {
    if (jvm != null) {
      jvm.close();
    }
  }

  /** Flows of many packets, as routers send them. */
  @ParameterizedTest
  @ValueSource(ints = {9, 10})
  void allPacketsThatPmacctdSawAreStored(int version) throws Exception {
    Outcome outcome = export("flows-" + version, version, 1, "");
    assertEquals(0, outcome.count("kernel_drops"), outcome.counts.toString());
    assertEquals(0, lost(outcome), outcome.counts.toString());
    assertEquals(outcome.flows, outcome.count("flows_decoded"), outcome.counts.toString());
    assertTrue(outcome.flows > 500, outcome.counts.toString());
    assertEquals(outcome.seen, outcome.stored, outcome.counts.toString());
  }

  /** A flow of each packet: hundreds of thousands a second. */
  @Test
  void atTheHighestRateEveryFlowIsStoredOrCounted() throws Exception {
    Outcome outcome = export("packets", 10, 40, "nfprobe_dont_cache[flows]: true");
    long sent = outcome.packetsSeen();
    assertTrue(sent > 100_000, outcome.counts.toString());
    long known = outcome.flows + lost(outcome);
    assertEquals(outcome.flows, outcome.packetsStored(), outcome.counts.toString());
    assertEquals(outcome.flows, outcome.count("flows_published"), outcome.counts.toString());
    if (outcome.count("kernel_drops") == 0) {
      assertEquals(sent, known, outcome.counts.toString());
      assertEquals(outcome.seen, outcome.stored, outcome.counts.toString());
    } else { // of the last datagrams no later sequence number tells
      assertTrue(known <= sent, outcome.counts.toString());
    }
  }

  private static long lost(Outcome outcome) {
    return outcome.count("sequence_lost_flows")
        + outcome.count("sequence_unproven_flows")
        + outcome.count("sequence_lost_datagrams")
        + outcome.count("sequence_unproven_datagrams");
  }

  private static Outcome export(String name, int version, int times, String more) throws Exception {
    Map<String, Long> counts;
    Path sums = folder.resolve(name + ".json");
    try (CollectorProcess collector =
        CollectorProcess.start(false, List.of("--bootstrap", jvm.bootstrap(), "--topic", name))) {
      Path config = folder.resolve(name + ".conf");
      List<String> lines =
          new ArrayList<>(
              List.of(
                  "daemonize: false",
                  "pcap_savefile: " + capture,
                  "pcap_savefile_replay: " + times,
                  "plugins: nfprobe[flows], print[sums]",
                  "aggregate: src_host, dst_host, src_port, dst_port, proto",
                  "nfprobe_version[flows]: " + version,
                  "nfprobe_receiver[flows]: 127.0.0.1:" + collector.port(),
                  "print_output[sums]: json",
                  "print_output_file[sums]: " + sums,
                  "print_refresh_time[sums]: 3600",
                  "plugin_pipe_size: 100000000",
                  "plugin_buffer_size: 100000"));
      lines.add(more);
      Files.write(config, lines);
      try (Program pmacctd =
          Program.start(
              folder,
              "pmacctd-" + name,
              List.of(
                  "setsid",
                  "bash",
                  "-c",
                  UNTIL_ALL_END,
                  ProjectFiles.tool("pmacctd").toString(),
                  config.toString()))) {
        assertEquals(0, pmacctd.await(), pmacctd.printed());
      }
      counts = collector.stop();
    }
    Path archive = folder.resolve("archive-" + name);
    jvm.run(name, archive, 2);
    Map<String, Sums> stored = new TreeMap<>();
    long flows = stored(archive, stored);
    return new Outcome(seen(sums), stored, flows, counts);
  }

  private static Map<String, Sums> seen(Path file) throws IOException {
    Map<String, Sums> seen = new TreeMap<>();
    for (String line : Files.readAllLines(file)) {
      JsonNode sum = JSON.readTree(line);
      add(
          seen,
          sum.get("ip_src").asText(),
          sum.get("ip_dst").asText(),
          sum.get("port_src").asLong(),
          sum.get("port_dst").asLong(),
          PROTOCOLS.get(sum.get("ip_proto").asText()),
          new Sums(sum.get("packets").asLong(), sum.get("bytes").asLong()));
    }
    return seen;
  }

  /** Fills in the sums; returns the number of flows. */
  private static long stored(Path archive, Map<String, Sums> stored) throws IOException {
    ResultTable table =
        OneJvm.query(
            archive,
            "SELECT src_addr, dst_addr, src_port, dst_port, protocol, SUM(packets) AS p,"
                + " SUM(bytes) AS b, COUNT(*) AS n FROM flows GROUP BY src_addr, dst_addr,"
                + " src_port, dst_port, protocol");
    long flows = 0;
    for (int r = 0; r < table.rowCount(); r++) {
      add(
          stored,
          table.formatted(r, 0),
          table.formatted(r, 1),
          table.longValue(r, 2),
          table.longValue(r, 3),
          table.longValue(r, 4),
          new Sums(table.longValue(r, 5), table.longValue(r, 6)));
      flows += table.longValue(r, 7);
    }
    return flows;
  }

  private static void add(
      Map<String, Sums> sums,
      String from,
      String to,
      long fromPort,
      long toPort,
      long protocol,
      Sums more) {
    boolean hasPorts = protocol != ICMP && protocol != ICMP6; // else it has a type and a code
    String key =
        IpAddress.parse(from)
            + " "
            + IpAddress.parse(to)
            + " "
            + (hasPorts ? fromPort + " " + toPort : "")
            + " "
            + protocol;
    sums.merge(key, more, Sums::plus);
  }
}
