package org.flowmon.deploy.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code flowmon reports} over real topics. */
class ReportsCommandTest {
  private static final int PARTITIONS = 2;

  @TempDir private Path directory;

  /** A row as in docs/format/reports.md; the window ends at this minute. */
  private static String row(
      String analysis, int minute, int revision, int rows, int number, String columns) {
    return ("{\"version\":1,\"analysis\":\"%s\",\"window_start\":\"2026-11-21T09:%02d:50Z\","
            + "\"window_end\":\"2026-11-21T10:%02d:00Z\",\"revision\":%d,\"rows\":%d,"
            + "\"row_number\":%d,\"row_key\":\"%d\",\"columns\":{%s},\"confidence\":{"
            + "\"history\":\"exact\",\"arrived_through\":\"2026-11-21T10:%02d:00Z\","
            + "\"final_at\":\"2026-11-21T10:%02d:0%dZ\",\"late_flows\":%d,\"message\":%s}}")
        .formatted(
            analysis,
            minute,
            minute,
            revision,
            rows,
            number,
            number,
            columns,
            minute,
            minute,
            revision > 4 ? 9 : 0,
            revision > 4 ? 1234 : 0,
            revision > 4 ? "\"a gap\"" : "null");
  }

  private static String talker(int minute, int revision, int rows, int number, String address) {
    String columns =
        "\"rank\":%d,\"src_addr\":\"%s\",\"bytes\":%d,\"share\":0.5,\"nothing\":null"
            .formatted(number, address, 1000 - number);
    return row("talkers", minute, revision, rows, number, columns);
  }

