package org.flowmon.jobs.site;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.source.MessageTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topic of states ({@code docs/format/states-topic.md}): one partition, as the order of sites'
 * messages decides which site is left out, and the broker's clock.
 */
public final class StatesTopic {
  private static final Logger LOG = LoggerFactory.getLogger(StatesTopic.class);
  private static final int TIMEOUT_SECONDS = 30;
  private static final int ATTEMPTS = 50;
  private static final long PAUSE_MILLIS = 100;
  private static final String BROKERS_CLOCK = "LogAppendTime";

  private StatesTopic() {}

  /**
   * Creates the topic if it is missing.
   *
   * @param client properties of Kafka's clients
   * @throws ConfigException if that is not possible, or it has more than one partition
   */
  public static void createIfMissing(Map<String, Object> client, String topic) {
    try (Admin admin = Admin.create(client)) {
      NewTopic wanted =
          new NewTopic(topic, Optional.of(1), Optional.empty())
              .configs(Map.of(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, BROKERS_CLOCK));
      try {
        admin.createTopics(List.of(wanted)).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof TopicExistsException)) {
          throw e;
        }
      }
      check(admin, topic);
    } catch (ExecutionException | TimeoutException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new ConfigException(
          "topic " + topic + " cannot be made or looked up (" + cause + "); make it by hand", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConfigException("interrupted while topic " + topic + " was made", e);
    }
  }

  private static void check(Admin admin, String topic)
      throws ExecutionException, TimeoutException, InterruptedException {
    int partitions = partitions(admin, topic);
    if (partitions != 1) {
      throw new ConfigException(
          "topic "
              + topic
              + " has "
              + partitions
              + " partitions, expected 1: between partitions what sites say has no order");
    }
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    String clock =
        admin
            .describeConfigs(List.of(resource))
            .all()
            .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
            .get(resource)
            .get(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG)
            .value();
    if (!BROKERS_CLOCK.equals(clock)) {
      LOG.warn(
          "topic {} has {} = {}, not {}: who is silent, and what is ahead of time, is told by"
              + " clocks that whoever writes to it sets, up to that of this machine",
          topic,
          TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
          clock,
          BROKERS_CLOCK);
    }
  }

  private static int partitions(Admin admin, String topic)
      throws ExecutionException, TimeoutException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return admin
            .describeTopics(List.of(topic))
            .allTopicNames()
            .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
            .get(topic)
            .partitions()
            .size();
      } catch (ExecutionException e) {
        // A broker may not know yet of a topic that was just created.
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException) || attempt == ATTEMPTS) {
          throw e;
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    }
  }

  /** Returns the deserializer of its records, which does not open them. */
  public static KafkaRecordDeserializationSchema<StatesRecord> reader() {
    return reader(Clock.systemUTC());
  }

  /** Returns the deserializer with another clock, for tests. */
  static KafkaRecordDeserializationSchema<StatesRecord> reader(Clock clock) {
    return new Reader(clock);
  }

  /** Returns the serializer of its records. */
  public static KafkaRecordSerializationSchema<StatesRecord> writer(String topic, String site) {
    return new Writer(topic, site);
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

  private static final class Writer implements KafkaRecordSerializationSchema<StatesRecord> {
    private static final long serialVersionUID = 1L;

    private final String topic;
    private final String site;

    Writer(String topic, String site) {
      this.topic = topic;
      this.site = site;
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
        StatesRecord record, KafkaSinkContext context, Long timestamp) {
      byte[] key = site.getBytes(StandardCharsets.US_ASCII);
      return new ProducerRecord<>(topic, 0, key, record.bytes());
    }
  }
}
