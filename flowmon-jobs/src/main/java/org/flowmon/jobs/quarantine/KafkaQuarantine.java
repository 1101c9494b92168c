package org.flowmon.jobs.quarantine;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.topic.KafkaTopics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes refused messages to {@link QuarantineMessage#TOPIC}, at least once if Kafka accepts them:
 * it waits for all before a checkpoint. Those not accepted within {@link #PATIENCE} are counted and
 * logged; the job goes on. A failing topic is retried once a minute, so the job waits 15 s of a
 * minute at most.
 */
public final class KafkaQuarantine implements Sink<Quarantined> {
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(KafkaQuarantine.class);
  // The disk space that a flood of refused messages may take on a broker.
  private static final long RETENTION_BYTES = 1L << 30;
  private static final long RETENTION_DAYS = 7;

  private final Map<String, String> properties;
  private final String bootstrap;

  private KafkaQuarantine(JobConfig.Kafka kafka) {
    this.properties = Map.copyOf(kafka.properties());
    this.bootstrap = kafka.bootstrap();
  }

  /** Adds the writer, one task; creates the topic if it is missing. */
  public static void write(DataStream<Quarantined> refused, JobConfig.Kafka kafka) {
    createTopic(kafka);
    // Not in the source's chain: it waits for Kafka.
    refused
        .global()
        .sinkTo(new KafkaQuarantine(kafka))
        .name("kafka-quarantine")
        .uid("kafka-quarantine")
        .setParallelism(1);
  }

  /** The job also runs without the topic: refused messages are then only logged. */
  private static void createTopic(JobConfig.Kafka kafka) {
    NewTopic topic =
        new NewTopic(QuarantineMessage.TOPIC, Optional.of(1), Optional.empty())
            .configs(
                Map.of(
                    TopicConfig.RETENTION_BYTES_CONFIG,
                    Long.toString(RETENTION_BYTES),
                    TopicConfig.RETENTION_MS_CONFIG,
                    Long.toString(TimeUnit.DAYS.toMillis(RETENTION_DAYS))));
    try {
      KafkaTopics.createIfMissing(kafka.clientProperties(), topic);
    } catch (ConfigException e) {
      LOG.warn("{}; until then only the log tells of refused messages", e.getMessage());
    }
  }

  @Override
  public SinkWriter<Quarantined> createWriter(WriterInitContext context) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 2 * Quarantined.MAX_BYTES);
    settings.putAll(properties);
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    int patience = Math.toIntExact(PATIENCE.toMillis());
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, patience);
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, patience / 2);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 5);
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, patience / 2);
    return new QuarantineWriter(
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()),
        context.metricGroup().addGroup("flowmon"),
        System::nanoTime);
  }
}
