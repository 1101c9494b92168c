package org.flowmon.deploy.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A list of items in a report, as {@code [{"item":443,"value":80,"lower":78,"upper":80}]}. */
final class ItemList {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Null: the text has no such number. */
  record Item(
      List<String> key,
      @Nullable BigDecimal value,
      @Nullable BigDecimal lower,
      @Nullable BigDecimal upper) {}

  private ItemList() {}

  static boolean isList(String text) {
    return text.startsWith("[");
  }

  /** The items; none of a text that is no list. */
  static List<Item> of(String text) {
    List<Item> items = new ArrayList<>();
    try {
      for (JsonNode item : JSON.readTree(text)) {
        List<String> key = new ArrayList<>();
        JsonNode what = item.path("item");
        if (what.isArray()) {
          what.forEach(part -> key.add(part.asText()));
        } else {
          key.add(what.asText());
        }
        items.add(
            new Item(key, number(item, "value"), number(item, "lower"), number(item, "upper")));
      }
    } catch (JsonProcessingException e) {
      return List.of();
    }
    return items;
  }

  private static @Nullable BigDecimal number(JsonNode item, String name) {
    JsonNode number = item.path(name);
    return number.isNumber() ? number.decimalValue() : null;
  }
}
