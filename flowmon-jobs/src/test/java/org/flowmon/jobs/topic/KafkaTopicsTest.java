package org.flowmon.jobs.topic;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.flowmon.jobs.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Waits for a broker that end without an answer. */
class KafkaTopicsTest {
  private static final Map<String, Object> NOBODY =
      Map.of(
          "bootstrap.servers", "127.0.0.1:1",
          "request.timeout.ms", "100",
          "default.api.timeout.ms", "100");

  @Test
  void anInterruptIsNoReasonToDoAnythingByHand() {
    for (Executable wait :
        List.<Executable>of(
            () -> KafkaTopics.createIfMissing(NOBODY, List.of("topic")),
            () -> KafkaTopics.send(NOBODY, List.of(new ProducerRecord<>("topic", new byte[1]))))) {
      Thread.currentThread().interrupt();
      try {
        assertThrows(InterruptException.class, wait);
      } finally {
        assertTrue(Thread.interrupted(), "whoever waits next is interrupted, too");
      }
    }
  }

  @Test
  void whoeverHasToCreateATopicByHandIsToldHow() {
    KafkaTopics.Single single =
        new KafkaTopics.Single("control", "cleanup.policy", "compact", "", "kafka.analyses_topic");
    ConfigException e =
        assertThrows(ConfigException.class, () -> KafkaTopics.createIfMissing(NOBODY, single));
    assertTrue(
        e.getMessage()
            .endsWith(
                "; create it by hand with one partition and cleanup.policy=compact, or name another"
                    + " in kafka.analyses_topic"),
        e.getMessage());
  }

  @Test
  void aReaderGivesUpIfTheMessagesThatItKnowsOfDoNotCome() {
    TopicPartition partition = new TopicPartition("topic", 0);
    try (MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none")) {
      consumer.updateBeginningOffsets(Map.of(partition, 0L));
      consumer.updateEndOffsets(Map.of(partition, 1L));
      assertThrows(
          TimeoutException.class,
          () -> KafkaTopics.read(consumer, "topic", Duration.ofMillis(50), message -> {}));
    }
  }
}
