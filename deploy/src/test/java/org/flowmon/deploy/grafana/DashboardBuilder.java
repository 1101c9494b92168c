package org.flowmon.deploy.grafana;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Makes Grafana's JSON of the descriptions in {@code deploy/grafana/source}. A description has a
 * dashboard, or with {@code each} several of one form: {@code @NAME@} in a text is the value of
 * that name in the item, or one of the dashboard's {@code texts}. Panels and variables may have
 * {@code each}, too; panels flow from left to right in rows of 24. {@link PanelBuilder} has their
 * kinds.
 */
final class DashboardBuilder {
  private static final Pattern PLACE = Pattern.compile("@([a-z]+)@");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int WIDTH = 24;

  private DashboardBuilder() {}

  /** Dashboards by their uids. */
  static Map<String, Map<String, Object>> dashboards(Path source) throws IOException {
    Map<String, Map<String, Object>> made = new TreeMap<>();
    for (Path file : Dashboards.files(source)) {
      Map<String, Object> text = yaml(file);
      for (Map<String, Object> item : items(text)) {
        Map<String, Object> dashboard = map(filled(text.get("dashboard"), item));
        made.put(string(dashboard, "uid"), dashboard(dashboard));
      }
    }
    return made;
  }

  /** A file of YAML with anchors, which {@code YamlFile} refuses. */
  static Map<String, Object> yaml(Path file) throws IOException {
    LoadSettings settings = LoadSettings.builder().setMaxAliasesForCollections(100).build();
    return map(new Load(settings).loadFromString(Files.readString(file)));
  }

  static String json(Map<String, Object> dashboard) {
    DefaultPrettyPrinter printer =
        new DefaultPrettyPrinter()
            .withObjectIndenter(new DefaultIndenter("  ", "\n"))
            .withArrayIndenter(new DefaultIndenter("  ", "\n"));
    try {
      return JSON.writer(printer).writeValueAsString(dashboard) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Those of {@code each}, or one without values. */
  private static List<Map<String, Object>> items(Map<String, Object> part) {
    return part.containsKey("each") ? maps(part, "each") : List.of(Map.of());
  }

  /** Texts with what stands at their places; unknown ones stay. */
  private static Object filled(Object part, Map<String, Object> values) {
    if (part instanceof Map<?, ?> map) {
      Map<String, Object> all = new LinkedHashMap<>();
      map.forEach((key, value) -> all.put((String) filled(key, values), filled(value, values)));
      return all;
    }
    if (part instanceof List<?> list) {
      return list.stream().map(item -> filled(item, values)).toList();
    }
    if (part instanceof String text) {
      String all = text;
      for (String before = ""; !before.equals(all); ) {
        before = all;
        all =
            PLACE
                .matcher(before)
                .replaceAll(
                    place ->
                        Matcher.quoteReplacement(
                            String.valueOf(values.getOrDefault(place.group(1), place.group()))));
      }
      return all;
    }
    return part;
  }

  private static Map<String, Object> dashboard(Map<String, Object> description) {
    DataSource main =
        DataSource.valueOf(string(description, "datasource").toUpperCase(Locale.ROOT));
    List<Object> panels = new ArrayList<>();
    int x = 0;
    int y = 0;
    int height = 0;
    for (Map<String, Object> panel : expanded(description, "panels")) {
      int width = Integer.parseInt(string(panel, "width"));
      int rows = Integer.parseInt(string(panel, "height"));
      if (x + width > WIDTH) {
        x = 0;
        y += height;
        height = 0;
      }
      Map<String, Object> place = ordered("x", x, "y", y, "w", width, "h", rows);
      panels.add(PanelBuilder.panel(panel, panels.size() + 1, place, main));
      x += width;
      height = Math.max(height, rows);
    }
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("id", null);
    all.put("uid", string(description, "uid"));
    all.put("title", string(description, "title"));
    all.put("description", string(description, "description"));
    all.put("tags", description.get("tags"));
    all.put("schemaVersion", 39);
    all.put("version", 1);
    all.put("editable", false);
    all.put("graphTooltip", 1);
    all.put("timezone", "browser");
    all.put("refresh", string(description, "refresh"));
    all.put("time", ordered("from", string(description, "from"), "to", "now"));
    all.put("links", links());
    all.put("templating", Map.of("list", VariableBuilder.variables(description, main)));
    all.put("annotations", Map.of("list", List.of()));
    all.put("panels", panels);
    return all;
  }

  /** The parts of a list, each with its texts, or several of one form. */
  static List<Map<String, Object>> expanded(Map<String, Object> description, String list) {
    Map<String, Object> texts = new LinkedHashMap<>();
    if (description.containsKey("texts")) {
      texts.putAll(map(description.get("texts")));
    }
    texts.put(
        "benign",
        Verdicts.BENIGN.stream().map(v -> "'" + v + "'").collect(Collectors.joining(", ")));
    List<Map<String, Object>> parts = new ArrayList<>();
    for (Map<String, Object> part : maps(description, list)) {
      for (Map<String, Object> item : items(part)) {
        Map<String, Object> values = new LinkedHashMap<>(texts);
        values.putAll(item);
        Map<String, Object> one = new LinkedHashMap<>(part);
        one.remove("each");
        parts.add(map(filled(one, values)));
      }
    }
    return parts;
  }

  private static List<Object> links() {
    return List.of(
        ordered(
            "title",
            "flowmon",
            "type",
            "dashboards",
            "tags",
            List.of("flowmon"),
            "asDropdown",
            true,
            "includeVars",
            false,
            "keepTime",
            true,
            "targetBlank",
            false,
            "icon",
            "external link",
            "tooltip",
            "The other dashboards of flowmon, for the same time range",
            "url",
            ""));
  }

  /** A map of keys and values in turn, in this order. */
  static Map<String, Object> ordered(Object... parts) {
    Map<String, Object> all = new LinkedHashMap<>();
    for (int i = 0; i < parts.length; i += 2) {
      all.put((String) parts[i], parts[i + 1]);
    }
    return all;
  }

  @SuppressWarnings("unchecked") // YAML's keys are texts
  static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }

  static List<Map<String, Object>> maps(Map<String, Object> part, String key) {
    return ((List<?>) part.get(key)).stream().map(DashboardBuilder::map).toList();
  }

  static String string(Map<String, Object> part, String key) {
    Object value = part.get(key);
    if (value == null) {
      throw new IllegalArgumentException("no " + key + " in " + part);
    }
    return value.toString();
  }
}
