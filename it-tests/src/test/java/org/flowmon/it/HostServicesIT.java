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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.flowmon.deploy.Flowmon;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The TCP services that {@code flowmon host} lists are those that tshark sees in the packets: who
 * gets the first SYN of a connection is the server.
 */
class HostServicesIT {
  private static final List<String> SOURCES =
      List.of("export.v5.pcap", "export.v9.pcap", "export.v10.pcap", "source.pcap");

  @TempDir Path folder;

  /** The ports of a host, as server and as client, and those of connections begun before. */
  private record Ports(Set<Long> offered, Set<Long> used, Set<Long> own, Set<Long> others) {
    Ports() {
      this(new TreeSet<>(), new TreeSet<>(), new HashSet<>(), new HashSet<>());
    }
  }

  /** Bytes that nfdump counts from and to a port of a host, as {@code ADDRESS PORT}. */
  private record Bytes(Map<String, Long> sent, Map<String, Long> received) {}

  private static Map<String, Ports> ports(Path capture) throws Exception {
    Process tshark =
        new ProcessBuilder(
                ProjectFiles.tool("tshark").toString(),
                "-n",
                "-r",
                capture.toString(),
                "-Y",
                "tcp && !icmp",
                "-T",
                "fields",
                "-E",
                "occurrence=f",
                "-e",
                "tcp.stream",
                "-e",
                "ip.src",
                "-e",
                "ipv6.src",
                "-e",
                "tcp.srcport",
                "-e",
                "ip.dst",
                "-e",
                "ipv6.dst",
                "-e",
                "tcp.dstport",
                "-e",
                "tcp.flags")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    Map<String, Ports> hosts = new TreeMap<>();
    Set<String> streams = new HashSet<>();
    for (String line : tshark.inputReader().lines().toList()) {
      String[] cells = line.split("\t", -1);
      if (streams.add(cells[0])) {
        String source = cells[1].isEmpty() ? cells[2] : cells[1];
        String target = cells[4].isEmpty() ? cells[5] : cells[4];
        long from = Long.parseLong(cells[3]);
        long to = Long.parseLong(cells[6]);
        Ports ofSource = hosts.computeIfAbsent(source, host -> new Ports());
        Ports ofTarget = hosts.computeIfAbsent(target, host -> new Ports());
        if ((Integer.decode(cells[7]) & 0x12) == 0x02) {
          ofSource.used().add(to);
          ofTarget.offered().add(to);
        } else {
          ofSource.own().add(from);
          ofSource.others().add(to);
          ofTarget.own().add(to);
          ofTarget.others().add(from);
        }
      }
    }
    assertEquals(0, tshark.waitFor());
    return hosts;
  }

  private static Bytes bytes(Path expected) throws IOException {
    Bytes bytes = new Bytes(new TreeMap<>(), new TreeMap<>());
    for (String line : ProjectFiles.lines(expected)) {
      String[] cells = line.split(",", -1);
      if (cells.length > 12 && cells[7].equals("TCP")) {
        long count = Long.parseLong(cells[12]);
        bytes.sent().merge(cells[3] + " " + cells[5], count, Long::sum);
        bytes.received().merge(cells[4] + " " + cells[6], count, Long::sum);
      }
    }
    return bytes;
  }

  private JsonNode host(Path archive, String address) throws IOException {
    CommandRun run =
        CommandRun.of(
            Flowmon.commandLine(),
            "host",
            address,
            "--archive",
            archive.toString(),
            "--json",
            "--limit",
            "100000");
    assertEquals(0, run.code(), run.err());
    return new ObjectMapper().readTree(run.out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"many-protocols", "ndpi-1kxun", "ndpi-synscan", "pcpp-example"})
  void theServicesOfAHostAreThoseOfTheFirstSyn(String name) throws Exception {
    Path captures = ProjectFiles.data().resolve("netflow-from-pcap").resolve(name);
    Path packets = folder.resolve("source.pcap");
    try (InputStream in = ProjectFiles.open(captures.resolve("source.pcap.gz"))) {
      Files.copy(in, packets);
    }
    Map<String, Ports> hosts = ports(packets);
    for (String source : SOURCES) {
      Path archive = folder.resolve(source + "-archive");
      Path file = source.equals("source.pcap") ? packets : captures.resolve(source);
      List<String> load =
          new ArrayList<>(List.of("import", file.toString(), "--archive", archive.toString()));
      if (file.equals(packets)) {
        load.add("--from-packets");
      }
      CommandRun loaded = CommandRun.of(Flowmon.commandLine(), load.toArray(String[]::new));
      assertTrue(loaded.code() <= 1, loaded.err());
      Bytes bytes =
          source.equals("export.v9.pcap")
              ? bytes(captures.resolve("expected.v9.csv.gz"))
              : new Bytes(Map.of(), Map.of());
      int compared = 0;
      for (Map.Entry<String, Ports> host : hosts.entrySet()) {
        // NetFlow v5 has no addresses of IPv6.
        if (!source.contains("v5") || !host.getKey().contains(":")) {
          compared +=
              check(host(archive, host.getKey()), host.getKey(), host.getValue(), bytes, source);
        }
      }
      assertTrue(compared > 10, source + ": " + compared + " services");
    }
  }

  private static int check(JsonNode said, String host, Ports ports, Bytes bytes, String source) {
    String at = source + ", " + host;
    Set<Long> offered = new TreeSet<>();
    Set<Long> used = new TreeSet<>();
    for (JsonNode service : said.path("services")) {
      if (service.path("protocol").asLong() != 6) {
        continue;
      }
      long port = service.path("port").asLong(-1);
      boolean isOffered = service.path("side").asText().equals("offers");
      boolean isOld = isOffered ? ports.own().contains(port) : ports.others().contains(port);
      if (!isOld) {
        (isOffered ? offered : used).add(port);
        if (isOffered && bytes.sent().containsKey(host + " " + port)) {
          assertEquals(bytes.sent().get(host + " " + port), service.path("sent").asLong(), at);
          assertEquals(
              bytes.received().get(host + " " + port), service.path("received").asLong(), at);
        }
      }
    }
    Set<Long> expectedOffered = new TreeSet<>(ports.offered());
    expectedOffered.removeAll(ports.own());
    Set<Long> expectedUsed = new TreeSet<>(ports.used());
    expectedUsed.removeAll(ports.others());
    assertEquals(expectedOffered, offered, at + ": offers");
    assertEquals(expectedUsed, used, at + ": uses");
    return offered.size() + used.size();
  }
}
