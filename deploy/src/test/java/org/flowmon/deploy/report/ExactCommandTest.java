package org.flowmon.deploy.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.deploy.CommandRun;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports of a replay with default functions, and the exact values by going over all flows. */
class ExactCommandTest {
  private static final long START = FlowTime.micros(Instant.parse("2026-11-21T10:00:00Z"));
  private static final long SECOND = 1_000_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long SEED = 81;
  private static final int FLOWS = 60_000;

  @TempDir static Path folder;

  private static Path archive;
  private static Path report;
  private static final List<Flow> flows = new ArrayList<>();

  private record Flow(long end, String source, int port, long bytes) {}

  @BeforeAll
  static void replay() throws Exception {
    archive = folder.resolve("archive");
    Random random = new Random(SEED);
    try (Archive to = Archive.create(archive, ArchiveOptions.DEFAULTS);
        ArchiveImporter importer =
            new ArchiveImporter(
                to, new ImportedFile(String.format("%064x", 1), "test", 1), false)) {
      FlowBatchBuilder builder = new FlowBatchBuilder(FLOWS);
      for (int i = 0; i < FLOWS; i++) {
        long end = START + random.nextLong(20 * MINUTE);
        String source = "10.0.0." + random.nextInt(4);
        // Some ports have most of the bytes, thousands have some.
        int port = (int) (1 + 20_000 * Math.pow(random.nextDouble(), 6));
        long bytes = 40 + (long) Math.exp(14 * random.nextDouble());
        flows.add(new Flow(end, source, port, bytes));
        builder.beginRow();
        builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.parse(source));
        builder.set(FlowColumn.DST_PORT, port);
        builder.set(FlowColumn.BYTES, bytes);
        builder.set(FlowColumn.END_TIME, end);
        builder.set(FlowColumn.ARRIVAL, end + SECOND / 2);
        builder.endRow();
      }
      importer.add(FlowBatch.open(builder.build(1, 0, FLOWS, 0)));
      importer.commit("test");
    }
    Path analysis = folder.resolve("sizes.yaml");
    Files.writeString(
        analysis,
        """
        name: sizes
        live:
          query: |
            SELECT src_addr, COUNT(*) AS flows, QUANTILE(QUANTILES(bytes), 0.95) AS p95,
              MEDIAN(QUANTILES(bytes)) AS median, 8 * MEDIAN(QUANTILES(bytes)) AS bits,
              CARDINALITY(APPROX_COUNT_DISTINCT(dst_port)) AS ports,
              TOP(HEAVY_HITTERS(dst_port, bytes), 5) AS top
            FROM flows GROUP BY src_addr
          window: 10m
          lateness: 5s
        report: {logic: live}
        """);
    CommandRun run =
        CommandRun.of(
            "replay",
            "--archive",
            archive,
            "--analysis",
            analysis,
            "--from",
            "2026-11-21T10:00:00Z",
            "--to",
            "2026-11-21T10:20:00Z",
            "--format",
            "json");
    assertEquals(0, run.code(), run.err());
    report = Files.writeString(folder.resolve("report.json"), run.out());
    assertTrue(run.out().contains("\"top\":[{\"item\":"), run.out());
  }

  private static CommandRun exact(Object... more) {
    List<Object> all = new ArrayList<>(List.of("exact", "--archive", archive));
    all.addAll(List.of(more));
    return CommandRun.of(all.toArray());
  }

  private static JsonNode json(CommandRun run) throws Exception {
    return new ObjectMapper().readTree(run.out());
  }

  private static List<Flow> of(String source, long end) {
    return flows.stream()
        .filter(f -> f.source().equals(source) && f.end() >= end - 10 * MINUTE && f.end() < end)
        .toList();
  }

  private static long quantile(List<Flow> of, double share) {
    long[] sorted = of.stream().mapToLong(Flow::bytes).sorted().toArray();
    return sorted[(int) Math.ceil(share * sorted.length) - 1];
  }

  /** How far a rank lies from those of a value. */
  private static long ranksOff(List<Flow> of, double share, long value) {
    long below = of.stream().filter(flow -> flow.bytes() < value).count();
    long upTo = of.stream().filter(flow -> flow.bytes() <= value).count();
    long wanted = (long) Math.ceil(share * of.size());
    return Math.max(0, Math.max(below + 1 - wanted, wanted - upTo));
  }

  @Test
  void exactValuesAreThoseOfAllFlowsAndLieWithinTheBounds() throws Exception {
    int inexact = 0;
    for (String window : List.of("2026-11-21T10:10:00Z", "2026-11-21T10:20:00Z")) {
      CommandRun run = exact(report, "--window", window, "--json");
      assertEquals(0, run.code(), run.toString());
      JsonNode said = json(run);
      assertEquals(window, said.path("window_end").asText());
      assertEquals(0, said.path("outside").asInt());
      long end = FlowTime.micros(Instant.parse(window));
      int values = 0;
      for (JsonNode one : said.path("values")) {
        List<Flow> of = of(one.path("key").asText(), end);
        long shown = one.path("approximate").asLong();
        String column = one.path("column").asText();
        long expected =
            switch (column) {
              case "p95" -> quantile(of, 0.95);
              case "median" -> quantile(of, 0.5);
              default -> of.stream().map(Flow::port).distinct().count();
            };
        assertEquals(expected, one.path("exact").asLong(), one.toString());
        double off =
            switch (column) {
              case "p95" -> ranksOff(of, 0.95, shown);
              case "median" -> ranksOff(of, 0.5, shown);
              default -> Math.abs(shown - expected) / (double) shown;
            };
        assertEquals(off, one.path("off").asDouble(), 1e-9, one.toString());
        assertTrue(off <= one.path("bound").asDouble(), one.toString());
        assertTrue(one.path("within").asBoolean(), one.toString());
        inexact += shown == expected ? 0 : 1;
        values++;
      }
      assertEquals(4 * 3, values, said.toString());
      inexact += checkItems(said, end);
      JsonNode left = said.path("not_compared").get(0);
      assertEquals("bits", left.path("column").asText(), said.toString());
      assertTrue(left.path("query").asText().startsWith("SELECT src_addr, "), left.toString());
    }
    assertTrue(inexact > 10, inexact + " values differ from the exact ones");
  }

  private static int checkItems(JsonNode said, long end) {
    Map<String, Map<Integer, Long>> sums = new TreeMap<>();
    for (Flow flow : flows) {
      if (flow.end() >= end - 10 * MINUTE && flow.end() < end) {
        sums.computeIfAbsent(flow.source(), any -> new TreeMap<>())
            .merge(flow.port(), flow.bytes(), Long::sum);
      }
    }
    int inexact = 0;
    for (JsonNode item : said.path("items")) {
      long sum = sums.get(item.path("key").asText()).get(item.path("item").asInt());
      assertEquals(sum, item.path("exact").asLong(), item.toString());
      assertTrue(item.path("lower").asLong() <= sum, item.toString());
      assertTrue(item.path("upper").asLong() >= sum, item.toString());
      assertTrue(item.path("within").asBoolean(), item.toString());
      inexact += item.path("approximate").asLong() == sum ? 0 : 1;
    }
    assertEquals(4 * 5, said.path("items").size(), said.toString());
    return inexact;
  }

  @Test
  void aValueBeyondItsBoundIsNamedByTheExitCode() throws Exception {
    String honest = Files.readString(report);
    String forged =
        honest
            .replaceFirst("\"p95\":\\d+", "\"p95\":41")
            .replaceFirst("\"upper\":\\d+", "\"upper\":1");
    Path file = Files.writeString(folder.resolve("forged.json"), forged);
    CommandRun run = exact(file, "--window", "2026-11-21T10:10:00Z", "--json");
    assertEquals(1, run.code(), run.toString());
    assertEquals(2, json(run).path("outside").asInt(), run.out());
    String table = exact(file, "--window", "2026-11-21T10:10:00Z").out();
    assertTrue(table.contains("false"), table);
    assertTrue(table.contains("outside       2"), table);
  }

  @Test
  void aGroupThatTheArchiveDoesNotHaveIsOutside() throws Exception {
    String forged =
        Files.readString(report)
            .replaceFirst("\"src_addr\":\"[^\"]+\"", "\"src_addr\":\"203.0.113.250\"");
    Path file = Files.writeString(folder.resolve("missing.json"), forged);
    CommandRun run = exact(file, "--window", "2026-11-21T10:10:00Z", "--json");
    assertEquals(1, run.code(), run.toString());
    assertTrue(json(run).path("outside").asInt() > 0, run.out());
  }

  @Test
  void aRowIsAskedForByItsKeyAndTheLastWindowOtherwise() throws Exception {
    InputStream before = System.in;
    CommandRun run;
    try {
      System.setIn(new ByteArrayInputStream(Files.readAllBytes(report)));
      run = exact("-", "--key", "10.0.0.2", "--key", "10.0.0.1", "--json");
    } finally {
      System.setIn(before);
    }
    assertEquals(0, run.code(), run.toString());
    JsonNode said = json(run);
    assertEquals("2026-11-21T10:20:00Z", said.path("window_end").asText());
    HashSet<String> keys = new HashSet<>();
    said.path("values").forEach(one -> keys.add(one.path("key").asText()));
    assertEquals(new HashSet<>(List.of("10.0.0.1", "10.0.0.2")), keys);
    String query = said.path("not_compared").get(0).path("query").asText();
    assertTrue(query.contains("10.0.0.3"), "the report's own query is of all rows: " + query);
    CommandRun unknown = exact(report, "--key", "10.0.0.9");
    assertEquals(2, unknown.code());
    assertTrue(unknown.err().contains("no row 10.0.0.9; it has [10.0.0."), unknown.err());
  }

  @Test
  void theReportComesFromItsTopic() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"))) {
      CommandRun none = exact("--kafka", kafka.bootstrapServers(), "--analysis", "sizes");
      assertEquals(3, none.code(), none.toString());
      assertTrue(none.err().contains("no topic flowmon.reports.sizes"), none.err());
      kafka.createTopic("flowmon.reports.sizes", 2, Map.of());
      try (KafkaProducer<String, String> producer =
          new KafkaProducer<>(
              Map.of("bootstrap.servers", kafka.bootstrapServers()),
              new StringSerializer(),
              new StringSerializer())) {
        for (String line : Files.readAllLines(report, StandardCharsets.UTF_8)) {
          producer.send(new ProducerRecord<>("flowmon.reports.sizes", line)).get();
        }
      }
      CommandRun fromTopic =
          exact("--kafka", kafka.bootstrapServers(), "--analysis", "sizes", "--json");
      assertEquals(exact(report, "--json"), fromTopic);
      assertEquals(0, fromTopic.code(), fromTopic.err());
    }
  }

  @Test
  void whatCannotBeAnsweredIsSaid() throws Exception {
    CommandRun missing = exact(folder.resolve("none.json"));
    assertEquals(3, missing.code());
    assertTrue(missing.err().contains("no such file: "), missing.err());
    Path noReport = Files.writeString(folder.resolve("no.json"), "{}\n");
    CommandRun none = exact(noReport);
    assertEquals(3, none.code());
    assertTrue(none.err().contains("no report with rows; 1 messages are no reports"), none.err());
    String lines = Files.readString(report);
    Path plain =
        Files.writeString(
            folder.resolve("plain.json"), lines.replaceAll(",\"approximate\":.*", "}"));
    CommandRun exactAlready = exact(plain);
    assertEquals(3, exactAlready.code());
    assertTrue(exactAlready.err().contains("has no approximate column"), exactAlready.err());
    Path two =
        Files.writeString(
            folder.resolve("two.json"), lines + lines.replace("\"sizes\"", "\"others\""));
    CommandRun which = exact(two);
    assertEquals(2, which.code());
    assertTrue(which.err().contains("the reports are of others, sizes"), which.err());
    assertFalse(exact(two, "--analysis", "others").out().isEmpty());
    Path sites =
        Files.writeString(
            folder.resolve("sites.json"),
            lines.replaceAll("\"exact\":\"[^\"]*\"", "\"exact\":null"));
    CommandRun ofSites = exact(sites);
    assertTrue(ofSites.out().contains("the report has no exact query for it"), ofSites.out());
  }
}
