package org.flowmon.jobs.control;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topic that starts, changes and stops analyses ({@code docs/format/kafka.md}): one partition,
 * compacted. The key is an analysis's name; the value is its file, or {@link #REMOVED} if it stops.
 * A message's offset + 1 is the version of its change.
 */
public final class ControlTopic {
  private static final Logger LOG = LoggerFactory.getLogger(ControlTopic.class);

  /** The value of a stopped analysis. Kafka would drop a tombstone one day. */
  public static final String REMOVED = "removed: true\n";

  /** The most bytes of an analysis's file. */
  public static final int MAX_TEXT_BYTES = 1 << 16;

  static final int PARTITION = 0;
  private static final int TIMEOUT_SECONDS = 30;

  private final JobConfig.Kafka kafka;
  private final String name;
  private final Map<String, Object> properties;

  /** Creates the topic of a configuration. */
  public ControlTopic(JobConfig.Kafka kafka) {
    this.kafka = kafka;
    this.name = kafka.analysesTopic();
    this.properties = kafka.clientProperties();
  }

  /** The topic's changes up to an offset, in order. */
  public record Contents(List<AnalysisChange> changes, long nextOffset) {
    public Contents {
      changes = List.copyOf(changes);
    }
  }

  public String name() {
    return name;
  }

  /**
   * Creates the topic and its status topic if they are missing.
   *
   * @throws ConfigException if that is not possible, or it has more than one partition
   */
  public void createIfMissing() {
    createIfMissing(properties, name);
    ControlStatus.createIfMissing(kafka);
  }

  static void createIfMissing(Map<String, Object> properties, String name) {
    try (Admin admin = Admin.create(properties)) {
      NewTopic wanted =
          new NewTopic(name, Optional.of(1), Optional.empty())
              .configs(
                  Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT));
      try {
        admin.createTopics(List.of(wanted)).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof TopicExistsException)) {
          throw e;
        }
      }
      int partitions = partitions(admin, name);
      warnUnlessCompacted(admin, name);
      if (partitions != 1) {
        throw new ConfigException(
            "topic " + name + " has " + partitions + " partitions, expected one");
      }
    } catch (ExecutionException | TimeoutException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new ConfigException(
          "topic "
              + name
              + " of analyses cannot be made or looked up at "
              + properties.get("bootstrap.servers")
              + " ("
              + cause
              + "); make it by hand (one partition, compacted), or name another by"
              + " kafka.analyses_topic",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConfigException("interrupted while topic " + name + " was made", e);
    }
  }

  /** Warns of a topic without compaction, made by hand or by a broker: it may drop messages. */
  private static void warnUnlessCompacted(Admin admin, String name)
      throws TimeoutException, InterruptedException {
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, name);
    try {
      String policy =
          admin
              .describeConfigs(List.of(topic))
              .all()
              .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
              .get(topic)
              .get(TopicConfig.CLEANUP_POLICY_CONFIG)
              .value();
      if (!policy.equals(TopicConfig.CLEANUP_POLICY_COMPACT)) {
        LOG.warn(
            "topic {} has {}={}, expected {}: it will forget analyses, and jobs that start then do"
                + " not run them",
            name,
            TopicConfig.CLEANUP_POLICY_CONFIG,
            policy,
            TopicConfig.CLEANUP_POLICY_COMPACT);
      }
    } catch (ExecutionException e) {
      LOG.info("topic {}: its settings cannot be looked up: {}", name, e.toString());
    }
  }

  /**
   * Returns the partitions of a topic that exists or was just created: not every broker knows of it
   * at once.
   */
  private static int partitions(Admin admin, String name)
      throws ExecutionException, TimeoutException, InterruptedException {
    for (int attempt = 0; ; attempt++) {
      try {
        return admin
            .describeTopics(List.of(name))
            .allTopicNames()
            .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
            .get(name)
            .partitions()
            .size();
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException) || attempt == 100) {
          throw e;
        }
        Thread.sleep(100);
      }
    }
  }

  /**
   * Reads the topic's present contents, the last message of each name, without invalid messages.
   */
  public Contents read() {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      TopicPartition partition = new TopicPartition(name, PARTITION);
      long end =
          consumer
              .endOffsets(List.of(partition), Duration.ofSeconds(TIMEOUT_SECONDS))
              .get(partition);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      Map<String, AnalysisChange> last = new HashMap<>();
      while (consumer.position(partition, Duration.ofSeconds(TIMEOUT_SECONDS)) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          if (record.offset() < end && isMessage(record)) {
            AnalysisChange change = change(record);
            last.put(change.name(), change);
          }
        }
      }
      List<AnalysisChange> inOrder = new ArrayList<>(last.values());
      inOrder.sort(Comparator.comparingLong(AnalysisChange::version));
      return new Contents(inOrder, end);
    }
  }

  /** Whether a record can be a message: it has a name and a text of bounded size. */
  static boolean isMessage(ConsumerRecord<byte[], byte[]> record) {
    return record.key() != null
        && record.key().length > 0
        && record.key().length <= 64
        && record.value() != null
        && record.value().length <= MAX_TEXT_BYTES;
  }

  /** Returns the change in a message. */
  static AnalysisChange change(ConsumerRecord<byte[], byte[]> record) {
    String text = new String(record.value(), StandardCharsets.UTF_8);
    return new AnalysisChange(
        new String(record.key(), StandardCharsets.UTF_8),
        record.offset() + 1,
        text.equals(REMOVED) ? null : text);
  }

  KafkaConsumer<byte[], byte[]> consumer() {
    Map<String, Object> all = new HashMap<>(properties);
    all.put("auto.offset.reset", "none");
    all.put("enable.auto.commit", "false");
    return new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /**
   * Sends a change: an analysis starts, changes or stops.
   *
   * @param text its file; null if it stops
   * @return the version of the change
   * @throws ConfigException if Kafka refuses it
   */
  public long send(String analysis, String text) {
    byte[] value = (text == null ? REMOVED : text).getBytes(StandardCharsets.UTF_8);
    if (value.length > MAX_TEXT_BYTES) {
      throw new ConfigException(
          "analysis "
              + analysis
              + ": "
              + value.length
              + " bytes, expected at most "
              + MAX_TEXT_BYTES);
    }
    Map<String, Object> all = new HashMap<>(properties);
    all.put("acks", "all");
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer())) {
      return producer
              .send(
                  new ProducerRecord<>(
                      name, PARTITION, analysis.getBytes(StandardCharsets.UTF_8), value))
              .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
              .offset()
          + 1;
    } catch (ExecutionException | TimeoutException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new ConfigException("topic " + name + ": the change was not taken: " + cause, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConfigException("interrupted while topic " + name + " was written", e);
    }
  }
}
