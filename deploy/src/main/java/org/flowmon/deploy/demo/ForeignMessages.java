package org.flowmon.deploy.demo;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.flowmon.flow.FlowBatchHeader;
import org.flowmon.jobs.quarantine.QuarantineMessage;
import org.flowmon.jobs.quarantine.Quarantined;

/**
 * Others' messages in the demo's topic of flows, and those that the job left out, from the topic
 * and {@link QuarantineMessage#TOPIC}. Headers give flows; an unreadable one counts 0.
 *
 * @param repeated flows in messages twice in the topic; the job takes one of them
 * @param refused messages of any writer, {@code refusedFlows} their flows, {@code reasons} their
 *     number by reason
 */
record ForeignMessages(
    long flows, long repeated, long refused, long refusedFlows, Map<String, Long> reasons) {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * Reads both topics.
   *
   * @param ends positions by {@code <topic id>:<partition>}; later messages do not count
   * @param own ids of the demo's own producers
   * @throws TimeoutException if the broker gives nothing for half a minute
   */
  static ForeignMessages read(String bootstrap, String topic, Map<String, Long> ends, Set<Long> own)
      throws TimeoutException {
    Tally tally = new Tally(ends, own);
    Map<TopicPartition, Long> offsets = new HashMap<>();
    ends.forEach(
        (key, end) -> {
          int partition = Integer.parseInt(key.substring(key.lastIndexOf(':') + 1));
          tally.keys.put(partition, key);
          offsets.put(new TopicPartition(topic, partition), end);
        });
    TopicPartition quarantine = new TopicPartition(QuarantineMessage.TOPIC, 0);
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap, "allow.auto.create.topics", "false"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      read(
          consumer,
          consumer.endOffsets(Set.of(quarantine), PATIENCE),
          record -> QuarantineMessage.read(record).ifPresent(tally::refused));
      read(consumer, offsets, tally::message);
    }
    return tally.result();
  }

  /** Counts messages; those of the quarantine come first. */
  private static final class Tally {
    private final Map<String, Long> ends;
    private final Set<Long> own;
    private final Map<Integer, String> keys = new HashMap<>();
    private final Map<String, Long> refused = new HashMap<>();
    private final RefusalReasons reasons = new RefusalReasons();
    // The highest number of each producer in each partition: a producer's numbers ascend.
    private final Map<String, Long> numbers = new HashMap<>();
    private long flows;
    private long repeated;

    Tally(Map<String, Long> ends, Set<Long> own) {
      this.ends = ends;
      this.own = own;
    }

    /** Counts by positions: a message recurs there after a restart of the job. */
    void refused(Quarantined one) {
      if (one.offset() < ends.getOrDefault(one.sourceKey(), 0L)) {
        if (refused.put(one.position(), one.flows()) == null) {
          reasons.add(one.reason());
        }
      }
    }

    /** Counts a message. A copy may bear its producer's id: the first one is the producer's. */
    void message(ConsumerRecord<byte[], byte[]> record) {
      byte[] value = record.value() == null ? new byte[0] : record.value();
      FlowBatchHeader header = FlowBatchHeader.read(value).orElse(null);
      if (header == null) {
        return;
      }
      String key = keys.get(record.partition());
      String producer = key + ' ' + header.producerId();
      boolean isCopy = numbers.getOrDefault(producer, -1L) >= header.sequence();
      boolean isRefused = refused.containsKey(key + '@' + record.offset());
      if (!isRefused) {
        numbers.merge(producer, header.sequence(), Math::max);
      }
      if (isCopy || !own.contains(header.producerId())) {
        flows += header.rows();
      }
      if (isCopy && !isRefused) {
        repeated += header.rows();
      }
    }

    ForeignMessages result() {
      long refusedFlows = refused.values().stream().mapToLong(n -> n).sum();
      return new ForeignMessages(flows, repeated, refused.size(), refusedFlows, reasons.counts());
    }
  }

  private static void read(
      KafkaConsumer<byte[], byte[]> consumer,
      Map<TopicPartition, Long> ends,
      Consumer<ConsumerRecord<byte[], byte[]>> out)
      throws TimeoutException {
    consumer.assign(ends.keySet());
    consumer.seekToBeginning(ends.keySet());
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
        deadline = System.nanoTime() + PATIENCE.toNanos();
        TopicPartition partition = new TopicPartition(record.topic(), record.partition());
        if (record.offset() < ends.getOrDefault(partition, 0L)) {
          out.accept(record);
        }
      }
      if (System.nanoTime() > deadline) {
        throw new TimeoutException(
            "the broker gave nothing of " + ends.keySet() + " for " + PATIENCE.toSeconds() + " s");
      }
    }
  }
}
