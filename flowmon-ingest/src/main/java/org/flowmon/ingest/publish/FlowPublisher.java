package org.flowmon.ingest.publish;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
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
 * heartbeat is sent, nor where something is under way to the partition: what is there says more,
 * and heartbeats do not pile up while Kafka is away.
 *
 * <p>Nothing here waits for Kafka: batches go into a queue in memory, from which a thread of its
 * own ({@link KafkaSender}) hands them on. Where that queue is full, as Kafka is slower than the
 * flows come or is away, {@link PublisherOptions#whenFull} says what becomes of them: the owner
 * waits, or the newest are dropped before they have a place in a stream. What is dropped, or cannot
 * be delivered within the timeout, is counted by reason ({@link #stats}); the former stands in the
 * losses of the batches that follow, the latter shows in the stream as a gap in the numbers.
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

  private static final long LOG_MILLIS = 500;

  /** How long Kafka has to tell of the topic's partitions when a publisher is opened. */
  private static final Duration OPEN_TIMEOUT = Duration.ofMinutes(1);

  private final PublisherOptions options;
  private final Producer<byte[], byte[]> producer;
  private final PublisherCounters counters = new PublisherCounters();
  private final BatchQueue queue;
  private final Deliveries deliveries;
  private final KafkaSender sender;
  private final PublisherLog log;
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
  private long firstRowNanos;
  private long clock = Long.MIN_VALUE;

  /** The stream of one partition. */
  private static final class PartitionStream {
    private final BatchStream stream = new BatchStream();
    private long losses;
    private long lastArrival = Long.MIN_VALUE;
    private long lastQueuedNanos = System.nanoTime();
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
    this.partitions = new PartitionStream[partitionsFor(options, producer)];
    for (int i = 0; i < partitions.length; i++) {
      partitions[i] = new PartitionStream();
    }
    this.queue = new BatchQueue(options.queueBytes());
    this.deliveries = new Deliveries(partitions.length);
    this.sender =
        new KafkaSender(options, producer, partitions.length, queue, counters, deliveries);
    this.log = new PublisherLog(options, stats());
    sender.start();
    ticker =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "flow-publisher-" + options.topic());
              thread.setDaemon(true);
              return thread;
            });
    long period =
        Math.max(1, Math.min(options.maxDelay().toMillis(), options.heartbeat().toMillis()) / 2);
    repeat(this::onTimer, period);
    repeat(this::look, LOG_MILLIS);
  }

  private void repeat(Runnable task, long millis) {
    var unused = ticker.scheduleWithFixedDelay(task, millis, millis, TimeUnit.MILLISECONDS);
  }

  /** Kafka's producer waits no longer than the sender may: it is asked until the time is over. */
  private static int partitionsFor(PublisherOptions options, Producer<byte[], byte[]> producer) {
    Duration patience =
        options.deliveryTimeout().compareTo(OPEN_TIMEOUT) < 0
            ? options.deliveryTimeout()
            : OPEN_TIMEOUT;
    long end = System.nanoTime() + patience.toNanos();
    while (true) {
      try {
        return producer.partitionsFor(options.topic()).size();
      } catch (org.apache.kafka.common.errors.TimeoutException e) {
        if (System.nanoTime() - end >= 0) {
          throw e;
        }
      }
    }
  }

  /** Partitions of the topic. */
  public int partitions() {
    return partitions.length;
  }

  /** The ids by which its batches are told from those of other producers, one for a partition. */
  public Set<Long> producerIds() {
    return Arrays.stream(partitions)
        .map(partition -> partition.stream.producerId())
        .collect(Collectors.toUnmodifiableSet());
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
        put(partition, target.stream.endOfInput(end, target.losses), 0, end, System.nanoTime());
      }
    } finally {
      lock.unlock();
    }
    awaitKafka();
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
    awaitKafka();
  }

  private void awaitKafka() {
    try {
      while (!queue.awaitEmpty(options.deliveryTimeout().toNanos())) {
        // Each batch is given up in its time.
      }
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
    producer.flush();
  }

  /** What was done so far, and what waits. */
  public PublisherStats stats() {
    return counters.stats(queue, deliveries.waitedNanos(System.nanoTime()));
  }

  private void look() {
    long now = System.nanoTime();
    log.look(
        stats(),
        deliveries.waiting(now, PublisherStats.AWAY_MICROS * 1000).toString(),
        sender.trouble());
  }

  /**
   * Sends what is left, losses that no batch has told of included, and disconnects. It waits for
   * Kafka for {@link PublisherOptions#stopTimeout}; what Kafka has not taken then counts as failed.
   * Calling it again does nothing.
   */
  @Override
  public void close() {
    long end = System.nanoTime() + options.stopTimeout().toNanos();
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closeBatch();
      closed = true;
    } finally {
      lock.unlock();
    }
    ticker.shutdownNow();
    try {
      if (queue.awaitEmpty(end - System.nanoTime())) {
        tellLosses();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // whoever calls is in a hurry: what is left is counted
    }
    sender.close(end);
    log.end(stats());
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the publisher of topic " + options.topic() + " is closed");
    }
  }

  private void onTimer() {
    if (!lock.tryLock()) {
      return; // the owner is at it, and may wait for room
    }
    try {
      boolean mayClose = options.whenFull() == PublisherOptions.WhenFull.DROP || queue.hasRoom();
      if (closed || handedOut || !mayClose) {
        return;
      }
      long now = System.nanoTime();
      if (!builder.isEmpty() && now - firstRowNanos >= options.maxDelay().toNanos()) {
        closeBatch();
      }
      for (int partition = 0; partition < partitions.length; partition++) {
        if (isSilent(partition, now)) {
          // What waits may go to this partition next, and is not later than the heartbeat.
          closeBatch();
          heartbeat(partition);
        }
      }
    } catch (RuntimeException e) {
      // The ticker must not end; what could not be sent is counted.
      LOG.warn("publishing to topic {} failed, goes on", options.topic(), e);
    } finally {
      lock.unlock();
    }
  }

  /** Whether a partition is to hear how far the owner's clock is. */
  private boolean isSilent(int partition, long now) {
    return now - partitions[partition].lastQueuedNanos >= options.heartbeat().toNanos()
        && deliveries.isQuiet(partition)
        && clock != Long.MIN_VALUE
        && !ended;
  }

  /** Closes the open batch, where there is one, and queues it. */
  private void closeBatch() {
    builder.discardRow();
    if (builder.isEmpty()) {
      return;
    }
    int target = nextPartition;
    nextPartition = (target + 1) % partitions.length;
    int rows = builder.rows();
    // Rows that an owner ended and never told of are sent too: they are flows.
    counters.flowsTaken.add(rows - counted);
    counted = 0;
    if (!waitForRoom()) {
      lose(target, rows, PublisherStats.QUEUE_FULL);
      return;
    }
    FlowBatch batch;
    try {
      batch = partitions[target].stream.close(builder, partitions[target].losses);
    } catch (RuntimeException e) {
      // Rows that make no batch now make none later: they must not stand in the way of others.
      lose(target, rows, PublisherCounters.reason(e));
      LOG.warn("{} flows for {}-{} make no batch: {}", rows, options.topic(), target, e.toString());
      return;
    }
    ended = false;
    if (batch.minArrival() < partitions[target].lastArrival) {
      counters.arrivalsBack.increment();
    }
    clock = Math.max(clock, batch.maxArrival());
    put(target, batch.bytes(), rows, batch.maxArrival(), firstRowNanos);
  }

  /** Whether the queue has room for a batch, now or, where the owner is to wait, at last. */
  private boolean waitForRoom() {
    if (options.whenFull() == PublisherOptions.WhenFull.DROP) {
      return queue.hasRoom();
    }
    try {
      queue.awaitRoom();
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Drops the open batch: it has no place in the stream, which tells of it as lost before it. */
  private void lose(int partition, int rows, String reason) {
    builder.clear();
    partitions[partition].losses += rows;
    counters.failed(rows, reason);
  }

  /** Heartbeats to the partitions whose readers do not know of all losses yet. */
  private void tellLosses() {
    lock.lock();
    try {
      for (int partition = 0; partition < partitions.length; partition++) {
        PartitionStream target = partitions[partition];
        if (target.losses == sender.toldLosses(partition)) {
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
          put(partition, target.stream.endOfInput(end, target.losses), 0, end, System.nanoTime());
        } else {
          heartbeat(partition);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void heartbeat(int partition) {
    byte[] bytes = partitions[partition].stream.heartbeat(clock, partitions[partition].losses);
    put(partition, bytes, 0, clock, System.nanoTime());
  }

  private void put(int partition, byte[] bytes, int rows, long arrival, long beginNanos) {
    PartitionStream stream = partitions[partition];
    long now = System.nanoTime();
    stream.lastArrival = Math.max(stream.lastArrival, arrival);
    stream.lastQueuedNanos = now;
    deliveries.begun(partition, now);
    queue.put(new QueuedBatch(partition, bytes, rows, stream.losses, beginNanos, now));
  }
}
