package org.flowmon.deploy.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.Flowmon;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AnalysesCommandTest {
  @TempDir private Path folder;

  /** The result of a command. */
  private record Ran(int code, String out) {}

  private static Ran run(String... args) {
    PrintStream before = System.out;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    try {
      int code = Flowmon.commandLine().execute(args);
      return new Ran(code, out.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(before);
    }
  }

  @Test
  void theFilesThatComeAlongAreShownAndRight() throws Exception {
    Ran list = run("analyses", "list");
    assertEquals(0, list.code());
    List<String> names =
        Stream.concat(AnalysisConfig.bundled().stream(), AnalysisConfig.offered().stream())
            .map(AnalysisConfig::name)
            .toList();
    assertTrue(names.containsAll(List.of("elephants", "portscans", "beacons")), names.toString());
    for (String name : names) {
      assertTrue(list.out().contains("\n" + name + " "), list.out());
      Ran shown = run("analyses", "show", name);
      assertEquals(0, shown.code());
      Files.writeString(folder.resolve(name + ".yaml"), shown.out());
    }
    Ran checked = run("analyses", "check", folder.toString());
    assertEquals(0, checked.code(), checked.out());
    assertEquals(names.size(), checked.out().lines().count(), checked.out());
    Ran ofFolder = run("analyses", "list", folder.toString());
    assertEquals(1 + names.size(), ofFolder.out().lines().count(), ofFolder.out());
    assertTrue(ofFolder.out().contains("dispersion           10m      1m"), ofFolder.out());
  }

  /** An archive of a minute from noon on, ten flows a second, of two sources in turn. */
  private Path archive() throws Exception {
    long noon = 1_795_262_400_000_000L; // 2026-11-21T12:00:00Z
    Path place = folder.resolve("archive");
    try (Archive archive =
            Archive.openOrCreate(ArchiveLocation.of(place), ArchiveOptions.DEFAULTS);
        ArchiveImporter importer =
            new ArchiveImporter(
                archive, new ImportedFile(String.format("%064x", 1), "test", 1), false)) {
      FlowBatchBuilder builder = new FlowBatchBuilder(600);
      for (int i = 0; i < 600; i++) {
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, noon + i * 100_000L);
        builder.set(FlowColumn.END_TIME, noon + i * 100_000L);
        builder.setIpv4(FlowColumn.SRC_ADDR, 0x0A000001 + i % 2);
        builder.setIpv4(FlowColumn.DST_ADDR, i);
        builder.set(FlowColumn.BYTES, i);
        builder.set(FlowColumn.OUTGOING, i < 300 ? 0 : 1);
        builder.endRow();
      }
      importer.add(FlowBatch.open(builder.build(1, 0, 600, 0)));
      importer.commit("test");
    }
    return place;
  }

  @Test
  void anArchiveSaysHowManyFlowsBecomeAGroupAndWhatWindowIsLongEnough() throws Exception {
    String place = archive().toString();
    Ran list = run("analyses", "list", "--archive", place);
    assertEquals(0, list.code(), list.out());
    List<String> lines =
        list.out().lines().map(line -> line.strip().replaceAll(" +", " ")).toList();
    // The first 30 s count: two sources in windows of 10 s are 6 groups, in those of 3 s 20.
    assertTrue(lines.contains("elephants 10s 300 6 50.0 3s"), list.out());
    // Every flow has its own pair.
    assertTrue(lines.contains("mice 10s 600 600 1.0 none up to 1h, which has 1.0"), list.out());
    // Both sources are in one prefix; groups are counted in slides of a minute.
    assertTrue(lines.contains("dispersion 1m 300 1 300.0 1s"), list.out());
    Ran shorter =
        run("analyses", "list", "--archive", place, "--sample", "5s", "--reduction", "60");
    // The last five seconds are outgoing, and windows of 10 s are longer.
    assertTrue(
        shorter.out().replaceAll(" +", " ").contains("mice 10s - - - none up to 3s, which has 1.0"),
        shorter.out());
    assertEquals(2, run("analyses", "list", "--archive", place, "--sample", "1ms").code());
    assertEquals(
        3, run("analyses", "list", "--archive", folder.resolve("nowhere").toString()).code());
  }

  @Test
  void everyWrongFileIsSaidWithItsPlace() throws Exception {
    String right = run("analyses", "show", "elephants").out();
    Files.writeString(folder.resolve("a.yaml"), right);
    Files.writeString(folder.resolve("b.yaml"), right);
    Files.writeString(folder.resolve("c.yaml"), right.replace("SUM(bytes)", "SUM(byte)"));
    Files.writeString(folder.resolve("d.yaml"), right.replace("factor: 3", "factr: 3"));
    Ran ran = run("analyses", "check", folder.toString());
    assertEquals(1, ran.code());
    String[] lines = ran.out().split("\n", -1);
    assertTrue(lines[0].endsWith("a.yaml: elephants is right"), lines[0]);
    assertTrue(lines[1].contains("b.yaml: name: 'elephants' is already defined in"), lines[1]);
    assertTrue(ran.out().contains("c.yaml"), ran.out());
    assertTrue(ran.out().contains("'byte'"), ran.out());
    assertTrue(
        ran.out().contains("d.yaml:30: report.parameters.factr: is not a parameter of logic"),
        ran.out());
  }

  @Test
  void allThatIsWrongInAFileIsSaid() throws Exception {
    Path file = folder.resolve("wrong.yaml");
    Files.writeString(
        file,
        """
        name: wrong
        live:
          query: SELECT src_addr, SUM(byte) AS bytes FROM flows GROUP BY src_addr
          window: 10s
          slide: 3s
        history:
          query: SELECT src_addr FROM flow
        report: {logic: live, logc: x}
        sinks: [kafka, mail, postgres, pager]
        alerts:
          - {name: a, when: bytes > 1, for: soon}
          - {name: b}
        slots: 5
        """);
    String[] expected = {
      ":3:31: live.query: no column 'byte'",
      ":5: live.slide: expected a duration that divides the window of 10s, found 3s",
      ":7:31: history.query: ",
      ":8: report.logc: is not a key here",
      ":9: sinks: expected some of [kafka, postgres], found 'mail'",
      ":9: sinks: expected some of [kafka, postgres], found 'pager'",
      ":11: alerts[1].for: expected a duration",
      ":12: alerts[2].when: is missing",
      ":13: slots: is not a key here",
    };
    assertSaid(file, expected);
    // Files that are right except for conditions; the first error does not hide the others.
    Files.writeString(
        file,
        """
        name: wrong
        live: {query: 'SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr', window: 10s}
        report: {logic: live, condition: byte > 1}
        sinks: [none]
        alerts:
          - {name: a, when: bytes > 1, key: [dst_addr]}
          - {name: b, when: bytes > 1}
          - {name: c, when: bits > 1}
        """);
    assertSaid(
        file,
        ":4: sinks: expected some of [kafka, postgres], found 'none'",
        ":3: report.condition: ",
        ": analysis wrong: alert a: key: expected columns out of src_addr, bytes",
        ":8: alerts[3].when: ");
  }

  @Test
  void aValueThatIsWrongHidesNothingThatDoesNotHangOnIt() throws Exception {
    Path file = folder.resolve("wrong.yaml");
    Files.writeString(
        file,
        """
        name: wrong
        live:
          query: SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr
          window: 10s
          slide: 3s
          revisions: perhaps
          slots: 17
          slotz: 5
          group: 9
        history:
          query: SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr
          delay: soon
          timeout: 1h
        report: {logic: live, condition: byte > 1}
        alerts:
          - {name: a, when: bits > 1}
          - {name: b, whenn: bytes > 1, for: soon, severity: loud}
          - {name: a, whenn: bytes > 1}
        """);
    assertSaid(
        file,
        ":6: live.revisions: expected true or false",
        ":7: live.slots: expected a power of two",
        ":8: live.slotz: is not a key here",
        ":9: live.group: is not a key here",
        ":5: live.slide: expected a duration that divides",
        ":12: history.delay: expected a duration",
        ":13: history.timeout: expected at most 10m",
        ":17: alerts[2].for: expected a duration",
        ":17: alerts[2].severity: expected one of",
        ":17: alerts[2].whenn: is not a key here",
        ":18: alerts[3].name: 'a' is the name of another alert here",
        ":18: alerts[3].whenn: is not a key here; did you mean 'when', which is missing?",
        ":14: report.condition: ",
        ":16: alerts[1].when: ");
    String dispersion = run("analyses", "show", "dispersion").out();
    Files.writeString(file, dispersion.replace("slide: 1m", "slide: 7m"));
    assertSaid(file, ":" + line(file, "slide:") + ": live.slide: expected a duration that divides");
    Files.writeString(
        file, dispersion.replace("slide: 1m", "slide: 7m").replace("dispersion\n", "dispersal\n"));
    assertSaid(
        file,
        ":" + line(file, "slide:") + ": live.slide: expected a duration that divides",
        ":" + line(file, "logic:") + ": report.logic: expected ");
    Files.writeString(
        file,
        "name: wrong\nlive: {query: [SELECT], window: soon, lateness: 1}\nreport: {logic: live}\n");
    assertSaid(
        file,
        ":2: live.window: expected a duration",
        ":2: live.query: expected a query, found a list",
        ":2: live.lateness: expected a duration");
  }

  /** The number of the first line that begins with a key. */
  private static int line(Path file, String key) throws Exception {
    List<String> lines = Files.readAllLines(file).stream().map(String::strip).toList();
    return 1
        + IntStream.range(0, lines.size())
            .filter(i -> lines.get(i).startsWith(key))
            .min()
            .orElseThrow();
  }

  private static void assertSaid(Path file, String... beginnings) {
    Ran ran = run("analyses", "check", file.toString());
    assertEquals(1, ran.code(), ran.out());
    List<String> lines = ran.out().lines().toList();
    assertEquals(beginnings.length, lines.size(), ran.out());
    for (int i = 0; i < beginnings.length; i++) {
      assertTrue(lines.get(i).startsWith(file + beginnings[i]), lines.get(i));
    }
  }

  @Test
  void errorsOfYamlAndOfQueriesNameLineAndColumn() throws Exception {
    String right = run("analyses", "show", "elephants").out();
    Path query = folder.resolve("q.yaml");
    Files.writeString(query, right.replace("SUM(bytes)", "SUM(byte)"));
    List<String> lines = Files.readAllLines(query);
    int line = 0;
    while (!lines.get(line).contains("SUM(byte)")) {
      line++;
    }
    int column = lines.get(line).indexOf("byte)");
    Ran ran = run("analyses", "check", query.toString());
    assertEquals(1, ran.code());
    String place = query + ":" + (line + 1) + ":" + (column + 1);
    assertTrue(ran.out().startsWith(place + ": live.query: no column 'byte'"), ran.out());
    Path yaml = folder.resolve("y.yaml");
    Files.writeString(yaml, "name: a\nlive: [\n");
    assertTrue(
        run("analyses", "check", yaml.toString()).out().startsWith(yaml + ":3:1: not YAML: "),
        ran.out());
  }

  @Test
  void whatIsNotThereIsSaid() {
    assertEquals(2, run("analyses").code());
    assertEquals(2, run("analyses", "show", "nothing").code());
    assertEquals(3, run("analyses", "check", folder.toString()).code());
    assertEquals(3, run("analyses", "list", folder.resolve("nowhere").toString()).code());
  }

  @Test
  void changesAreSentCheckedAndListed() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"))) {
      Path config = folder.resolve("flowmon.yaml");
      Files.writeString(
          config,
          "kafka: {bootstrap: '%s', analyses_topic: mine}%njob: {role: analyses}%n"
              .formatted(kafka.bootstrapServers()));
      Path mice = folder.resolve("mice.yaml");
      Files.writeString(mice, run("analyses", "show", "mice").out());
      Ran added =
          run("analyses", "add", "--wait", "100ms", "--config", config.toString(), mice.toString());
      assertEquals(0, added.code(), added.out());
      assertEquals(
          "mice (change 1 of topic mine) is sent; no job has answered: one that starts will take"
              + " it\n"
              + "mice: its reports go to topic flowmon.reports.mice and table report_mice of the"
              + " job's database, where it has one\n",
          added.out());
      Path wrong = folder.resolve("wrong.yaml");
      Files.writeString(wrong, Files.readString(mice).replace("limit: 100", "limt: 100"));
      assertEquals(
          3, run("analyses", "add", "--config", config.toString(), wrong.toString()).code());
      Path silent = folder.resolve("silent.yaml");
      Files.writeString(
          silent,
          Files.readString(mice)
              .replaceAll("(?m)^sinks:.*$", "")
              .replace("name: mice", "name: silent"));
      assertEquals(
          "silent (change 2 of topic mine) is sent\n"
              + "silent: its reports go nowhere, as it has no sinks\n",
          run("analyses", "add", "--wait", "0s", "--config", "" + config, "" + silent).out());
      Ran removed =
          run(
              "analyses",
              "remove",
              "--wait",
              "0s",
              "--topic",
              "mine",
              "--kafka",
              kafka.bootstrapServers(),
              "elephants");
      assertEquals("elephants (change 3 of topic mine) is sent\n", removed.out());
      Ran list = run("analyses", "list", "--config", config.toString());
      assertEquals(3, list.out().lines().count(), list.out());
      assertTrue(list.out().matches("(?s).*\nmice .* added .*"), list.out());
    }
    assertEquals(2, run("analyses", "add", "some.yaml").code());
  }

  @Test
  void whatAJobRefusedIsNotListedAsIfItRan() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"))) {
      String place = kafka.bootstrapServers();
      for (String name : List.of("mice", "portscans", "elephants")) {
        Path file = folder.resolve(name + ".yaml");
        Files.writeString(file, run("analyses", "show", name).out());
        assertEquals(
            0,
            run("analyses", "add", "--wait", "0s", "--bootstrap", place, file.toString()).code());
      }
      Map<String, Object> properties = Map.of("bootstrap.servers", place);
      try (KafkaProducer<String, String> status =
          new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer())) {
        // The answer to an older change of a name no longer counts.
        for (String message :
            List.of(
                says("mice", 1, "running", "null"),
                says("portscans", 2, "refused", "\"too many groups\""),
                says("elephants", 1, "refused", "\"of an older change\""))) {
          status.send(new ProducerRecord<>("flowmon.analyses.status", 0, "key", message)).get();
        }
      }
      CommandRun list = CommandRun.of("analyses", "list", "--kafka", place);
      assertEquals(0, list.code(), list.err());
      List<String> rows =
          list.out().lines().map(line -> line.strip().replaceAll(" +", " ")).toList();
      assertEquals(4, rows.size(), list.out());
      assertTrue(rows.get(1).startsWith("elephants 10s 10s yes added "), list.out());
      assertTrue(rows.get(2).startsWith("mice 10s 10s yes added "), list.out());
      assertTrue(rows.get(3).startsWith("portscans 1m 1m yes refused "), list.out());
      assertEquals(
          "portscans is refused: too many groups\n"
              + "no job has said what it runs: these are of topic flowmon.analyses; --config shows"
              + " those of the job's folder, too\n",
          list.err());
    }
  }

  @Test
  void whatAJobSaysThatItRunsIsListedWithWhatItRefused() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"))) {
      String place = kafka.bootstrapServers();
      sendThree(place);
      run("analyses", "remove", "--wait", "0s", "--kafka", place, "nobody", "talkers");
      try (KafkaProducer<String, String> status =
          new KafkaProducer<>(
              Map.of("bootstrap.servers", place), new StringSerializer(), new StringSerializer())) {
        for (String message :
            List.of(
                says("mice", 1, "running", "null"),
                says("portscans", 2, "refused", "\"too many groups\""),
                says("nobody", 4, "refused", "\"there is no analysis nobody to be removed\""))) {
          status.send(new ProducerRecord<>("flowmon.analyses.status", 0, "key", message)).get();
        }
        String running =
            "{\"version\":1,\"said\":\"2026-11-23T10:00:00Z\",\"running\":["
                + runs("mice", 1, "[]")
                + ","
                + runs("portscans", 0, "[\"kafka\",\"postgres\"]")
                + ","
                + runs("talkers", 0, "[]")
                + "]}";
        status.send(new ProducerRecord<>("flowmon.analyses.status", 0, "#running", running)).get();
      }
      CommandRun list = CommandRun.of("analyses", "list", "--kafka", place);
      assertEquals(0, list.code(), list.err());
      List<String> rows =
          list.out().lines().skip(1).map(line -> line.strip().replaceAll(" +", " ")).toList();
      assertEquals(
          List.of(
              "mice 1m 20s no added live",
              "portscans 1m 20s no yes live kafka, postgres",
              "talkers 1m 20s no yes live",
              "portscans 1m 1m yes refused portscans kafka, postgres",
              "beacons 4h 20m no sent beacons kafka, postgres"),
          rows);
      assertEquals(
          """
          portscans is refused, and what ran under this name goes on: too many groups
          beacons (change 3 of topic flowmon.analyses) is sent, and no job has answered
          nobody: to remove it is refused: there is no analysis nobody to be removed
          talkers: its removal (change 5 of topic flowmon.analyses) is sent, and no job has \
          answered
          as the job said at 2026-11-23T10:00:00Z, when it started or changed last
          """,
          list.err());
    }
  }

  @Test
  void whatAJobRefusedWhenItWasSubmittedIsNotListedAsSent() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"))) {
      String place = kafka.bootstrapServers();
      sendThree(place);
      try (KafkaProducer<String, String> status =
          new KafkaProducer<>(
              Map.of("bootstrap.servers", place), new StringSerializer(), new StringSerializer())) {
        // The job read changes 1 and 2 before it could answer.
        String running =
            "{\"version\":1,\"said\":\"2026-11-23T10:00:00Z\",\"read\":2,\"running\":["
                + runs("mice", 1, "[]")
                + "]}";
        status.send(new ProducerRecord<>("flowmon.analyses.status", 0, "#running", running)).get();
      }
      CommandRun list = CommandRun.of("analyses", "list", "--kafka", place);
      assertEquals(0, list.code(), list.err());
      List<String> rows =
          list.out().lines().skip(1).map(line -> line.strip().replaceAll(" +", " ")).toList();
      assertEquals(
          List.of(
              "mice 1m 20s no added live",
              "portscans 1m 1m yes no portscans kafka, postgres",
              "beacons 4h 20m no sent beacons kafka, postgres"),
          rows);
      assertEquals(
          """
          portscans (change 2 of topic flowmon.analyses) is not what the job does since it was \
          started; its log says why
          beacons (change 3 of topic flowmon.analyses) is sent, and no job has answered
          as the job said at 2026-11-23T10:00:00Z, when it started or changed last
          """,
          list.err());
    }
  }

  @Test
  void groupsOfAJobAreCountedOfWhatItRuns() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"))) {
      String place = kafka.bootstrapServers();
      sendThree(place);
      try (KafkaProducer<String, String> status =
          new KafkaProducer<>(
              Map.of("bootstrap.servers", place), new StringSerializer(), new StringSerializer())) {
        status
            .send(
                new ProducerRecord<>(
                    "flowmon.analyses.status",
                    0,
                    "key",
                    says("portscans", 2, "refused", "\"too many groups\"")))
            .get();
        String running =
            "{\"version\":1,\"said\":\"2026-11-23T10:00:00Z\",\"running\":["
                + runs("elephants", 0, "[]")
                + ","
                + runs("mice", 1, "[]")
                + ","
                + runs("portscans", 0, "[]")
                + "]}";
        status.send(new ProducerRecord<>("flowmon.analyses.status", 0, "#running", running)).get();
      }
      String archive = archive().toString();
      CommandRun list = CommandRun.of("analyses", "list", "--kafka", place, "--archive", archive);
      assertEquals(List.of("mice"), counted(list), list.toString());
      assertTrue(
          list.err()
              .contains(
                  "\nnot counted over the archive, as their files are not known here: elephants,"
                      + " portscans; --config knows those of the job's folder\n"),
          list.err());
      Path config = folder.resolve("flowmon.yaml");
      Files.writeString(
          config, "kafka: {bootstrap: '%s'}\njob: {role: analyses}\n".formatted(place));
      CommandRun both = CommandRun.of("analyses", "list", "--config", config, "--archive", archive);
      assertEquals(List.of("elephants", "mice"), counted(both), both.toString());
      assertTrue(both.err().contains(" not known here: portscans\n"), both.err());
    }
  }

  /** Sends mice, portscans and beacons as changes 1, 2 and 3, without a job that answers. */
  private void sendThree(String place) throws Exception {
    for (String name : List.of("mice", "portscans", "beacons")) {
      Path file = folder.resolve(name + ".yaml");
      Files.writeString(file, run("analyses", "show", name).out());
      run("analyses", "add", "--wait", "0s", "--bootstrap", place, file.toString());
    }
  }

  /** The names of the analyses whose groups are counted. */
  private static List<String> counted(CommandRun list) {
    assertEquals(0, list.code(), list.toString());
    List<String> lines = list.out().lines().toList();
    return lines.stream()
        .skip(lines.indexOf("") + 3L)
        .map(line -> line.substring(0, line.indexOf(' ')))
        .toList();
  }

  private static String runs(String analysis, int change, String sinks) {
    return "{\"analysis\":\"%s\",\"change\":%d,\"window\":\"PT1M\",\"slide\":\"PT20S\",\"history\":false,\"logic\":\"live\",\"sinks\":%s}"
        .formatted(analysis, change, sinks);
  }

  private static String says(String analysis, int change, String state, String message) {
    return "{\"version\":1,\"analysis\":\"%s\",\"change\":%d,\"state\":\"%s\",\"message\":%s}"
        .formatted(analysis, change, state, message);
  }
}
