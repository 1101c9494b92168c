package org.flowmon.jobs.config;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.udaf.text.NameSuggestions;
import org.flowmon.udaf.text.QueryException;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * The keys of one level of a YAML file. {@link #end} refuses those that were not taken, so a
 * misspelt key is an error and not a silent default.
 */
public final class YamlSection {
  private static final Pattern DURATION = Pattern.compile("([0-9]{1,12})\\s*(us|ms|s|m|min|h|d)");

  private static final Pattern PLACE_IN_QUERY = Pattern.compile("^line [0-9]+:[0-9]+: ");

  private final YamlDocument document;
  private final String prefix;
  private final String place;
  private final Map<String, Node> values = new LinkedHashMap<>();
  private final List<String> known = new ArrayList<>();

  /** {@code prefix} stands before its keys in errors. */
  YamlSection(YamlDocument document, String prefix, MappingNode mapping) {
    this.document = document;
    this.prefix = prefix;
    this.place = document.place(mapping);
    for (NodeTuple tuple : mapping.getValue()) {
      ScalarNode key = document.key(tuple);
      if (values.put(key.getValue(), tuple.getValueNode()) != null) {
        throw document.error(key, prefix + key.getValue(), "is given twice");
      }
    }
  }

  String place(String key) {
    Node node = values.get(key);
    return (node == null ? place : document.place(node)) + ": " + prefix + key;
  }

  public ConfigException error(String key, String message) {
    return new ConfigException(place(key) + ": " + message);
  }

  public ConfigException error(String key, QueryException e) {
    String at =
        e.position() >= 0 && values.get(key) instanceof ScalarNode value
            ? document.place(value, e.position())
            : null;
    if (at == null) {
      return new ConfigException(place(key) + ": " + e.getMessage(), e);
    }
    String message = PLACE_IN_QUERY.matcher(e.getMessage()).replaceFirst("");
    return new ConfigException(at + ": " + prefix + key + ": " + message, e);
  }

  private @Nullable Node take(String key) {
    known.add(key);
    Node node = values.get(key);
    return node != null && node.getTag().equals(Tag.NULL) ? null : node;
  }

  private @Nullable String scalar(String key, String expected) {
    Node node = take(key);
    if (node == null) {
      return null;
    }
    if (!(node instanceof ScalarNode scalar)) {
      throw error(key, "expected " + expected + ", found a list or further keys");
    }
    return scalar.getValue();
  }

  /** Requires a value: null is an error that names a similar key, if there is one. */
  public <T> T required(String key, @Nullable T value, String expected) {
    if (value == null) {
      for (String written : values.keySet()) {
        // Compared both ways: 'user' is no misspelt 'url'.
        if (!written.equals(key)
            && NameSuggestions.nearest(written, List.of(key)) != null
            && NameSuggestions.nearest(key, List.of(written)) != null) {
          known.add(written); // reported once
          throw error(written, "is not a key here; did you mean '" + key + "', which is missing?");
        }
      }
      throw error(key, "is missing; expected " + expected);
    }
    return value;
  }

  public String text(String key, String expected) {
    String value = required(key, textOrNull(key, expected), expected);
    if (value.isBlank()) {
      throw error(key, "is empty; expected " + expected);
    }
    return value;
  }

  public String name(String key) {
    return name(key, text(key, "a name of lower-case letters, digits and _"));
  }

  public String name(String key, String name) {
    if (!Names.isName(name)) {
      throw error(key, "expected " + Names.RULE + "; found '" + name + "'");
    }
    return name;
  }

  public @Nullable String textOrNull(String key, String expected) {
    return scalar(key, expected);
  }

  public String text(String key, String expected, String otherwise) {
    String value = textOrNull(key, expected);
    return value == null ? otherwise : value;
  }

  public boolean bool(String key, boolean otherwise) {
    String value = scalar(key, "true or false");
    if (value == null) {
      return otherwise;
    }
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default -> throw error(key, "expected true or false, found '" + value + "'");
    };
  }

  public int integer(String key, int min, int max, int otherwise) {
    return (int) number(key, "a whole number " + min + "…" + max, min, max, otherwise);
  }

  /** Returns a whole number of up to 19 digits. */
  public long number(String key, long min, long max, long otherwise) {
    return number(key, "a whole number from " + min + " on", min, max, otherwise);
  }

  private long number(String key, String expected, long min, long max, long otherwise) {
    String value = scalar(key, expected);
    if (value == null) {
      return otherwise;
    }
    try {
      long parsed = Long.parseLong(value);
      if (parsed >= min && parsed <= max) {
        return parsed;
      }
    } catch (NumberFormatException e) {
      // reported below, with the expected value
    }
    throw error(key, "expected " + expected + ", found '" + value + "'");
  }

  /** Returns a number that may have decimals. */
  public double decimal(String key, double min, double max, double otherwise) {
    String expected = "a number " + plain(min) + "…" + plain(max);
    String value = scalar(key, expected);
    if (value == null) {
      return otherwise;
    }
    try {
      double parsed = Double.parseDouble(value);
      if (parsed >= min && parsed <= max) {
        return parsed;
      }
    } catch (NumberFormatException e) {
      // reported below, with the expected value
    }
    throw error(key, "expected " + expected + ", found '" + value + "'");
  }

  private static String plain(double number) {
    return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
  }

  /** Returns a duration such as 500ms, 10s, 5m, 1h, 7d; null if the key is absent. */
  public @Nullable Duration durationOrNull(String key) {
    String expected = "a duration such as 500ms, 10s, 5m, 1h or 7d";
    String value = scalar(key, expected);
    if (value == null) {
      return null;
    }
    return duration(key, value, value.strip(), expected);
  }

  /** Returns a duration that may have a minus before it. */
  public Duration signedDuration(String key, Duration otherwise) {
    String expected = "a duration such as 500ms or -2s";
    String value = scalar(key, expected);
    if (value == null) {
      return otherwise;
    }
    String text = value.strip();
    return text.startsWith("-")
        ? duration(key, value, text.substring(1), expected).negated()
        : duration(key, value, text, expected);
  }

  private Duration duration(String key, String value, String text, String expected) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw error(key, "expected " + expected + ", found '" + value + "'");
    }
    long amount = Long.parseLong(matcher.group(1));
    Duration duration =
        switch (matcher.group(2)) {
          case "us" -> Duration.ofNanos(Math.multiplyExact(amount, 1000L));
          case "ms" -> Duration.ofMillis(amount);
          case "s" -> Duration.ofSeconds(amount);
          case "m", "min" -> Duration.ofMinutes(amount);
          case "h" -> Duration.ofHours(amount);
          default -> Duration.ofDays(amount);
        };
    if (duration.compareTo(Duration.ofDays(36_500)) > 0) {
      throw error(key, "expected at most a hundred years, found '" + value + "'");
    }
    return duration;
  }

  /** Formats a duration as files write it, such as 10s. */
  public static String text(Duration duration) {
    long micros = duration.toNanos() / 1000;
    String[] units = {"d", "h", "m", "s", "ms"};
    long[] each = {86_400_000_000L, 3_600_000_000L, 60_000_000L, 1_000_000L, 1000L};
    for (int i = 0; i < units.length; i++) {
      if (micros % each[i] == 0) {
        return micros / each[i] + units[i];
      }
    }
    return micros + "us";
  }

  public Duration duration(String key, Duration otherwise) {
    Duration value = durationOrNull(key);
    return value == null ? otherwise : value;
  }

  public Duration duration(String key) {
    return required(key, durationOrNull(key), "a duration such as 10s");
  }

  public <E extends Enum<E>> E choice(String key, Class<E> type, E otherwise) {
    StringBuilder names = new StringBuilder();
    for (E constant : type.getEnumConstants()) {
      names.append(names.isEmpty() ? "" : ", ").append(constant.name().toLowerCase(Locale.ROOT));
    }
    String value = scalar(key, "one of " + names);
    if (value == null) {
      return otherwise;
    }
    for (E constant : type.getEnumConstants()) {
      if (constant.name().toLowerCase(Locale.ROOT).equals(value)) {
        return constant;
      }
    }
    throw error(key, "expected one of " + names + ", found '" + value + "'");
  }

  public @Nullable YamlSection sectionOrNull(String key) {
    Node node = take(key);
    if (node == null) {
      return null;
    }
    if (!(node instanceof MappingNode mapping)) {
      throw error(key, "expected further keys below it");
    }
    return new YamlSection(document, prefix + key + ".", mapping);
  }

  /** Returns a list of items with keys of their own; empty if the key is absent. */
  public List<YamlSection> sections(String key) {
    Node node = take(key);
    if (node == null) {
      return List.of();
    }
    if (!(node instanceof SequenceNode sequence)) {
      throw error(key, "expected a list of items, each beginning with \"- \"");
    }
    List<YamlSection> sections = new ArrayList<>();
    for (Node item : sequence.getValue()) {
      if (!(item instanceof MappingNode mapping)) {
        throw document.error(item, prefix + key, "expected keys such as name: …");
      }
      sections.add(
          new YamlSection(document, prefix + key + "[" + (sections.size() + 1) + "].", mapping));
    }
    return List.copyOf(sections);
  }

  public List<String> keys() {
    return List.copyOf(values.keySet());
  }

  /** Returns a condition over a report's rows, null if the key is absent; it is checked later. */
  public @Nullable RowCondition condition(String key) {
    String expected = "a condition such as verdict = 'new'";
    known.add(key);
    return values.containsKey(key) ? new RowCondition(text(key, expected), place(key)) : null;
  }

  public YamlSection section(String key) {
    return required(key, sectionOrNull(key), "further keys below it");
  }

  /** Returns a list of plain words; empty if the key is absent. */
  public List<String> words(String key) {
    List<String> words = wordsOrNull(key);
    return words == null ? List.of() : words;
  }

  /** Returns a list of plain words; null if the key is absent. */
  public @Nullable List<String> wordsOrNull(String key) {
    Node node = take(key);
    if (node == null) {
      return null;
    }
    if (!(node instanceof SequenceNode sequence)) {
      throw error(key, "expected a list, for example [kafka, postgres]");
    }
    List<String> words = new ArrayList<>();
    for (Node item : sequence.getValue()) {
      if (!(item instanceof ScalarNode scalar)) {
        throw error(key, "expected a list of plain words");
      }
      words.add(scalar.getValue());
    }
    return List.copyOf(words);
  }

  /** Returns names and plain values, in the file's order; empty if the key is absent. */
  public Map<String, String> map(String key) {
    YamlSection section = sectionOrNull(key);
    Map<String, String> map = new LinkedHashMap<>();
    if (section != null) {
      for (String name : section.values.keySet()) {
        map.put(name, section.text(name, "a plain value"));
      }
    }
    return map;
  }

  public Places places() {
    Map<String, String> places = new LinkedHashMap<>();
    places.put("", place);
    addPlaces(places);
    return new Places(places);
  }

  private void addPlaces(Map<String, String> places) {
    values.forEach(
        (key, node) -> {
          places.put(prefix + key, document.place(node));
          if (node instanceof MappingNode mapping) {
            new YamlSection(document, prefix + key + ".", mapping).addPlaces(places);
          }
        });
  }

  /** Names keys that were read before, for the error of an unknown one. */
  public void know(String... keys) {
    known.addAll(List.of(keys));
  }

  public void end() {
    end(ErrorHandler.THROWN);
  }

  public void end(ErrorHandler errors) {
    for (String key : values.keySet()) {
      if (!known.contains(key)) {
        errors.add(
            error(
                key,
                "is not a key here; expected one of %s%s"
                    .formatted(String.join(", ", known), Names.didYouMean(key, known))));
      }
    }
  }
}
