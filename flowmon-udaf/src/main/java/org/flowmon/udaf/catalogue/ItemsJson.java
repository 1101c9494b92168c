package org.flowmon.udaf.catalogue;

import java.util.List;
import java.util.stream.Collectors;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.function.Items;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * A list of items as JSON: {@code [{"item":"192.0.2.1","value":7,"lower":6,"upper":7}, …]}, in the
 * list's order. An item of several values is an array of them. Numbers and durations (microseconds)
 * are numbers, other values are strings.
 */
final class ItemsJson {
  private ItemsJson() {}

  static String of(Items items) {
    return items.items().stream().map(ItemsJson::item).collect(Collectors.joining(",", "[", "]"));
  }

  private static String item(Items.Item item) {
    List<String> key = item.key().stream().map(ItemsJson::value).toList();
    return "{\"item\":"
        + (key.size() == 1 ? key.get(0) : "[" + String.join(",", key) + "]")
        + ",\"value\":"
        + value(item.estimate().value())
        + ",\"lower\":"
        + value(item.estimate().lower())
        + ",\"upper\":"
        + value(item.estimate().upper())
        + "}";
  }

  private static String value(Value value) {
    ValueKind kind = value.kind();
    if (kind == null) {
      return "null";
    }
    return switch (kind) {
      case BOOLEAN -> value.low() != 0 ? "true" : "false";
      case LONG, DURATION -> Long.toString(value.low());
      case DOUBLE ->
          Double.isFinite(value.asDouble())
              ? Double.toString(value.asDouble())
              : "\"" + value.asDouble() + "\"";
      case TIMESTAMP -> "\"" + FlowTime.instant(value.low()) + "\"";
      case ADDRESS -> "\"" + IpAddress.format(value.high(), value.low()) + "\"";
      case TEXT -> quoted(value.text());
    };
  }

  private static String quoted(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < 0x20) {
        json.append(String.format("\\u%04x", (int) c));
      } else {
        json.append(c);
      }
    }
    return json.append('"').toString();
  }
}
