package org.flowmon.deploy.metrics;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A metric of the collector or the server, as {@code metrics.tsv} and {@code docs/metrics.md} say.
 *
 * @param type {@code counter} or {@code gauge}
 * @param unit a base unit or what is counted; {@code boolean}: 1 or 0
 */
public record Metric(String name, String type, String unit, String meaning) {
  private static final int FIELDS = 4;
  private static final Map<String, Metric> ALL = read();

  /** By name, in the order of the page. */
  public static Map<String, Metric> all() {
    return ALL;
  }

  private static Map<String, Metric> read() {
    Map<String, Metric> all = new LinkedHashMap<>();
    try (InputStream in =
        Objects.requireNonNull(Metric.class.getResourceAsStream("metrics.tsv"), "metrics.tsv")) {
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
        if (line.isEmpty() || line.startsWith("#")) {
          continue;
        }
        String[] fields = line.split("\t", -1);
        if (fields.length != FIELDS
            || all.put(fields[0], new Metric(fields[0], fields[1], fields[2], fields[3])) != null) {
          throw new IllegalStateException(
              "metrics.tsv: want name, type, unit, meaning, each name once: " + line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Collections.unmodifiableMap(all);
  }
}
