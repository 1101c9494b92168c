package org.flowmon.bench.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/** One combination of an experiment's axes. What is no axis is a parameter of the experiment. */
public final class Point {
  private final Map<String, Object> axes;
  private final Map<String, JsonNode> parameters;

  Point(Map<String, Object> axes, Map<String, JsonNode> parameters) {
    this.axes = axes;
    this.parameters = parameters;
  }

  public String text(String name) {
    return axes.containsKey(name) ? axes.get(name).toString() : parameter(name).asText();
  }

  public int integer(String name) {
    return axes.get(name) instanceof Number number ? number.intValue() : parameter(name).asInt();
  }

  private JsonNode parameter(String name) {
    if (!parameters.containsKey(name)) {
      throw new IllegalArgumentException("neither an axis nor a parameter: " + name);
    }
    return parameters.get(name);
  }

  /** A row that begins with the values of the axes. */
  public Row row() {
    Row row = new Row();
    axes.forEach(row::put);
    return row;
  }
}
