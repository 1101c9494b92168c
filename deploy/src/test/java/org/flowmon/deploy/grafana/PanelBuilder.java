package org.flowmon.deploy.grafana;

import static org.flowmon.deploy.grafana.DashboardBuilder.map;
import static org.flowmon.deploy.grafana.DashboardBuilder.ordered;
import static org.flowmon.deploy.grafana.DashboardBuilder.string;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One panel of a dashboard, by its {@code kind}. */
final class PanelBuilder {
  private static final Map<DataSource, String> EMPTY =
      Map.of(
          DataSource.POSTGRES,
          "No reports in this time range: does the analysis run, with the sink postgres?",
          DataSource.PROMETHEUS,
          "No metrics: is this part scraped?",
          DataSource.INFINITY,
          "Nothing found in this time range");

  /** Widely seen protocols, for sources that give their numbers. */
  private static final Map<String, String> PROTOCOLS =
      Map.of(
          "1",
          "icmp",
          "2",
          "igmp",
          "6",
          "tcp",
          "17",
          "udp",
          "47",
          "gre",
          "50",
          "esp",
          "58",
          "ipv6-icmp",
          "89",
          "ospf",
          "132",
          "sctp");

  private final Map<String, Object> description;
  private final String kind;
  private final DataSource source;

  private PanelBuilder(Map<String, Object> description, DataSource main) {
    this.description = description;
    this.kind = string(description, "kind");
    this.source = description.containsKey("path") ? DataSource.INFINITY : main;
  }

  static Map<String, Object> panel(
      Map<String, Object> description, int id, Map<String, Object> place, DataSource main) {
    return new PanelBuilder(description, main).panel(id, place);
  }

