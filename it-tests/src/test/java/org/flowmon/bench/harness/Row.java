package org.flowmon.bench.harness;

import java.util.LinkedHashMap;
import java.util.Map;

/** A row of a table: values by column, in order. */
public final class Row {
  private final Map<String, Object> values = new LinkedHashMap<>();

  /** Sets a text, a whole number or a decimal. */
  public Row put(String column, Object value) {
    values.put(column, value instanceof Integer number ? (Object) number.longValue() : value);
    return this;
  }

  public Row putAll(Row more) {
    values.putAll(more.values);
    return this;
  }

  /** The values by column. */
  public Map<String, Object> values() {
    return values;
  }
}
