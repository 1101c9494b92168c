package org.flowmon.ingest.publish;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.memory.HeapBudget;

/**
 * The options of a publisher.
 *
 * @param bootstrap Kafka's {@code bootstrap.servers}
 * @param topic must exist, see {@link FlowTopics}
 * @param batchRows rows after which a batch is closed, 1 … {@link FlowBatch#MAX_ROWS}
 * @param maxDelay how long a row waits at most for its batch to fill
 * @param heartbeat how long a partition is silent at most
 * @param queueBytes the bound of the queue before Kafka's producer, which one batch may exceed
 * @param bufferBytes the buffer of Kafka's producer, which holds compressed batches of its own
 * @param deliveryTimeout how long a batch is tried before it counts as lost, 25 days at most
 * @param stopTimeout how long {@link FlowPublisher#close} waits for Kafka
 * @param properties further settings of Kafka's producer, which override flowmon's own
 */
public record PublisherOptions(
    String bootstrap,
    String topic,
    int batchRows,
    Duration maxDelay,
    Duration heartbeat,
    long queueBytes,
    WhenFull whenFull,
    long bufferBytes,
    Duration deliveryTimeout,
    Duration stopTimeout,
    Map<String, String> properties) {
  /** The largest message of a publisher; the topic must take it. */
  static final int MAX_MESSAGE_BYTES = 8 << 20;

  public static final String DEFAULT_TOPIC = "flows";

  private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

  /** What to do with flows while the queue is full. */
  public enum WhenFull {
    /** The owner waits, for example a reader of files. */
    WAIT,
    /** The newest are dropped and counted: a network does not wait. */
    DROP
  }

  public PublisherOptions {
    if (batchRows < 1 || batchRows > FlowBatch.MAX_ROWS) {
      throw new IllegalArgumentException(
          "batch of " + batchRows + " rows, expected 1…" + FlowBatch.MAX_ROWS);
    }
    if (maxDelay.toMillis() < 1 || heartbeat.toMillis() < 1 || deliveryTimeout.toMillis() < 1) {
      throw new IllegalArgumentException("delays and timeouts are at least 1 ms");
    }
    if (stopTimeout.isNegative()) {
      throw new IllegalArgumentException("a stop takes no time below 0");
    }
    if (queueBytes < 1) {
      throw new IllegalArgumentException("queue of " + queueBytes + " bytes, expected 1 or more");
    }
    properties = Map.copyOf(properties);
  }

  /**
   * Topic {@code flows}, 1000 rows or 50 ms, a heartbeat each second, a queue of 16 MiB, 64 MiB in
   * Kafka's producer, 2 minutes for a delivery; the owner waits.
   */
  public static PublisherOptions of(String bootstrap) {
    return new PublisherOptions(
        bootstrap,
        DEFAULT_TOPIC,
        1000,
        Duration.ofMillis(50),
        Duration.ofSeconds(1),
        16L << 20,
        WhenFull.WAIT,
        64L << 20,
        Duration.ofMinutes(2),
        Duration.ofMinutes(2),
        Map.of());
  }

  /**
   * For flows from a network: a queue of {@link HeapBudget.Part#COLLECTOR_QUEUE} that drops the
   * newest, no time limit for queued flows, a minute for a stop.
   */
  public static PublisherOptions ofCollector(String bootstrap) {
    return of(bootstrap)
        .withQueue(HeapBudget.Part.COLLECTOR_QUEUE.bytes(), WhenFull.DROP)
        .withBufferBytes(32L << 20)
        .withDeliveryTimeout(LONGEST)
        .withStopTimeout(Duration.ofMinutes(1));
  }

  public PublisherOptions withTopic(String newTopic) {
    return new PublisherOptions(
        bootstrap,
        newTopic,
        batchRows,
        maxDelay,
        heartbeat,
        queueBytes,
        whenFull,
        bufferBytes,
        deliveryTimeout,
        stopTimeout,
        properties);
  }

  public PublisherOptions withBatchRows(int rows) {
    return new PublisherOptions(
        bootstrap,
        topic,
        rows,
        maxDelay,
        heartbeat,
        queueBytes,
        whenFull,
        bufferBytes,
        deliveryTimeout,
        stopTimeout,
        properties);
  }

  public PublisherOptions withMaxDelay(Duration delay) {
    return new PublisherOptions(
        bootstrap,
        topic,
        batchRows,
        delay,
        heartbeat,
        queueBytes,
        whenFull,
        bufferBytes,
        deliveryTimeout,
        stopTimeout,
        properties);
  }

  public PublisherOptions withHeartbeat(Duration interval) {
    return new PublisherOptions(
        bootstrap,
        topic,
        batchRows,
        maxDelay,
        interval,
        queueBytes,
        whenFull,
        bufferBytes,
        deliveryTimeout,
        stopTimeout,
        properties);
  }

  public PublisherOptions withQueue(long bytes, WhenFull then) {
    return new PublisherOptions(
        bootstrap,
        topic,
        batchRows,
        maxDelay,
        heartbeat,
        bytes,
        then,
        bufferBytes,
        deliveryTimeout,
        stopTimeout,
        properties);
  }

  public PublisherOptions withBufferBytes(long bytes) {
    return new PublisherOptions(
        bootstrap,
        topic,
        batchRows,
        maxDelay,
        heartbeat,
        queueBytes,
        whenFull,
        bytes,
        deliveryTimeout,
        stopTimeout,
        properties);
  }

  public PublisherOptions withDeliveryTimeout(Duration timeout) {
    return new PublisherOptions(
        bootstrap,
        topic,
        batchRows,
        maxDelay,
        heartbeat,
        queueBytes,
        whenFull,
        bufferBytes,
        timeout,
        stopTimeout,
        properties);
  }

  public PublisherOptions withStopTimeout(Duration timeout) {
    return new PublisherOptions(
        bootstrap,
        topic,
        batchRows,
        maxDelay,
        heartbeat,
        queueBytes,
        whenFull,
        bufferBytes,
        deliveryTimeout,
        timeout,
        properties);
  }

  public PublisherOptions withProperties(Map<String, String> more) {
    return new PublisherOptions(
        bootstrap,
        topic,
        batchRows,
        maxDelay,
        heartbeat,
        queueBytes,
        whenFull,
        bufferBytes,
        deliveryTimeout,
        stopTimeout,
        more);
  }

  /** Shows topic and brokers, not the properties, which may hold passwords. */
  @Override
  public String toString() {
    return "topic " + topic + " at " + bootstrap;
  }

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
    // Only the sender's thread waits, and tries again.
    config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Math.min(1_000, timeout));
    config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, bufferBytes);
    // Else Kafka's client forgets partitions if no broker answers and takes nothing. Names of
    // brokers are still looked up anew.
    config.put(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG, "none");
    config.putAll(properties);
    // flowmon's guarantees rest on these settings, so users cannot change them.
    config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    config.put(ProducerConfig.ACKS_CONFIG, "all");
    // A new partition may refuse its first batch (no leader yet) and accept the second, already
    // sent one. The broker takes it for the beginning of the producer's stream and refuses the
    // first for ever as out of sequence. A single request under way cannot be overtaken.
    config.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    return config;
  }
}
