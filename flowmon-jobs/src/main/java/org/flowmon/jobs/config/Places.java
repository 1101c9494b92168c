package org.flowmon.jobs.config;

import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The places of a file's keys, so that errors found after reading name their line.
 *
 * @param places file and line by full key such as {@code live.query}; {@code ""} is the first key
 */
public record Places(Map<String, String> places) implements Serializable {
  public static final Places NONE = new Places(Map.of());

  public Places {
    places = Map.copyOf(places);
  }

  /** File and line of a key, or of its nearest parent with a line; null without a file. */
  public @Nullable String of(String key) {
    String above = key;
    while (!above.isEmpty() && !places.containsKey(above)) {
      int dot = above.lastIndexOf('.');
      above = dot < 0 ? "" : above.substring(0, dot);
    }
    return places.get(above);
  }

  /** Always equal: the place of an analysis does not matter to its equality. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Places;
  }

  @Override
  public int hashCode() {
    return 0;
  }
}
