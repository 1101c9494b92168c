package org.flowmon.deploy.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.flowmon.deploy.CommandRun;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.junit.jupiter.api.Test;

/** What flowmon analyses sends to a job, and what the job says of it. */
class AnalysesOfAJobTest extends AnalysesCommandFixture {
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
              + " job's database, if it has one\n",
          added.out());
      Path wrong = folder.resolve("wrong.yaml");
      Files.writeString(wrong, Files.readString(mice).replace("name: mice", "nam: mice"));
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
              "portscans 1m 1m yes refused query kafka, postgres",
              "beacons 24h 12m yes sent beacons kafka, postgres"),
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
              "portscans 1m 1m yes no query kafka, postgres",
              "beacons 24h 12m yes sent beacons kafka, postgres"),
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

  private static String runs(String analysis, int change, String sinks) {
    return "{\"analysis\":\"%s\",\"change\":%d,\"window\":\"PT1M\",\"slide\":\"PT20S\",\"history\":false,\"logic\":\"live\",\"sinks\":%s}"
        .formatted(analysis, change, sinks);
  }

  private static String says(String analysis, int change, String state, String message) {
    return "{\"version\":1,\"analysis\":\"%s\",\"change\":%d,\"state\":\"%s\",\"message\":%s}"
        .formatted(analysis, change, state, message);
  }
}
