package org.flowmon.deploy.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * What functions with states give, as people can read it in a table: of a state how it begins and
 * how long it is, of a list a line for each item. They are told by what they hold, as a report in
 * Kafka says no more of its texts.
 */
public final class StateCells {
  /** How the base64 of an exported state begins (docs/format/states.md). */
  private static final String STATE = "RkxXU";

  /**
   * What tables say of an item whose bounds have 0 within: a sketch knows an item by cells alone,
   * which may be heavy by others.
   */
  public static final String MAY_BE_NONE = "may be none";

  /** And of such an item of CHANGES, whose bounds are those of a difference. */
  public static final String MAY_BE_UNCHANGED = "may not have changed";

  private static final int SHOWN = 6;
  private static final int LONG = 40;
  private static final String LIST = "[{\"item\":";
  private static final ObjectMapper JSON = new ObjectMapper();

  private StateCells() {}

  /** The lines of a text's cell. */
  static List<String> lines(String text) {
    if (text.startsWith(STATE) && text.length() > LONG) {
      return List.of(state(text));
    }
    return text.startsWith(LIST) ? items(text) : List.of(text);
  }

  private static String state(String text) {
    try {
      int bytes = Base64.getDecoder().decode(text).length;
      return String.format("%s… (%,d bytes)", text.substring(0, SHOWN), bytes);
    } catch (IllegalArgumentException e) {
      return text; // a text that only begins as one
    }
  }

  private static List<String> items(String text) {
    List<String> lines = new ArrayList<>();
    try {
      JsonNode items = JSON.readTree(text);
      String doubt = doubt(items);
      for (JsonNode item : items) {
        if (!item.has("item") || !item.has("value")) {
          return List.of(text);
        }
        String value = text(item.get("value"));
        String lower = text(item.path("lower"));
        String upper = text(item.path("upper"));
        boolean isExact = lower.equals(value) && upper.equals(value);
        lines.add(
            text(item.get("item"))
                + ": "
                + value
                + (isExact ? "" : " (" + lower + " … " + upper + ")")
                + (isExact || !mayBeZero(item) ? "" : ", " + doubt));
      }
    } catch (JsonProcessingException e) {
      return List.of(text);
    }
    return lines;
  }

  /**
   * What is said of an item whose bounds have 0 within. A list does not say whose it is: weights
   * are never below 0, and of changes some bound is in all but the rarest lists.
   */
  private static String doubt(JsonNode items) {
    for (JsonNode item : items) {
      if (item.path("lower").asDouble() < 0) {
        return MAY_BE_UNCHANGED;
      }
    }
    return MAY_BE_NONE;
  }

  /** Whether the bounds of an item leave that no row had it, or that nothing changed. */
  private static boolean mayBeZero(JsonNode item) {
    JsonNode lower = item.path("lower");
    JsonNode upper = item.path("upper");
    return lower.isNumber() && upper.isNumber() && lower.asDouble() <= 0 && upper.asDouble() >= 0;
  }

  private static String text(JsonNode value) {
    if (!value.isArray()) {
      return value.asText();
    }
    List<String> parts = new ArrayList<>();
    value.forEach(part -> parts.add(part.asText()));
    return String.join(", ", parts);
  }
}
