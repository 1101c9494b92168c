package org.flowmon.deploy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** {@code docs/metrics.md} and the alert rules agree with what is served. */
class MetricsPageTest {
  private static final Path DOCS = Path.of("..", "docs");
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(flowmon_\\w+)` \\| (\\w+) \\| ([^|]+) \\| ([^|]+) \\|$");

  private static List<Map<String, Object>> rules() throws IOException {
    Map<String, List<Map<String, Object>>> file =
        new Yaml().load(Files.readString(PrometheusServer.FOLDER.resolve("flowmon-alerts.yml")));
    List<Map<String, Object>> all = new ArrayList<>();
    for (Map<String, Object> group : file.getOrDefault("groups", List.of())) {
      @SuppressWarnings("unchecked") // the file's form, which promtool checks
      List<Map<String, Object>> rules = (List<Map<String, Object>>) group.get("rules");
      all.addAll(rules);
    }
    return all;
  }

  @Test
  void thePageListsEachMetricOfCollectorAndServer() throws IOException {
    List<Metric> told = new ArrayList<>();
    Matcher row = ROW.matcher(Files.readString(DOCS.resolve("metrics.md")));
    while (row.find()) {
      told.add(new Metric(row.group(1), row.group(2), row.group(3), row.group(4)));
    }
    assertEquals(List.copyOf(Metric.all().values()), told);
  }

  @Test
  void namesFollowTheConvention() {
    for (Metric metric : Metric.all().values()) {
      String name = metric.name();
      assertEquals(metric.type().equals("counter"), name.endsWith("_total"), name);
      if (metric.unit().equals("seconds") || metric.unit().equals("bytes")) {
        assertTrue(
            name.replaceFirst("_total$", "").contains(metric.unit()), name + ": " + metric.unit());
      }
    }
  }

  @Test
  void alertsAreToldAndNameASectionThatIsThere() throws IOException {
    String page = Files.readString(DOCS.resolve("metrics.md"));
    String sections =
        Files.readAllLines(DOCS.resolve("troubleshooting.md")).stream()
            .filter(line -> line.startsWith("## "))
            .map(line -> line.substring(3).toLowerCase(Locale.ROOT).replace(' ', '-'))
            .toList()
            .toString();
    List<Map<String, Object>> rules = rules();
    assertTrue(rules.size() >= 20, rules.toString());
    for (Map<String, Object> rule : rules) {
      String alert = String.valueOf(rule.get("alert"));
      assertTrue(page.contains("| `" + alert + "` |"), alert + " is not in docs/metrics.md");
      String annotations = String.valueOf(rule.get("annotations"));
      Matcher runbook =
          Pattern.compile("docs/troubleshooting\\.md#([a-z-]+)").matcher(annotations);
      assertTrue(runbook.find(), alert + ": " + annotations);
      assertTrue(sections.contains(runbook.group(1)), alert + ": no section " + runbook.group(1));
      Matcher served =
          Pattern.compile("\\bflowmon_(?:collector|serve|exporter)_\\w+")
              .matcher(String.valueOf(rule.get("expr")));
      while (served.find()) {
        assertTrue(Metric.all().containsKey(served.group()), alert + ": " + served.group());
      }
    }
  }
}
