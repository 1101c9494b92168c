package org.flowmon.ingest.publish;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.memory.HeapBudget;

/** The options of a publisher. Immutable. */
public final class PublisherOptions implements Cloneable {
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

  private final String bootstrap;
  private String topic = DEFAULT_TOPIC;
  private int batchRows = 1000;
  private Duration maxDelay = Duration.ofMillis(50);
  private Duration heartbeat = Duration.ofSeconds(1);
  private long queueBytes = 16L << 20;
  private WhenFull whenFull = WhenFull.WAIT;
  private long bufferBytes = 64L << 20;
  private Duration deliveryTimeout = Duration.ofMinutes(2);
  private Duration stopTimeout = Duration.ofMinutes(2);
  private Map<String, String> properties = Map.of();

  private PublisherOptions(String bootstrap) {
    this.bootstrap = bootstrap;
  }

  /**
   * Topic {@code flows}, 1000 rows or 50 ms, a heartbeat each second, a queue of 16 MiB, 64 MiB in
   * Kafka's producer, 2 minutes for a delivery; the owner waits.
   */
  public static PublisherOptions of(String bootstrap) {
    return new PublisherOptions(bootstrap);
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

  private PublisherOptions with(Consumer<PublisherOptions> change) {
    try {
      PublisherOptions copy = (PublisherOptions) clone();
      change.accept(copy);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e); // it is Cloneable
    }
  }

  /** The topic must exist, see {@link FlowTopics}. */
  public PublisherOptions withTopic(String name) {
    return with(copy -> copy.topic = name);
  }

  /** Rows after which a batch is closed, 1 … {@link FlowBatch#MAX_ROWS}. */
  public PublisherOptions withBatchRows(int rows) {
    if (rows < 1 || rows > FlowBatch.MAX_ROWS) {
      throw new IllegalArgumentException(
          "batch of " + rows + " rows, expected 1…" + FlowBatch.MAX_ROWS);
    }
    return with(copy -> copy.batchRows = rows);
  }

  /** How long a row waits at most for its batch to fill. */
  public PublisherOptions withMaxDelay(Duration delay) {
    return with(copy -> copy.maxDelay = positive(delay));
  }

  /** How long a partition is silent at most. */
  public PublisherOptions withHeartbeat(Duration interval) {
    return with(copy -> copy.heartbeat = positive(interval));
  }

  /** The bound of the queue before Kafka's producer, which one batch may exceed. */
  public PublisherOptions withQueue(long bytes, WhenFull then) {
    if (bytes < 1) {
      throw new IllegalArgumentException("queue of " + bytes + " bytes, expected 1 or more");
    }
    return with(
        copy -> {
          copy.queueBytes = bytes;
          copy.whenFull = then;
        });
  }

  /** The buffer of Kafka's producer, which holds compressed batches of its own. */
  public PublisherOptions withBufferBytes(long bytes) {
    return with(copy -> copy.bufferBytes = bytes);
  }

  /** How long a batch is tried before it counts as lost, 25 days at most. */
  public PublisherOptions withDeliveryTimeout(Duration timeout) {
    return with(copy -> copy.deliveryTimeout = positive(timeout));
  }

  /** How long {@link FlowPublisher#close} waits for Kafka. */
  public PublisherOptions withStopTimeout(Duration timeout) {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("a stop takes no time below 0");
    }
    return with(copy -> copy.stopTimeout = timeout);
  }

  /** Further settings of Kafka's producer, which override flowmon's own. */
  public PublisherOptions withProperties(Map<String, String> more) {
    return with(copy -> copy.properties = Map.copyOf(more));
  }

  private static Duration positive(Duration time) {
    if (time.toMillis() < 1) {
      throw new IllegalArgumentException("delays and timeouts are at least 1 ms");
    }
    return time;
  }

  public String bootstrap() {
    return bootstrap;
  }

  public String topic() {
    return topic;
  }

  public int batchRows() {
    return batchRows;
  }

  public Duration maxDelay() {
    return maxDelay;
  }

  public Duration heartbeat() {
    return heartbeat;
  }

  public long queueBytes() {
    return queueBytes;
  }

  public WhenFull whenFull() {
    return whenFull;
  }

  public long bufferBytes() {
    return bufferBytes;
  }

  public Duration deliveryTimeout() {
    return deliveryTimeout;
  }

  public Duration stopTimeout() {
    return stopTimeout;
  }

  public Map<String, String> properties() {
    return properties;
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
