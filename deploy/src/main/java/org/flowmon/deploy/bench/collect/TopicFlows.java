package org.flowmon.deploy.bench.collect;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.flowmon.flow.FlowBatch;

/**
 * What a topic of flows holds.
 *
 * @param flows rows of all batches
 * @param losses what the streams say that was lost before them
 * @param missing numbers of the streams that are not there, and those that are there twice or not
 *     in order
 * @param bytes of all batches, before compression
 */
record TopicFlows(long flows, long losses, long missing, long bytes) {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The stream of one producer in one partition. */
  private static final class Stream {
    private long next;
    private long losses;
  }

  /** Reads all that the topic holds now. */
  static TopicFlows read(String bootstrap, String topic) {
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
      Map<Long, Stream> streams = new HashMap<>();
      long flows = 0;
      long missing = 0;
      long bytes = 0;
      while (all.stream().anyMatch(one -> consumer.position(one) < ends.get(one))) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
          FlowBatch batch = FlowBatch.open(record.value());
          Stream stream = streams.computeIfAbsent(batch.producerId(), any -> new Stream());
          missing += Math.abs(batch.sequence() - stream.next);
          stream.next = batch.sequence() + 1;
          stream.losses = batch.cumulativeLosses();
          flows += batch.rows();
          bytes += record.value().length;
        }
      }
      long losses = streams.values().stream().mapToLong(stream -> stream.losses).sum();
      return new TopicFlows(flows, losses, missing, bytes);
    }
  }
}
