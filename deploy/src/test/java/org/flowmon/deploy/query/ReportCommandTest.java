package org.flowmon.deploy.query;

import static org.flowmon.flow.FlowColumn.BYTES;
import static org.flowmon.flow.FlowColumn.DST_ADDR;
import static org.flowmon.flow.FlowColumn.DST_AS;
import static org.flowmon.flow.FlowColumn.DST_PORT;
import static org.flowmon.flow.FlowColumn.DURATION;
import static org.flowmon.flow.FlowColumn.END_TIME;
import static org.flowmon.flow.FlowColumn.PACKETS;
import static org.flowmon.flow.FlowColumn.PROTOCOL;
import static org.flowmon.flow.FlowColumn.SRC_ADDR;
import static org.flowmon.flow.FlowColumn.SRC_AS;
import static org.flowmon.flow.FlowColumn.SRC_PORT;
import static org.flowmon.flow.FlowColumn.TOS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.export.ExportedFlows;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReportCommandTest {
  private static final long BASE = 1_795_000_000_000_000L; // about when the random flows ended
  private static final long SLOT = 600_000_000L;

  /** The keys of each report, as functions of a flow. */
  private static final Map<String, List<Key>> KEYS = new LinkedHashMap<>();

  static {
    KEYS.put("slots", List.of(flow -> slot((Long) flow.get(END_TIME))));
    KEYS.put("conversations", columns(SRC_ADDR, DST_ADDR, SRC_PORT, DST_PORT, PROTOCOL, TOS));
    KEYS.put("sources", columns(SRC_ADDR));
    KEYS.put("destinations", columns(DST_ADDR));
    KEYS.put("source-prefixes", List.of(flow -> prefix(flow.get(SRC_ADDR))));
    KEYS.put("destination-prefixes", List.of(flow -> prefix(flow.get(DST_ADDR))));
    KEYS.put("source-as", columns(SRC_AS));
    KEYS.put("destination-as", columns(DST_AS));
    KEYS.put("as-pairs", columns(SRC_AS, DST_AS));
    KEYS.put("protocols", columns(PROTOCOL));
    KEYS.put("source-ports", columns(SRC_PORT, PROTOCOL));
    KEYS.put("destination-ports", columns(DST_PORT, PROTOCOL));
    KEYS.put("durations", List.of(flow -> atLeast((Long) flow.get(DURATION))));
  }

  @TempDir Path folder;

  /** A part of a group's key: a number, an address, or null. */
  private interface Key extends Function<Map<FlowColumn, Object>, Object> {}

  private static List<Key> columns(FlowColumn... columns) {
    return Arrays.stream(columns).map(column -> (Key) flow -> flow.get(column)).toList();
  }

  private static Long slot(Long time) {
    return time == null ? null : Math.floorDiv(time, SLOT) * SLOT;
  }

  private static IpAddress prefix(Object address) {
    if (address == null) {
      return null;
    }
    try {
      byte[] bytes = InetAddress.getByName(address.toString()).getAddress();
      Arrays.fill(bytes, bytes.length == 4 ? 3 : 6, bytes.length, (byte) 0);
      return IpAddress.parse(InetAddress.getByAddress(bytes).getHostAddress());
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  /** The largest of 0, 1 ms, 2 ms, 5 ms, 10 ms … 50,000 s that is not above. */
  private static Long atLeast(Long micros) {
    if (micros == null || micros < 0) {
      return null;
    }
    long found = 0;
    for (long power = 1000; power <= 10_000_000_000L; power *= 10) {
      for (int digit : new int[] {1, 2, 5}) {
        found = micros >= digit * power ? digit * power : found;
      }
    }
    return found;
  }

  /** The sums of a group. */
  private static final class Sums {
    final List<Object> key;
    BigInteger bytes;
    BigInteger packets;
    long flows;

    Sums(List<Object> key) {
      this.key = key;
    }

    void add(Map<FlowColumn, Object> flow) {
      bytes = plus(bytes, (Long) flow.get(BYTES));
      packets = plus(packets, (Long) flow.get(PACKETS));
      flows++;
    }

    BigInteger of(String measure) {
      return measure.equals("bytes")
          ? bytes
          : measure.equals("packets") ? packets : BigInteger.valueOf(flows);
    }
  }

  private static BigInteger plus(BigInteger sum, Long value) {
    return value == null ? sum : BigInteger.valueOf(value).add(sum == null ? BigInteger.ZERO : sum);
  }

  private static int compare(Object one, Object other) {
    if (one == null || other == null) {
      return Boolean.compare(one == null, other == null);
    }
    return one instanceof Long number
        ? number.compareTo((Long) other)
        : ((IpAddress) one).compareTo((IpAddress) other);
  }

  private static int compareKeys(Sums one, Sums other) {
    for (int k = 0; k < one.key.size(); k++) {
      int compared = compare(one.key.get(k), other.key.get(k));
      if (compared != 0) {
        return compared;
      }
    }
    return 0;
  }

  /** Rows of cells, without names. */
  private static List<List<String>> expected(
      String report, String measure, int limit, List<Map<FlowColumn, Object>> flows) {
    Map<List<Object>, Sums> groups = new HashMap<>();
    Sums all = new Sums(List.of());
    for (Map<FlowColumn, Object> flow : flows) {
      List<Object> key = new ArrayList<>();
      KEYS.get(report).forEach(part -> key.add(part.apply(flow)));
      groups.computeIfAbsent(key, Sums::new).add(flow);
      all.add(flow);
    }
    Comparator<Sums> order = ReportCommandTest::compareKeys;
    if (!List.of("slots", "durations").contains(report)) {
      Comparator<Sums> largest =
          Comparator.comparing(
              sums -> sums.of(measure),
              Comparator.nullsFirst(Comparator.<BigInteger>naturalOrder()));
      order = largest.reversed().thenComparing(order);
    }
    List<Sums> sorted = groups.values().stream().sorted(order).toList();
    BigInteger total = all.of(measure);
    List<List<String>> rows = new ArrayList<>();
    BigInteger sum = BigInteger.ZERO;
    for (Sums group :
        sorted.subList(0, limit == 0 ? sorted.size() : Math.min(limit, sorted.size()))) {
      List<String> row = new ArrayList<>();
      for (Object part : group.key) {
        row.add(
            part == null
                ? ""
                : report.equals("slots") ? FlowTime.text((Long) part) : part.toString());
      }
      row.add(group.bytes == null ? "" : group.bytes.toString());
      row.add(group.packets == null ? "" : group.packets.toString());
      row.add(Long.toString(group.flows));
      BigInteger value = group.of(measure);
      sum = value == null ? sum : sum.add(value);
      boolean hasTotal = total != null && total.signum() > 0;
      row.add(hasTotal && value != null ? share(value, total) : "");
      row.add(hasTotal ? share(sum, total) : "");
      rows.add(row);
    }
    return rows;
  }

  private static String share(BigInteger part, BigInteger total) {
    BigDecimal exact = new BigDecimal(part).divide(new BigDecimal(total), MathContext.DECIMAL128);
    return Double.toString(exact.doubleValue());
  }

  /** The rows of a CSV without the columns of names. */
  private static List<List<String>> rows(String csv) {
    List<String> lines = csv.lines().toList();
    String[] header = lines.get(0).split(",", -1);
    List<List<String>> rows = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      assertEquals(header.length, cells.length, line);
      List<String> row = new ArrayList<>();
      for (int c = 0; c < cells.length; c++) {
        if (!header[c].endsWith("_name") && !header[c].endsWith("_network")) {
          row.add(cells[c]);
        }
      }
      rows.add(row);
    }
    return rows;
  }

  private Path imported(String csv) throws Exception {
    Path archive = folder.resolve("imported");
    Path file = Files.writeString(folder.resolve("flows.csv"), csv);
    assertEquals(0, CommandRun.of("import", file, "--archive", archive).code());
    return archive;
  }

  private static CommandRun report(Object... arguments) {
    List<Object> all = new ArrayList<>(List.of("report"));
    all.addAll(List.of(arguments));
    return CommandRun.of(all.toArray());
  }

  @Test
  void everyReportIsThatOfBruteForceWhateverTheFlows() throws Exception {
    assertEquals(
        List.copyOf(KEYS.keySet()), BundledReport.all().stream().map(BundledReport::name).toList());
    for (long seed = 1; seed <= 5 * Integer.getInteger("flowmon.test.times", 1); seed++) {
      Path archive = ExportedFlows.archive(folder.resolve("a" + seed), seed, 400, false);
      List<Map<FlowColumn, Object>> flows = ExportedFlows.rows(archive);
      Random random = new Random(seed);
      for (String report : KEYS.keySet()) {
        String measure = List.of("bytes", "packets", "flows").get(random.nextInt(3));
        int limit = random.nextBoolean() ? 0 : 1 + random.nextInt(9);
        long from = BASE + random.nextInt(50_000_000);
        long to = from + 1 + random.nextInt(60_000_000);
        int most = random.nextInt(256);
        boolean isTimed = random.nextBoolean();
        boolean isFiltered = random.nextInt(3) == 0;
        List<Object> asked = new ArrayList<>(List.of("report", report, "--archive", archive));
        asked.addAll(List.of("--by", measure, "--limit", limit, "--format", "csv"));
        if (isTimed) {
          asked.addAll(List.of("--from", FlowTime.text(from), "--to", FlowTime.text(to)));
        }
        if (isFiltered) {
          asked.addAll(List.of("--where", "protocol <= " + most + " OR FALSE"));
        }
        List<Map<FlowColumn, Object>> kept =
            flows.stream()
                .filter(flow -> !isTimed || isWithin((Long) flow.get(END_TIME), from, to))
                .filter(flow -> !isFiltered || isWithin((Long) flow.get(PROTOCOL), 0, most + 1))
                .toList();
        CommandRun said = CommandRun.of(asked.toArray());
        String what = "seed " + seed + ": " + asked;
        assertEquals(0, said.code(), what + said.err());
        assertEquals(expected(report, measure, limit, kept), rows(said.out()), what);
      }
    }
  }

  private static boolean isWithin(Long value, long from, long to) {
    return value != null && value >= from && value < to;
  }

  @Test
  void anEmptyArchiveHasNoRows() throws Exception {
    Path archive = ExportedFlows.archive(folder.resolve("empty"), 1, 0, false);
    for (String report : KEYS.keySet()) {
      for (String format : List.of("csv", "json", "table")) {
        CommandRun said = report(report, "--archive", archive, "--format", format);
        assertEquals(0, said.code(), said.err());
        switch (format) {
          case "csv" -> assertEquals(1, said.out().lines().count(), said.out());
          case "json" -> assertEquals("[]", said.out().strip());
          default -> assertTrue(said.out().contains("shares of all 0 "), said.out());
        }
      }
    }
  }

  @Test
  void tiesAreInTheOrderOfKeysAndUnknownValuesLast() throws Exception {
    Path archive =
        imported(
            "end_time,src_addr,protocol,bytes\n"
                + "1,10.0.0.3,6,50\n2,10.0.0.1,17,50\n3,10.0.0.2,,\n4,10.0.0.4,6,100\n5,,6,50\n");
    CommandRun said = report("sources", "--archive", archive, "--format", "csv");
    assertEquals(
        "src_addr,src_network,bytes,packets,flows,share,cumulative_share\n"
            + "10.0.0.4,,100,,1,0.4,0.4\n"
            + "10.0.0.1,,50,,1,0.2,0.6\n"
            + "10.0.0.3,,50,,1,0.2,0.8\n"
            + ",,50,,1,0.2,1.0\n"
            + "10.0.0.2,,,,1,,1.0\n",
        said.out());
  }

  @Test
  void protocolsPortsAndSystemsHaveNames() throws Exception {
    Path archive =
        imported(
            "end_time,src_addr,dst_addr,dst_port,protocol,bytes\n"
                + "1,192.0.2.1,198.51.100.1,443,6,10\n2,192.0.2.2,203.0.113.1,60999,17,5\n");
    Path systems = Path.of("..", "flowmon-jobs", "src", "test", "resources", "enrich", "as.mmdb");
    Path networks = Files.writeString(folder.resolve("n.csv"), "network,name\n192.0.2.1/32,web\n");
    Path files =
        Files.writeString(
            folder.resolve("enrich.yaml"),
            "enrichment: {as: '%s', networks: '%s'}"
                .formatted(systems.toAbsolutePath().normalize(), networks));
    String ports = report("destination-ports", "--archive", archive, "--format", "csv").out();
    assertTrue(ports.contains("443,6,https,tcp,10,"), ports);
    assertTrue(ports.contains("60999,17,,udp,5,"), ports);
    CommandRun pairs =
        report("as-pairs", "--archive", archive, "--format", "csv", "--enrich", files);
    assertTrue(
        pairs.out().contains("64496,Example One,64497,\"Example Two, Inc.\",10,"), pairs.out());
    assertTrue(pairs.out().contains("64496,Example One,,,5,"), pairs.out());
    String hosts = report("sources", "--archive", archive, "--enrich", files).out();
    assertTrue(hosts.lines().anyMatch(line -> line.matches("192.0.2.1 +web +10 .*")), hosts);
    CommandRun without = report("source-as", "--archive", archive);
    assertTrue(without.err().contains("src_as_name is NULL: give --enrich FILE"), without.err());
    assertFalse(without.out().contains("src_as_name"), without.out());
  }

  @Test
  void theScreenSaysWhatTheNumbersAre() throws Exception {
    Path archive = imported("end_time,duration,bytes\n1,1500000,1000\n2,1500,3000\n3,,0\n");
    CommandRun said =
        report("durations", "--archive", archive, "--from", "1970-01-01", "--by", "bytes");
    assertTrue(said.out().contains(": flows that ended from 1970-01-01T00:00:00Z"), said.out());
    assertTrue(said.out().contains("shares of all 4,000 bytes"), said.out());
    assertTrue(
        said.out().lines().anyMatch(line -> line.matches(" *0.001 s +3000 +1 +0.75 +0.75")),
        said.out());
    assertTrue(said.out().lines().anyMatch(line -> line.matches(" *1 s +1000 +1 +0.25 +1")));
    assertTrue(said.err().contains("3 rows in "), said.err());
  }

  @Test
  void theShownQueryGivesTheSameRows() throws Exception {
    Path archive = ExportedFlows.archive(folder.resolve("shown"), 5, 300, false);
    for (String report : KEYS.keySet()) {
      CommandRun shown = report(report, "--show-query", "--limit", 9, "--where", "bytes > 10");
      assertEquals(0, shown.code(), shown.err());
      CommandRun asked =
          CommandRun.of("query", shown.out().strip(), "--archive", archive, "--format", "csv");
      CommandRun said =
          report(
              report,
              "--limit",
              9,
              "--where",
              "bytes > 10",
              "--archive",
              archive,
              "--format",
              "csv");
      List<List<String>> rows =
          rows(said.out()).stream().map(row -> row.subList(0, row.size() - 2)).toList();
      assertEquals(rows(asked.out()), rows, report);
    }
  }

  @Test
  void theListNeedsNoArchiveAndThePageHasEveryReport() throws Exception {
    CommandRun list = report("--list");
    assertEquals(0, list.code(), list.err());
    String page = Files.readString(Path.of("..", "docs", "tools.md"));
    for (BundledReport report : BundledReport.all()) {
      assertTrue(list.out().contains(report.name()), report.name());
      assertTrue(page.contains("`" + report.name() + "`"), "docs/tools.md: " + report.name());
    }
  }

  @Test
  void wrongNamesAndOptionsAreUsageErrors() throws Exception {
    Path archive = imported("end_time,bytes\n1,10\n");
    for (String[] wrong :
        new String[][] {
          {"expected the NAME of a report"},
          {"there is no report 'protocol': expected one of slots, ", "protocol"},
          {"flowmon reports shows those of a job", "elephants"},
          {"--by", "protocols", "--by", "octets"},
          {"--limit at least 0", "protocols", "--limit", "-1"},
          {"--threads is at least 1", "protocols", "--threads", "0"},
          {"'noon' is no time", "protocols", "--from", "noon"},
          {"is not before --to", "protocols", "--from", "2026-11-02", "--to", "2026-11-02"},
          {"no column 'byte'", "protocols", "--where", "byte > 1"},
          {"--where takes values, not parameters: [x]", "protocols", "--where", "bytes > :x"}
        }) {
      List<Object> asked = new ArrayList<>(List.of("report", "--archive", archive));
      asked.addAll(Arrays.asList(wrong).subList(1, wrong.length));
      CommandRun said = CommandRun.of(asked.toArray());
      assertEquals(ExitCodes.USAGE, said.code(), said.err());
      assertTrue(said.err().contains(wrong[0]), said.err());
    }
    CommandRun missing = report("protocols");
    assertEquals(ExitCodes.USAGE, missing.code(), missing.err());
    CommandRun none = report("protocols", "--archive", folder.resolve("none"));
    assertTrue(none.err().contains("there is no archive at"), none.err());
  }
}
