package org.flowmon.ingest.publish;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/**
 * Queues batches in memory and hands them to Kafka's producer in order, on its own thread: the only
 * place that waits for Kafka, so flows can come in while it is away. Thread-safe.
 *
 * <p>The queue is bounded by bytes, until Kafka's producer has them in its own buffer. A batch may
 * be put while there is room ({@link #hasRoom}), so one may exceed the capacity. Heartbeats are
 * always taken: each partition has at most one under way. Without room, the owner waits ({@link
 * #awaitRoom}) or drops the newest flows.
 *
 * <p>A batch that the producer does not take (buffer full, no broker known) stays first and is
 * tried again until the delivery timeout: unseen, it keeps its number, and no other overtakes it.
 * The producer itself retries the batches that it took.
 */
final class KafkaSender {
  private static final String AT_STOP = PublisherStats.NOT_DELIVERED_AT_STOP;

  private static final long PAUSE_MILLIS = 100;

  private final PublisherOptions options;
  private final Producer<byte[], byte[]> producer;
  private final PublisherCounters counters;
  private final Deliveries deliveries;
  private final AtomicLongArray toldLosses;
  private final Thread thread;
  private volatile boolean stopped;
  private volatile boolean closing;
  private volatile String trouble = "";

  // The lock guards all fields below.
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<QueuedBatch> batches = new ArrayDeque<>();
  private long bytes;
  private long flows;
  private long highBytes;
  private boolean closed;

