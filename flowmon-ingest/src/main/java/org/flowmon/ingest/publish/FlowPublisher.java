package org.flowmon.ingest.publish;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
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
import org.flowmon.flow.BatchStream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.ingest.collect.CollectorSink;
import org.flowmon.ingest.spool.Spool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes flows to the topic of flows ({@code docs/format/kafka.md}). A batch is closed after a
 * number of rows or a time and goes to the next partition in turn, so each gets its share. If the
 * owner hands over flows in ascending {@code arrival}, each partition has them in that order.
 *
 * <p>A partition without a batch for a while gets a heartbeat with the owner's clock: the largest
 * arrival or the time of {@link #tick}. None is sent if neither is known, or while something is
 * under way: it says more, and heartbeats do not pile up while Kafka is away.
 *
 * <p>Batches go to the {@link BatchQueue} of a {@link KafkaSender}, which is full if Kafka is away
 * or slower than the flows; with a spool, if the disk is full or slow, too. Then {@link
 * PublisherOptions#whenFull} decides: the owner waits, or the newest flows are dropped before they
 * have a place in a stream. Flows dropped or not delivered in time are counted by reason ({@link
 * #stats}). Dropped ones are in the next batches' losses, undelivered batches show as a gap in the
 * stream's numbers.
 *
 * <p>{@link #stats} is for any thread, all else for one owner. A thread of its own closes batches
 * that have waited and sends heartbeats, but no builder between handing out and {@link #rowsEnded}.
 */
public final class FlowPublisher implements CollectorSink, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FlowPublisher.class);

  /** The time from a file's last flow to its announced end, µs: an hour. */
  public static final long END_OF_FILE_MICROS = 3600L * 1_000_000;

  private static final long LOG_MILLIS = 500;

  private static final Duration OPEN_TIMEOUT = Duration.ofMinutes(1);

  private final PublisherOptions options;
  private final Producer<byte[], byte[]> producer;
  private final PublisherCounters counters = new PublisherCounters();
  private final Deliveries deliveries;
  private final StreamLosses losses;
  private final KafkaSender sender;
  private final BatchQueue queue;
  private final PublisherLog log;
  private final ScheduledExecutorService ticker;

  // The lock guards all fields below.
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

  private static final class PartitionStream {
    private final BatchStream stream = new BatchStream();
    private long losses;
    private long lastArrival = Long.MIN_VALUE;
    private long lastQueuedNanos = System.nanoTime();
  }

  /** Throws {@link IOException} if Kafka does not answer or the topic is missing. */
  public static FlowPublisher open(PublisherOptions options) throws IOException {
    return open(options, Optional.empty());
  }

  /**
   * With a spool, which the publisher closes. If it knows the topic from an earlier run, Kafka need
   * not answer yet.
   */
  public static FlowPublisher open(PublisherOptions options, Optional<Spool> spool)
      throws IOException {
    KafkaProducer<byte[], byte[]> producer = null;
    try {
      producer =
          new KafkaProducer<>(
              options.producerConfig(), new ByteArraySerializer(), new ByteArraySerializer());
      return new FlowPublisher(options, producer, spool);
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
    this(options, producer, Optional.empty());
  }

  FlowPublisher(
      PublisherOptions options, Producer<byte[], byte[]> producer, Optional<Spool> spool) {
    this.options = options;
    this.producer = producer;
    this.builder = new FlowBatchBuilder(options.batchRows());
    this.partitions = new PartitionStream[partitionsFor(options, producer, spool)];
    for (int i = 0; i < partitions.length; i++) {
      partitions[i] = new PartitionStream();
    }
    this.deliveries = new Deliveries(partitions.length);
    this.losses = new StreamLosses(partitions.length);
    this.sender =
        new KafkaSender(options, producer, partitions.length, counters, deliveries, losses, spool);
    this.queue = sender.queue();
    spool.ifPresent(earlier -> lost(earlier.untold()));
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

  /** Until the timeout; Kafka's producer itself waits no longer than the sender may. */
  private static int partitionsFor(
      PublisherOptions options, Producer<byte[], byte[]> producer, Optional<Spool> spool) {
    OptionalInt known = spool.map(Spool::partitions).orElse(OptionalInt.empty());
    Duration patience =
        options.deliveryTimeout().compareTo(OPEN_TIMEOUT) < 0
            ? options.deliveryTimeout()
            : OPEN_TIMEOUT;
    long end = System.nanoTime() + patience.toNanos();
    while (true) {
      try {
        return producer.partitionsFor(options.topic()).size();
      } catch (org.apache.kafka.common.errors.TimeoutException e) {
        if (known.isPresent()) {
          LOG.warn(
              "Kafka does not answer; topic {} had {} partitions",
              options.topic(),
              known.getAsInt());
          return known.getAsInt();
        }
        if (System.nanoTime() - end >= 0) {
          throw e;
        }
      }
    }
  }

  public int partitions() {
    return partitions.length;
  }

  /** The producer ids of its batches, one for each partition. */
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
   * No later flow has an arrival before this, µs; heartbeats may say so. Call it regularly for live
   * flows, even without any. It gives the builder back: if a decoder took it and found no sound
   * record, the timer could send nothing until the next flow.
   */
  @Override
  public void tick(long arrival) {
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

  /**
   * Flows lost before they came here; the next batches or a heartbeat have them in their losses.
   */
  @Override
  public void lost(long flows) {
    lock.lock();
    try {
      partitions[nextPartition].losses += flows;
      losses.lost(flows);
      counters.flowsLostBefore.add(flows);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the input of every partition by a marked heartbeat an hour after the last arrival (µs), so
   * that all windows close. No heartbeats follow until new flows or a later {@link #tick}. Later
   * flows with an earlier arrival are late: call it once, after the last file.
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

  /**
   * Waits until Kafka has taken or refused all batches, with the open one; but for those that are
   * on disk.
   */
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
        // Each batch is given up after its timeout.
      }
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
    producer.flush();
  }

  public PublisherStats stats() {
    return counters.stats(queue.load(), queue.disk());
  }

  private void look() {
    long now = System.nanoTime();
    log.look(
        stats(),
        deliveries.waiting(now, PublisherStats.AWAY_MICROS * 1000).toString(),
        sender.trouble());
  }

  /**
   * Waits {@link PublisherOptions#stopTimeout} for Kafka; the rest has failed, or waits in the
   * spool for the next start. Idempotent.
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
    queue.hurry();
    try {
      if (queue.awaitEmpty(end - System.nanoTime())) {
        tellLosses();
      }
    } catch (InterruptedException e) {
      Thread.currentThread()
          .interrupt(); // the caller is in a hurry: the remaining batches are counted
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
      return; // the owner holds the lock, and may wait for room
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
          // The open batch may go to this partition next, and is not later than the heartbeat.
          closeBatch();
          heartbeat(partition);
        }
      }
    } catch (RuntimeException e) {
      // The ticker must not end; flows that could not be sent are counted.
      LOG.warn("publishing to topic {} failed, goes on", options.topic(), e);
    } finally {
      lock.unlock();
    }
  }

  private boolean isSilent(int partition, long now) {
    return now - partitions[partition].lastQueuedNanos >= options.heartbeat().toNanos()
        && deliveries.isQuiet(partition)
        && clock != Long.MIN_VALUE
        && !ended;
  }

  private void closeBatch() {
    builder.discardRow();
    if (builder.isEmpty()) {
      return;
    }
    int target = nextPartition;
    nextPartition = (target + 1) % partitions.length;
    int rows = builder.rows();
    // Rows that an owner ended without {@code rowsEnded} are flows, too: send them.
    counters.flowsTaken.add(rows - counted);
    counted = 0;
    if (!waitForRoom()) {
      lose(target, rows, queue.whyFull());
      return;
    }
    FlowBatch batch;
    try {
      batch = builder.close(partitions[target].stream, partitions[target].losses);
    } catch (RuntimeException e) {
      // Rows that make no valid batch now never will: they must not block other rows.
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

  /** Whether there is room, after a wait if the owner is to wait. */
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

  /** Before it has a place in the stream, whose losses it joins. */
  private void lose(int partition, int rows, String reason) {
    builder.clear();
    partitions[partition].losses += rows;
    losses.lost(rows);
    counters.failed(rows, reason);
  }

  /** Heartbeats for partitions whose readers do not know all losses yet. */
  private void tellLosses() {
    lock.lock();
    try {
      for (int partition = 0; partition < partitions.length; partition++) {
        PartitionStream target = partitions[partition];
        if (target.losses == losses.told(partition)) {
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
    queue.put(
        new QueuedBatch(partition, bytes, rows, stream.losses, beginNanos, now, Optional.empty()));
  }
}
