package org.flowmon.deploy.command;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.flowmon.jobs.sink.KafkaReports;

/** The topic of alerts: how each stands by the last of its messages. */
final class AlertsTopic {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final JsonFactory JSON = new JsonFactory();
  private static final int VERSION = 1;

  private final Map<String, Message> last = new HashMap<>();
  private long unreadable;

  /**
   * A message, of {@code docs/format/alerts.md}.
   *
   * @param members its texts and numbers by name
   * @param json as it came
   */
  record Message(Map<String, String> members, String json) {
    String text(String member) {
      return members.getOrDefault(member, "");
    }

    long number() {
      return Long.parseLong(members.get("number"));
    }

    boolean isFiring() {
      return text("state").equals("firing");
    }
  }

  private AlertsTopic() {}

  /**
   * Reads what the topic holds now.
   *
   * @param properties of Kafka's clients, with the bootstrap servers
   * @throws CommandException where there is no broker or no topic
   */
  static AlertsTopic read(Map<String, Object> properties) {
    Map<String, Object> all = new HashMap<>(properties);
    all.put("isolation.level", "read_committed");
    all.put("enable.auto.commit", "false");
    all.put("allow.auto.create.topics", "false");
    AlertsTopic topic = new AlertsTopic();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer())) {
      topic.readAll(consumer);
    } catch (KafkaException e) {
      throw new CommandException(
          "topic "
              + KafkaReports.ALERTS_TOPIC
              + " cannot be read at "
              + properties.get("bootstrap.servers")
              + ": "
              + e.getMessage());
    }
    return topic;
  }

  private void readAll(KafkaConsumer<String, String> consumer) {
    List<PartitionInfo> known = consumer.partitionsFor(KafkaReports.ALERTS_TOPIC, PATIENCE);
    if (known == null || known.isEmpty()) {
      throw new CommandException(
          "no topic "
              + KafkaReports.ALERTS_TOPIC
              + ": no job with alerts that go to Kafka was submitted");
    }
    List<TopicPartition> partitions =
        known.stream().map(one -> new TopicPartition(one.topic(), one.partition())).toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, PATIENCE);
    long patience = System.nanoTime() + PATIENCE.toNanos();
    while (partitions.stream().anyMatch(one -> consumer.position(one) < ends.get(one))) {
      for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(500))) {
        add(record.value());
        patience = System.nanoTime() + PATIENCE.toNanos();
      }
      if (System.nanoTime() > patience) {
        throw new CommandException(
            "the broker gave nothing of topic "
                + KafkaReports.ALERTS_TOPIC
                + " for "
                + PATIENCE.toSeconds()
                + " s");
      }
    }
  }

  private void add(String json) {
    Message message;
    try {
      message = new Message(members(json), json);
      if (Integer.parseInt(message.text("version")) != VERSION || message.text("id").isEmpty()) {
        unreadable++;
        return;
      }
      last.merge(message.text("id"), message, (a, b) -> b.number() >= a.number() ? b : a);
    } catch (IOException | NumberFormatException e) {
      unreadable++;
    }
  }

  private static Map<String, String> members(String json) throws IOException {
    Map<String, String> members = new HashMap<>();
    try (JsonParser parser = JSON.createParser(json == null ? "" : json)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("expected an object");
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        JsonToken value = parser.nextToken();
        if (value == JsonToken.START_OBJECT || value == JsonToken.START_ARRAY) {
          parser.skipChildren();
        } else if (value != JsonToken.VALUE_NULL) {
          members.put(name, parser.getText());
        }
      }
    }
    return members;
  }

  /** The last message of each alert, those that began first before the others. */
  List<Message> alerts() {
    Collection<Message> messages = last.values();
    return messages.stream()
        .sorted(
            Comparator.comparing((Message message) -> message.text("since"))
                .thenComparing(message -> message.text("id")))
        .toList();
  }

  /** Messages that this does not know how to read. */
  long unreadable() {
    return unreadable;
  }
}
