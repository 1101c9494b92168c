package org.flowmon.deploy.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code flowmon alerts list} over a real topic. */
class AlertsCommandTest {
  @TempDir private Path directory;

  private static String message(String id, int number, String state, String key) {
    return "{\"version\":1,\"id\":\"%s\",\"number\":%d,\"state\":\"%s\",\"severity\":\"warning\","
            .formatted(id, number, state)
        + "\"analysis\":\"talkers\",\"rule\":\"loud\",\"key\":\"%s\",".formatted(key)
        + "\"since\":\"2026-11-21T10:00:0%dZ\",".formatted(id.charAt(0) - 'a')
        + "\"window_end\":\"2026-11-21T11:00:00Z\",\"columns\":{\"number\":99,\"x\":[1,{}]}}";
  }

  @Test
  void alertsStandAsTheirMessageWithTheHighestNumberSays() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
      CommandRun none = CommandRun.of("alerts", "list", "--kafka", kafka.bootstrapServers());
      assertEquals(ExitCodes.FAILED, none.code(), none.toString());
      assertTrue(none.err().contains("no topic flowmon.alerts"), none.toString());
      kafka.createTopic("flowmon.alerts", 2, Map.of());
      send(
          kafka,
          message("b", 1, "firing", "10.0.0.1"),
          message("b", 2, "firing", "10.0.0.1"),
          message("a", 1, "firing", "10.0.0.2"),
          message("a", 2, "resolved", "10.0.0.2"),
          message("a", 1, "firing", "10.0.0.2"), // once more, after a restart
          message("c", 1, "firing", "\\u001b[31m"),
          "{\"version\":2,\"id\":\"z\"}",
          "no JSON");
      CommandRun firing = CommandRun.of("alerts", "list", "--bootstrap", kafka.bootstrapServers());
      assertEquals(0, firing.code(), firing.toString());
      List<String> lines = firing.out().lines().toList();
      assertEquals(3, lines.size(), firing.out());
      assertTrue(
          lines.get(1).matches("firing +warning +talkers +loud .* b +10\\.0\\.0\\.1"),
          lines.get(1));
      assertTrue(lines.get(2).endsWith(" \\x1b[31m"), lines.get(2));
      assertTrue(firing.err().contains("2 messages are left out"), firing.err());
      CommandRun all =
          CommandRun.of(
              "alerts", "list", "--bootstrap", kafka.bootstrapServers(), "--all", "--json");
      assertEquals(
          List.of(
              message("a", 2, "resolved", "10.0.0.2"),
              message("b", 2, "firing", "10.0.0.1"),
              message("c", 1, "firing", "\\u001b[31m")),
          all.out().lines().toList());
    }
  }

  @Test
  void whoIsMeantIsSentToTheJobAndWaitedFor() throws Exception {
    String a = "a".repeat(32);
    String b = "b".repeat(32);
    String c = "c".repeat(32);
    String webhooks = "0123456789abcdef0123456789abcdef";
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
      kafka.createTopic("flowmon.alerts", 1, Map.of());
      kafka.createTopic("flowmon.alerts.resolve", 1, Map.of());
      send(
          kafka,
          message(a, 1, "firing", "10.0.0.1"),
          message(b, 1, "firing", "10.0.0.2"),
          message(c, 1, "firing", "10.0.0.3"),
          message(c, 2, "resolved", "10.0.0.3"));
      CommandRun several = resolve(kafka, "loud");
      assertEquals(ExitCodes.USAGE, several.code(), several.toString());
      assertTrue(several.err().contains("means 2 alerts that fire"), several.toString());
      assertEquals(List.of(), resolves(kafka), "nothing was sent");
      CommandRun none = resolve(kafka, "10.0.0.3", c);
      assertEquals(ExitCodes.NO, none.code(), none.toString());
      assertTrue(none.out().contains("no alert that fires is '10.0.0.3'"), none.toString());
      assertEquals(List.of(), resolves(kafka));
      CommandRun sent = resolve(kafka, "10.0.0.1", webhooks, "--wait", "0s");
      assertEquals(0, sent.code(), sent.toString());
      assertTrue(sent.out().contains(a + " (talkers/loud 10.0.0.1) is sent"), sent.toString());
      assertEquals(List.of(a, webhooks), resolves(kafka));
      send(kafka, message(a, 2, "resolved", "10.0.0.1"), message(b, 2, "firing", "10.0.0.2"));
      Thread job =
          new Thread(
              () -> {
                try {
                  while (resolves(kafka).size() < 3) {
                    Thread.sleep(50);
                  }
                  send(kafka, message(b, 3, "resolved", "10.0.0.2"));
                } catch (Exception e) {
                  throw new AssertionError(e);
                }
              });
      job.start();
      CommandRun told = resolve(kafka, "talkers/loud", "--wait", "60s");
      job.join();
      assertEquals(0, told.code(), told.toString());
      assertTrue(told.out().contains(b + " (talkers/loud 10.0.0.2) is resolved"), told.toString());
    }
  }

  @Test
  void whatWasReadOnceIsNotReadAgain() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
      kafka.createTopic("flowmon.alerts", 1, Map.of());
      Map<String, Object> properties = Map.of("bootstrap.servers", kafka.bootstrapServers());
      send(kafka, message("a", 1, "firing", "10.0.0.1"), message("b", 1, "firing", "10.0.0.2"));
      try (AlertsTopic topic = AlertsTopic.open(properties);
          Admin admin = Admin.create(properties)) {
        TopicPartition partition = new TopicPartition("flowmon.alerts", 0);
        admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(2))).all().get();
        send(kafka, message("b", 2, "resolved", "10.0.0.2"), "{\"version\":1,\"id\":\"c\"}");
        topic.readOn();
        assertEquals(
            List.of(message("a", 1, "firing", "10.0.0.1"), message("b", 2, "resolved", "10.0.0.2")),
            topic.alerts().stream().map(AlertStates.Message::json).toList());
        assertEquals(1, topic.unreadable(), "an alert without a number");
      }
    }
  }

  private static CommandRun resolve(EmbeddedKafka kafka, String... more) {
    List<String> all =
        new ArrayList<>(List.of("alerts", "resolve", "--bootstrap", kafka.bootstrapServers()));
    all.addAll(List.of(more));
    return CommandRun.of(all.toArray());
  }

  /** The ids of sent messages, by their keys. */
  private static List<String> resolves(EmbeddedKafka kafka) {
    List<String> ids = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", kafka.bootstrapServers()),
            new StringDeserializer(),
            new StringDeserializer())) {
      TopicPartition partition = new TopicPartition("flowmon.alerts.resolve", 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
          assertEquals("{\"version\":1,\"id\":\"" + record.key() + "\"}", record.value());
          ids.add(record.key());
        }
      }
    }
    return ids;
  }

  private static void send(EmbeddedKafka kafka, String... messages) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", kafka.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer())) {
      for (String message : messages) {
        String id = message.replaceAll(".*\"id\":\"([^\"]*)\".*", "$1");
        producer.send(new ProducerRecord<>("flowmon.alerts", id, message)).get();
      }
    }
  }

  @Test
  void aBrokerHasToBeNamed() {
    CommandRun run = CommandRun.of("alerts", "list");
    assertEquals(ExitCodes.USAGE, run.code(), run.toString());
    assertEquals(ExitCodes.USAGE, CommandRun.of("alerts").code());
  }
}