  private Map<String, Object> panel(int id, Map<String, Object> place) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("id", id);
    all.put("type", type());
    all.put("title", string(description, "title"));
    all.put("description", string(description, "description"));
    all.put("gridPos", place);
    if (description.containsKey("repeat")) {
      all.put("repeat", string(description, "repeat"));
      all.put("repeatDirection", "v");
    }
    all.put("datasource", source.reference());
    if (source == DataSource.POSTGRES) {
      all.put("interval", "5m"); // that of the reports: no slot of a graph is shorter
    }
    all.put("targets", targets());
    Map<String, Object> config = new LinkedHashMap<>();
    config.put("defaults", defaults());
    config.put("overrides", overrides());
    all.put("fieldConfig", config);
    all.put("options", options());
    return all;
  }

  private String type() {
    return switch (kind) {
      case "stacked", "lines", "mirrored" -> "timeseries";
      case "stat", "number", "rest_number" -> "stat";
      case "bars" -> "barchart";
      case "sankey" -> "netsage-sankey-panel";
      case "table", "rest_table" -> "table";
      default -> throw new IllegalArgumentException("no kind of panel: " + kind);
    };
  }

  private List<Object> targets() {
    List<Object> all = new ArrayList<>();
    if (source == DataSource.PROMETHEUS) {
      map(description.get("queries"))
          .forEach((legend, query) -> all.add(promql(all.size(), legend, query)));
      return all;
    }
    Map<String, Object> target = new LinkedHashMap<>();
    target.put("refId", "A");
    target.put("datasource", source.reference());
    if (source == DataSource.INFINITY) {
      rest(target);
    } else {
      boolean isSeries = type().equals("timeseries") || kind.equals("stat");
      target.put("editorMode", "code");
      target.put("format", isSeries ? "time_series" : "table");
      target.put("rawQuery", true);
      target.put("rawSql", string(description, "sql"));
    }
    return List.of(target);
  }

  private Map<String, Object> promql(int number, String legend, Object query) {
    Map<String, Object> target = new LinkedHashMap<>();
    target.put("refId", String.valueOf((char) ('A' + number)));
    target.put("datasource", source.reference());
    target.put("editorMode", "code");
    target.put("expr", query.toString());
    target.put("legendFormat", legend);
    target.put("range", !kind.equals("number"));
    target.put("instant", kind.equals("number"));
    return target;
  }

  private void rest(Map<String, Object> target) {
    target.put("type", "json");
    target.put("source", "url");
    target.put("parser", "backend");
    target.put("format", "table");
    target.put("url", string(description, "path"));
    List<Object> parameters = new ArrayList<>();
    map(description.get("query"))
        .forEach((key, value) -> parameters.add(ordered("key", key, "value", value)));
    target.put("url_options", ordered("method", "GET", "params", parameters));
    target.put("root_selector", string(description, "root"));
    List<Object> columns = new ArrayList<>();
    map(description.get("fields"))
        .forEach(
            (name, type) -> columns.add(ordered("selector", name, "text", name, "type", type)));
    target.put("columns", columns);
    target.put("filters", List.of());
  }

  private Map<String, Object> defaults() {
    Map<String, Object> all = new LinkedHashMap<>();
    Object unit = description.get("unit");
    if (unit != null && !unit.equals("")) {
      all.put("unit", unit.toString());
    }
    all.put("noValue", description.getOrDefault("empty", EMPTY.get(source)));
    if (kind.equals("stat") || kind.equals("number") || kind.equals("rest_number")) {
      all.put("color", ordered("mode", "fixed", "fixedColor", "text"));
    }
    boolean isSeries = type().equals("timeseries");
    all.put(
        "custom",
        isSeries
            ? lines()
            : type().equals("table") ? ordered("align", "auto", "inspect", false) : Map.of());
    return all;
  }

  private Map<String, Object> lines() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("drawStyle", "line");
    all.put("lineWidth", 1);
    all.put("fillOpacity", kind.equals("lines") ? 5 : 40);
    all.put("showPoints", "never");
    all.put("stacking", ordered("mode", kind.equals("stacked") ? "normal" : "none", "group", "A"));
    return all;
  }

  private List<Object> overrides() {
    List<Object> all = new ArrayList<>();
    if (description.get("negative") instanceof List<?> names) {
      for (Object name : names) {
        all.add(override(name.toString(), List.of(property("custom.transform", "negative-Y"))));
      }
    }
    if (description.containsKey("columns")) {
      map(description.get("columns")).forEach((name, column) -> all.add(column(name, map(column))));
    }
    return all;
  }

  private static Map<String, Object> column(String name, Map<String, Object> column) {
    List<Object> properties = new ArrayList<>();
    column.forEach(
        (key, value) ->
            properties.add(
                switch (key) {
                  case "title" -> property("displayName", value);
                  case "unit" -> property("unit", value);
                  case "hide" -> property("custom.hidden", value);
                  case "host" -> property("links", hostLinks());
                  case "docs" -> property("links", List.of(securityLink()));
                  case "alert" -> property("links", List.of(alertLink()));
                  case "names" -> property("mappings", List.of(protocols()));
                  default -> throw new IllegalArgumentException("no property of a column: " + key);
                }));
    return override(name, properties);
  }

  private static List<Object> hostLinks() {
    return List.of(
        ordered(
            "title",
            "Host ${__value.raw}",
            "url",
            "/d/flowmon-host?var-host=${__value.raw:percentencode}&${__url_time_range}",
            "targetBlank",
            false),
        ordered(
            "title",
            "Console: all that the archive has of it",
            "url",
            "${console}/#/host/${__value.raw:percentencode}?from=${__from:date:iso}&to=${__to:date:iso}",
            "targetBlank",
            true),
        ordered(
            "title",
            "Flows",
            "url",
            "/d/flowmon-flows?var-host=${__value.raw:percentencode}&${__url_time_range}",
            "targetBlank",
            false));
  }

  private static Map<String, Object> alertLink() {
    return ordered(
        "title",
        "Console: the flows behind it",
        "url",
        "${console}/#/alert/${__data.fields.id}",
        "targetBlank",
        true);
  }

  private static Map<String, Object> securityLink() {
    return ordered(
        "title",
        "What ${__value.raw} found",
        "url",
        "/d/flowmon-security?var-analysis=${__value.raw:percentencode}&${__url_time_range}",
        "targetBlank",
        false);
  }

  private static Map<String, Object> protocols() {
    Map<String, Object> texts = new LinkedHashMap<>();
    PROTOCOLS.keySet().stream()
        .sorted()
        .forEach(number -> texts.put(number, Map.of("text", PROTOCOLS.get(number))));
    return ordered("type", "value", "options", texts);
  }

  private static Map<String, Object> override(String name, List<Object> properties) {
    return ordered("matcher", ordered("id", "byName", "options", name), "properties", properties);
  }

  private static Map<String, Object> property(String id, Object value) {
    return ordered("id", id, "value", value);
  }

  private Map<String, Object> options() {
    return switch (type()) {
      case "timeseries" ->
          ordered(
              "legend",
              ordered(
                  "showLegend",
                  true,
                  "displayMode",
                  "table",
                  "placement",
                  "right",
                  "calcs",
                  List.of("mean", "max", "lastNotNull")),
              "tooltip",
              ordered("mode", "multi", "sort", "desc"));
      case "stat" ->
          ordered(
              "reduceOptions",
              ordered(
                  "values",
                  false,
                  "calcs",
                  List.of("lastNotNull"),
                  "fields",
                  kind.equals("rest_number") ? "/.*/" : ""),
              "graphMode",
              kind.equals("stat") ? "area" : "none",
              "textMode",
              "value",
              "colorMode",
              "value",
              "orientation",
              "auto",
              "justifyMode",
              "auto",
              "wideLayout",
              true,
              "showPercentChange",
              false,
              "percentChangeColorMode",
              "standard");
      case "barchart" ->
          ordered(
              "orientation",
              "horizontal",
              "legend",
              ordered(
                  "showLegend",
                  false,
                  "displayMode",
                  "list",
                  "placement",
                  "bottom",
                  "calcs",
                  List.of()),
              "tooltip",
              ordered("mode", "single", "sort", "none"),
              "showValue",
              "auto",
              "stacking",
              "none",
              "xTickLabelRotation",
              0,
              "xTickLabelMaxLength",
              40,
              "barWidth",
              0.9,
              "groupWidth",
              0.7,
              "fullHighlight",
              false);
      case "table" -> ordered("frameIndex", 0, "showHeader", true, "cellHeight", "sm");
      default -> ordered("color", "blue");
    };
  }
}
