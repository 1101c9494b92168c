package org.flowmon.jobs;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.flowmon.jobs.embedded.EmbeddedKafka;

/** A Kafka broker in this JVM, with what tests write to it and read from it. */
public final class TestKafka implements AutoCloseable {
  // Messages of tests have times of years ago: the broker would delete them during the test.
  private static final Map<String, String> KEEP = Map.of("log.retention.ms", "-1");

  private final EmbeddedKafka broker;

  public TestKafka(Path directory) {
    broker = EmbeddedKafka.start(directory, 0, KEEP);
  }

  public String bootstrap() {
    return broker.bootstrapServers();
  }

  public void createTopic(String topic, int partitions) {
    broker.createTopic(topic, partitions, Map.of());
  }

  public KafkaProducer<byte[], byte[]> producer() {
    // A broker in a busy test JVM may be slow, so a record waits long. An idempotent producer whose
    // request was answered too late sends it again until it expires, if the broker has gone on by
    // more batches than it remembers; this one may send it twice.
    return new KafkaProducer<>(
        Map.of(
            "bootstrap.servers", bootstrap(),
            "linger.ms", "5",
            "batch.size", "262144",
            "enable.idempotence", "false",
            "max.in.flight.requests.per.connection", "1",
            "request.timeout.ms", "60000",
            "delivery.timeout.ms", "300000"),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  /** Returns the records of a topic's first partition, in order. */
  public List<ConsumerRecord<byte[], byte[]>> records(String topic) {
    return records(topic, 0);
  }

  /** Returns the records of a partition, from its beginning to its present end. */
  public List<ConsumerRecord<byte[], byte[]>> records(String topic, int number) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                bootstrap(),
                "enable.auto.commit",
                "false",
                "max.partition.fetch.bytes",
                16 << 20),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition(topic, number);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        consumer.poll(Duration.ofMillis(200)).forEach(records::add);
      }
    }
    return records;
  }

  /** Returns the records of a topic's first partition as texts: their keys and values. */
  public List<Map.Entry<String, String>> messages(String topic) {
    return records(topic).stream()
        .map(record -> Map.entry(text(record.key()), text(record.value())))
        .toList();
  }

  private static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    broker.close();
  }
}
