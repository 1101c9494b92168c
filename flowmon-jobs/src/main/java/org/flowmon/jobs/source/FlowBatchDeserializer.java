package org.flowmon.jobs.source;

import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowFormatException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the value of a Kafka message as a flow batch, without a copy. A value that is not a flow
 * batch is counted ({@code flowmon.bad_values}), now and then logged, and left out: it never stops
 * the job.
 */
final class FlowBatchDeserializer implements KafkaRecordDeserializationSchema<PositionedBatch> {
  private static final long serialVersionUID = 1L;
  // Some 36,000 years: whatever clock, whatever unit was meant.
  private static final long MAX_ARRIVAL = 1L << 60;
  private static final Logger LOG = LoggerFactory.getLogger(FlowBatchDeserializer.class);

  private final FlowTopic topic;
  private transient SourceKeys keys;
  private transient Counter badValues;

  FlowBatchDeserializer(FlowTopic topic) {
    this.topic = topic;
  }

  @Override
  public void open(DeserializationSchema.InitializationContext context) throws Exception {
    keys = new SourceKeys(topic.id());
    badValues = context.getMetricGroup().addGroup("flowmon").counter("bad_values");
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<PositionedBatch> out) {
    FlowBatch batch;
    try {
      batch = FlowBatch.open(record.value() == null ? new byte[0] : record.value());
      checkArrival(batch);
    } catch (FlowFormatException e) {
      refuse(record, e);
      return;
    }
    out.collect(new PositionedBatch(keys.of(record.partition()), record.offset(), batch, 0));
  }

  /**
   * A header's arrival moves the watermark: one that no clock can show must not end all windows.
   */
  private static void checkArrival(FlowBatch batch) {
    if (batch.maxArrival() > MAX_ARRIVAL || batch.minArrival() < -MAX_ARRIVAL) {
      throw new FlowFormatException(
          "arrivals of "
              + batch.minArrival()
              + " … "
              + batch.maxArrival()
              + " us, expected at most "
              + MAX_ARRIVAL
              + " us from 1970");
    }
  }

  private void refuse(ConsumerRecord<byte[], byte[]> record, FlowFormatException why) {
    badValues.inc();
    long count = badValues.getCount();
    // The first few and then ever fewer: 1, 2, 4, 8 … so that a broken producer does not fill the
    // log.
    if (Long.bitCount(count) == 1) {
      LOG.warn(
          "{}-{}@{} is not a flow batch and is left out ({} so far): {}",
          record.topic(),
          record.partition(),
          record.offset(),
          count,
          why.getMessage());
    }
  }

  @Override
  public TypeInformation<PositionedBatch> getProducedType() {
    return PositionedBatch.TYPE;
  }
}
