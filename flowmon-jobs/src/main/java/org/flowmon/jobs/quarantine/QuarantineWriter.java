package org.flowmon.jobs.quarantine;

import java.time.Duration;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends refused messages and never fails.
 *
 * <p>Metrics: {@code quarantined_messages} (handed to Kafka), {@code unwritten_messages} (which it
 * did not take).
 */
final class QuarantineWriter implements SinkWriter<Quarantined> {
  private static final Logger LOG = LoggerFactory.getLogger(QuarantineWriter.class);

  private final Producer<byte[], byte[]> producer;
  // By the task's thread and the producer's.
  private volatile long sent;
  private volatile long unwritten;

  QuarantineWriter(Producer<byte[], byte[]> producer, MetricGroup metrics) {
    this.producer = producer;
    metrics.gauge("quarantined_messages", (Gauge<Long>) () -> sent);
    metrics.gauge("unwritten_messages", (Gauge<Long>) () -> unwritten);
  }

  @Override
  public void write(Quarantined refused, Context context) {
    count(true);
    try {
      var unused = // the callback has what becomes of it
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

  private synchronized void count(boolean isSent) {
    if (isSent) {
      sent++;
    } else {
      unwritten++;
    }
  }

  private void lost(Quarantined refused, Exception why) {
    count(false);
    LOG.warn(
        "topic {} does not take the message at {}, which {} refused ({}): {}",
        QuarantineMessage.TOPIC,
        refused.position(),
        refused.where(),
        refused.reason(),
        why.toString());
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
