package org.flowmon.deploy.bench;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.ingest.synthetic.HistoryGenerator;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;

/**
 * Fills a topic with flows as a collector writes them: batches of 1000, lz4, partitions in turn,
 * 100,000 flows to a second of arrival.
 */
final class FilledTopic {
  static final int BATCH_ROWS = 1000;
  private static final int FLOWS_PER_SECOND = 100_000;

  private final KafkaProducer<byte[], byte[]> producer;
  private final String topic;
  private final int partitions;
  private final long seed;
  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private final FlowBatchBuilder builder = new FlowBatchBuilder(BATCH_ROWS);
  private long batches;
  private long bytes;

  private FilledTopic(
      KafkaProducer<byte[], byte[]> producer, String topic, int partitions, long seed) {
    this.producer = producer;
    this.topic = topic;
    this.partitions = partitions;
    this.seed = seed;
  }

  /**
   * Writes the flows.
   *
   * @param flows a multiple of {@link #BATCH_ROWS}
   * @return bytes of all batches before compression
   */
  static long fill(String bootstrap, String topic, int partitions, long flows, long seed) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
    settings.put(ProducerConfig.BATCH_SIZE_CONFIG, 512 << 10);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 10);
    settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 64L << 20);
    Instant end = Instant.parse("2026-01-15T12:00:00Z");
    HistoryGenerator generator =
        new HistoryGenerator(
            new TrafficModel(seed, TrafficOptions.defaults()),
            end.minusMillis(flows * 1000 / FLOWS_PER_SECOND),
            end,
            flows,
            FLOWS_PER_SECOND);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      FilledTopic filled = new FilledTopic(producer, topic, partitions, seed);
      generator.generate(seed, filled::add);
      producer.flush();
      if (filled.failure.get() != null) {
        throw new CommandException("filling topic " + topic + " failed: " + filled.failure.get());
      }
      return filled.bytes;
    }
  }

  private void add(FlowBatch generated) {
    for (int row = 0; row < generated.rows(); row++) {
      builder.appendRow(generated, row);
      if (builder.isFull()) {
        send();
      }
    }
  }

  private void send() {
    int partition = (int) (batches % partitions);
    long sequence = batches / partitions;
    byte[] value =
        builder.build(seed * partitions + partition, sequence, (sequence + 1) * BATCH_ROWS, 0);
    builder.clear();
    batches++;
    bytes += value.length;
    var unused =
        producer.send(
            new ProducerRecord<>(topic, partition, null, value),
            (metadata, e) -> failure.compareAndSet(null, e));
  }
}
