package org.flowmon.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.flowmon.flow.IpAddress;

/** A source and its bytes in a window: what a report says, or what brute force counts. */
record Talker(String source, long bytes) {
  /** Largest first, ties by address: the order of the dialect. */
  private static final Comparator<Talker> ORDER =
      Comparator.comparingLong(Talker::bytes)
          .reversed()
          .thenComparing(talker -> IpAddress.parse(talker.source));

  /** The k largest of each window: window's start in seconds → talkers. */
  static SortedMap<Long, List<Talker>> top(Map<Long, Map<String, Long>> windows, int k) {
    SortedMap<Long, List<Talker>> top = new TreeMap<>();
    windows.forEach(
        (start, sums) -> {
          List<Talker> talkers = new ArrayList<>();
          sums.forEach((source, bytes) -> talkers.add(new Talker(source, bytes)));
          talkers.sort(ORDER);
          top.put(start, talkers.subList(0, Math.min(k, talkers.size())));
        });
    return top;
  }

  /** The reports of a topic, of each window the rows of the highest revision. */
  static SortedMap<Long, List<Talker>> reported(List<ConsumerRecord<String, String>> records)
      throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    Map<String, Integer> highest = new TreeMap<>();
    Map<String, JsonNode> newest = new TreeMap<>();
    for (ConsumerRecord<String, String> record : records) {
      JsonNode json = mapper.readTree(record.value());
      highest.merge(json.get("window_end").asText(), json.get("revision").asInt(), Math::max);
      JsonNode before = newest.get(record.key());
      if (before == null || before.get("revision").asInt() <= json.get("revision").asInt()) {
        newest.put(record.key(), json);
      }
    }
    newest
        .values()
        .removeIf(row -> row.get("revision").asInt() < highest.get(row.get("window_end").asText()));
    SortedMap<Long, SortedMap<Long, Talker>> ranked = new TreeMap<>();
    for (JsonNode json : newest.values()) {
      if (json.get("rows").asInt() == 0) {
        continue;
      }
      long start = Instant.parse(json.get("window_start").asText()).getEpochSecond();
      JsonNode columns = json.get("columns");
      ranked
          .computeIfAbsent(start, key -> new TreeMap<>())
          .put(
              columns.get("rank").asLong(),
              new Talker(columns.get("src_addr").asText(), columns.get("bytes").asLong()));
    }
    SortedMap<Long, List<Talker>> windows = new TreeMap<>();
    ranked.forEach((start, talkers) -> windows.put(start, List.copyOf(talkers.values())));
    return windows;
  }
}
