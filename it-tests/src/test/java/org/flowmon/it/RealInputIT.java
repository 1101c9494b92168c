package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Real logs and exports through Kafka and the job: what is in the archive and what is reported
 * equals what independent tools and brute force say.
 */
class RealInputIT {
  private static final int TOP = 20;
  // So that nothing is late, however long a connection was or how old a capture is.
  private static final String NEVER_LATE = "36000d";

  @TempDir static Path folder;
  private static OneJvm jvm;

  @BeforeAll
  static void start() {
    ProjectFiles.data();
    jvm = OneJvm.start(folder);
  }

  @AfterAll
  static void stop() {
    if (jvm != null) {
      jvm.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"2024-04-19", "2024-04-20"})
  void zeekConnectionsOfADayAreArchivedAndReportedExactly(String day) throws Exception {
    Path rita = ProjectFiles.data().resolve("zeek/rita-missing-host");
    List<Path> logs = files(rita.resolve(day), ".log.gz");
    assertZeek("rita" + day.replace("-", ""), logs, rita.resolve("exact-" + day + ".tsv.gz"));
  }

  @Test
  void zeekConnectionsOfASmallOfficeAreArchivedAndReportedExactly() throws Exception {
    Path m57 = ProjectFiles.data().resolve("zeek/m57");
    assertZeek("m57", List.of(m57.resolve("conn.log.gz")), m57.resolve("exact.tsv.gz"));
  }

  private static void assertZeek(String name, List<Path> logs, Path exact) throws Exception {
    Path archive = folder.resolve("archive-" + name);
    long published = OneJvm.publish(jvm.bootstrap(), name, logs);
    jvm.run(name, archive, 2, OneJvm.elephants(name + "_talkers", "1h", NEVER_LATE));

    Map<String, String> expected = new TreeMap<>();
    long connections = 0;
    for (String line : ProjectFiles.lines(exact)) {
      String[] cells = line.split("\t", -1);
      if (!line.startsWith("#") && !cells[0].equals("orig_h")) {
        expected.put(cells[0], cells[1] + " " + cells[2] + " " + cells[3]);
        connections += Long.parseLong(cells[1]);
      }
    }
    assertFalse(expected.isEmpty());
    assertEquals(connections, published);
    assertEquals(
        expected,
        perSource(
            archive,
            "SELECT src_addr, COUNT(*) AS n, SUM(bytes) AS b, SUM(reverse_bytes) AS r"
                + " FROM flows GROUP BY src_addr"));

    Map<Long, Map<String, Long>> windows = new TreeMap<>();
    for (Path log : logs) {
      countZeek(log, windows);
    }
    assertEquals(
        Talker.top(windows, TOP),
        Talker.reported(OneJvm.read(jvm.bootstrap(), "flowmon.reports." + name + "_talkers")));
  }

  /** Brute force over the log's text: nothing of flowmon's reader. */
  private static void countZeek(Path log, Map<Long, Map<String, Long>> windows) throws IOException {
    List<String> fields = List.of();
    for (String line : ProjectFiles.lines(log)) {
      if (line.startsWith("#fields\t")) {
        fields = Arrays.asList(line.substring("#fields\t".length()).split("\t", -1));
      }
      if (line.startsWith("#")) {
        continue;
      }
      String[] cells = line.split("\t", -1);
      if (cells[fields.indexOf("local_orig")].equals("T")) {
        continue;
      }
      BigDecimal end = new BigDecimal(cells[fields.indexOf("ts")]);
      String duration = cells[fields.indexOf("duration")];
      if (!duration.equals("-")) {
        end = end.add(new BigDecimal(duration));
      }
      long window = Math.floorDiv(end.longValue(), 3600) * 3600;
      windows
          .computeIfAbsent(window, key -> new TreeMap<>())
          .merge(
              cells[fields.indexOf("id.orig_h")],
              Long.parseLong(cells[fields.indexOf("orig_ip_bytes")]),
              Long::sum);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"v5", "v9", "v10"})
  void exportsOfARealExporterAreArchivedAsNfdumpDecodesThem(String version) throws Exception {
    Path captures = ProjectFiles.data().resolve("netflow-from-pcap");
    List<Path> exports = new ArrayList<>();
    Map<String, long[]> sums = new TreeMap<>();
    Map<Long, Map<String, Long>> windows = new TreeMap<>();
    long flows = 0;
    for (Path capture : files(captures, "")) {
      exports.add(capture.resolve("export." + version + ".pcap"));
      for (String line : ProjectFiles.lines(capture.resolve("expected." + version + ".csv.gz"))) {
        String[] cells = line.split(",", -1);
        String source = address(cells[3]);
        long packets = Long.parseLong(cells[11]);
        long bytes = Long.parseLong(cells[12]);
        long[] sum = sums.computeIfAbsent(source, key -> new long[3]);
        sum[0]++;
        sum[1] += bytes;
        sum[2] += packets;
        flows++;
        long end =
            LocalDateTime.parse(cells[1], DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss"))
                .toEpochSecond(ZoneOffset.UTC);
        windows
            .computeIfAbsent(Math.floorDiv(end, 10) * 10, key -> new TreeMap<>())
            .merge(source, bytes, Long::sum);
      }
    }
    String topic = "exports" + version;
    Path archive = folder.resolve("archive-" + topic);
    assertEquals(flows, OneJvm.publish(jvm.bootstrap(), topic, exports));
    jvm.run(topic, archive, 2, OneJvm.elephants(topic + "_talkers", "10s", NEVER_LATE));

    Map<String, String> expected =
        sums.entrySet().stream()
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey,
                    e -> e.getValue()[0] + " " + e.getValue()[1] + " " + e.getValue()[2]));
    assertEquals(
        new TreeMap<>(expected),
        perSource(
            archive,
            "SELECT src_addr, COUNT(*) AS n, SUM(bytes) AS b, SUM(packets) AS p"
                + " FROM flows GROUP BY src_addr"));
    if (version.equals("v5")) { // this exporter's v9 and IPFIX times are not to be trusted
      assertEquals(
          Talker.top(windows, TOP),
          Talker.reported(OneJvm.read(jvm.bootstrap(), "flowmon.reports." + topic + "_talkers")));
    }
  }

  private static String address(String text) {
    return org.flowmon.flow.IpAddress.parse(text.strip()).toString();
  }

  private static Map<String, String> perSource(Path archive, String sql) throws IOException {
    ResultTable table = OneJvm.query(archive, sql);
    Map<String, String> rows = new TreeMap<>();
    for (int r = 0; r < table.rowCount(); r++) {
      rows.put(
          table.formatted(r, 0),
          table.formatted(r, 1) + " " + table.formatted(r, 2) + " " + table.formatted(r, 3));
    }
    return rows;
  }

  private static List<Path> files(Path folder, String end) throws IOException {
    try (var files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
    }
  }
}
