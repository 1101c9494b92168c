package org.flowmon.bench.collect;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.flowmon.flow.FlowBatch;

/**
 * The content of a topic of flows.
 *
 * @param flows rows of all batches
 * @param losses the losses that the streams report
 * @param missing numbers of the streams that are missing, repeated or out of order
 * @param bytes of all batches, before compression
 */
public record TopicFlows(long flows, long losses, long missing, long bytes) {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The stream of one producer in one partition. */
  private static final class Stream {
    private long next;
    private long losses;
  }

  /** Reads the topic's current content. */
  public static TopicFlows read(String bootstrap, String topic) {
    return read(bootstrap, topic, batch -> {});
  }

  /**
   * Reads the topic's current content.
   *
   * @param batches takes each batch
   */
  public static TopicFlows read(String bootstrap, String topic, Consumer<FlowBatch> batches) {
    Map<Long, Stream> streams = new HashMap<>();
    long[] sums = new long[3]; // flows, missing, bytes
    records(
        bootstrap,
        topic,
        record -> {
          FlowBatch batch = FlowBatch.open(record.value());
          Stream stream = streams.computeIfAbsent(batch.producerId(), any -> new Stream());
          sums[1] += Math.abs(batch.sequence() - stream.next);
          stream.next = batch.sequence() + 1;
          stream.losses = batch.cumulativeLosses();
          batches.accept(batch);
          sums[0] += batch.rows();
          sums[2] += record.value().length;
        });
    long losses = streams.values().stream().mapToLong(stream -> stream.losses).sum();
    return new TopicFlows(sums[0], losses, sums[1], sums[2]);
  }

  /** Passes on all current records of a topic. */
  public static void records(
      String bootstrap, String topic, Consumer<ConsumerRecord<byte[], byte[]>> to) {
    Map<String, Object> properties =
        Map.of("bootstrap.servers", bootstrap, "max.partition.fetch.bytes", 16 << 20);
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> all =
          consumer.partitionsFor(topic, PATIENCE).stream()
              .map(one -> new TopicPartition(topic, one.partition()))
              .toList();
      consumer.assign(all);
      consumer.seekToBeginning(all);
      Map<TopicPartition, Long> ends = consumer.endOffsets(all, PATIENCE);
      while (all.stream().anyMatch(one -> consumer.position(one) < ends.get(one))) {
        consumer.poll(Duration.ofSeconds(1)).forEach(to);
      }
    }
  }
}
