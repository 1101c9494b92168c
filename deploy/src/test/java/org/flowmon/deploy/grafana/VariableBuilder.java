package org.flowmon.deploy.grafana;

import static org.flowmon.deploy.grafana.DashboardBuilder.expanded;
import static org.flowmon.deploy.grafana.DashboardBuilder.ordered;
import static org.flowmon.deploy.grafana.DashboardBuilder.string;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A dashboard's variables: data sources, the console's address, and its own. */
final class VariableBuilder {
  /** The value of All: panels compare it, so that what the list leaves out is shown, too. */
  static final String ALL = "'*'";

  private VariableBuilder() {}

  static List<Object> variables(Map<String, Object> description, DataSource main) {
    List<Object> all = new ArrayList<>();
    all.add(source(main));
    if (description.containsKey("rest")) {
      all.add(source(DataSource.INFINITY));
    }
    if (description.containsKey("variables")) {
      expanded(description, "variables").forEach(variable -> all.add(variable(variable, main)));
    }
    if (description.containsKey("console")) {
      Map<String, Object> console = named("console", "textbox");
      console.put("label", "Console");
      console.put("description", "The address of the console of flowmon serve, for links.");
      all.add(text(console, "http://127.0.0.1:8060"));
    }
    return all;
  }

  private static Map<String, Object> named(String name, String type) {
    return ordered("name", name, "type", type, "hide", 0, "skipUrlSync", false);
  }

  private static Map<String, Object> source(DataSource source) {
    Map<String, Object> all = named(source.variable, "datasource");
    all.put("label", source == DataSource.INFINITY ? source.label : "Data source");
    all.put(
        "description",
        "The data source: " + source.label.toLowerCase(Locale.ROOT) + " of flowmon.");
    all.put("query", source.type);
    all.put("refresh", 1);
    all.put("regex", "");
    all.put("multi", false);
    all.put("includeAll", false);
    all.put("options", List.of());
    all.put("current", chosen("default", "default"));
    return all;
  }

  private static Map<String, Object> variable(Map<String, Object> variable, DataSource main) {
    boolean isQuery = variable.containsKey("sql") || variable.containsKey("promql");
    String type = isQuery ? "query" : variable.containsKey("values") ? "custom" : "textbox";
    Map<String, Object> all = named(string(variable, "name"), type);
    all.put("label", string(variable, "label"));
    all.put("description", string(variable, "description"));
    if (type.equals("textbox")) {
      return text(all, string(variable, "text"));
    }
    return isQuery ? query(all, variable, main) : custom(all, (List<?>) variable.get("values"));
  }

  private static Map<String, Object> text(Map<String, Object> all, String value) {
    all.put("query", value);
    all.put("current", chosen(value, value));
    all.put("options", List.of(option(value, true)));
    return all;
  }

  private static Map<String, Object> custom(Map<String, Object> all, List<?> values) {
    List<String> texts = values.stream().map(String::valueOf).toList();
    all.put("query", String.join(",", texts));
    all.put("multi", false);
    all.put("includeAll", false);
    all.put("current", chosen(texts.get(0), texts.get(0)));
    all.put(
        "options", texts.stream().map(text -> option(text, text.equals(texts.get(0)))).toList());
    return all;
  }

  private static Map<String, Object> query(
      Map<String, Object> all, Map<String, Object> variable, DataSource main) {
    all.put("datasource", main.reference());
    String query = string(variable, main == DataSource.PROMETHEUS ? "promql" : "sql");
    all.put("definition", query);
    if (main == DataSource.PROMETHEUS) {
      all.put(
          "query",
          ordered(
              "qryType",
              1,
              "query",
              query,
              "refId",
              "PrometheusVariableQueryEditor-VariableQuery"));
    } else {
      all.put("query", query);
    }
    all.put("refresh", 2);
    all.put("regex", "");
    all.put("sort", main == DataSource.PROMETHEUS ? 1 : 0);
    all.put("multi", true);
    all.put("includeAll", true);
    if (main == DataSource.PROMETHEUS) {
      all.put("allValue", ".+");
    } else if (!variable.containsKey("plain")) {
      all.put("allValue", ALL);
    }
    all.put("current", chosen("All", "$__all"));
    all.put("options", List.of());
    return all;
  }

  private static Map<String, Object> chosen(String text, String value) {
    return ordered("selected", true, "text", text, "value", value);
  }

  private static Map<String, Object> option(String value, boolean selected) {
    Map<String, Object> all = chosen(value, value);
    all.put("selected", selected);
    return all;
  }
}
