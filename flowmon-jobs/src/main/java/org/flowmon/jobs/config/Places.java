package org.flowmon.jobs.config;

import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The places of a file's keys, so that errors found after reading name their line. Lines, from 1,
 * are by full key such as {@code live.query}; {@code ""} is the first key.
 */
public record Places(@Nullable String file, Map<String, Integer> lines) implements Serializable {
  public static final Places NONE = new Places(null, Map.of());

  public Places {
    lines = Map.copyOf(lines);
  }

  /** File and line of a key, or of its nearest parent with a line; null without a file. */
  public @Nullable String of(String key) {
    if (file == null) {
      return null;
    }
    Integer line = lines.get(key);
    String above = key;
    while (line == null) {
      int dot = above.lastIndexOf('.');
      above = dot < 0 ? "" : above.substring(0, dot);
      line = lines.get(above);
    }
    return file + ":" + line;
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
