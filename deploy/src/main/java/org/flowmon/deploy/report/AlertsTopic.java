package org.flowmon.deploy.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.kafka.TopicReader;
import org.flowmon.jobs.sink.kafka.KafkaReports;

/** The topic of alerts, with the state of each alert by its last message. */
final class AlertsTopic implements AutoCloseable {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int VERSION = 1;

  private final TopicReader reader;
  private final Map<String, Message> last = new HashMap<>();
  private long unreadable;

  /** A message of {@code docs/format/alerts.md}, with its texts and numbers by name. */
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

  private AlertsTopic(TopicReader reader) {
    this.reader = reader;
  }

  /**
   * Reads the existing messages, too.
   *
   * @throws CommandException if there is no broker or no topic
   */
  static AlertsTopic open(Map<String, Object> properties) {
    AlertsTopic topic = new AlertsTopic(new TopicReader(properties));
    try {
      if (topic.reader.choose(KafkaReports.ALERTS_TOPIC::equals).isEmpty()) {
        throw new CommandException(
            "no topic "
                + KafkaReports.ALERTS_TOPIC
                + ": no job with alerts that go to Kafka was submitted");
      }
      topic.readOn();
      return topic;
    } catch (RuntimeException e) {
      topic.close();
      throw e;
    }
  }

  void readOn() {
    reader.readToEnd(this::add);
  }

  private void add(ConsumerRecord<byte[], byte[]> record) {
    String json = record.value() == null ? "" : new String(record.value(), StandardCharsets.UTF_8);
    try {
      Message message = new Message(members(json), json);
      if (Integer.parseInt(message.text("version")) != VERSION
          || message.text("id").isEmpty()
          || message.number() < 1) {
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
    try (JsonParser parser = JSON.createParser(json)) {
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

  /** The last message of each alert, in the order of the alerts' beginnings. */
  List<Message> alerts() {
    Collection<Message> messages = last.values();
    return messages.stream()
        .sorted(
            Comparator.comparing((Message message) -> message.text("since"))
                .thenComparing(message -> message.text("id")))
        .toList();
  }

  long unreadable() {
    return unreadable;
  }

  @Override
  public void close() {
    reader.close();
  }
}
