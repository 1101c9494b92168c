package org.flowmon.bench.live;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.Heartbeat;

/**
 * Writes flows to a topic like a collector: batches of 1000, lz4, partitions in turn, a producer id
 * for each partition. A failed write ends the benchmark.
 */
public final class FlowWriter implements AutoCloseable {
  /** Rows of a full batch. */
  public static final int BATCH_ROWS = 1000;

  private final KafkaProducer<byte[], byte[]> producer;
  private final String topic;
  private final int partitions;
  private final long firstProducer;
  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private final FlowBatchBuilder builder = new FlowBatchBuilder(BATCH_ROWS);
  private final long[] sequences;
  private final long[] sent;
  private int next;
  private FlowStage stage; // null: batches go to the topic
  private Long sentMillis; // null: the time of Kafka's client
  private Followers followers = (partition, value) -> List.of();
  private long flows;
  private long bytes;
  private long firstArrival = Long.MAX_VALUE;
  private long lastArrival = Long.MIN_VALUE;

  /**
   * Creates a writer.
   *
   * @param stream a number that no other writer to this topic has: producer ids derive from it
   */
  FlowWriter(String bootstrap, String topic, int partitions, long stream) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
    settings.put(ProducerConfig.BATCH_SIZE_CONFIG, 512 << 10);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 10);
    settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 64L << 20);
    this.producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    this.topic = topic;
    this.partitions = partitions;
    this.firstProducer = stream * partitions;
    this.sequences = new long[partitions];
    this.sent = new long[partitions];
  }

  /** Writes the flows of a batch; the rest that fills no batch waits for more. */
  public void add(FlowBatch from) {
    for (int row = 0; row < from.rows(); row++) {
      builder.appendRow(from, row);
      if (builder.isFull()) {
        send();
      }
    }
  }

  /** Sends the waiting rows. */
  public void flush() {
    if (!builder.isEmpty()) {
      send();
    }
    producer.flush();
    if (failure.get() != null) {
      throw new CommandException("writing to topic " + topic + " failed: " + failure.get());
    }
  }

  private void send() {
    int partition = next;
    next = (next + 1) % partitions;
    sent[partition] += builder.rows();
    flows += builder.rows();
    byte[] value =
        builder.build(firstProducer + partition, sequences[partition]++, sent[partition], 0);
    builder.clear();
    FlowBatch batch = FlowBatch.open(value);
    firstArrival = Math.min(firstArrival, batch.minArrival());
    lastArrival = Math.max(lastArrival, batch.maxArrival());
    bytes += value.length;
    send(partition, value);
    followers.of(partition, value).forEach(one -> send(partition, one));
  }

  /** Makes messages that are sent directly after a batch, to its partition. */
  public interface Followers {
    /** The messages for a batch; none of them counts as written. */
    List<byte[]> of(int partition, byte[] value);
  }

  /** Sets the messages that follow batches from now on. */
  public void follow(Followers made) {
    followers = made;
  }

  /** Sets the time of messages in Kafka from now on, ms since 1970. */
  public void sendAt(long millis) {
    sentMillis = millis;
  }

  /** Listens to sent batches. */
  interface Sent {
    /**
     * Notes a batch.
     *
     * @param arrivalMicros its largest arrival
     */
    void batch(int partition, long arrivalMicros);
  }

  /** Stages batches from now on until {@link #sendStaged}. */
  void stage(FlowStage kept) {
    stage = kept;
  }

  /**
   * Sends the staged batches at their time.
   *
   * @param pace takes the largest arrival of each batch before it is sent, and waits
   * @param sent takes the partition of each sent batch and its largest arrival
   */
  void sendStaged(LongConsumer pace, Sent sent) {
    FlowStage kept = stage;
    stage = null;
    kept.read(
        (partition, arrival, value) -> {
          pace.accept(arrival);
          sent.batch(partition, arrival);
          send(partition, value);
        });
    flush();
  }

  private void send(int partition, byte[] value) {
    if (stage != null) {
      stage.add(partition, FlowBatch.open(value).maxArrival(), value);
      return;
    }
    var unused =
        producer.send(
            new ProducerRecord<>(topic, partition, sentMillis, null, value),
            (metadata, e) -> {
              if (e != null) {
                failure.compareAndSet(null, e);
              }
            });
  }

  /**
   * Sends every partition a batch without flows: all flows up to then have been sent.
   *
   * @param arrivalMicros moves the watermark
   */
  void beat(long arrivalMicros) {
    flush();
    for (int p = 0; p < partitions; p++) {
      send(p, Heartbeat.of(firstProducer + p, sequences[p]++, sent[p], 0, arrivalMicros));
    }
    flush();
  }

  /** Flows written. */
  public long flows() {
    return flows;
  }

  /** Bytes of all batches before compression. */
  long bytes() {
    return bytes;
  }

  /** The smallest arrival written, microseconds. */
  long firstArrival() {
    return firstArrival;
  }

  /** The largest arrival written, microseconds. */
  long lastArrival() {
    return lastArrival;
  }

  @Override
  public void close() {
    producer.close();
  }
}
