package org.flowmon.deploy.serve.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The JSON object of a request's body; every member that is read is checked. */
public final class JsonBodies {
  static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .build();

  private static final int DEEPEST = 32;

  static {
    MAPPER
        .getFactory()
        .setStreamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build());
  }

  private final JsonNode object;

  private JsonBodies(JsonNode object) {
    this.object = object;
  }

  static JsonBodies parse(byte[] body) {
    JsonNode tree;
    try {
      tree = MAPPER.readTree(body);
    } catch (JsonProcessingException e) {
      throw Problem.badRequest("the body is no JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw Problem.badRequest("the body is no text in UTF-8");
    }
    if (tree == null || !tree.isObject()) {
      throw Problem.badRequest("the body is no JSON object");
    }
    return new JsonBodies(tree);
  }

  /** Throws a {@link Problem} if there is another member: it would change nothing. */
  public JsonBodies only(String... names) {
    Set<String> known = Set.of(names);
    Iterator<String> all = object.fieldNames();
    while (all.hasNext()) {
      String name = all.next();
      if (!known.contains(name)) {
        throw Problem.badRequest(
            "there is no member '" + name + "'; expected " + String.join(", ", names));
      }
    }
    return this;
  }

  public Optional<JsonNode> member(String name) {
    return Optional.ofNullable(object.get(name));
  }

  public String text(String name, int shortest, int longest) {
    return optionalText(name, shortest, longest)
        .orElseThrow(() -> Problem.badRequest("'" + name + "' is missing"));
  }

  public Optional<String> optionalText(String name, int shortest, int longest) {
    JsonNode node = object.get(name);
    if (node == null) {
      return Optional.empty();
    }
    if (!node.isTextual()) {
      throw Problem.badRequest("'" + name + "': expected a text");
    }
    String text = node.textValue();
    if (text.length() < shortest || text.length() > longest) {
      throw Problem.badRequest(
          "'" + name + "': expected " + shortest + " to " + longest + " characters");
    }
    return Optional.of(text);
  }

  /** False if it is missing. */
  public boolean flag(String name) {
    JsonNode node = object.get(name);
    if (node != null && !node.isBoolean()) {
      throw Problem.badRequest("'" + name + "': expected true or false");
    }
    return node != null && node.booleanValue();
  }

  public String choice(String name, String otherwise, String... values) {
    String value = optionalText(name, 0, Integer.MAX_VALUE).orElse(otherwise);
    if (!List.of(values).contains(value)) {
      throw Problem.badRequest("'" + name + "': expected one of " + String.join(", ", values));
    }
    return value;
  }

  public OptionalLong integer(String name, long least, long most) {
    JsonNode node = object.get(name);
    if (node == null) {
      return OptionalLong.empty();
    }
    // 1.0 is a whole number of JSON Schema.
    boolean isWhole = node.isNumber() && node.decimalValue().stripTrailingZeros().scale() <= 0;
    if (!isWhole
        || node.decimalValue().compareTo(BigDecimal.valueOf(least)) < 0
        || node.decimalValue().compareTo(BigDecimal.valueOf(most)) > 0) {
      throw Problem.badRequest(
          "'" + name + "': expected a whole number of " + least + " … " + most);
    }
    return OptionalLong.of(node.decimalValue().longValueExact());
  }

  /** In microseconds. */
  public OptionalLong time(String name) {
    Optional<String> text = optionalText(name, 1, 64);
    return text.isPresent() ? OptionalLong.of(Fields.time(name, text.get())) : OptionalLong.empty();
  }
}
