package org.flowmon.bench.archive;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
    try {
      JsonNode json = new ObjectMapper().readTree(file.toFile());
      Map<String, Long> lookups = new LinkedHashMap<>();
      for (String name : LOOKUPS) {
        lookups.put(name, json.required("lookups").required(name).longValue());
      }
      return new WorkloadParameters(
          json.required("n").longValue(),
          json.required("t0").longValue(),
          json.required("t1").longValue(),
          numbers(json.required("src100")),
          firsts(json.required("hours"), HOUR),
          firsts(json.required("prefixes16"), NETWORK_SIZE - 1),
          lookups);
    } catch (IllegalArgumentException | JsonProcessingException e) {
      throw new IOException(file + ": no parameters of a workload: " + e.getMessage(), e);
    }
  }

  private static List<Long> numbers(JsonNode array) {
    List<Long> values = new ArrayList<>();
    array.forEach(value -> values.add(value.longValue()));
    return values;
  }

  /** The first of each pair, which must be {@code distance} before its second. */
  private static List<Long> firsts(JsonNode pairs, long distance) {
    List<Long> values = new ArrayList<>();
    for (JsonNode pair : pairs) {
      List<Long> ends = numbers(pair);
      if (ends.size() != 2 || ends.get(1) - ends.get(0) != distance) {
        throw new IllegalArgumentException("expected ranges of " + distance + ", found " + pairs);
      }
      values.add(ends.get(0));
    }
    return values;
  }
}
