package org.flowmon.deploy.grafana;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.grafana.Dashboards.Question;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.replay.Replay;
import org.flowmon.jobs.replay.ReplaySpec;
import org.flowmon.jobs.sink.postgres.PostgresReports;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Fifty minutes of flows through the analyses of {@code deploy/grafana} and the sink: the panels
 * show what plain sums over the flows give.
 */
class SeriesEndToEndTest {
  private static final long SEED = 22;
  private static final Instant FROM = Instant.parse("2026-11-21T10:00:00Z");
  private static final int SLOTS = 10;
  private static final int SLOT = 300; // seconds, as the reports' windows
  private static final Instant TO = FROM.plusSeconds(SLOT * SLOTS);
  private static final List<Flow> FLOWS = new ArrayList<>();

  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static ReportsDatabase database;

  private record Flow(
      Instant end,
      int source,
      int target,
      int protocol,
      int port,
      int as,
      int exporter,
      int input,
      long rate,
      long sampled,
      long seen,
      boolean outgoing) {
    long bytes() {
      return sampled * rate;
    }

    long packets() {
      return seen * rate;
    }

    Instant slot() {
      return Instant.ofEpochSecond(end.getEpochSecond() / SLOT * SLOT);
    }

    String csv() {
      return "%s,10.0.0.%d,198.51.100.%d,%d,%d,%d,%d,%d,192.0.2.%d,%d,%d,%d,%d,%s"
          .formatted(
              end,
              source,
              target,
              50_000 + source,
              port,
              protocol,
              outgoing ? 1 : as,
              outgoing ? as : 1,
              exporter,
              input,
              rate,
              sampled,
              seen,
              outgoing);
    }
  }

