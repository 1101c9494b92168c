package org.flowmon.jobs.source;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowFormatException;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.quarantine.Quarantined;

/**
 * Opens a Kafka message as a flow batch, without a copy. An unreadable one goes on as position,
 * bytes and reason: it never stops the job. Arrivals move time, so a clock checks them: {@link
 * MessageTime}.
 */
final class FlowBatchDeserializer implements KafkaRecordDeserializationSchema<PositionedBatch> {
  private static final long serialVersionUID = 1L;
  private static final String WHERE = "flow-source";
  // Some 36,000 years: for any clock in any unit.
  private static final long MAX_ARRIVAL = 1L << 60;
  // The mark at the end of files lies so far after their last flow.
  private static final long END_MICROS = 3_600_000_000L;

  private final FlowTopic topic;
  private final long aheadMicros;
  private final Clock clock;
  private transient SourceKeys keys;

  // Defines them where it is deserialized: see FlowColumn.
  @SuppressWarnings("unused")
  private final List<FlowColumn> ownColumns = FlowColumn.defined();

  /** {@code ahead}: how far an arrival may lie after the clock. */
  FlowBatchDeserializer(FlowTopic topic, Duration ahead) {
    this(topic, ahead, Clock.systemUTC());
  }

  FlowBatchDeserializer(FlowTopic topic, Duration ahead, Clock clock) {
    this.topic = topic;
    this.aheadMicros = ahead.toNanos() / 1000;
    this.clock = clock;
  }

  @Override
  public void open(DeserializationSchema.InitializationContext context) {
    keys = new SourceKeys(topic.id());
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<PositionedBatch> out) {
    String key = keys.of(record.partition());
    byte[] value = record.value() == null ? new byte[0] : record.value();
    FlowBatch batch;
    long now = clockMicros(record);
    try {
      batch = FlowBatch.open(value);
      checkArrivals(batch, now);
    } catch (FlowFormatException e) {
      out.collect(
          PositionedBatch.of(
              Quarantined.of(key, record.offset(), WHERE, String.valueOf(e.getMessage()), value)));
      return;
    }
    long reached = Math.min(batch.maxArrival(), now);
    out.collect(
        new PositionedBatch(key, record.offset(), batch, 0, false, reached, Optional.empty()));
  }

  /** End of the millisecond in which the message was sent, as far as known. */
  private long clockMicros(ConsumerRecord<byte[], byte[]> record) {
    return MessageTime.millis(record, clock) * 1000 + 999;
  }

  /** A header's arrival moves time, and must not end all windows. */
  private void checkArrivals(FlowBatch batch, long now) {
    if (batch.maxArrival() > MAX_ARRIVAL || batch.minArrival() < -MAX_ARRIVAL) {
      throw new FlowFormatException(
          "arrivals of %d … %d µs, expected at most %d µs from 1970"
              .formatted(batch.minArrival(), batch.maxArrival(), MAX_ARRIVAL));
    }
    long ahead = batch.maxArrival() - now - (batch.isEndOfInput() ? END_MICROS : 0);
    if (ahead > aheadMicros) {
      throw new FlowFormatException(
          "arrival %s is %s after the message was sent, expected at most %s (job.arrival_ahead): the producer's clock is wrong"
              .formatted(
                  FlowTime.instant(batch.maxArrival()), duration(ahead), duration(aheadMicros)));
    }
  }

  private static Duration duration(long micros) {
    return Duration.ofSeconds(micros / 1_000_000);
  }

  @Override
  public TypeInformation<PositionedBatch> getProducedType() {
    return PositionedBatch.TYPE;
  }
}