  KafkaSender(
      PublisherOptions options,
      Producer<byte[], byte[]> producer,
      int partitions,
      PublisherCounters counters,
      Deliveries deliveries) {
    this.options = options;
    this.producer = producer;
    this.counters = counters;
    this.deliveries = deliveries;
    this.toldLosses = new AtomicLongArray(partitions);
    this.thread = new Thread(this::run, "flow-sender-" + options.topic());
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  boolean hasRoom() {
    lock.lock();
    try {
      return bytes < options.queueBytes();
    } finally {
      lock.unlock();
    }
  }

  void awaitRoom() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (bytes >= options.queueBytes() && !closed) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Puts a batch at the end of the queue, even if there is no room. */
  void put(QueuedBatch batch) {
    deliveries.begun(batch.partition(), batch.queuedNanos());
    lock.lock();
    try {
      batches.add(batch);
      bytes += batch.bytes().length;
      flows += batch.rows();
      highBytes = Math.max(highBytes, bytes);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits at most {@code nanos}; whether it is empty. */
  boolean awaitEmpty(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    lock.lockInterruptibly();
    try {
      while (!batches.isEmpty()) {
        long left = end - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        var unused = changed.await(left, TimeUnit.NANOSECONDS);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  PublisherStats.Queue load() {
    long waited = deliveries.waitedNanos(System.nanoTime());
    lock.lock();
    try {
      return new PublisherStats.Queue(flows, bytes, options.queueBytes(), highBytes, waited / 1000);
    } finally {
      lock.unlock();
    }
  }

  /** The losses in the last batch of a partition's stream that Kafka's producer took. */
  long toldLosses(int partition) {
    return toldLosses.get(partition);
  }

  String trouble() {
    return trouble;
  }

  private void run() {
    try {
      while (!stopped) {
        Optional<QueuedBatch> first = first();
        if (first.isEmpty()) {
          return;
        }
        QueuedBatch batch = first.get();
        Optional<Throwable> refused = hand(batch);
        if (refused.isPresent() && isToBeTriedAgain(batch, refused.get())) {
          trouble = refused.get().toString();
          Thread.sleep(PAUSE_MILLIS);
          continue;
        }
        refused.ifPresent(why -> failed(batch.partition(), batch.rows(), why));
        removeFirst();
      }
    } catch (InterruptedException | InterruptException e) {
      Thread.currentThread().interrupt(); // stopped: the stop counts the remaining batches
    }
  }

  /** Waits for a batch, which stays in the queue; empty if the queue is closed and empty. */
  private Optional<QueuedBatch> first() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (batches.isEmpty() && !closed) {
        changed.await();
      }
      return Optional.ofNullable(batches.peekFirst());
    } finally {
      lock.unlock();
    }
  }

  private void removeFirst() {
    lock.lock();
    try {
      QueuedBatch batch = batches.removeFirst();
      bytes -= batch.bytes().length;
      flows -= batch.rows();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** A lack of memory and unforeseen errors may pass, too, and must not end the thread. */
  private boolean isToBeTriedAgain(QueuedBatch batch, Throwable why) {
    boolean isOfKafka = why instanceof KafkaException || why instanceof IllegalStateException;
    boolean passes =
        !isOfKafka
            || why instanceof RetriableException
            || why instanceof AuthenticationException
            || why instanceof AuthorizationException;
    return passes && System.nanoTime() - batch.queuedNanos() < options.deliveryTimeout().toNanos();
  }

  private Optional<Throwable> hand(QueuedBatch batch) {
    Delivery delivery = new Delivery(batch);
    try {
      var unused =
          producer.send(
              new ProducerRecord<>(options.topic(), batch.partition(), null, batch.bytes()),
              delivery);
    } catch (InterruptException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      return Optional.of(e);
    }
    if (delivery.refused == null) {
      toldLosses.accumulateAndGet(batch.partition(), batch.losses(), Math::max);
    }
    return Optional.ofNullable(delivery.refused);
  }

  private void failed(int partition, int rows, Throwable why) {
    trouble = why.toString();
    // Batches that a closed producer had not sent fail with this very class, not a subclass.
    boolean atStop = closing && why.getClass() == KafkaException.class;
    failed(partition, rows, atStop ? AT_STOP : PublisherCounters.reason(why));
  }

  private void failed(int partition, int rows, String reason) {
    counters.failed(rows, reason);
    deliveries.ended(partition, false, System.nanoTime());
  }

  private final class Delivery implements Callback {
    private final int partition;
    private final int rows;
    private final int length;
    private final long beginNanos;
    // Only the sender's thread reads and writes it: a refusal comes within the call.
    private @Nullable Exception refused;

    Delivery(QueuedBatch batch) {
      this.partition = batch.partition();
      this.rows = batch.rows();
      this.length = batch.bytes().length;
      this.beginNanos = batch.beginNanos();
    }

    @Override
    public void onCompletion(RecordMetadata metadata, @Nullable Exception failure) {
      if (failure == null) {
        long now = System.nanoTime();
        counters.produced(rows, length, now - beginNanos);
        deliveries.ended(partition, true, now);
        if (!trouble.isEmpty()) {
          trouble = "";
        }
      } else if (Thread.currentThread() == thread) {
        // Kafka's producer reports a batch that it did not take on the caller's thread, and the
        // outcome of a batch that it tried on its own thread.
        refused = failure;
      } else {
        failed(partition, rows, failure);
      }
    }
  }

  /** Ends thread and producer; what is not taken or delivered by {@code endNanos} has failed. */
  void close(long endNanos) {
    closing = true;
    lock.lock();
    try {
      closed = true; // nobody waits any more, and the thread ends with the last batch
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    boolean interrupted = false;
    try {
      thread.join(Math.max(1, (endNanos - System.nanoTime()) / 1_000_000));
    } catch (InterruptedException e) {
      interrupted = true;
    }
    stopped = true;
    thread.interrupt();
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    for (QueuedBatch batch : clear()) {
      failed(batch.partition(), batch.rows(), AT_STOP);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    closeProducer(Duration.ofNanos(Math.max(0, endNanos - System.nanoTime())));
  }

  private List<QueuedBatch> clear() {
    lock.lock();
    try {
      List<QueuedBatch> left = List.copyOf(batches);
      batches.clear();
      bytes = 0;
      flows = 0;
      changed.signalAll();
      return left;
    } finally {
      lock.unlock();
    }
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
}
