package org.flowmon.jobs.topic;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** Waits for a broker that end without an answer. */
class KafkaTopicsTest {
  @Test
  void anInterruptIsNoReasonToCreateATopicByHand() {
    Map<String, Object> nobody = Map.of("bootstrap.servers", "127.0.0.1:1");
    Thread.currentThread().interrupt();
    try {
      assertThrows(
          InterruptException.class, () -> KafkaTopics.createIfMissing(nobody, List.of("topic")));
    } finally {
      assertTrue(Thread.interrupted(), "whoever waits next is interrupted, too");
    }
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