  @BeforeAll
  static void start() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    int[] protocols = {6, 17, 1, 47};
    for (int i = 0; i < 3000; i++) {
      FLOWS.add(
          new Flow(
              FROM.plusMillis(random.nextLong(1000L * SLOT * SLOTS)),
              1 + random.nextInt(9),
              1 + random.nextInt(4),
              protocols[random.nextInt(protocols.length)],
              440 + random.nextInt(4),
              64_512 + random.nextInt(8),
              1 + random.nextInt(3),
              1 + random.nextInt(4),
              random.nextBoolean() ? 100 : 1,
              40 + random.nextLong(100_000),
              1 + random.nextInt(100),
              random.nextBoolean()));
    }
    database = ReportsDatabase.start();
    Path archive = archive();
    for (AnalysisConfig analysis : Dashboards.analyses()) {
      StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(1);
      ReplaySpec spec =
          new ReplaySpec(
              List.of(ArchiveLocation.of(archive)),
              analysis,
              micros(FROM),
              micros(TO),
              Duration.ZERO,
              Duration.ZERO);
      Replay.reports(env, spec, 16)
          .sinkTo(new PostgresReports(database.config(), List.of(analysis)));
      env.execute(analysis.name());
    }
  }

  private static Path archive() throws Exception {
    List<String> lines = new ArrayList<>();
    lines.add(
        "end_time,src_addr,dst_addr,src_port,dst_port,protocol,src_as,dst_as,exporter,input_if,sampling_rate,bytes,packets,outgoing");
    FLOWS.forEach(flow -> lines.add(flow.csv()));
    Path file = Files.write(folder.resolve("flows.csv"), lines);
    CommandRun run = CommandRun.of("import", file, "--archive", folder.resolve("archive"));
    assertEquals(0, run.code(), run.err());
    return folder.resolve("archive");
  }

  private static long micros(Instant time) {
    return time.getEpochSecond() * 1_000_000;
  }

  @AfterAll
  static void stop() throws Exception {
    database.close();
  }

  /** What a dimension calls a flow; the panel of ports adds a service's name after a blank. */
  private static Function<Flow, String> name(String dimension) {
    Map<Integer, String> protocols = Map.of(6, "tcp", 17, "udp", 1, "icmp", 47, "gre");
    return switch (dimension) {
      case "protocol" -> flow -> protocols.get(flow.protocol());
      case "port" -> flow -> protocols.get(flow.protocol()) + "/" + flow.port();
      case "as" -> flow -> "AS" + flow.as();
      case "country" -> flow -> "unknown";
      case "interface" -> flow -> "192.0.2." + flow.exporter() + " interface " + flow.input();
      case "exporter" -> flow -> "192.0.2." + flow.exporter();
      default -> throw new IllegalArgumentException(dimension);
    };
  }

  private static List<List<Object>> ask(String dashboard, String title) throws Exception {
    Question question =
        Dashboards.sql().stream()
            .filter(q -> q.dashboard().equals(dashboard) && q.title().equals(title))
            .findFirst()
            .orElseThrow(() -> new AssertionError(dashboard + " has no panel " + title));
    return ask(question.text());
  }

  private static List<List<Object>> ask(String text) throws SQLException {
    String sql =
        new Expansion(FROM, TO, Duration.ofSeconds(SLOT))
            .with("top", "50")
            .with("host", "")
            .with("period", "5 minutes")
            .withAll("name", VariableBuilder.ALL)
            .sql(text);
    return database.read(sql);
  }

  private static double number(Object value) {
    return ((Number) value).doubleValue();
  }

  private static String time(Object seconds) {
    return Instant.ofEpochSecond(((Number) seconds).longValue()).toString();
  }

  /** Sums of flows by a key. */
  private static Map<String, Double> sums(Function<Flow, String> key, ToLongFunction<Flow> value) {
    Map<String, Double> sums = new TreeMap<>();
    FLOWS.forEach(
        flow -> sums.merge(key.apply(flow), (double) value.applyAsLong(flow), Double::sum));
    return sums;
  }

  /** Values by minute and name; what is zero is left out. */
  private static Map<String, Double> series(List<List<Object>> rows) {
    Map<String, Double> found = new TreeMap<>();
    for (List<Object> row : rows) {
      if (number(row.get(2)) != 0) {
        String name = row.get(1).toString();
        found.put(
            time(row.get(0)) + " " + name.replaceFirst("^(\\w+/\\d+) .*", "$1"),
            number(row.get(2)));
      }
    }
    return found;
  }

  private static void assertClose(
      Map<String, Double> expected, Map<String, Double> found, String what) {
    assertEquals(expected.keySet(), found.keySet(), what + ", seed " + SEED);
    expected.forEach(
        (key, value) ->
            assertEquals(
                value, found.get(key), 1e-6 * value, what + ", " + key + ", seed " + SEED));
  }

  @ParameterizedTest
  @ValueSource(strings = {"protocol", "port", "as", "country", "interface", "exporter"})
  void aDimensionsPanelsAreSumsOfItsFlows(String dimension) throws Exception {
    String dashboard = "flowmon-by-" + dimension;
    String words = dimension.equals("as") ? "autonomous system" : dimension;
    Function<Flow, String> name = name(dimension);
    Function<Flow, String> slot = flow -> flow.slot() + " " + name.apply(flow);
    Map<String, Double> bits = sums(slot, flow -> 8 * flow.bytes());
    bits.replaceAll((key, value) -> value / SLOT);
    assertClose(bits, series(ask(dashboard, "Bits per second by " + words)), dimension);
    Map<String, Double> packets = sums(slot, Flow::packets);
    packets.replaceAll((key, value) -> value / SLOT);
    assertClose(packets, series(ask(dashboard, "Packets per second by " + words)), dimension);
    Map<String, Double> flows = sums(slot, flow -> 1);
    flows.replaceAll((key, value) -> value / SLOT);
    assertClose(flows, series(ask(dashboard, "Flows per second by " + words)), dimension);

    Map<String, Double> bytes = sums(name, Flow::bytes);
    double all = bytes.values().stream().mapToDouble(value -> value).sum();
    Map<String, Double> found = new TreeMap<>();
    for (List<Object> row : ask(dashboard, "All by " + words)) {
      String key = row.get(0).toString().replaceFirst("^(\\w+/\\d+) .*", "$1");
      double sum = number(row.get(5));
      if (key.equals("other")) {
        assertEquals(0, sum, key);
        continue;
      }
      found.put(key, sum);
      assertEquals(8 * sum / (SLOT * SLOTS), number(row.get(1)), 1e-6 * sum, key + ": average");
      List<Double> rates = new ArrayList<>();
      for (int m = 0; m < SLOTS; m++) {
        rates.add(bits.getOrDefault(FROM.plusSeconds((long) SLOT * m) + " " + key, 0.0));
      }
      assertEquals(rates.get(SLOTS - 1), number(row.get(4)), 1e-6 * sum, key + ": last");
      rates.sort(null);
      assertEquals(rates.get(SLOTS - 1), number(row.get(2)), 1e-6 * sum, key + ": largest");
      double p95 = rates.get(8) + 0.55 * (rates.get(9) - rates.get(8)); // 0.95 · 9 = 8.55
      assertEquals(p95, number(row.get(3)), 1e-6 * sum, key + ": 95th percentile");
      assertEquals(sum / all, number(row.get(8)), 1e-9, key + ": share");
    }
    assertClose(bytes, found, dimension + ", all");
  }

  @Test
  void theOverviewShowsBothDirectionsAndThePeriodBefore() throws Exception {
    Map<String, Double> expected =
        sums(flow -> flow.slot() + (flow.outgoing() ? " out" : " in"), flow -> 8 * flow.bytes());
    expected.replaceAll((key, value) -> value / SLOT);
    assertClose(
        expected, series(ask("flowmon-overview", "Into and out of your networks")), "directions");
    Map<String, Double> totals = sums(flow -> flow.slot().toString(), flow -> 8 * flow.bytes());
    Map<String, Double> both = new TreeMap<>();
    totals.forEach(
        (minute, bits) -> {
          both.put(minute + " now", bits / SLOT);
          both.put(Instant.parse(minute).plusSeconds(SLOT) + " 5 minutes before", bits / SLOT);
        });
    both.remove(TO + " 5 minutes before"); // its window ends after the range
    assertClose(both, series(ask("flowmon-overview", "Against the period before")), "periods");
    List<List<Object>> now = ask("flowmon-overview", "Bits per second now");
    double last = number(now.get(now.size() - 1).get(2));
    assertEquals(totals.get(TO.minusSeconds(SLOT).toString()) / SLOT, last, 1e-6 * last);
    assertEquals(SLOTS, now.size());
  }

  @Test
  void theSankeyHasThePairsInTheOrderOfItsPlugin() throws Exception {
    Map<String, Double> found = new TreeMap<>();
    for (List<Object> row : ask("flowmon-talkers", "Who sends to whom")) {
      found.put(row.get(0) + " > " + row.get(1).toString().strip(), number(row.get(2)));
    }
    Function<Flow, String> pair =
        flow -> "10.0.0." + flow.source() + " > 198.51.100." + flow.target();
    assertClose(sums(pair, Flow::bytes), found, "pairs");
    List<List<Object>> table = ask("flowmon-talkers", "Pairs of source and destination");
    assertEquals(found.size(), table.size());
    assertTrue(number(table.get(0).get(2)) >= number(table.get(1).get(2)), "largest first");
  }

  @Test
  void aChosenNameLeavesTheOthersOutAndFewNamesLeaveARest() throws Exception {
    String text =
        Dashboards.sql().stream()
            .filter(q -> q.title().equals("Bits per second by protocol"))
            .findFirst()
            .orElseThrow()
            .text();
    List<List<Object>> chosen = ask(text.replace("$name", "'udp'"));
    assertTrue(chosen.size() == SLOTS && chosen.stream().allMatch(row -> row.get(1).equals("udp")));
    Map<String, Double> all = series(ask(text));
    double sum = all.values().stream().mapToDouble(value -> value).sum();
    List<List<Object>> one = ask(text.replace("$top", "1"));
    assertEquals(2 * SLOTS, one.size(), "the largest and other");
    assertEquals(sum, one.stream().mapToDouble(row -> number(row.get(2))).sum(), 1e-6 * sum);
  }
}
