package org.flowmon.jobs.control;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.TopicConfig;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.topic.KafkaTopics;
import org.jspecify.annotations.Nullable;

/**
 * The topic that starts, changes and stops analyses ({@code docs/format/kafka.md}): one partition,
 * compacted, of files by analysis's name, or {@link #REMOVED}. Offset + 1 is a change's version.
 */
public final class ControlTopic {
  /** The value of a stopped analysis. Kafka would drop a tombstone one day. */
  public static final String REMOVED = "removed: true\n";

  public static final int MAX_TEXT_BYTES = 1 << 16;

  static final int PARTITION = 0;

  private final String name;
  private final Map<String, Object> client;

  public ControlTopic(JobConfig.Kafka kafka) {
    this.name = name(kafka);
    this.client = kafka.clientProperties();
  }

  static String name(JobConfig.Kafka kafka) {
    return Objects.requireNonNull(kafka.analysesTopic(), "kafka.analyses_topic: none");
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

  /** Creates both topics; {@link ConfigException} if impossible or one of several partitions. */
  public void createIfMissing() {
    create(name, "it forgets analyses, and jobs that start later do not run them");
    create(
        ControlStatus.topic(name),
        "it forgets what jobs said of analyses, and flowmon analyses list cannot show it");
  }

  private void create(String topic, String consequence) {
    KafkaTopics.createIfMissing(
        client,
        new KafkaTopics.Single(
            topic,
            TopicConfig.CLEANUP_POLICY_CONFIG,
            TopicConfig.CLEANUP_POLICY_COMPACT,
            consequence,
            "kafka.analyses_topic"));
  }

  /** The topic's present contents, the last message of each name, without invalid ones. */
  public Contents read() {
    Map<String, AnalysisChange> last = new HashMap<>();
    long end =
        KafkaTopics.read(
            client,
            name,
            message -> {
              if (isMessage(message)) {
                AnalysisChange change = change(message);
                last.put(change.name(), change);
              }
            });
    List<AnalysisChange> inOrder = new ArrayList<>(last.values());
    inOrder.sort(Comparator.comparingLong(AnalysisChange::version));
    return new Contents(inOrder, end);
  }

  static boolean isMessage(ConsumerRecord<byte[], byte[]> record) {
    return record.key() != null
        && record.key().length > 0
        && record.key().length <= 64
        && record.value() != null
        && record.value().length <= MAX_TEXT_BYTES;
  }

  static AnalysisChange change(ConsumerRecord<byte[], byte[]> record) {
    String text = new String(record.value(), StandardCharsets.UTF_8);
    return new AnalysisChange(
        new String(record.key(), StandardCharsets.UTF_8),
        record.offset() + 1,
        text.equals(REMOVED) ? null : text);
  }

  /** Sends a file (null: stop); returns the version. {@link ConfigException} if Kafka refuses. */
  public long send(String analysis, @Nullable String text) {
    byte[] value = (text == null ? REMOVED : text).getBytes(StandardCharsets.UTF_8);
    if (value.length > MAX_TEXT_BYTES) {
      throw new ConfigException(
          "analysis %s: its file has %d bytes, expected at most %d"
              .formatted(analysis, value.length, MAX_TEXT_BYTES));
    }
    byte[] key = analysis.getBytes(StandardCharsets.UTF_8);
    return KafkaTopics.send(client, List.of(new ProducerRecord<>(name, PARTITION, key, value))) + 1;
  }
}
