package org.flowmon.ingest.publish;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.flowmon.ingest.spool.SpoolPlace;

/**
 * Batches that came from memory and that Kafka's producer has taken but not delivered, oldest
 * first. With a spool they go to the disk before all that wait: a stop without Kafka loses none.
 * Thread-safe.
 */
final class TakenBatches {
  private final Set<Taken> all = new LinkedHashSet<>();
  private long bytes;

  /** Such a batch. The monitor of its owner guards it. */
  static final class Taken {
    private final QueuedBatch batch;
    private Optional<SpoolPlace> place = Optional.empty();
    private boolean done;

    private Taken(QueuedBatch batch) {
      this.batch = batch;
    }

    QueuedBatch batch() {
      return batch;
    }
  }

  /** A batch that is handed to the producer from now on. */
  synchronized Taken begin(QueuedBatch batch) {
    Taken taken = new Taken(batch);
    all.add(taken);
    bytes += batch.bytes().length;
    return taken;
  }

  /**
   * Kafka has it, or it was given up, or the producer has not taken it.
   *
   * @return its place in the spool if it is there
   */
  synchronized Optional<SpoolPlace> end(Taken taken) {
    if (!taken.done) {
      done(taken);
    }
    return taken.place;
  }

  /** The oldest one that is not on disk. */
  synchronized Optional<Taken> first() {
    return all.stream().findFirst();
  }

  /** It is on disk; false if it has ended meanwhile. */
  synchronized boolean written(Taken taken, SpoolPlace place) {
    if (taken.done) {
      return false;
    }
    taken.place = Optional.of(place);
    done(taken);
    return true;
  }

  /** Whether the next run sends it if this one does not. */
  synchronized boolean isWritten(Taken taken) {
    return taken.place.isPresent();
  }

  private void done(Taken taken) {
    taken.done = true;
    bytes -= taken.batch.bytes().length;
    all.remove(taken);
    notifyAll();
  }

  /** Of batches that are in memory alone. */
  synchronized long bytes() {
    return bytes;
  }

  /** Waits at most so long; whether there is none. */
  synchronized boolean awaitNone(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    while (!all.isEmpty()) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }
}
