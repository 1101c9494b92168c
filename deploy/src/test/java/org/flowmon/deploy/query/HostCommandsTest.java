package org.flowmon.deploy.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.export.ExportedFlows;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares {@code flowmon host} and {@code flowmon seen} with a pass over all rows. */
class HostCommandsTest {
  private static final long HOUR = 3_600_000_000L;
  private static final long DAY = 24 * HOUR;
  private static final int ROWS = 900;

  @TempDir Path folder;

  /** The number of some flows, and the bytes that a host sent and received. */
  private record Sums(long flows, BigInteger sent, BigInteger received) {
    static final Sums NONE = new Sums(0, BigInteger.ZERO, BigInteger.ZERO);

    Sums plus(Sums other) {
      return new Sums(flows + other.flows, sent.add(other.sent), received.add(other.received));
    }

    static Sums of(Map<FlowColumn, Object> row, IpAddress host) {
      BigInteger there = number(row, FlowColumn.BYTES);
      BigInteger back = number(row, FlowColumn.REVERSE_BYTES);
      Sums sums = new Sums(1, BigInteger.ZERO, BigInteger.ZERO);
      if (host.equals(row.get(FlowColumn.SRC_ADDR))) {
        sums = sums.plus(new Sums(0, there, back));
      }
      return host.equals(row.get(FlowColumn.DST_ADDR)) ? sums.plus(new Sums(0, back, there)) : sums;
    }

    String json() {
      return "\"flows\":" + flows + ",\"sent\":" + sent + ",\"received\":" + received;
    }
  }

  private static BigInteger number(Map<FlowColumn, Object> row, FlowColumn column) {
    Object value = row.get(column);
    return value == null ? BigInteger.ZERO : BigInteger.valueOf((Long) value);
  }

  private static boolean isParty(Map<FlowColumn, Object> row, IpAddress host) {
    return host.equals(row.get(FlowColumn.SRC_ADDR)) || host.equals(row.get(FlowColumn.DST_ADDR));
  }

  private static IpAddress peer(Map<FlowColumn, Object> row, IpAddress host) {
    boolean isSource = host.equals(row.get(FlowColumn.SRC_ADDR));
    return (IpAddress) row.get(isSource ? FlowColumn.DST_ADDR : FlowColumn.SRC_ADDR);
  }

