package org.flowmon.jobs.quarantine;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends refused messages and never fails. After a failure it leaves the topic for {@link #PAUSE}:
 * each attempt waits, and a flood of messages would hold up the job by as much each. Metrics:
 * {@code quarantined_messages} (handed to Kafka), {@code unwritten_messages} (not accepted).
 */
final class QuarantineWriter implements SinkWriter<Quarantined> {
  static final Duration PAUSE = Duration.ofMinutes(1);

  /** Messages logged one by one in a minute; the others are only counted in the log. */
  static final int LOGGED = 100;

  private static final Logger LOG = LoggerFactory.getLogger(QuarantineWriter.class);

  private final Producer<byte[], byte[]> producer;
  private final LongSupplier nanos;
  // Written by the task's thread and the producer's, under the lock.
  private boolean paused;
  private long pausedAt;
  private long loggedSince;
  private int logged;
  private long unlogged;
  private volatile long sent;
  private volatile long unwritten;

  /** {@code nanos}: a clock, as {@link System#nanoTime}. */
  QuarantineWriter(Producer<byte[], byte[]> producer, MetricGroup metrics, LongSupplier nanos) {
    this.producer = producer;
    this.nanos = nanos;
    this.loggedSince = nanos.getAsLong();
    metrics.gauge("quarantined_messages", (Gauge<Long>) () -> sent);
    metrics.gauge("unwritten_messages", (Gauge<Long>) () -> unwritten);
  }

  @Override
  public void write(Quarantined refused, Context context) {
    if (!isToBeTried(refused)) {
      return;
    }
    try {
      var unused = // the callback takes the outcome
          producer.send(
              QuarantineMessage.of(refused),
              (metadata, failure) -> {
                if (failure != null) {
                  lost(refused, failure);
                }
              });
    } catch (KafkaException | IllegalStateException e) {
      lost(refused, e);
    }
  }

  private synchronized boolean isToBeTried(Quarantined refused) {
    paused = paused && nanos.getAsLong() - pausedAt < PAUSE.toNanos();
    if (paused) {
      tell(refused, "it took none in the last minute");
      return false;
    }
    sent++;
    return true;
  }

  private synchronized void lost(Quarantined refused, Exception why) {
    // Other errors concern one message alone, such as one that is too large.
    if (why instanceof RetriableException
        || why instanceof AuthenticationException
        || why instanceof AuthorizationException) {
      paused = true;
      pausedAt = nanos.getAsLong();
    }
    tell(refused, why.toString());
  }

  private synchronized void tell(Quarantined refused, String why) {
    unwritten++;
    if (nanos.getAsLong() - loggedSince >= PAUSE.toNanos()) {
      if (unlogged > 0) {
        LOG.warn("topic {}: {} more messages were not written", QuarantineMessage.TOPIC, unlogged);
      }
      loggedSince = nanos.getAsLong();
      logged = 0;
      unlogged = 0;
    }
    if (logged == LOGGED) {
      unlogged++;
      return;
    }
    logged++;
    LOG.warn(
        "topic {}: the message at {}, refused by {} ({}), was not written: {}",
        QuarantineMessage.TOPIC,
        refused.position(),
        refused.where(),
        refused.reason(),
        why);
  }

  @Override
  public void flush(boolean endOfInput) {
    producer.flush();
  }

  @Override
  public void close() {
    producer.close(Duration.ZERO);
  }
}
