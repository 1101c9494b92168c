package org.flowmon.bench.detection;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What an analysis should say.
 *
 * @param verdicts that count
 * @param keys whom the columns of a row name
 * @param find the attacks that it should have found
 * @param explain further ones that explain a row; if there are none, all do
 */
record Expectation(
    List<String> verdicts, Map<String, Truth.Role> keys, List<String> find, List<String> explain) {
  static Expectation of(JsonNode declared) {
    Map<String, Truth.Role> keys = new LinkedHashMap<>();
    declared
        .path("keys")
        .properties()
        .forEach(
            one ->
                keys.put(
                    one.getKey(),
                    Truth.Role.valueOf(one.getValue().asText().toUpperCase(Locale.ROOT))));
    JsonNode verdict = declared.path("verdict");
    return new Expectation(
        verdict.isArray() ? texts(verdict) : List.of(verdict.asText()),
        keys,
        texts(declared.path("find")),
        texts(declared.path("explain")));
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(one -> texts.add(one.asText()));
    return List.copyOf(texts);
  }

  /** Whether an attack that has all of a row's keys explains the row. */
  boolean isExplained(String attack) {
    return explain.isEmpty() || find.contains(attack) || explain.contains(attack);
  }
}
