package org.flowmon.deploy.grafana;

import static org.flowmon.deploy.grafana.DashboardBuilder.maps;
import static org.flowmon.deploy.grafana.DashboardBuilder.string;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.deploy.GoProgram;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The alert rules over metrics, as Prometheus's own engine answers their questions. Without Go, or
 * without its module in the cache or by the proxy, the test is skipped.
 */
class PipelineAlertsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern METRIC = Pattern.compile("\\b(?:flink|flowmon)_\\w+");

  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static GoProgram engine;

  @BeforeAll
  static void build() throws Exception {
    engine = GoProgram.build(folder, "/promql", "alert rules by Prometheus's engine");
  }

  /** One series, which has the value all the time. */
  private record Series(Map<String, String> labels, double value) {
    static Series of(String name, double value, String... labels) {
      Map<String, String> all = new TreeMap<>(Map.of("__name__", name));
      for (int i = 0; i < labels.length; i += 2) {
        all.put(labels[i], labels[i + 1]);
      }
      return new Series(all, value);
    }
  }

  /** The labels of the alerts that a rule makes of the series. */
  private static List<Map<String, String>> fires(String uid, List<Series> series) throws Exception {
    GoProgram.Run run =
        engine.run(
            List.of(),
            JSON.writeValueAsBytes(List.of(Map.of("query", question(uid), "samples", series))));
    assertEquals(0, run.code(), run.err());
    List<Map<String, String>> found = new ArrayList<>();
    for (JsonNode one : JSON.readTree(run.out())) {
      if (one.get("value").asDouble() > 0) { // the rules' condition
        Map<String, String> labels = new TreeMap<>();
        one.get("labels")
            .properties()
            .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        found.add(labels);
      }
    }
    return found;
  }

  private static String question(String uid) throws IOException {
    return Provisioning.alertRules().stream()
        .filter(rule -> rule.get("uid").equals(uid))
        .map(rule -> string(Provisioning.model(rule), "expr"))
        .findFirst()
        .orElseThrow();
  }

  /** A target of the configuration that comes with the dashboards. */
  private record Target(String job, String instance) {
    Series up(boolean isUp) {
      return Series.of("up", isUp ? 1 : 0, "job", job, "instance", instance, "site", "graz");
    }
  }

  private static List<Target> targets() throws IOException {
    List<Target> targets = new ArrayList<>();
    Map<String, Object> file =
        DashboardBuilder.yaml(
            ReportsDatabase.GRAFANA.resolveSibling("prometheus").resolve("prometheus.yml"));
    for (Map<String, Object> job : maps(file, "scrape_configs")) {
      for (Map<String, Object> group : maps(job, "static_configs")) {
        for (Object target : (List<?>) group.get("targets")) {
          targets.add(new Target(string(job, "job_name"), target.toString()));
        }
      }
    }
    return targets;
  }

  @Test
  void eachTargetThatIsDownOrUnknownIsAnAlertOfItsOwn() throws Exception {
    String rule = "flowmon-target-down";
    List<Target> targets = targets();
    assertEquals(
        List.of("flowmon-collector", "flowmon-job", "flowmon-serve"),
        targets.stream().map(Target::job).distinct().sorted().toList());
    List<Series> all = new ArrayList<>(targets.stream().map(target -> target.up(true)).toList());
    all.add(Series.of("up", 0, "job", "node", "instance", "127.0.0.1:9100"));
    assertEquals(List.of(), fires(rule, all), "a part that is not of flowmon's is none of its");
    for (Target down : targets) {
      List<Series> others =
          targets.stream().map(target -> target.up(!target.equals(down))).toList();
      assertEquals(
          List.of(Map.of("job", down.job(), "instance", down.instance())), fires(rule, others));
      List<Series> unknown =
          targets.stream()
              .filter(target -> !target.job().equals(down.job()))
              .map(target -> target.up(true))
              .toList();
      assertEquals(List.of(Map.of("job", down.job())), fires(rule, unknown));
    }
    assertEquals(3, fires(rule, List.of()).size(), "Prometheus knows none");
  }

  @Test
  void aFlinkWithoutAJobIsAnAlert() throws Exception {
    String rule = "flowmon-job-ended";
    String metric = "flink_jobmanager_numRunningJobs";
    assertEquals(List.of(Map.of()), fires(rule, List.of(Series.of(metric, 0, "host", "a"))));
    assertEquals(List.of(), fires(rule, List.of(Series.of(metric, 1, "host", "a"))));
    assertEquals(List.of(), fires(rule, List.of()), "the rule of parts that are down tells");
  }

  @Test
  void reportsThatWaitInOneOfSeveralTasksAreAnAlert() throws Exception {
    String wait = "flowmon-reports-wait";
    String metric = "flink_taskmanager_job_task_operator_flowmon_waiting_reports";
    assertEquals(
        1,
        fires(
                wait,
                List.of(Series.of(metric, 0, "subtask", "0"), Series.of(metric, 3, "subtask", "1")))
            .size());
  }

  @Test
  void noRuleFiresWhenNothingIsWrong() throws Exception {
    int asked = 0;
    for (Map<String, Object> rule : Provisioning.alertRules()) {
      if (!Provisioning.model(rule).containsKey("expr")) {
        continue;
      }
      String uid = string(rule, "uid");
      List<Series> well = new ArrayList<>();
      targets().forEach(target -> well.add(target.up(true)));
      Matcher metric = METRIC.matcher(question(uid));
      while (metric.find()) {
        boolean isJobs = metric.group().equals("flink_jobmanager_numRunningJobs");
        well.add(Series.of(metric.group(), isJobs ? 1 : 0, "instance", "a"));
      }
      assertEquals(List.of(), fires(uid, well), uid);
      asked++;
    }
    assertTrue(asked >= 8, asked + " rules");
  }
}