  /** Sends rows to the topic's partitions in turn. */
  private static void send(EmbeddedKafka kafka, String topic, String... messages) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", kafka.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer())) {
      for (int i = 0; i < messages.length; i++) {
        producer.send(new ProducerRecord<>(topic, i % PARTITIONS, null, messages[i])).get();
      }
    }
  }

  /** Lines that are longer than a terminal go on in the next one, two blanks further right. */
  private static String unwrapped(String text) {
    return text.replaceAll("\\R {2}(?=\\S)", " ");
  }

  private static List<String> heads(String text) {
    return unwrapped(text)
        .lines()
        .filter(line -> line.contains(" … ") && line.contains("history"))
        .toList();
  }

  private static CommandRun reports(EmbeddedKafka kafka, String... more) {
    List<String> all = new ArrayList<>(List.of("reports", "--kafka", kafka.bootstrapServers()));
    all.addAll(List.of(more));
    return CommandRun.of(all.toArray());
  }

  @Test
  void ofEachWindowTheHighestRevisionIsShownInTheOrderOfTime() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
      CommandRun none = reports(kafka);
      assertEquals(ExitCodes.FAILED, none.code(), none.toString());
      assertTrue(none.err().contains("no topic flowmon.reports.*"), none.toString());
      kafka.createTopic("flowmon.reports.talkers", PARTITIONS, Map.of());
      kafka.createTopic("flowmon.reports.scans", PARTITIONS, Map.of());
      assertTrue(reports(kafka).err().contains("no reports"), "topics that hold nothing");
      send(
          kafka,
          "flowmon.reports.talkers",
          talker(2, 3, 2, 2, "2001:db8::2"),
          talker(1, 3, 2, 1, "192.0.2.7"),
          talker(2, 3, 2, 1, "192.0.2.8\\u001b[31m"),
          talker(1, 7, 1, 1, "192.0.2.9"),
          talker(1, 3, 2, 2, "192.0.2.6"),
          "no JSON");
      // Its only result is the one at the end of the lateness.
      send(kafka, "flowmon.reports.scans", row("scans", 1, 7, 1, 1, "\"hosts\":5"));
      CommandRun all = reports(kafka);
      assertEquals(0, all.code(), all.toString());
      assertEquals(
          """
          scans  2026-11-21T09:01:50Z … 10:01:00Z  1 row, history exact, 1,234 late flows
            meanwhile, not final: a gap
          hosts
          ─────
              5

          talkers  2026-11-21T09:01:50Z … 10:01:00Z  1 row, history exact, 1,234 late
            flows meanwhile, update 1, not final: a gap
          rank  src_addr   bytes  share
          ────  ─────────  ─────  ─────
             1  192.0.2.9  999 B   50 %

          talkers  2026-11-21T09:02:50Z … 10:02:00Z  2 rows, history exact
          rank  src_addr           bytes  share
          ────  ─────────────────  ─────  ─────
             1  192.0.2.8\\x1b[31m  999 B   50 %
             2  2001:db8::2        998 B   50 %

          """,
          all.out());
      assertTrue(all.err().contains("1 messages are left out"), all.err());
      CommandRun json =
          reports(kafka, "--analysis", "talkers", "--format", "json", "--since", "2026-11-21");
      assertEquals(
          List.of(
              talker(1, 7, 1, 1, "192.0.2.9"),
              talker(2, 3, 2, 1, "192.0.2.8\\u001b[31m"),
              talker(2, 3, 2, 2, "2001:db8::2")),
          json.out().lines().toList());
      CommandRun since = reports(kafka, "--since", "2026-11-21T10:01:30Z", "--format", "json");
      assertEquals(2, since.out().lines().count(), since.toString());
      CommandRun last = reports(kafka, "--last", "1", "--format", "json");
      assertEquals(3, last.out().lines().count(), last.toString());
      CommandRun ago = reports(kafka, "--since", "1s");
      assertTrue(ago.out().isEmpty() && ago.err().contains("no reports of windows"), ago.err());
      CommandRun missing = reports(kafka, "--analysis", "talkers", "--analysis", "mice");
      assertEquals(ExitCodes.FAILED, missing.code());
      assertTrue(
          missing.err().contains("no topic flowmon.reports.mice: ")
              && missing.err().contains("flowmon.reports.scans, flowmon.reports.talkers"),
          missing.err());
    }
  }

  @Test
  void aReportThatLacksRowsSaysSoAndThoseBeforeTheLastTenAreLeftOut() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
      kafka.createTopic("flowmon.replays.talkers", PARTITIONS, Map.of());
      for (int minute = 1; minute <= 12; minute++) {
        send(kafka, "flowmon.replays.talkers", talker(minute, 3, minute, 1, "192.0.2.9"));
      }
      CommandRun run = reports(kafka, "--topic", "flowmon.replays.talkers");
      List<String> heads = heads(run.out());
      assertEquals(10, heads.size(), run.out());
      assertTrue(heads.get(0).contains("10:03:00Z  1 row"), heads.get(0));
      assertTrue(heads.get(9).endsWith("history exact, 11 others are not there"), heads.get(9));
      assertTrue(run.err().contains("earlier windows are left out"), run.err());
      CommandRun other =
          reports(kafka, "--topic", "flowmon.replays.talkers", "--analysis", "mice", "--last", "3");
      assertTrue(other.out().isEmpty() && other.err().contains("no reports of mice"), other.err());
    }
  }

  private static Process following(EmbeddedKafka kafka, Path said, String... more)
      throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "org.flowmon.deploy.Flowmon",
                "reports",
                "--kafka",
                kafka.bootstrapServers(),
                "--analysis",
                "talkers",
                "--follow"));
    command.addAll(List.of(more));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(said.toFile())
        .start();
  }

  @Test
  void whatComesIsFollowedUntilASignal() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory.resolve("kafka"))) {
      Path said = directory.resolve("said");
      Process process = following(kafka, said, "--last", "1");
      try {
        await(process, said, text -> text.contains("it is waited for"));
        kafka.createTopic("flowmon.reports.talkers", PARTITIONS, Map.of());
        send(kafka, "flowmon.reports.talkers", talker(1, 3, 1, 1, "192.0.2.1"));
        await(process, said, text -> text.contains("192.0.2.1 "));
        send(kafka, "flowmon.reports.talkers", talker(2, 3, 2, 2, "192.0.2.2"));
        // It appears soon without the missing rows, and again when these have come.
        await(process, said, text -> unwrapped(text).contains("1 others are not there"));
        send(
            kafka,
            "flowmon.reports.talkers",
            talker(1, 3, 1, 1, "192.0.2.1"),
            talker(2, 3, 2, 1, "192.0.2.3"));
        await(process, said, text -> text.contains("192.0.2.3 "));
        send(kafka, "flowmon.reports.talkers", talker(1, 7, 1, 1, "192.0.2.4"));
        String all = await(process, said, text -> text.contains("192.0.2.4 "));
        assertEquals(1, all.split("192\\.0\\.2\\.1 ", -1).length - 1, "a repeat: " + all);
        assertEquals(2, all.split("192\\.0\\.2\\.2 ", -1).length - 1, all);
        assertTrue(unwrapped(all).contains(", update 1, not final: a gap"), all);
        new ProcessBuilder("kill", "-TERM", Long.toString(process.pid())).start().waitFor();
        assertTrue(process.waitFor(30, TimeUnit.SECONDS), "it goes on");
        assertEquals(143, process.exitValue());
        assertFalse(Files.readString(said).contains("Exception"), Files.readString(said));
      } finally {
        process.destroyForcibly();
      }
    }
  }

  @Test
  void whatIsApproximateIsSaidWithTheQueryThatIsExact() throws Exception {
    String approximate =
        ",\"approximate\":[{\"column\":\"bytes\",\"value\":\"v\",\"bound\":12.0,"
            + "\"bound_of\":\"ranks\",\"probability\":1.0,\"exact\":\"SELECT 1\"},"
            + "{\"column\":\"share\",\"value\":\"w\",\"bound\":0.016,\"bound_of\":\"share\","
            + "\"probability\":0.95,\"exact\":null},"
            + "{\"column\":\"rows\",\"bound\":12.0,\"bound_of\":\"ranks\",\"probability\":1.0,"
            + "\"exact\":\"SELECT 1\"},"
            + "{\"column\":\"rank\",\"value\":\"u\",\"bound\":0.0,\"bound_of\":\"units\","
            + "\"probability\":1.0,\"exact\":\"SELECT 2\"},"
            + "{\"column\":\"top\",\"value\":\"x\",\"bound\":null,\"bound_of\":null,"
            + "\"probability\":null,\"exact\":\"SELECT 3\"},"
            + "{\"column\":\"wide\",\"bound\":1e999,\"bound_of\":\"units\",\"probability\":1.0}]}";
    String row = talker(1, 3, 2, 1, "192.0.2.9");
    String message = row.substring(0, row.length() - 1) + approximate;
    // Rows other than the first need not have the queries.
    String row2 = talker(1, 3, 2, 2, "192.0.2.8");
    String message2 =
        row2.substring(0, row2.length() - 1)
            + ",\"approximate\":[{\"column\":\"bytes\",\"value\":\"v\",\"bound\":12.0,"
            + "\"bound_of\":\"ranks\",\"probability\":1.0}]}";
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
      kafka.createTopic("flowmon.reports.talkers", PARTITIONS, Map.of());
      send(kafka, "flowmon.reports.talkers", message, message2);
      assertEquals(
          """
          talkers  2026-11-21T09:01:50Z … 10:01:00Z  2 rows, history exact
          rank  src_addr   bytes  share
          ────  ─────────  ─────  ─────
             1  192.0.2.9  999 B   50 %
             2  192.0.2.8  998 B   50 %
          bytes: v, rows: at most 12 ranks off; exactly by SELECT 1
          share: w: at most 1.6 % off, with 95 %
          rank: u: exact here
          top: x: approximate; exactly by SELECT 3
          wide: approximate

          """,
          reports(kafka).out());
      assertEquals(
          message + System.lineSeparator() + message2,
          reports(kafka, "--format", "json").out().strip());
    }
  }

  /** A row of a report on a part of its window's groups. */
  private static String sampled(int minute, String confidence) {
    return talker(minute, 3, 1, 1, "192.0.2.9")
        .replace("\"late_flows\"", confidence + "\"late_flows\"");
  }

  @Test
  void whichPartOfHowManyGroupsAReportIsOfIsSaid() throws Exception {
    String[] messages = {
      sampled(1, "\"group_sampling\":1.0,\"groups\":1,\"groups_lower\":1,\"groups_upper\":1,"),
      sampled(
          2,
          "\"group_sampling\":0.25,\"groups\":40000,\"groups_lower\":39653,"
              + "\"groups_upper\":40350,"),
      sampled(
          3,
          "\"group_sampling\":1.52587890625E-5,\"groups\":null,\"groups_lower\":null,"
              + "\"groups_upper\":null,"),
      sampled(
          4,
          "\"group_sampling\":0.0,\"groups\":null,\"groups_lower\":null,"
              + "\"groups_upper\":null,"),
      sampled(
          5,
          "\"group_sampling\":1.0,\"groups\":65536,\"groups_lower\":65536,"
              + "\"groups_upper\":65536,"),
    };
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
      kafka.createTopic("flowmon.reports.talkers", PARTITIONS, Map.of());
      send(kafka, "flowmon.reports.talkers", messages);
      assertEquals(
          List.of(
              "1 group",
              "1/4 of about 40,000 groups (39,653 … 40,350, with 95 %)",
              "1/65,536 of its groups",
              "none of its groups, as they are too many",
              "65,536 groups"),
          heads(reports(kafka).out()).stream()
              .map(line -> line.substring(line.indexOf("exact, ") + 7))
              .toList());
      assertEquals(List.of(messages), reports(kafka, "--format", "json").out().lines().toList());
    }
  }

  private static String judged(int minute, int rows, int number, String address, String verdict) {
    String columns =
        "\"rank\":%d,\"src_addr\":\"%s\",\"bytes\":%d,\"dst_port\":443,\"protocol\":6,\"rate\":125000.0,\"verdict\":%s"
            .formatted(number, address, 12_345_678L / number, verdict);
    return row("talkers", minute, 3, rows, number, columns);
  }

  @Test
  void whatIsOutOfTheOrdinaryIsShownAndTheRestCounted() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
      kafka.createTopic("flowmon.reports.talkers", PARTITIONS, Map.of());
      List<String> messages = new ArrayList<>();
      for (int row = 1; row <= 40; row++) {
        String verdict = row == 1 ? "\"new\"" : row == 2 ? "null" : "\"usual\"";
        messages.add(judged(1, 40, row, "192.0.2." + row, verdict));
        messages.add(judged(2, 40, row, "192.0.2." + row, "\"no_history\""));
      }
      send(kafka, "flowmon.reports.talkers", messages.toArray(String[]::new));
      CommandRun shown = reports(kafka);
      assertEquals(
          """
          talkers  2026-11-21T09:01:50Z … 10:01:00Z  1 of 40 rows, history exact
          rank  src_addr     bytes  dst_port  protocol      rate  verdict
          ────  ─────────  ───────  ────────  ────────  ────────  ───────
             1  192.0.2.1  12.3 MB  https     tcp       1 Mbit/s  new
            left out as ordinary: 38 usual, 1 without a verdict (--all)

          """,
          shown.out());
      assertTrue(
          shown
              .err()
              .contains(
                  "1 report has nothing out of the ordinary (rows: 40 no_history); --all shows"),
          shown.err());
      assertEquals(80, dataLines(reports(kafka, "--all").out()));
      assertEquals(6, dataLines(reports(kafka, "--all", "--limit", "3").out()));
      assertTrue(reports(kafka, "--all", "--limit", "3").out().contains("  37 more (--limit)"));
      CommandRun where =
          reports(kafka, "--where", "verdict = 'usual' AND src_addr IN '192.0.2.16/28'");
      assertEquals(16, dataLines(where.out()), where.toString());
      CommandRun json =
          reports(kafka, "--where", "bytes > 6000000 AND rank > 1", "--format", "json");
      assertEquals(List.of(messages.get(2), messages.get(3)), json.out().lines().toList());
      CommandRun wrong = reports(kafka, "--where", "targets > 5");
      assertEquals(ExitCodes.USAGE, wrong.code(), wrong.toString());
      assertTrue(wrong.err().contains("--where: ") && wrong.err().contains("targets"), wrong.err());
      String vertical = reports(kafka, "--vertical").out();
      assertTrue(vertical.contains("\nsrc_addr  192.0.2.1\nbytes     12.3 MB\n"), vertical);
      String raw = reports(kafka, "--raw").out();
      assertTrue(raw.contains("192.0.2.1  12345678       443         6  125000  new"), raw);
    }
  }

  private static long dataLines(String table) {
    return table.lines().filter(line -> line.matches(" *\\d+  192\\.0\\.2\\.\\d+ .*")).count();
  }

  private static String withoutRows(int minute, int revision, int late, int lost) {
    return ("{\"version\":2,\"analysis\":\"talkers\",\"window_start\":\"2026-11-21T09:%02d:50Z\","
            + "\"window_end\":\"2026-11-21T10:%02d:00Z\",\"revision\":%d,\"rows\":0,"
            + "\"confidence\":{\"history\":\"none\",\"late_flows\":%d,\"lost_flows\":%d,"
            + "\"message\":null}}")
        .formatted(minute, minute, revision, late, lost);
  }

  @Test
  void reportsWithoutRowsAreShownWhereTheySayOfLateOrLostFlowsOrReplaceRows() throws Exception {
    String[] messages = {
      talker(1, 3, 1, 1, "192.0.2.1"),
      withoutRows(2, 3, 0, 0),
      withoutRows(3, 3, 5, 1200),
      talker(4, 3, 1, 1, "192.0.2.4"),
      withoutRows(4, 11, 0, 0),
      talker(5, 3, 1, 1, "192.0.2.5"),
      withoutRows(6, 3, 0, 0),
    };
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory.resolve("kafka"))) {
      kafka.createTopic("flowmon.reports.talkers", PARTITIONS, Map.of());
      send(kafka, "flowmon.reports.talkers", messages);
      CommandRun shown = reports(kafka, "--last", "2");
      assertEquals(
          List.of(
              "talkers  2026-11-21T09:01:50Z … 10:01:00Z  1 row, history exact",
              "talkers  2026-11-21T09:03:50Z … 10:03:00Z  0 rows, history none, 5 late"
                  + " flows meanwhile, 1,200 lost",
              "talkers  2026-11-21T09:04:50Z … 10:04:00Z  0 rows, history none, update" + " 2",
              "talkers  2026-11-21T09:05:50Z … 10:05:00Z  1 row, history exact"),
          heads(shown.out()));
      assertTrue(shown.err().contains("2 reports without rows are left out"), shown.toString());
      assertFalse(shown.out().contains("192.0.2.4"), shown.toString());
      List<String> json = reports(kafka, "--format", "json").out().lines().toList();
      assertEquals(6, json.size());
      assertTrue(json.contains(messages[1]) && json.contains(messages[6]), json.toString());
    }
  }

  @Test
  void aLateReportsRowsAreShownOnceAsJson() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory.resolve("kafka"))) {
      kafka.createTopic("flowmon.reports.talkers", PARTITIONS, Map.of());
      Path said = directory.resolve("said");
      Process process = following(kafka, said, "--format", "json");
      try {
        String late = talker(2, 3, 2, 2, "192.0.2.2");
        send(kafka, "flowmon.reports.talkers", talker(1, 3, 1, 1, "192.0.2.1"), late);
        await(process, said, text -> text.contains("192.0.2.2"));
        send(kafka, "flowmon.reports.talkers", talker(2, 3, 2, 1, "192.0.2.3"));
        await(process, said, text -> text.contains("192.0.2.3"));
        send(kafka, "flowmon.reports.talkers", talker(3, 3, 1, 1, "192.0.2.4"));
        String all = await(process, said, text -> text.contains("192.0.2.4"));
        assertEquals(2, all.split(Pattern.quote(late), -1).length, all);
      } finally {
        process.destroyForcibly();
      }
    }
  }

  private static String await(Process process, Path said, Predicate<String> awaited)
      throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    String text = Files.readString(said);
    while (!awaited.test(text)) {
      assertTrue(process.isAlive() && System.nanoTime() < end, "it never came: " + text);
      Thread.sleep(50);
      text = Files.readString(said);
    }
    return text;
  }

  @Test
  void whatIsWrongWithTheCommandLineIsSaid() {
    assertEquals(ExitCodes.USAGE, CommandRun.of("reports").code());
    for (String wrong : List.of("yesterday", "10", "10x", "2026-13-01")) {
      CommandRun run = CommandRun.of("reports", "--kafka", "127.0.0.1:1", "--since", wrong);
      assertEquals(ExitCodes.USAGE, run.code(), run.toString());
      assertTrue(run.err().contains("'" + wrong + "' is no"), run.err());
    }
    assertEquals(
        ExitCodes.USAGE, CommandRun.of("reports", "--kafka", "127.0.0.1:1", "--last", "-1").code());
  }
}
