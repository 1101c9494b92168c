package org.flowmon.deploy.serve.query;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.text.TimeLiterals;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;

/** Values for a query's parameters, from JSON: never a part of its text. */
final class QueryParameters {
  private QueryParameters() {}

  /**
   * Binds all parameters of the query; {@code :now} is {@code now} if it has no value.
   *
   * @throws Problem if one has no value or a wrong one, or there is one too many
   */
  static Query bind(Query query, Optional<JsonNode> given, long now) {
    Set<String> open = query.parameters();
    Parameters bound = Parameters.NONE;
    if (open.contains("now")) {
      bound = bound.with("now", Value.ofTimestamp(now));
    }
    if (given.isPresent()) {
      if (!given.get().isObject()) {
        throw Problem.badRequest("'parameters': expected an object");
      }
      for (Map.Entry<String, JsonNode> one : given.get().properties()) {
        if (!open.contains(one.getKey())) {
          throw Problem.badRequest(
              "the query has no :" + one.getKey() + ", its parameters are " + open);
        }
        bound = bound.with(one.getKey(), values(one.getKey(), one.getValue()));
      }
    }
    for (String name : open) {
      if (bound.get(name) == null) {
        throw Problem.badRequest("parameter :" + name + " has no value: give one in 'parameters'");
      }
    }
    return query.bind(bound);
  }

  private static List<Value> values(String name, JsonNode node) {
    if (!node.isArray()) {
      return List.of(value(name, node));
    }
    List<Value> values = new ArrayList<>();
    for (JsonNode one : node) {
      values.add(value(name, one));
    }
    if (values.isEmpty()) {
      throw Problem.badRequest("parameter :" + name + ": expected at least one value");
    }
    return values;
  }

  private static Value value(String name, JsonNode node) {
    if (node.isNull()) {
      return Value.NULL;
    } else if (node.isBoolean()) {
      return Value.ofBoolean(node.booleanValue());
    } else if (node.isTextual()) {
      return Value.parse(node.textValue());
    } else if (node.isNumber()) {
      return number(name, node);
    } else if (node.isObject()) {
      return typed(name, node);
    }
    throw wrong(name, "a number, true, false, null, a text, or an object of type and value");
  }

  private static Value number(String name, JsonNode node) {
    if (node.isIntegralNumber()) {
      if (!node.canConvertToLong()) {
        throw wrong(name, "a whole number of 64 bits");
      }
      return Value.ofLong(node.longValue());
    }
    double value = node.doubleValue();
    if (Double.isInfinite(value)) {
      throw wrong(name, "a number below 1.8E308");
    }
    return Value.ofDouble(value);
  }

  private static Value typed(String name, JsonNode node) {
    JsonNode type = node.get("type");
    JsonNode value = node.get("value");
    if (node.size() != 2 || type == null || !type.isTextual() || value == null) {
      throw wrong(name, "an object of type and value");
    }
    String text = value.asText();
    boolean isWhole = value.isIntegralNumber() && value.canConvertToLong();
    switch (type.textValue()) {
      case "boolean" -> {
        if (value.isBoolean()) {
          return Value.ofBoolean(value.booleanValue());
        }
      }
      case "long" -> {
        if (isWhole) {
          return Value.ofLong(value.longValue());
        }
      }
      case "double" -> {
        if (value.isNumber()) {
          return Value.ofDouble(value.doubleValue());
        }
      }
      case "timestamp" -> {
        Long micros = isWhole ? (Long) value.longValue() : TimeLiterals.timestampMicros(text);
        if (micros != null) {
          return Value.ofTimestamp(micros);
        }
      }
      case "duration" -> {
        Long micros = isWhole ? (Long) value.longValue() : TimeLiterals.durationMicros(text);
        if (micros != null) {
          return Value.ofDuration(micros);
        }
      }
      case "address" -> {
        IpAddress address = IpAddress.parseOrNull(text);
        if (address != null) {
          return Value.ofAddress(address);
        }
      }
      case "text" -> {
        if (value.isTextual()) {
          return Value.ofText(text);
        }
      }
      default ->
          throw wrong(name, "a type of boolean, long, double, timestamp, duration, address, text");
    }
    throw wrong(name, "a value of type " + type.textValue());
  }

  private static Problem wrong(String name, String expected) {
    return Problem.badRequest("parameter :" + name + ": expected " + expected);
  }
}
