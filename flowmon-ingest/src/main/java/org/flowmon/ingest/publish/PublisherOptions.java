package org.flowmon.ingest.publish;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.flowmon.flow.FlowBatch;

/**
 * How flows are published.
 *
 * @param bootstrap Kafka's {@code bootstrap.servers}
 * @param topic the topic of flows; it must exist, see {@link FlowTopics}
 * @param batchRows rows after which a batch is closed, 1 … {@link FlowBatch#MAX_ROWS}
 * @param maxDelay how long a row waits at most for its batch to fill
 * @param heartbeat how long a partition is silent at most
 * @param bufferBytes what waits for Kafka at most; beyond it {@link FlowPublisher#builder} waits
 * @param deliveryTimeout how long a batch is tried before it counts as lost, and how long at most
 *     {@link FlowPublisher} waits for room in the buffer
 * @param properties further settings of Kafka's producer, which come before flowmon's own
 */
public record PublisherOptions(
    String bootstrap,
    String topic,
    int batchRows,
    Duration maxDelay,
    Duration heartbeat,
    long bufferBytes,
    Duration deliveryTimeout,
    Map<String, String> properties) {
  /** A publisher sends no larger message; the topic must take it. */
  static final int MAX_MESSAGE_BYTES = 8 << 20;

  /** The topic's name where nothing else is configured. */
  public static final String DEFAULT_TOPIC = "flows";

  public PublisherOptions {
    if (batchRows < 1 || batchRows > FlowBatch.MAX_ROWS) {
      throw new IllegalArgumentException(
          "batch of " + batchRows + " rows, expected 1…" + FlowBatch.MAX_ROWS);
    }
    if (maxDelay.toMillis() < 1 || heartbeat.toMillis() < 1 || deliveryTimeout.toMillis() < 1) {
      throw new IllegalArgumentException("delays and timeouts are at least 1 ms");
    }
    properties = Map.copyOf(properties);
  }

  /** 1000 rows or 50 ms, a heartbeat each second, 64 MiB, 2 minutes; topic {@code flows}. */
  public static PublisherOptions of(String bootstrap) {
    return new PublisherOptions(
        bootstrap,
        DEFAULT_TOPIC,
        1000,
        Duration.ofMillis(50),
        Duration.ofSeconds(1),
        64L << 20,
        Duration.ofMinutes(2),
        Map.of());
  }

  public PublisherOptions withTopic(String newTopic) {
    return new PublisherOptions(
        bootstrap,
        newTopic,
        batchRows,
        maxDelay,
        heartbeat,
        bufferBytes,
        deliveryTimeout,
        properties);
  }

  public PublisherOptions withBatchRows(int rows) {
    return new PublisherOptions(
        bootstrap, topic, rows, maxDelay, heartbeat, bufferBytes, deliveryTimeout, properties);
  }

  public PublisherOptions withMaxDelay(Duration delay) {
    return new PublisherOptions(
        bootstrap, topic, batchRows, delay, heartbeat, bufferBytes, deliveryTimeout, properties);
  }

  public PublisherOptions withHeartbeat(Duration interval) {
    return new PublisherOptions(
        bootstrap, topic, batchRows, maxDelay, interval, bufferBytes, deliveryTimeout, properties);
  }

  public PublisherOptions withDeliveryTimeout(Duration timeout) {
    return new PublisherOptions(
        bootstrap, topic, batchRows, maxDelay, heartbeat, bufferBytes, timeout, properties);
  }

  public PublisherOptions withBufferBytes(long bytes) {
    return new PublisherOptions(
        bootstrap, topic, batchRows, maxDelay, heartbeat, bytes, deliveryTimeout, properties);
  }

  public PublisherOptions withProperties(Map<String, String> more) {
    return new PublisherOptions(
        bootstrap, topic, batchRows, maxDelay, heartbeat, bufferBytes, deliveryTimeout, more);
  }

  /** The settings of Kafka's producer. */
  Map<String, Object> producerConfig() {
    Map<String, Object> config = new TreeMap<>();
    long timeout = deliveryTimeout.toMillis();
    config.put(ProducerConfig.LINGER_MS_CONFIG, 5);
    config.put(ProducerConfig.BATCH_SIZE_CONFIG, 512 << 10);
    config.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_MESSAGE_BYTES);
    config.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
    config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Math.toIntExact(timeout));
    config.put(
        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
        Math.toIntExact(Math.max(1, Math.min(30_000, timeout - 5))));
    config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, timeout);
    config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, bufferBytes);
    config.putAll(properties);
    // What flowmon's guarantees rest on is not open to change.
    config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    config.put(ProducerConfig.ACKS_CONFIG, "all");
    // A new partition may refuse its first batch (no leader yet) and then accept the second, which
    // was on its way: the broker takes that for the beginning of the producer's stream, and refuses
    // the first for ever as out of sequence. One request under way cannot be overtaken.
    config.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    return config;
  }
}
