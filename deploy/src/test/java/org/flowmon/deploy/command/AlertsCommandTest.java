package org.flowmon.deploy.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.embedded.EmbeddedKafka;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code flowmon alerts list} over a real topic. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
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
      CommandRun none = CommandRun.of("alerts", "list", "--bootstrap", kafka.bootstrapServers());
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
      assertTrue(lines.get(2).endsWith(" ?[31m"), lines.get(2));
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
