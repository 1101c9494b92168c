package org.flowmon.ingest.file.row;

import java.util.HashMap;
import java.util.Map;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.file.format.FlowSource;
import org.flowmon.ingest.file.format.TextColumn;
import org.jspecify.annotations.Nullable;

/**
 * The names of a JSON object's values as a tree of its nested objects; a name with dots goes down
 * several steps at once. Not thread-safe: it remembers how names are written.
 */
final class JsonPaths {
  /** Of a name without a meaning. */
  static final JsonPaths UNKNOWN = new JsonPaths(null);

  private static final int MOST_WRITINGS = 4096;
  private static final int LONGEST_WRITING = 256;

  private final @Nullable TextColumn column;
  private final Map<String, JsonPaths> inner = new HashMap<>();
  // By the name as it is written; bounded, as names come from outside.
  private final Map<String, JsonPaths> byWriting = new HashMap<>();

  private JsonPaths(@Nullable TextColumn column) {
    this.column = column;
  }

  static JsonPaths of(ColumnNames names) {
    JsonPaths root = new JsonPaths(null);
    for (String path : names.names()) {
      root.put(path, names.of(path));
    }
    return root;
  }

  private void put(String path, @Nullable TextColumn named) {
    JsonPaths at = this;
    int from = 0;
    for (int dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', from)) {
      at = at.inner.computeIfAbsent(path.substring(from, dot), name -> new JsonPaths(null));
      from = dot + 1;
    }
    JsonPaths before = at.inner.get(path.substring(from));
    JsonPaths leaf = new JsonPaths(named);
    if (before != null) {
      leaf.inner.putAll(before.inner);
    }
    at.inner.put(path.substring(from), leaf);
  }

  JsonPaths at(String name) {
    JsonPaths known = byWriting.get(name);
    if (known == null) {
      known = find(FlowSource.plain(name));
      if (byWriting.size() < MOST_WRITINGS && name.length() <= LONGEST_WRITING) {
        byWriting.put(name, known);
      }
    }
    return known;
  }

  private JsonPaths find(String plain) {
    JsonPaths at = this;
    for (String step : plain.split("\\.", -1)) {
      at = at.inner.getOrDefault(step, UNKNOWN);
    }
    return at;
  }

  /** Null if values here have no meaning of their own. */
  @Nullable TextColumn column() {
    return column;
  }

  boolean hasInner() {
    return !inner.isEmpty();
  }
}
