package org.flowmon.bench.archive;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * The constants of the queries. Times are seconds since 1970, addresses unsigned numbers of 32
 * bits.
 *
 * @param rows of the workload
 * @param begin lower bound of the first row's time
 * @param end exclusive upper bound of the last row's time
 * @param sources a hundred sources, many of them busy
 * @param hours begins of the same hour of several days, one day apart, ascending
 * @param networks first addresses of networks of 16 bits
 * @param lookups addresses by their number of rows: hot, warm, cool, cold, absent
 */
public record WorkloadParameters(
    long rows,
    long begin,
    long end,
    List<Long> sources,
    List<Long> hours,
    List<Long> networks,
    Map<String, Long> lookups) {
  static final List<String> LOOKUPS = List.of("hot", "warm", "cool", "cold", "absent");
  static final int DAY = 86_400;
  static final int HOUR = 3_600;
  static final long NETWORK_SIZE = 1 << 16;

  public WorkloadParameters {
    sources = List.copyOf(sources);
    hours = List.copyOf(hours);
    networks = List.copyOf(networks);
    lookups = new LinkedHashMap<>(lookups);
    if (rows < 1 || sources.isEmpty() || hours.isEmpty() || networks.isEmpty()) {
      throw new IllegalArgumentException(
          "a workload has rows, sources, hours and networks; found " + rows + " rows");
    }
    for (int i = 1; i < hours.size(); i++) {
      if (hours.get(i) - hours.get(i - 1) != DAY) {
        throw new IllegalArgumentException("the hours are not one day apart: " + hours);
      }
    }
    for (long network : networks) {
      if (network % NETWORK_SIZE != 0) {
        throw new IllegalArgumentException(network + " does not begin a network of 16 bits");
      }
    }
    if (!lookups.keySet().containsAll(LOOKUPS)) {
      throw new IllegalArgumentException("expected lookups " + LOOKUPS + ", found " + lookups);
    }
  }

  /**
   * Reads the parameters beside a file of rows.
   *
   * @throws IOException if it is no such file
   */
  static WorkloadParameters read(Path file) throws IOException {
    Map<String, List<Long>> numbers = new LinkedHashMap<>();
    try (JsonParser json = new JsonFactory().createParser(file.toFile())) {
      Deque<String> names = new ArrayDeque<>();
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        switch (token) {
          case START_OBJECT -> names.addLast("");
          case END_OBJECT -> names.removeLast();
          case FIELD_NAME -> {
            names.removeLast();
            names.addLast(json.currentName());
          }
          case VALUE_NUMBER_INT ->
              numbers
                  .computeIfAbsent(String.join(".", names), name -> new ArrayList<>())
                  .add(json.getLongValue());
          default -> {} // brackets of arrays
        }
      }
      Map<String, Long> lookups = new LinkedHashMap<>();
      for (String name : LOOKUPS) {
        lookups.put(name, one(numbers, "lookups." + name));
      }
      return new WorkloadParameters(
          one(numbers, "n"),
          one(numbers, "t0"),
          one(numbers, "t1"),
          many(numbers, "src100"),
          firsts(many(numbers, "hours"), HOUR),
          firsts(many(numbers, "prefixes16"), NETWORK_SIZE - 1),
          lookups);
    } catch (IllegalArgumentException | NoSuchElementException | JsonProcessingException e) {
      throw new IOException(file + ": no parameters of a workload: " + e.getMessage(), e);
    }
  }

  private static List<Long> many(Map<String, List<Long>> numbers, String name) {
    if (!numbers.containsKey(name)) {
      throw new IllegalArgumentException("no number " + name);
    }
    return numbers.get(name);
  }

  private static long one(Map<String, List<Long>> numbers, String name) {
    List<Long> values = many(numbers, name);
    if (values.size() != 1) {
      throw new IllegalArgumentException(name + " is not one number");
    }
    return values.get(0);
  }

  /** The first of each pair, which must be {@code distance} before its second. */
  private static List<Long> firsts(List<Long> pairs, long distance) {
    List<Long> values = new ArrayList<>();
    for (int i = 0; i < pairs.size(); i += 2) {
      if (i + 1 == pairs.size() || pairs.get(i + 1) - pairs.get(i) != distance) {
        throw new IllegalArgumentException("expected ranges of " + distance + ", found " + pairs);
      }
      values.add(pairs.get(i));
    }
    return values;
  }
}
