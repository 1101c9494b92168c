package org.flowmon.deploy.grafana;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules of Grafana's dashboard-linter, and some of our own. */
class DashboardRulesTest {
  private static final Pattern RATE =
      Pattern.compile("\\b(?:rate|irate|increase)\\([^\\[\\]]*\\[([^\\]]+)]\\)");
  private static final Pattern LINK = Pattern.compile("/d/([a-z-]+)\\?(?:var-([a-z]+)=)?");

  static List<JsonNode> dashboards() throws IOException {
    return Dashboards.all();
  }

  private static String text(JsonNode node, String member) {
    JsonNode value = node.get(member);
    assertTrue(value != null && value.isTextual(), member + " in " + node);
    return value.asText();
  }

  private static List<JsonNode> variables(JsonNode dashboard, String type) {
    List<JsonNode> all = new ArrayList<>();
    for (JsonNode variable : dashboard.get("templating").get("list")) {
      if (text(variable, "type").equals(type)) {
        all.add(variable);
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void aDashboardIsTheSameForEverybody(JsonNode dashboard) throws IOException {
    String uid = text(dashboard, "uid");
    assertTrue(uid.matches("flowmon-[a-z-]{1,32}"), uid);
    assertEquals(1, dashboards().stream().filter(d -> text(d, "uid").equals(uid)).count(), uid);
    assertTrue(dashboard.get("id").isNull(), uid);
    int schema = dashboard.get("schemaVersion").asInt();
    assertTrue(schema >= 38 && schema <= 41, uid + ": schemaVersion " + schema);
    assertFalse(dashboard.get("editable").asBoolean(true), uid);
    assertEquals(1, dashboard.get("graphTooltip").asInt(), uid);
    assertEquals("browser", text(dashboard, "timezone"), uid);
    assertTrue(dashboard.get("tags").toString().contains("\"flowmon\""), uid);
    assertFalse(text(dashboard, "title").isBlank() || text(dashboard, "description").isBlank());
    assertTrue(text(dashboard.get("time"), "from").matches("now-\\d+[hd]"), uid);
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void dataSourcesAreVariables(JsonNode dashboard) {
    Map<String, String> sources = new HashMap<>();
    for (JsonNode variable : variables(dashboard, "datasource")) {
      sources.put("${" + text(variable, "name") + "}", text(variable, "query"));
    }
    assertTrue(
        sources.containsKey("${datasource}") || sources.containsKey("${infinity_datasource}"));
    for (JsonNode panel : dashboard.get("panels")) {
      for (JsonNode target : panel.get("targets")) {
        for (JsonNode source : List.of(panel.get("datasource"), target.get("datasource"))) {
          assertEquals(
              text(source, "type"), sources.get(text(source, "uid")), text(panel, "title"));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void panelsSayWhatTheyAre(JsonNode dashboard) {
    Set<Integer> ids = new HashSet<>();
    boolean[][] taken = new boolean[1000][24];
    for (JsonNode panel : dashboard.get("panels")) {
      String title = text(panel, "title");
      assertFalse(title.isBlank(), panel.toString());
      assertTrue(text(panel, "description").length() > 30, title);
      assertTrue(panel.get("targets").size() > 0, title);
      assertTrue(ids.add(panel.get("id").asInt()), title);
      JsonNode defaults = panel.get("fieldConfig").get("defaults");
      assertFalse(text(defaults, "noValue").isBlank(), title);
      boolean isTable = text(panel, "type").equals("table");
      boolean isTime = title.endsWith(" seen");
      assertTrue(isTable || isTime || defaults.has("unit"), title + ": no unit");
      assertFalse(panel.toString().matches(".*@[a-z]+@.*"), title + ": a place is not filled");
      JsonNode place = panel.get("gridPos");
      for (int y = 0; y < place.get("h").asInt(); y++) {
        for (int x = 0; x < place.get("w").asInt(); x++) {
          boolean[] row = taken[place.get("y").asInt() + y];
          assertFalse(row[place.get("x").asInt() + x], title + " covers another panel");
          row[place.get("x").asInt() + x] = true;
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void variablesFollowTheTimeRangeAndHaveAll(JsonNode dashboard) {
    for (JsonNode variable : dashboard.get("templating").get("list")) {
      assertFalse(text(variable, "label").isBlank() || text(variable, "description").isBlank());
    }
    for (JsonNode variable : variables(dashboard, "query")) {
      assertEquals(2, variable.get("refresh").asInt(), variable.toString());
      assertTrue(variable.get("includeAll").asBoolean(), variable.toString());
      assertTrue(variable.get("multi").asBoolean(), variable.toString());
    }
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void questionsToPrometheusFitItsScrapes(JsonNode dashboard) {
    for (JsonNode panel : dashboard.get("panels")) {
      for (JsonNode target : panel.get("targets")) {
        if (!target.has("expr")) {
          continue;
        }
        String query = text(target, "expr");
        assertTrue(query.contains("job=~\"$job\", instance=~\"$instance\""), query);
        int rates = 0;
        for (Matcher rate = RATE.matcher(query); rate.find(); rates++) {
          assertEquals("$__rate_interval", rate.group(1), query);
        }
        assertTrue(rates > 0 || !query.contains("_total"), query + ": a counter without a rate");
        assertTrue(query.matches("(60 \\* )?(sum|max|topk)\\b.*"), query + ": not aggregated");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void linksLeadToDashboardsAndTheirVariables(JsonNode dashboard) throws IOException {
    Matcher links = LINK.matcher(dashboard.toString());
    int found = 0;
    for (; links.find(); found++) {
      JsonNode target = Dashboards.of(links.group(1));
      if (links.group(2) != null) {
        assertTrue(
            target.get("templating").toString().contains("\"name\":\"" + links.group(2) + "\""),
            links.group());
      }
    }
    assertEquals(dashboard.toString().split("/d/", -1).length - 1, found, "links");
    if (dashboard.toString().contains("${console}")) {
      assertTrue(
          variables(dashboard, "textbox").stream().anyMatch(v -> text(v, "name").equals("console")),
          "links to the console need its address");
    }
  }
}
