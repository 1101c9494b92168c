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
 */
record Expectation(List<String> verdicts, Map<String, Truth.Role> keys, List<String> find) {
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
    List<String> find = new ArrayList<>();
    declared.path("find").forEach(name -> find.add(name.asText()));
    JsonNode verdict = declared.path("verdict");
    List<String> verdicts = new ArrayList<>();
    Iterable<JsonNode> all = verdict.isArray() ? verdict : List.of(verdict);
    all.forEach(one -> verdicts.add(one.asText()));
    return new Expectation(verdicts, keys, find);
  }
}
