package org.flowmon.jobs.sink.postgres;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes values as they come. Without the database they wait and are retried with growing pauses. A
 * checkpoint passes only after all are written, and fails after {@link #FLUSH_LIMIT_MILLIS}: then
 * the job restarts and makes them again. So none is lost.
 *
 * <p>One that the database refuses (another type of table, a missing permission) always would be:
 * it is counted and logged with a remedy, the others go on. It stays in Kafka if it goes there,
 * too. Metrics in group {@code flowmon}, with {@code NAME} such as {@code reports}: {@code NAME},
 * {@code older_NAME} (a newer one was there), {@code rejected_NAME}, {@code retries}, {@code
 * waiting_NAME}.
 */
class PostgresWriter<T> implements SinkWriter<T> {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresWriter.class);
  private static final long FLUSH_LIMIT_MILLIS = 60_000;
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 5_000;
  private static final int MAX_WAITING = 1_000;

  private final TableStore<T> store;
  private final String name;
  private final ProcessingTimeService time;
  private final Deque<T> waiting = new ArrayDeque<>();
  private final Counter stored;
  private final Counter older;
  private final Counter rejected;
  private final Counter retries;
  private long pauseMillis;
  private long nextAttempt;
  private SQLException lastFailure = new SQLException("not tried yet");

  /** {@code name}: of the values in metrics and messages, such as reports. */
  PostgresWriter(
      TableStore<T> store, String name, MetricGroup flowmon, ProcessingTimeService time) {
    this.store = store;
    this.name = name;
    this.time = time;
    stored = flowmon.counter(name);
    older = flowmon.counter("older_" + name);
    rejected = flowmon.counter("rejected_" + name);
    retries = flowmon.counter("retries");
    flowmon.gauge("waiting_" + name, (Gauge<Integer>) waiting::size);
  }

  @Override
  public void write(T value, Context context) throws IOException, InterruptedException {
    waiting.add(value);
    writeWhatWaits();
    if (waiting.size() >= MAX_WAITING) {
      flush(false); // bounded memory: the stream waits
    }
  }

  @Override
  public void flush(boolean endOfInput) throws IOException, InterruptedException {
    long limit = time.getCurrentProcessingTime() + FLUSH_LIMIT_MILLIS;
    writeWhatWaits();
    while (!waiting.isEmpty()) {
      if (time.getCurrentProcessingTime() >= limit) {
        throw new IOException(
            "%s %s could not be written to %s for %s s (%s); none is lost: the job restarts from its last checkpoint and makes them again"
                .formatted(
                    waiting.size(),
                    name,
                    store.place(),
                    FLUSH_LIMIT_MILLIS / 1000,
                    lastFailure.getMessage()),
            lastFailure);
      }
      Thread.sleep(Math.max(1, nextAttempt - time.getCurrentProcessingTime()));
      writeWhatWaits();
    }
  }

  private void writeWhatWaits() {
    while (!waiting.isEmpty() && time.getCurrentProcessingTime() >= nextAttempt) {
      T value = waiting.element();
      try {
        count(value, store.store(value));
        waiting.remove();
        pauseMillis = 0;
        nextAttempt = 0;
      } catch (PostgresRejectedException e) {
        waiting.remove();
        rejected.inc();
        LOG.error("one of the {} was not written to PostgreSQL", name, e);
      } catch (SQLException e) {
        pause(e);
      }
    }
  }

  private void count(T value, boolean isStored) {
    if (isStored) {
      stored.inc();
      countStored(value);
    } else {
      older.inc();
    }
  }

  /** Counts what is in a stored value. */
  void countStored(T value) {
    // nothing but the value itself
  }

  private void pause(SQLException e) {
    lastFailure = e;
    retries.inc();
    pauseMillis =
        Math.min(LONGEST_PAUSE_MILLIS, pauseMillis == 0 ? FIRST_PAUSE_MILLIS : 2 * pauseMillis);
    nextAttempt = time.getCurrentProcessingTime() + pauseMillis;
    LOG.warn(
        "PostgreSQL at {}: {} {} wait, next attempt in {} ms: {}",
        store.place(),
        waiting.size(),
        name,
        pauseMillis,
        e.toString());
    // also if nothing further comes
    var unused = time.registerTimer(nextAttempt, timestamp -> writeWhatWaits());
  }

  @Override
  public void close() {
    store.close();
  }
}