  /** Existing hosts, IPv4 and IPv6, and a missing one. */
  private static List<IpAddress> hosts(List<Map<FlowColumn, Object>> rows) {
    Set<IpAddress> some = new TreeSet<>();
    for (int i = 0; i < rows.size(); i += 1 + rows.size() / 12) {
      for (FlowColumn column : List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR)) {
        if (rows.get(i).get(column) instanceof IpAddress address) {
          some.add(address);
        }
      }
    }
    some.add(IpAddress.parse("203.0.113.77"));
    return List.copyOf(some);
  }

  private static String time(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
  }

  /** The JSON that a command has printed, without blanks. */
  private static String compact(CommandRun run) throws IOException {
    return new ObjectMapper().readTree(run.out()).toString();
  }

  private static String field(String json, String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\":(\"[^\"]*\"|[^,\\[{]*)").matcher(json);
    assertTrue(matcher.find(), name + " in " + json);
    return matcher.group(1);
  }

  /** The objects of an array, verbatim. */
  private static Set<String> objects(String json, String name) {
    String array = json.substring(json.indexOf("\"" + name + "\":[") + name.length() + 4);
    Set<String> objects = new HashSet<>();
    for (String one : array.substring(0, array.indexOf(']')).split("(?<=\\}),?", -1)) {
      if (!one.isEmpty()) {
        assertTrue(objects.add(one), "twice: " + one);
      }
    }
    return objects;
  }

  @Test
  void hostSaysWhatGoingOverAllRowsSays() throws IOException {
    int flows = 0;
    for (long seed = 1; seed <= 4; seed++) {
      Path archive = ExportedFlows.archive(folder.resolve("a" + seed), seed, ROWS, false);
      List<Map<FlowColumn, Object>> rows = ExportedFlows.rows(archive);
      for (IpAddress host : hosts(rows)) {
        flows += checkHost(archive, rows, host, seed);
      }
    }
    assertTrue(flows > 100, flows + " flows");
  }

  private static int checkHost(
      Path archive, List<Map<FlowColumn, Object>> rows, IpAddress host, long seed)
      throws IOException {
    String at = "seed " + seed + ", " + host;
    CommandRun run =
        CommandRun.of(
            "host", host, "--archive", archive, "--json", "--top", 5000, "--window", "2h");
    assertEquals(0, run.code(), at + run.err());
    String json = compact(run);
    List<Map<FlowColumn, Object>> mine = rows.stream().filter(r -> isParty(r, host)).toList();
    Sums all = Sums.NONE;
    Map<IpAddress, Sums> peers = new TreeMap<>();
    Map<Long, Sums> hours = new TreeMap<>();
    List<Long> ends = new ArrayList<>();
    for (Map<FlowColumn, Object> row : mine) {
      Sums sums = Sums.of(row, host);
      all = all.plus(sums);
      IpAddress peer = peer(row, host);
      if (peer != null) {
        peers.merge(peer, sums, Sums::plus);
      }
      if (row.get(FlowColumn.END_TIME) instanceof Long end) {
        ends.add(end);
        hours.merge(Math.floorDiv(end, HOUR) * HOUR, sums, Sums::plus);
      }
    }
    assertTrue(json.contains(all.json()), at + ": " + all + " in " + json);
    String first =
        ends.isEmpty() ? "null" : '"' + time(ends.stream().min(Long::compare).get()) + '"';
    String last =
        ends.isEmpty() ? "null" : '"' + time(ends.stream().max(Long::compare).get()) + '"';
    assertEquals(first, field(json, "first_seen"), at);
    assertEquals(last, field(json, "last_seen"), at);
    assertEquals(Integer.toString(peers.size()), field(json, "peer_count"), at);
    Set<String> expectedPeers = new HashSet<>();
    peers.forEach((p, s) -> expectedPeers.add("{\"address\":\"" + p + "\"," + s.json() + "}"));
    assertEquals(expectedPeers, objects(json, "peers"), at);
    Set<String> expectedHours = new HashSet<>();
    hours.forEach((h, s) -> expectedHours.add("{\"hour\":\"" + time(h) + "\"," + s.json() + "}"));
    assertEquals(expectedHours, objects(json, "hours"), at);
    checkServices(json, rows, host, at);
    return mine.size();
  }

  /** Checks services by side, protocol and port, with their distinct peers now and before. */
  private static void checkServices(
      String json, List<Map<FlowColumn, Object>> rows, IpAddress host, String at) {
    String nowFrom = field(json, "now_from");
    long now =
        ChronoUnit.MICROS.between(
            Instant.EPOCH, Instant.parse(nowFrom.substring(1, nowFrom.length() - 1)));
    Set<String> expected = new HashSet<>();
    Map<String, List<Seen>> services = new TreeMap<>();
    for (Map<FlowColumn, Object> row : rows) {
      for (boolean isDestination : new boolean[] {false, true}) {
        FlowColumn side = isDestination ? FlowColumn.DST_ADDR : FlowColumn.SRC_ADDR;
        FlowColumn other = isDestination ? FlowColumn.SRC_ADDR : FlowColumn.DST_ADDR;
        if (host.equals(row.get(side))) {
          Seen seen = new Seen(row, row.get(other), ofSide(row, isDestination));
          services.computeIfAbsent(service(row, isDestination), s -> new ArrayList<>()).add(seen);
        }
      }
    }
    services.forEach(
        (service, flows) -> {
          Set<Object> peers = new HashSet<>();
          Set<Object> peersNow = new HashSet<>();
          Set<Object> peersBefore = new HashSet<>();
          Sums sums = Sums.NONE;
          for (Seen flow : flows) {
            sums = sums.plus(flow.sums());
            if (flow.peer() != null) {
              peers.add(flow.peer());
              if (flow.row().get(FlowColumn.END_TIME) instanceof Long end) {
                (end >= now ? peersNow : peersBefore).add(flow.peer());
              }
            }
          }
          expected.add(
              String.format(
                  "{%s,%s,\"peers\":%d,\"peers_now\":%d,\"peers_before\":%d}",
                  service, sums.json(), peers.size(), peersNow.size(), peersBefore.size()));
        });
    assertEquals(expected, objects(json, "services"), at);
  }

  /** A flow as the host sees it. */
  private record Seen(Map<FlowColumn, Object> row, Object peer, Sums sums) {}

  /** The random ports of two flows never make one conversation: each says it for itself. */
  private static String service(Map<FlowColumn, Object> row, boolean isDestination) {
    boolean isReversed = PlainRoles.isReversed(row);
    Object server = row.get(isReversed ? FlowColumn.SRC_PORT : FlowColumn.DST_PORT);
    boolean isOffered = isDestination != isReversed;
    if (PlainRoles.isGuessed(row) && (Long) server >= 32_768) {
      server = null;
      isOffered = isDestination;
    }
    return String.format(
        "\"side\":\"%s\",\"protocol\":%s,\"port\":%s",
        isOffered ? "offers" : "uses", row.get(FlowColumn.PROTOCOL), server);
  }

  private static Sums ofSide(Map<FlowColumn, Object> row, boolean offered) {
    BigInteger there = number(row, FlowColumn.BYTES);
    BigInteger back = number(row, FlowColumn.REVERSE_BYTES);
    return offered ? new Sums(1, back, there) : new Sums(1, there, back);
  }

  @Test
  void hostTablesTakeTimesAndRanges() throws IOException {
    Path archive = ExportedFlows.archive(folder.resolve("t"), 3, ROWS, false);
    IpAddress host = hosts(ExportedFlows.rows(archive)).get(0);
    CommandRun all = CommandRun.of("host", host, "--archive", archive, "--top", 1);
    assertTrue(all.out().startsWith(host + ": "), all.out());
    CommandRun limited = CommandRun.of("host", host, "--archive", archive, "--limit", 1);
    assertEquals(all.out(), limited.out());
    assertShown(CommandRun.of("host", host, "--archive", archive, "--limit", 5000).out(), 5000);
    assertShown(limited.out(), 1);
    CommandRun none =
        CommandRun.of("host", host, "--archive", archive, "--to", "1999-01-01T00:00:00Z");
    assertTrue(none.out().startsWith(host + ": 0 flows, 0 B sent, 0 B received"), none.out());
    CommandRun ranges = CommandRun.of("host", host, "--archive", archive, "--ranges");
    assertTrue(ranges.out().contains("2^"), ranges.out());
    for (String[] wrong :
        new String[][] {
          {"10.0.0.300"}, {"10.0.0.1", "--from", "yesterday"}, {"::1", "--top", "-1"}
        }) {
      List<Object> arguments = new ArrayList<>(List.of("host", "--archive", archive));
      arguments.addAll(List.of((Object[]) wrong));
      CommandRun refused = CommandRun.of(arguments.toArray());
      assertEquals(2, refused.code(), refused.toString());
      assertEquals("", refused.out());
    }
  }

  /** Checks that each table has at most {@code limit} rows and gives the number of further rows. */
  private static void assertShown(String out, int limit) {
    String[] tables = out.split("\n\n", -1);
    assertEquals(4, tables.length, out);
    int peers = Integer.parseInt(tables[1].replaceAll("(?s) peers: .*", ""));
    int services = Integer.parseInt(tables[2].replaceAll("(?s) services; .*", ""));
    assertTrue(peers > 1 && services > 1, out);
    assertTable(tables[1], peers, limit, "more peers");
    assertTable(tables[2], services, limit, "more services");
    List<String> hours = tables[3].lines().filter(line -> line.matches("[(0-9].*")).toList();
    if (limit == 1) {
      assertEquals(2, hours.size(), out);
      assertTrue(hours.get(0).matches("\\([0-9]+ earlier hours: --limit\\)"), out);
    } else {
      assertTrue(hours.size() > 1 && !tables[3].contains("--limit"), out);
    }
  }

  private static void assertTable(String table, int all, int limit, String more) {
    List<String> rows = new ArrayList<>(table.lines().skip(3).toList());
    if (all > limit) {
      assertEquals("(" + (all - limit) + " " + more + ": --limit)", rows.remove(limit));
    }
    assertEquals(Math.min(all, limit), rows.size(), table);
  }

  private static void flow(
      FlowBatchBuilder builder, String source, int from, String destination, int to, int flags) {
    builder.beginRow();
    IpAddress src = IpAddress.parse(source);
    IpAddress dst = IpAddress.parse(destination);
    builder.setAddress(FlowColumn.SRC_ADDR, src.hi(), src.lo());
    builder.setAddress(FlowColumn.DST_ADDR, dst.hi(), dst.lo());
    builder.set(FlowColumn.SRC_PORT, from);
    builder.set(FlowColumn.DST_PORT, to);
    builder.set(FlowColumn.PROTOCOL, 6);
    builder.set(FlowColumn.TCP_FLAGS, flags);
    builder.set(FlowColumn.BYTES, 1000);
    builder.set(FlowColumn.PACKETS, 2);
    builder.set(FlowColumn.END_TIME, 1_795_262_400_000_000L);
    builder.set(FlowColumn.ARRIVAL, 1_795_262_400_000_000L);
    builder.endRow();
  }

  /** A web server of a NetFlow archive, a client of it, and who scans the server. */
  private Path exports() throws Exception {
    Path place = folder.resolve("exports");
    try (Archive archive =
            Archive.openOrCreate(ArchiveLocation.of(place), ArchiveOptions.DEFAULTS);
        ArchiveImporter importer =
            new ArchiveImporter(
                archive, new ImportedFile(String.format("%064x", 1), "test", 1), false)) {
      FlowBatchBuilder builder = new FlowBatchBuilder(7000);
      for (int i = 0; i < 300; i++) {
        flow(builder, "10.0.0.5", 40_000 + i, "192.0.2.1", 443, 0x1b);
        flow(builder, "192.0.2.1", 443, "10.0.0.5", 40_000 + i, 0x1b);
      }
      for (int port = 1; port <= 3000; port++) {
        flow(builder, "203.0.113.9", 55_555, "192.0.2.1", port, 0x02);
        flow(builder, "192.0.2.1", port, "203.0.113.9", 55_555, 0x14);
      }
      importer.add(FlowBatch.open(builder.build(1, 0, 6600, 0)));
      importer.commit("test");
    }
    return place;
  }

  @Test
  void ofExportsTheServerIsToldAndAScannerIsALine() throws Exception {
    Path archive = exports();
    CommandRun server = CommandRun.of("host", "192.0.2.1", "--archive", archive);
    assertEquals(
        """
        192.0.2.1: 6,600 flows, 3.3 MB sent, 3.3 MB received
        first seen 2026-11-21T12:00:00Z, last seen 2026-11-21T12:00:00Z, by when its
        flows ended

        2 peers: 2 since 2026-11-20T12:00:00Z, 0 before
        peer         flows    sent  received
        ───────────  ─────  ──────  ────────
        203.0.113.9  6,000    3 MB      3 MB
        10.0.0.5       600  300 kB    300 kB

        2 services; now is since 2026-11-20T12:00:00Z
        side    service          flows    sent  received  peers now  peers before
        ──────  ───────────────  ─────  ──────  ────────  ─────────  ────────────
        offers  tcp 2,999 ports  5,998    3 MB      3 MB          1             0
        offers  tcp/443 https      602  301 kB    301 kB          2             0

        hour                  flows    sent  received
        ────────────────────  ─────  ──────  ────────
        2026-11-21T12:00:00Z  6,600  3.3 MB    3.3 MB
        """,
        server.out());
    String scanner = CommandRun.of("host", "203.0.113.9", "--archive", archive).out();
    assertTrue(scanner.contains("\n1 services; "), scanner);
    assertTrue(
        scanner.contains("\nuses  tcp 3,000 ports  6,000  3 MB      3 MB          1 "), scanner);
    String client = CommandRun.of("host", "10.0.0.5", "--archive", archive).out();
    assertTrue(
        client.contains("\nuses  tcp/443 https    600  300 kB    300 kB          1 "), client);
    assertTrue(client.lines().allMatch(line -> line.length() <= 80), client);
    String raw = CommandRun.of("host", "10.0.0.5", "--archive", archive, "--raw").out();
    assertTrue(raw.startsWith("10.0.0.5: 600 flows, 300000 sent, 300000 received"), raw);
  }

  private static void timed(
      FlowBatchBuilder builder, String source, int from, String target, int to, long start) {
    long begin = 1_795_262_000_000_000L;
    builder.beginRow();
    builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.parse(source));
    builder.setAddress(FlowColumn.DST_ADDR, IpAddress.parse(target));
    builder.set(FlowColumn.SRC_PORT, from);
    builder.set(FlowColumn.DST_PORT, to);
    builder.set(FlowColumn.PROTOCOL, 17);
    builder.set(FlowColumn.BYTES, from == 50_000 ? 7 : 5);
    builder.set(FlowColumn.PACKETS, 9);
    builder.set(FlowColumn.START_TIME, begin + start);
    builder.set(FlowColumn.END_TIME, begin + 60_000_000);
    builder.set(FlowColumn.ARRIVAL, begin + 60_000_000);
    builder.endRow();
  }

  /** The services of a host as {@code side protocol/port sent received}. */
  private static Set<String> services(Path archive, String host) throws IOException {
    CommandRun run = CommandRun.of("host", host, "--archive", archive, "--json");
    assertEquals(0, run.code(), run.err());
    Set<String> services = new TreeSet<>();
    new ObjectMapper()
        .readTree(run.out())
        .path("services")
        .forEach(
            one ->
                services.add(
                    one.path("side").asText()
                        + " "
                        + one.path("protocol").asText()
                        + "/"
                        + one.path("port").asText()
                        + " "
                        + one.path("sent").asText()
                        + " "
                        + one.path("received").asText()));
    return services;
  }

  @Test
  void betweenHighPortsWhoSentTheFirstPacketIsTheClient() throws Exception {
    Path place = folder.resolve("high");
    String server = "192.0.2.1";
    try (Archive archive =
            Archive.openOrCreate(ArchiveLocation.of(place), ArchiveOptions.DEFAULTS);
        ArchiveImporter importer =
            new ArchiveImporter(
                archive, new ImportedFile(String.format("%064x", 1), "test", 1), false)) {
      FlowBatchBuilder builder = new FlowBatchBuilder(100);
      // The service has the higher port, and even one such as clients take.
      timed(builder, "10.0.0.1", 40_000, server, 50_000, 0);
      timed(builder, server, 50_000, "10.0.0.1", 40_000, 3);
      // Later records of the same conversation.
      timed(builder, server, 50_000, "10.0.0.1", 40_000, 30);
      timed(builder, "10.0.0.1", 40_000, server, 50_000, 33);
      // The same port on both sides, also a well known one.
      timed(builder, "10.0.0.2", 123, server, 123, 5);
      timed(builder, server, 123, "10.0.0.2", 123, 6);
      // Equal times say nothing: the lower port is the service's, or none of two high ones.
      timed(builder, "10.0.0.3", 8_080, server, 50_000, 9);
      timed(builder, server, 50_000, "10.0.0.3", 8_080, 9);
      timed(builder, "10.0.0.4", 40_000, server, 50_000, 9);
      timed(builder, server, 50_000, "10.0.0.4", 40_000, 9);
      // One direction alone says no more.
      timed(builder, "10.0.0.5", 40_000, server, 5_000, 9);
      importer.add(FlowBatch.open(builder.build(1, 0, 11, 0)));
      importer.commit("test");
    }
    assertEquals(Set.of("uses 17/50000 10 14"), services(place, "10.0.0.1"));
    assertEquals(Set.of("uses 17/123 5 5"), services(place, "10.0.0.2"));
    assertEquals(Set.of("offers 17/8080 5 7"), services(place, "10.0.0.3"));
    assertEquals(Set.of("uses 17/null 5 0", "offers 17/null 0 7"), services(place, "10.0.0.4"));
    assertEquals(Set.of("uses 17/5000 5 0"), services(place, "10.0.0.5"));
    assertEquals(
        Set.of(
            "offers 17/50000 14 10",
            "offers 17/123 5 5",
            "uses 17/8080 7 5",
            "uses 17/null 7 0",
            "offers 17/null 0 5",
            "offers 17/5000 0 5"),
        services(place, server));
  }

  /** When an address was last seen in rows that had arrived; null if never. */
  private static Long last(List<Map<FlowColumn, Object>> rows, IpAddress host, long asOf) {
    Long last = null;
    for (Map<FlowColumn, Object> row : rows) {
      long arrival = (Long) row.get(FlowColumn.ARRIVAL);
      if (arrival <= asOf && isParty(row, host)) {
        long time =
            row.get(FlowColumn.END_TIME) instanceof Long end
                ? Math.min(end, arrival + HOUR)
                : arrival;
        last = last == null ? time : Math.max(last, time);
      }
    }
    return last;
  }

  @Test
  void seenSaysWhatGoingOverAllRowsSays() throws IOException {
    int seen = 0;
    int asked = 0;
    for (long seed = 1; seed <= 4; seed++) {
      Path archive = ExportedFlows.archive(folder.resolve("s" + seed), seed, ROWS, false);
      List<Map<FlowColumn, Object>> rows = ExportedFlows.rows(archive);
      List<IpAddress> hosts = hosts(rows);
      long[] arrivals =
          rows.stream().mapToLong(r -> (Long) r.get(FlowColumn.ARRIVAL)).sorted().toArray();
      for (long asOf : new long[] {arrivals[arrivals.length - 1], arrivals[arrivals.length / 2]}) {
        List<Object> arguments =
            new ArrayList<>(
                List.of(
                    "seen", "--archive", archive, "--json", "--days", 30, "--as-of", time(asOf)));
        arguments.addAll(hosts);
        CommandRun run = CommandRun.of(arguments.toArray());
        Set<String> expected = new HashSet<>();
        boolean allSeen = true;
        for (IpAddress host : hosts) {
          Long last = last(rows, host, asOf);
          boolean isSeen = last != null && last >= asOf - 30 * DAY;
          allSeen &= isSeen;
          seen += isSeen ? 1 : 0;
          asked++;
          expected.add(
              "{\"address\":\""
                  + host
                  + "\",\"seen\":"
                  + isSeen
                  + ",\"last\":"
                  + (last == null ? "null" : '"' + time(last) + '"')
                  + "}");
        }
        String at = "seed " + seed + " as of " + time(asOf) + ": " + run;
        assertEquals(expected, objects(compact(run), "hosts"), at);
        boolean isPartial = field(compact(run), "partial").equals("true");
        assertEquals(allSeen || !isPartial ? 0 : 1, run.code(), at);
      }
    }
    assertTrue(seen > 20 && seen < asked, seen + " of " + asked);
  }

  @Test
  void theHalvesOfAnArchiveSayWhatTheWholeSays() throws IOException {
    int flows = 0;
    for (long seed = 1; seed <= 3; seed++) {
      Path whole = ExportedFlows.archive(folder.resolve("w" + seed), seed, ROWS, false);
      Path one = folder.resolve("one" + seed);
      Path two = folder.resolve("two" + seed);
      ExportedFlows.parts(List.of(one, two), seed, ROWS, false);
      List<Map<FlowColumn, Object>> rows = ExportedFlows.rows(whole);
      assertTrue(ExportedFlows.rows(one).size() > ROWS / 3, "rows of one half");
      List<IpAddress> hosts = hosts(rows);
      for (IpAddress host : hosts) {
        for (String form : List.of("--json", "--raw")) {
          CommandRun of = CommandRun.of("host", host, "--archive", whole, form);
          CommandRun ofBoth = CommandRun.of("host", host, "--archive", one, "--archive", two, form);
          assertEquals(of.code(), ofBoth.code());
          assertEquals(rows(of), rows(ofBoth), "seed " + seed + ", " + host);
        }
        flows += (int) rows.stream().filter(row -> isParty(row, host)).count();
      }
      List<Object> seen = new ArrayList<>(List.of("seen", "--json", "--days", 10));
      seen.addAll(hosts);
      assertEquals(
          rows(with(seen, "--archive", whole)),
          rows(with(seen, "--archive", two, "--archive", one)));
    }
    assertTrue(flows > 100, flows + " flows");
    Path twice = folder.resolve("one1");
    CommandRun refused = CommandRun.of("host", "::1", "--archive", twice, "--archive", twice);
    assertEquals(2, refused.code());
    assertTrue(refused.err().contains("named twice"), refused.err());
  }

  /** Without what is told of each archive. */
  private static String rows(CommandRun run) {
    return run.out().replaceAll("(?s)\n  \"confidence\" : \\{.*?\n  \\},?", "");
  }

  private static CommandRun with(List<Object> arguments, Object... more) {
    List<Object> all = new ArrayList<>(arguments);
    all.addAll(List.of(more));
    return CommandRun.of(all.toArray());
  }

  @Test
  void seenReadsAddressesFromStandardInputAndSaysWhatIsMissing() throws IOException {
    Path archive = ExportedFlows.archive(folder.resolve("i"), 2, ROWS, false);
    InputStream before = System.in;
    CommandRun run;
    try {
      System.setIn(
          new ByteArrayInputStream(
              "203.0.113.77\n\n 2001:db8::77 \n".getBytes(StandardCharsets.UTF_8)));
      run = CommandRun.of("seen", "-", "--archive", archive, "--days", 10_000);
    } finally {
      System.setIn(before);
    }
    assertEquals(2, run.out().lines().filter(line -> line.endsWith("never")).count(), run.out());
    // History is shorter, so the absence of both is no answer.
    assertTrue(run.err().contains("partial: history begins at"), run.err());
    assertEquals(1, run.code());
    assertEquals(2, CommandRun.of("seen", "no address", "--archive", archive).code());
    assertEquals(2, CommandRun.of("seen", "::1", "--archive", archive, "--days", 0).code());
  }
}
