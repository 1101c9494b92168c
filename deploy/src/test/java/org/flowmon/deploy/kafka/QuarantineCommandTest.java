package org.flowmon.deploy.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.flowmon.jobs.quarantine.QuarantineMessage;
import org.flowmon.jobs.quarantine.Quarantined;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code flowmon quarantine} over a real topic. */
class QuarantineCommandTest {
  @TempDir private Path directory;

  @Test
  void whatWasLeftOutIsListedOnceWithItsReason() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
      CommandRun none = CommandRun.of("quarantine", "--kafka", kafka.bootstrapServers());
      assertEquals(ExitCodes.FAILED, none.code(), none.toString());
      assertTrue(none.err().contains("no topic flowmon.quarantine"), none.toString());
      kafka.createTopic(QuarantineMessage.TOPIC, 1, Map.of());
      FlowBatchBuilder builder = new FlowBatchBuilder(3);
      for (int row = 0; row < 3; row++) {
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, row);
        builder.endRow();
      }
      byte[] batch = builder.build(1, 0, 3, 0);
      byte[] text = "none".getBytes(StandardCharsets.UTF_8);
      send(
          kafka,
          QuarantineMessage.of(Quarantined.of("id:0", 7, "flow-source", "\u001b[31mred", text)),
          QuarantineMessage.of(Quarantined.of("id:1", 9, "archive-writer", "why", batch)),
          QuarantineMessage.of(Quarantined.of("id:1", 9, "archive-writer", "why", batch)),
          new ProducerRecord<>(QuarantineMessage.TOPIC, text, text));
      CommandRun run = CommandRun.of("quarantine", "--kafka", kafka.bootstrapServers());
      assertEquals(0, run.code(), run.toString());
      List<String> lines = run.out().lines().toList();
      assertEquals(4, lines.size(), run.out());
      assertTrue(
          lines.get(1).matches(".* id:0@7 +flow-source +0 +4  \\\\x1b\\[31mred"), lines.get(1));
      assertTrue(
          lines.get(2).matches(".* id:1@9 +archive-writer +3 +" + batch.length + "  why"),
          lines.get(2));
      assertEquals("2 messages, 3 flows as their headers say", lines.get(3));
      assertTrue(run.err().contains("1 messages of the topic are not shown"), run.err());
      run = CommandRun.of("quarantine", "--kafka", kafka.bootstrapServers(), "--last", 0);
      assertEquals(List.of(lines.get(3)), run.out().lines().toList());
    }
  }

  @SafeVarargs
  private static void send(EmbeddedKafka kafka, ProducerRecord<byte[], byte[]>... messages)
      throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", kafka.bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (ProducerRecord<byte[], byte[]> message : messages) {
        producer.send(message).get();
      }
    }
  }
}
