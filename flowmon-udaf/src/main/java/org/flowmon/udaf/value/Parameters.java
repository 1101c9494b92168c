package org.flowmon.udaf.value;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A query's parameters by name without the colon: {@code now}, {@code live.src_addr}. Each is a
 * value or, for IN, a list, never pasted into a query's text. Immutable.
 */
public final class Parameters {
  public static final Parameters NONE = new Parameters(Map.of());

  private final Map<String, List<Value>> values;

  private Parameters(Map<String, List<Value>> values) {
    this.values = values;
  }

  public Parameters with(String name, Value value) {
    return with(name, List.of(value));
  }

  public Parameters with(String name, List<Value> list) {
    Map<String, List<Value>> more = new TreeMap<>(values);
    more.put(name, List.copyOf(list));
    return new Parameters(more);
  }

  /** For each column, named {@code prefix.column}, its values; none if a sum is beyond 64 bits. */
  public Parameters with(String prefix, ResultTable table) {
    Map<String, List<Value>> more = new TreeMap<>(values);
    for (int c = 0; c < table.columnCount(); c++) {
      if (fitsLongs(table, c)) {
        List<Value> list = new ArrayList<>(table.rowCount());
        for (int r = 0; r < table.rowCount(); r++) {
          list.add(table.value(r, c));
        }
        more.put(prefix + "." + table.name(c), List.copyOf(list));
      }
    }
    return new Parameters(more);
  }

  private static boolean fitsLongs(ResultTable table, int column) {
    if (!table.kind(column).isInteger()) {
      return true;
    }
    for (int r = 0; r < table.rowCount(); r++) {
      if (table.bigValue(r, column).bitLength() > 63) {
        return false;
      }
    }
    return true;
  }

  public @Nullable List<Value> get(String name) {
    return values.get(name);
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
