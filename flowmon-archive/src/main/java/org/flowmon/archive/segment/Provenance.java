package org.flowmon.archive.segment;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The origin of a segment's rows, written into the file for people; no decision depends on it. Keys
 * are short names such as {@code source} or {@code job}.
 */
public record Provenance(Map<String, String> properties) {
  public static final Provenance NONE = new Provenance(Map.of());

  public Provenance {
    SortedMap<String, String> sorted = new TreeMap<>(properties);
    properties = java.util.Collections.unmodifiableSortedMap(sorted);
  }

  public static Provenance of(String key, String value) {
    return new Provenance(Map.of(key, value));
  }
}
