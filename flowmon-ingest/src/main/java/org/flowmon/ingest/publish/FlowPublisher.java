package org.flowmon.ingest.publish;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.collect.CollectorSink;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes flows to the topic of flows, as {@code docs/format/kafka.md} says. One batch is open at
 * a time; closed at so many rows or after so long, it goes to the next partition in turn. So every
 * partition gets its share, and where the owner hands over flows in ascending {@code arrival}, each
 * partition holds them so.
 *
 * <p>A partition that gets no batch for a while gets a heartbeat, which says how far the owner's
 * clock is: the largest arrival so far, or what {@link #advanceTo} said. Where neither is known, no
 * heartbeat is sent.
 *
 * <p>Where Kafka is slower than the flows come, the owner waits; nothing is dropped. What cannot be
 * delivered within the timeout is counted by reason ({@link #stats}), and shows in the stream as a
 * gap in the numbers.
 *
 * <p>Threads: one owner calls the methods of {@link FlowSink}, {@link #advanceTo}, {@link
 * #endOfFile}, {@link #flush} and {@link #close}; {@link #stats} may be called by any. A thread of
 * the publisher's own closes batches that have waited and sends heartbeats; it leaves a builder
 * alone that was handed out and not given back by {@link #rowsEnded} yet.
 */
public final class FlowPublisher implements CollectorSink, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FlowPublisher.class);

  /** How much later than its last flow a file's end is said to be, µs: an hour. */
  public static final long END_OF_FILE_MICROS = 3600L * 1_000_000;

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  private final PublisherOptions options;
  private final Producer<byte[], byte[]> producer;
  private final PublisherCounters counters = new PublisherCounters();
  private final ScheduledExecutorService ticker;

  // All below under the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private final PartitionStream[] partitions;
  private final FlowBatchBuilder builder;
  private boolean handedOut;
  private boolean closed;
  private boolean ended;
  private int counted;
  private int nextPartition;
  private int nextHeartbeat;
  private long firstRowNanos;
  private long clock = Long.MIN_VALUE;

  /** The stream of one partition. */
  private static final class PartitionStream {
    private final BatchStream stream = new BatchStream();
    private long losses;
    private long toldLosses; // those that Kafka's producer took a batch with
    private long lastArrival = Long.MIN_VALUE;
    private long lastSentNanos = System.nanoTime();
  }

  /**
   * Connects to Kafka.
   *
   * @throws IOException where Kafka does not answer, or the topic is missing
   */
  public static FlowPublisher open(PublisherOptions options) throws IOException {
    KafkaProducer<byte[], byte[]> producer = null;
    try {
      producer =
          new KafkaProducer<>(
              options.producerConfig(), new ByteArraySerializer(), new ByteArraySerializer());
      return new FlowPublisher(options, producer);
    } catch (KafkaException e) {
      if (producer != null) {
        producer.close(Duration.ZERO);
      }
      throw new IOException(
          "cannot publish to topic '" + options.topic() + "' at " + options.bootstrap() + ": " + e,
          e);
    }
  }

  FlowPublisher(PublisherOptions options, Producer<byte[], byte[]> producer) {
    this.options = options;
    this.producer = producer;
    this.builder = new FlowBatchBuilder(options.batchRows());
    this.partitions = new PartitionStream[producer.partitionsFor(options.topic()).size()];
    for (int i = 0; i < partitions.length; i++) {
      partitions[i] = new PartitionStream();
    }
    ticker =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "flow-publisher-" + options.topic());
              thread.setDaemon(true);
              return thread;
            });
    long period =
        Math.max(1, Math.min(options.maxDelay().toMillis(), options.heartbeat().toMillis()) / 2);
    var unused =
        ticker.scheduleWithFixedDelay(this::onTimer, period, period, TimeUnit.MILLISECONDS);
  }

  /** Partitions of the topic. */
  public int partitions() {
    return partitions.length;
  }

  @Override
  public FlowBatchBuilder builder() {
    lock.lock();
    try {
      checkOpen();
      handedOut = true;
      return builder;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void rowsEnded(int rows) {
    lock.lock();
    try {
      checkOpen();
      handedOut = false;
      if (rows > 0 && builder.rows() == rows) {
        firstRowNanos = System.nanoTime();
      }
      counters.flowsTaken.add(rows);
      counted += rows;
      if (builder.isFull()) {
        closeBatch();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Says that no flow will come with an arrival before {@code arrival}, µs: heartbeats may tell so.
   * Who receives flows live calls this now and then, also where none come. It gives the builder
   * back: a decoder that asked for it and then found no sound record would else keep the timer from
   * sending anything until the next flow.
   */
  public void advanceTo(long arrival) {
    lock.lock();
    try {
      handedOut = false;
      if (arrival > clock) {
        clock = arrival;
        ended = false;
      }
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #advanceTo}: how a collector says it. */
  @Override
  public void tick(long nowMicros) {
    advanceTo(nowMicros);
  }

  /** As {@link #addLosses}: how a collector says it. */
  @Override
  public void lost(long flows) {
    addLosses(flows);
  }

  /**
   * Says that flows were lost before they came here, so that the readers of the topic know: they
   * stand in the cumulative losses of the batches that follow, or of a heartbeat.
   *
   * @param flows how many more, at least 0
   */
  public void addLosses(long flows) {
    lock.lock();
    try {
      partitions[nextPartition].losses += flows;
      counters.flowsLostBefore.add(flows);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes the open batch and tells every partition that the input has ended, by a heartbeat that
   * is marked so and lies an hour after the last arrival, so that all windows close. No heartbeats
   * follow until there are flows again, or {@link #advanceTo} says a later time. Flows that come
   * after it with an earlier arrival are late: call it once, after the last file.
   *
   * @param arrival the last arrival of the input, µs
   */
  public void endOfFile(long arrival) {
    lock.lock();
    try {
      checkOpen();
      handedOut = false;
      closeBatch();
      clock = Math.max(clock, arrival);
      ended = true;
      long end = clock + END_OF_FILE_MICROS;
      for (int partition = 0; partition < partitions.length; partition++) {
        PartitionStream target = partitions[partition];
        send(partition, target.stream.endOfInput(end, target.losses), 0, end, System.nanoTime());
      }
    } finally {
      lock.unlock();
    }
    producer.flush();
  }

  /** Closes the open batch and waits until Kafka has all, or has refused it. */
  public void flush() {
    lock.lock();
    try {
      checkOpen();
      handedOut = false;
      closeBatch();
    } finally {
      lock.unlock();
    }
    producer.flush();
  }

  /** What was done so far. */
  public PublisherStats stats() {
    return counters.stats();
  }

  /**
   * Sends what is left, losses that no batch has told of included, and disconnects. Calling it
   * again does nothing.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      if (closeBatch()) {
        tellLosses();
      }
      closed = true;
    } finally {
      lock.unlock();
    }
    ticker.shutdownNow();
    closeProducer(
        CLOSE_TIMEOUT.compareTo(options.deliveryTimeout()) > 0
            ? CLOSE_TIMEOUT
            : options.deliveryTimeout());
  }

  /** When it returns, Kafka has said of every flow whether it took it, or it counts as failed. */
  private void closeProducer(Duration timeout) {
    try {
      producer.close(timeout);
    } catch (InterruptException e) {
      // Kafka has set the interrupt flag, and would not wait for its own thread to give up the
      // rest.
      boolean interrupted = Thread.interrupted();
      try {
        producer.close(Duration.ZERO);
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the publisher of topic " + options.topic() + " is closed");
    }
  }

  private void onTimer() {
    lock.lock();
    try {
      if (closed || handedOut) {
        return;
      }
      long now = System.nanoTime();
      // Where Kafka takes nothing, every attempt waits with the lock, and so do the owner and a
      // stop: one in a tick, and the next tick begins behind it.
      boolean taken = true;
      if (!builder.isEmpty() && now - firstRowNanos >= options.maxDelay().toNanos()) {
        taken = closeBatch();
      }
      for (int i = 0; i < partitions.length && taken; i++) {
        int partition = nextHeartbeat;
        nextHeartbeat = (partition + 1) % partitions.length;
        if (now - partitions[partition].lastSentNanos >= options.heartbeat().toNanos()
            && clock != Long.MIN_VALUE
            && !ended) {
          // What waits may go to this partition next, and is not later than the heartbeat.
          taken = closeBatch() && heartbeat(partition);
        }
      }
    } catch (RuntimeException e) {
      // The ticker must not end; what could not be sent is counted.
      LOG.warn("publishing to topic {} failed, goes on", options.topic(), e);
    } finally {
      lock.unlock();
    }
  }

  /** Closes the open batch, where there is one; false where Kafka's producer refused it. */
  private boolean closeBatch() {
    builder.discardRow();
    if (builder.isEmpty()) {
      return true;
    }
    int target = nextPartition;
    nextPartition = (target + 1) % partitions.length;
    int rows = builder.rows();
    // Rows that an owner ended and never told of are sent too: they are flows.
    counters.flowsTaken.add(rows - counted);
    counted = 0;
    FlowBatch batch;
    try {
      batch = partitions[target].stream.close(builder, partitions[target].losses);
    } catch (RuntimeException e) {
      // Rows that make no batch now make none later: they must not stand in the way of others. They
      // have no place in the stream, so the stream tells of them as lost before it.
      builder.clear();
      partitions[target].losses += rows;
      failed(target, rows, e);
      return true; // Kafka was not asked
    }
    ended = false;
    if (batch.minArrival() < partitions[target].lastArrival) {
      counters.arrivalsBack.increment();
    }
    clock = Math.max(clock, batch.maxArrival());
    return send(target, batch.bytes(), rows, batch.maxArrival(), firstRowNanos);
  }

  /** Heartbeats to the partitions whose readers do not know of all losses yet. */
  private void tellLosses() {
    // As for the timer: where Kafka takes nothing, each attempt would wait.
    boolean taken = true;
    for (int partition = 0; partition < partitions.length && taken; partition++) {
      PartitionStream target = partitions[partition];
      if (target.losses == target.toldLosses) {
        continue;
      }
      if (clock == Long.MIN_VALUE) {
        LOG.warn(
            "{} flows were lost before {}-{}, and no time is known to tell its readers with",
            target.losses,
            options.topic(),
            partition);
      } else if (ended) {
        long end = clock + END_OF_FILE_MICROS;
        taken =
            send(
                partition, target.stream.endOfInput(end, target.losses), 0, end, System.nanoTime());
      } else {
        taken = heartbeat(partition);
      }
    }
  }

  private boolean heartbeat(int partition) {
    byte[] bytes = partitions[partition].stream.heartbeat(clock, partitions[partition].losses);
    return send(partition, bytes, 0, clock, System.nanoTime());
  }

  /** Whether Kafka's producer took it to be sent: not where its buffer or the broker is away. */
  private boolean send(int partition, byte[] bytes, int rows, long arrival, long sinceNanos) {
    PartitionStream stream = partitions[partition];
    stream.lastArrival = Math.max(stream.lastArrival, arrival);
    boolean taken = false;
    try {
      Future<RecordMetadata> sent =
          producer.send(
              new ProducerRecord<>(options.topic(), partition, null, bytes),
              (metadata, failure) -> {
                if (failure == null) {
                  counters.produced(rows, bytes.length, System.nanoTime() - sinceNanos);
                } else {
                  failed(partition, rows, failure);
                }
              });
      taken = !isRefused(sent);
      if (taken) {
        stream.toldLosses = stream.losses;
      }
    } catch (InterruptException e) {
      failed(partition, rows, e); // Kafka has set the thread's interrupt flag again
    } catch (KafkaException | IllegalStateException e) {
      failed(partition, rows, e);
    }
    stream.lastSentNanos = System.nanoTime();
    return taken;
  }

  private static boolean isRefused(Future<RecordMetadata> sent) {
    if (!sent.isDone()) {
      return false;
    }
    try {
      sent.get();
      return false;
    } catch (ExecutionException e) {
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private void failed(int partition, int rows, Exception why) {
    counters.failed(rows, why);
    LOG.warn("{} flows for {}-{} are lost: {}", rows, options.topic(), partition, why.toString());
  }
}
