package org.flowmon.jobs.sink.archive;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.archive.store.NoRoomException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Retries writes that a full disk refused: flows wait in Kafka, none is lost. Thread-safe. */
final class NoRoomRetry {
  private static final Logger LOG = LoggerFactory.getLogger(NoRoomRetry.class);
  // Less than a checkpoint may take by default; then the job fails, says why and begins again.
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final long FIRST_PAUSE_MILLIS = 500;
  private static final long LAST_PAUSE_MILLIS = 10_000;

  private final long longestNanos;
  private final AtomicLong waitedMillis = new AtomicLong();

  NoRoomRetry() {
    this(LONGEST);
  }

  NoRoomRetry(Duration longest) {
    this.longestNanos = longest.toNanos();
  }

  /** A write to the archive that changes nothing if it fails. */
  interface Work<T> {
    T run() throws IOException;
  }

  long waitedMillis() {
    return waitedMillis.get();
  }

  /** Runs a write until there is room; {@link NoRoomException} after five minutes. */
  <T> T run(Work<T> work) throws IOException, InterruptedException {
    long begun = System.nanoTime();
    for (long pause = FIRST_PAUSE_MILLIS; ; pause = Math.min(LAST_PAUSE_MILLIS, 2 * pause)) {
      try {
        return work.run();
      } catch (NoRoomException e) {
        if (System.nanoTime() - begun > longestNanos) {
          throw e;
        }
        LOG.warn("{}; flows wait in Kafka, next attempt in {} ms", e.getMessage(), pause);
        TimeUnit.MILLISECONDS.sleep(pause);
        waitedMillis.addAndGet(pause);
      }
    }
  }
}
