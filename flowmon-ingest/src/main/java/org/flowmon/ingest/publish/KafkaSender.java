package org.flowmon.ingest.publish;

import java.time.Duration;
import java.util.Optional;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.flowmon.ingest.spool.Spool;
import org.flowmon.ingest.spool.SpoolPlace;
import org.jspecify.annotations.Nullable;

/**
 * Hands batches from a {@link BatchQueue} to Kafka's producer in order, on its own thread: the only
 * place that waits for Kafka, so flows can come in while it is away. Thread-safe.
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
  private final StreamLosses losses;
  private final BatchQueue queue;
  private final Optional<SpoolWriter> writer;
  private final Thread thread;
  private volatile boolean stopped;
  private volatile boolean closing;
  private volatile String trouble = "";

  KafkaSender(
      PublisherOptions options,
      Producer<byte[], byte[]> producer,
      int partitions,
      PublisherCounters counters,
      Deliveries deliveries,
      StreamLosses losses,
      Optional<Spool> spool) {
    this.options = options;
    this.producer = producer;
    this.counters = counters;
    this.deliveries = deliveries;
    this.losses = losses;
    this.queue = new BatchQueue(options, partitions, counters, deliveries, spool);
    this.writer =
        spool.map(
            disk ->
                new SpoolWriter(
                    options.topic(), partitions, queue, disk, counters, deliveries, losses));
    this.thread = new Thread(this::run, "flow-sender-" + options.topic());
    thread.setDaemon(true);
  }

  void start() {
    writer.ifPresent(SpoolWriter::start);
    thread.start();
  }

  /** What waits for this sender. */
  BatchQueue queue() {
    return queue;
  }

  /** The last error, also of the spool; empty without. */
  String trouble() {
    String ofDisk = queue.disk().trouble();
    return ofDisk.isEmpty() ? trouble : ofDisk;
  }

  private void run() {
    try {
      while (!stopped) {
        Optional<QueuedBatch> first = queue.first();
        if (first.isEmpty()) {
          return;
        }
        QueuedBatch batch = first.get();
        Optional<Throwable> refused = hand(batch);
        if (refused.isPresent() && isToBeTriedAgain(batch, refused.get())) {
          trouble = refused.get().toString();
          queue.refused();
          Thread.sleep(PAUSE_MILLIS);
          continue;
        }
        refused.ifPresent(why -> failed(ending(batch, Optional.empty()), why));
        queue.removeFirst();
      }
    } catch (InterruptedException | InterruptException e) {
      Thread.currentThread().interrupt(); // stopped: the stop counts the remaining batches
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
    Delivery delivery = new Delivery(endingOf(batch));
    boolean isTaken = false;
    try {
      var unused =
          producer.send(
              new ProducerRecord<>(options.topic(), batch.partition(), null, batch.bytes()),
              delivery);
      isTaken = delivery.refused == null;
    } catch (InterruptException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      return Optional.of(e);
    } finally {
      if (!isTaken) {
        delivery.batch.taken.ifPresent(queue.taken()::end);
      }
    }
    if (isTaken) {
      losses.told(batch.partition(), batch.losses());
    }
    return Optional.ofNullable(delivery.refused);
  }

  private void failed(Ending batch, Throwable why) {
    trouble = why.toString();
    // Batches that a closed producer had not sent fail with this very class, not a subclass.
    boolean atStop = closing && why.getClass() == KafkaException.class;
    if (atStop && isSpooled(batch)) {
      return; // it stays in the spool
    }
    failed(batch, atStop ? AT_STOP : PublisherCounters.reason(why));
  }

  private boolean isSpooled(Ending batch) {
    return batch.place.isPresent() || batch.taken.filter(queue.taken()::isWritten).isPresent();
  }

  private void failed(Ending batch, String reason) {
    counters.failed(batch.rows, reason);
    deliveries.ended(batch.partition, false, System.nanoTime());
    ended(batch);
  }

  private void ended(Ending batch) {
    batch.place.or(() -> batch.taken.flatMap(queue.taken()::end)).ifPresent(queue::ended);
  }

  /**
   * What is kept of a batch until it has ended; its bytes, which the producer packs, with a spool.
   */
  private record Ending(
      int partition,
      int rows,
      int length,
      long losses,
      long beginNanos,
      Optional<SpoolPlace> place,
      Optional<TakenBatches.Taken> taken) {}

  private Ending endingOf(QueuedBatch batch) {
    boolean goesToDisk = writer.isPresent() && batch.place().isEmpty();
    return ending(batch, goesToDisk ? Optional.of(queue.taken().begin(batch)) : Optional.empty());
  }

  private static Ending ending(QueuedBatch batch, Optional<TakenBatches.Taken> taken) {
    return new Ending(
        batch.partition(),
        batch.rows(),
        batch.bytes().length,
        batch.losses(),
        batch.beginNanos(),
        batch.place(),
        taken);
  }

  private final class Delivery implements Callback {
    private final Ending batch;
    // Only the sender's thread reads and writes it: a refusal comes within the call.
    private @Nullable Exception refused;

    Delivery(Ending batch) {
      this.batch = batch;
    }

    @Override
    public void onCompletion(RecordMetadata metadata, @Nullable Exception failure) {
      if (failure == null) {
        long now = System.nanoTime();
        counters.produced(batch.rows, batch.length, now - batch.beginNanos);
        losses.kept(batch.partition, batch.losses);
        deliveries.ended(batch.partition, true, now);
        ended(batch);
        if (!trouble.isEmpty()) {
          trouble = "";
        }
      } else if (Thread.currentThread() == thread) {
        // Kafka's producer reports a batch that it did not take on the caller's thread, and the
        // outcome of a batch that it tried on its own thread.
        refused = failure;
      } else {
        failed(batch, failure);
      }
    }
  }

  /**
   * Ends thread and producer. What is not taken or delivered by {@code endNanos} is in the spool,
   * or has failed.
   */
  void close(long endNanos) {
    closing = true;
    queue.close(); // nobody waits any more, and the thread ends with the last batch
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
    if (writer.isPresent()) {
      interrupted |= !interrupted && !awaitDelivery(endNanos);
      writer.get().end();
    }
    for (QueuedBatch batch : queue.clear()) {
      failed(ending(batch, Optional.empty()), AT_STOP);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    closeProducer(Duration.ofNanos(Math.max(0, endNanos - System.nanoTime())));
    writer.ifPresent(SpoolWriter::close);
  }

  /**
   * What Kafka gets now need not go to the disk. Waits while it takes something; false if it was
   * interrupted.
   */
  private boolean awaitDelivery(long endNanos) {
    try {
      long now = System.nanoTime();
      while (deliveries.waitedNanos(now) < BatchQueue.AWAY_AT_STOP_NANOS && now - endNanos < 0) {
        if (queue.taken().awaitNone(Math.min(PAUSE_MILLIS * 1_000_000, endNanos - now))) {
          return true;
        }
        now = System.nanoTime();
      }
      return true;
    } catch (InterruptedException e) {
      return false;
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
