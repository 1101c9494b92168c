package org.flowmon.jobs.topic;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A topic's message of any origin, a JSON object: texts, {@link BigInteger}, {@link Double}, {@link
 * Boolean}, null, lists and maps by name, in its order. Errors name the member and the expected
 * kind.
 */
public final class JsonMessage {
  private static final JsonFactory JSON = new JsonFactory();

  private final Map<String, Object> members;

  private JsonMessage(Map<String, Object> members) {
    this.members = members;
  }

  /** Parses JSON in UTF-8; IOException if it is not one object, or null as in a tombstone. */
  public static JsonMessage parse(byte @Nullable [] message) throws IOException {
    if (message == null) {
      throw new IOException("expected an object, found a message without a value");
    }
    try (JsonParser json = JSON.createParser(message)) {
      expect(json.nextToken() == JsonToken.START_OBJECT, "an object");
      Map<String, Object> members = object(json);
      expect(json.nextToken() == null, "one object");
      return new JsonMessage(members);
    }
  }

  private static Map<String, Object> object(JsonParser json) throws IOException {
    Map<String, Object> members = new LinkedHashMap<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      members.put(name, value(json));
    }
    return members;
  }

  private static @Nullable Object value(JsonParser json) throws IOException {
    JsonToken token = json.currentToken();
    expect(token != null, "one whole object");
    return switch (token) {
      case VALUE_STRING -> json.getText();
      case VALUE_NUMBER_INT -> json.getBigIntegerValue();
      case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
      case VALUE_TRUE, VALUE_FALSE -> json.getBooleanValue();
      case START_OBJECT -> object(json);
      case START_ARRAY -> {
        List<Object> values = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          values.add(value(json));
        }
        yield values;
      }
      default -> null;
    };
  }

  public static void expect(boolean holds, String what) throws IOException {
    if (!holds) {
      throw new IOException("expected " + what);
    }
  }

  public boolean has(String name) {
    return members.containsKey(name);
  }

  private IOException wrong(String name, String kind) {
    return new IOException("expected " + name + " as " + kind + ", found " + members.get(name));
  }

  public String text(String name) throws IOException {
    if (members.get(name) instanceof String text) {
      return text;
    }
    throw wrong(name, "text");
  }

  public int integer(String name) throws IOException {
    return number(name, Integer.SIZE).intValue();
  }

  public long number(String name) throws IOException {
    return number(name, Long.SIZE).longValue();
  }

  private BigInteger number(String name, int bits) throws IOException {
    if (members.get(name) instanceof BigInteger number && number.bitLength() < bits) {
      return number;
    }
    throw wrong(name, "a number");
  }

  public boolean bool(String name) throws IOException {
    if (members.get(name) instanceof Boolean bool) {
      return bool;
    }
    throw wrong(name, "true or false");
  }

  /** An object's members that are no lists or objects, by name. */
  public Map<String, Object> scalars(String name) throws IOException {
    expect(has(name), name);
    return scalars(object(name, members.get(name)).members);
  }

  private static Map<String, Object> scalars(Map<String, Object> members) {
    Map<String, Object> scalars = new LinkedHashMap<>(members);
    scalars.values().removeIf(value -> value instanceof Map || value instanceof List);
    return scalars;
  }

  /** As {@link #scalars(String)}, and lists as the text of their JSON. */
  public Map<String, Object> scalarsAndLists(String name) throws IOException {
    expect(has(name), name);
    Map<String, Object> all = new LinkedHashMap<>(object(name, members.get(name)).members);
    for (Map.Entry<String, Object> member : all.entrySet()) {
      if (member.getValue() instanceof List) {
        member.setValue(json(member.getValue()));
      }
    }
    return scalars(all);
  }

  private static String json(Object value) throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = JSON.createGenerator(text)) {
      write(value, out);
    }
    return text.toString();
  }

  private static void write(@Nullable Object value, JsonGenerator out) throws IOException {
    if (value instanceof List<?> list) {
      out.writeStartArray();
      for (Object one : list) {
        write(one, out);
      }
      out.writeEndArray();
    } else if (value instanceof Map<?, ?> members) {
      out.writeStartObject();
      for (Map.Entry<?, ?> member : members.entrySet()) {
        out.writeFieldName(String.valueOf(member.getKey()));
        write(member.getValue(), out);
      }
      out.writeEndObject();
    } else {
      out.writePOJO(value); // a text, a number, true, false or null
    }
  }

  public List<JsonMessage> objects(String name) throws IOException {
    List<JsonMessage> objects = new ArrayList<>();
    for (Object value : list(name)) {
      objects.add(object(name, value));
    }
    return objects;
  }

  public Map<String, Object> scalars() {
    return scalars(members);
  }

  public List<String> texts(String name) throws IOException {
    List<String> texts = new ArrayList<>();
    for (Object value : list(name)) {
      expect(value instanceof String, name + " as texts");
      texts.add((String) value);
    }
    return texts;
  }

  private List<?> list(String name) throws IOException {
    if (members.get(name) instanceof List<?> list) {
      return list;
    }
    throw wrong(name, "a list");
  }

  @SuppressWarnings("unchecked") // as object() makes it
  private static JsonMessage object(String name, @Nullable Object value) throws IOException {
    if (value instanceof Map<?, ?> members) {
      return new JsonMessage((Map<String, Object>) members);
    }
    throw new IOException("expected " + name + " as an object");
  }
}
