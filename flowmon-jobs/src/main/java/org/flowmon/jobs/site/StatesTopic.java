package org.flowmon.jobs.site;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.TopicConfig;
import org.flowmon.jobs.source.MessageTime;
import org.flowmon.jobs.topic.KafkaTopics;

/**
 * The topic of states ({@code docs/format/states-topic.md}): one partition, as the order of
 * messages decides which site is left out, and the broker's clock.
 */
public final class StatesTopic {
  private static final String BROKERS_CLOCK = "LogAppendTime";

  private StatesTopic() {}

  /** Creates the topic; {@code ConfigException} if impossible or of several partitions. */
  public static void createIfMissing(Map<String, Object> client, String topic) {
    KafkaTopics.createIfMissing(
        client,
        new KafkaTopics.Single(
            topic,
            TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
            BROKERS_CLOCK,
            "the clocks of those who write to it decide which site is silent or ahead of time",
            "site.topic or merge.topic"));
  }

  /** Does not open records. */
  public static KafkaRecordDeserializationSchema<StatesRecord> reader() {
    return reader(Clock.systemUTC());
  }

  static KafkaRecordDeserializationSchema<StatesRecord> reader(Clock clock) {
    return new Reader(clock);
  }

  public static KafkaRecordSerializationSchema<StatesRecord> writer(String topic, String site) {
    byte[] key = site.getBytes(StandardCharsets.US_ASCII);
    return (record, context, timestamp) -> new ProducerRecord<>(topic, 0, key, record.bytes());
  }

  private static final class Reader implements KafkaRecordDeserializationSchema<StatesRecord> {
    private static final long serialVersionUID = 1L;

    private final Clock clock;

    Reader(Clock clock) {
      this.clock = clock;
    }

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<StatesRecord> out) {
      byte[] value = record.value() == null ? new byte[0] : record.value();
      out.collect(new StatesRecord(MessageTime.millis(record, clock), value));
    }

    @Override
    public TypeInformation<StatesRecord> getProducedType() {
      return StatesRecord.TYPE;
    }
  }
}
