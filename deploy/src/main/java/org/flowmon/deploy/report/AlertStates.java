package org.flowmon.deploy.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The state of each alert by its last message. Not thread-safe. */
public final class AlertStates {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int VERSION = 1;

  private final Map<String, Message> last = new HashMap<>();
  private long unreadable;

  /** A message of {@code docs/format/alerts.md}, with its texts and numbers by name. */
  public record Message(Map<String, String> members, String json) {
    public String text(String member) {
      return members.getOrDefault(member, "");
    }

    long number() {
      return Long.parseLong(members.get("number"));
    }

    public boolean isFiring() {
      return text("state").equals("firing");
    }
  }

  /** Takes a message of the topic. */
  public void add(ConsumerRecord<byte[], byte[]> record) {
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
  public List<Message> alerts() {
    return last.values().stream()
        .sorted(
            Comparator.comparing((Message message) -> message.text("since"))
                .thenComparing(message -> message.text("id")))
        .toList();
  }

  /** Forgets resolved alerts, those that began first, beyond {@code most} alerts. */
  public void keepLast(int most) {
    if (last.size() > most) {
      Iterator<Message> oldest = alerts().iterator();
      while (last.size() > most && oldest.hasNext()) {
        Message message = oldest.next();
        if (!message.isFiring()) {
          last.remove(message.text("id"));
        }
      }
    }
  }

  public long unreadable() {
    return unreadable;
  }
}
