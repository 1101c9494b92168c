package org.flowmon.jobs.config;

import java.io.Serializable;
import java.util.Map;

/**
 * Where the keys of a file stand: what is found wrong with a value after the file was read is said
 * with its line.
 *
 * @param file as errors call it; null where there is none
 * @param lines from 1, by key with those above it, such as {@code live.query}; {@code ""} is the
 *     file's first key
 */
public record Places(String file, Map<String, Integer> lines) implements Serializable {
  /** Of what is in no file. */
  public static final Places NONE = new Places(null, Map.of());

  public Places {
    lines = Map.copyOf(lines);
  }

  /** File and line of a key, or of the nearest one above it that is there; null without a file. */
  public String of(String key) {
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

  /** Analyses that say the same are the same, wherever it stands. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Places;
  }

  @Override
  public int hashCode() {
    return 0;
  }
}
