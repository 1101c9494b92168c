package org.flowmon.jobs.source;

import java.time.Duration;
import java.util.Properties;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.flowmon.jobs.config.job.JobConfig;

/** The job's sources: topics of Kafka, for flows each message with its position. */
public final class FlowSource {
  private FlowSource() {}

  /** The topic's id, as looked up when the job is built, is part of every record's position. */
  public static KafkaSource<PositionedBatch> of(JobConfig config, FlowTopic topic) {
    return of(
        config,
        config.kafka().topic(),
        new FlowBatchDeserializer(topic, config.job().arrivalAhead()));
  }

  public static <T> KafkaSource<T> of(
      JobConfig config, String topic, KafkaRecordDeserializationSchema<T> reader) {
    JobConfig.Kafka kafka = config.kafka();
    return of(config, topic, kafka.group(), startingOffsets(kafka), largeFetches(), reader);
  }

  /** A topic of few small messages. {@code start}: the offsets without a checkpoint. */
  public static <T> KafkaSource<T> ofFewMessages(
      JobConfig config,
      String topic,
      String group,
      OffsetsInitializer start,
      KafkaRecordDeserializationSchema<T> reader) {
    return of(config, topic, group, start, new Properties(), reader);
  }

  private static <T> KafkaSource<T> of(
      JobConfig config,
      String topic,
      String group,
      OffsetsInitializer start,
      Properties properties,
      KafkaRecordDeserializationSchema<T> reader) {
    // In one flat group hundreds of metrics of Kafka's client would collide, each with a warning.
    properties.setProperty("register.consumer.metrics", "false");
    properties.putAll(config.kafka().properties());
    KafkaSourceBuilder<T> builder =
        KafkaSource.<T>builder()
            .setBootstrapServers(config.kafka().bootstrap())
            .setTopics(topic)
            .setGroupId(group)
            .setStartingOffsets(start)
            .setDeserializer(reader)
            .setProperties(properties);
    if (config.job().bounded()) {
      builder.setBounded(OffsetsInitializer.latest());
    }
    return builder.build();
  }

  public static WatermarkStrategy<PositionedBatch> watermarks(Duration disorderBound) {
    return ArrivalWatermarks.strategy(disorderBound);
  }

  // The connector offers no other way to say "earliest" than Kafka's deprecated enum.
  @SuppressWarnings("deprecation")
  private static OffsetsInitializer startingOffsets(JobConfig.Kafka kafka) {
    return switch (kafka.startingOffsets()) {
      case EARLIEST -> OffsetsInitializer.earliest();
      case LATEST -> OffsetsInitializer.latest();
      case COMMITTED -> OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST);
    };
  }

  private static Properties largeFetches() {
    Properties properties = new Properties();
    // A batch of 1000 flows is some 80 KB. The defaults, a dozen at a time over a 64 KB socket
    // buffer, cost a sixth more CPU per flow in a catch-up.
    properties.setProperty("max.partition.fetch.bytes", Integer.toString(8 << 20));
    properties.setProperty("fetch.max.bytes", Integer.toString(32 << 20));
    properties.setProperty("max.poll.records", "500");
    properties.setProperty("receive.buffer.bytes", Integer.toString(4 << 20));
    return properties;
  }
}
