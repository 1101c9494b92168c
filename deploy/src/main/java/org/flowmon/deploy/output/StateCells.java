package org.flowmon.deploy.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Shows results of functions with states in a table: the beginning and length of a state, a line
 * for each item of a list. They are told by content, as Kafka's reports give no types of texts.
 */
public final class StateCells {
  /** The beginning of an exported state in base64 (docs/format/states.md). */
  private static final String STATE = "RkxXU";

  /** If bounds include zero: a sketch knows an item only by cells, which others may fill. */
  public static final String MAY_BE_NONE = "may be none";

  /** The same for an item of CHANGES. */
  public static final String MAY_BE_UNCHANGED = "may not have changed";

  private static final int SHOWN = 6;
  private static final int LONG = 40;
  private static final String LIST = "[{\"item\":";
  private static final ObjectMapper JSON = new ObjectMapper();

  private StateCells() {}

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
      return text; // a text that only begins like one
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
   * The remark on a list with items whose bounds include zero. The list does not name its function:
   * weights are never below 0, and all but the rarest lists of changes have a bound below 0.
   */
  private static String doubt(JsonNode items) {
    for (JsonNode item : items) {
      if (item.path("lower").asDouble() < 0) {
        return MAY_BE_UNCHANGED;
      }
    }
    return MAY_BE_NONE;
  }

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
