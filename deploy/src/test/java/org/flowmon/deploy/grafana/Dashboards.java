package org.flowmon.deploy.grafana;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.flowmon.jobs.analysis.AnalysisConfig;

/** The files that are provisioned, read back. */
public final class Dashboards {
  static final Path FOLDER = ReportsDatabase.GRAFANA.resolve("dashboards");
  private static final ObjectMapper JSON = new ObjectMapper();

  /** A panel's query, or a variable's. */
  public record Question(String dashboard, String title, boolean isSeries, String text) {
    @Override
    public String toString() {
      return dashboard + ": " + title;
    }
  }

  private Dashboards() {}

  static List<Path> files() throws IOException {
    return files(FOLDER);
  }

  /** The files of a folder, by their names. */
  static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  public static List<JsonNode> all() throws IOException {
    List<JsonNode> all = new ArrayList<>();
    for (Path file : files()) {
      all.add(JSON.readTree(Files.readString(file)));
    }
    return all;
  }

  public static JsonNode of(String uid) throws IOException {
    return all().stream().filter(d -> d.get("uid").asText().equals(uid)).findFirst().orElseThrow();
  }

  /** The panels' and variables' SQL. */
  public static List<Question> sql() throws IOException {
    List<Question> all = new ArrayList<>();
    for (JsonNode dashboard : all()) {
      String uid = dashboard.get("uid").asText();
      for (JsonNode panel : dashboard.get("panels")) {
        for (JsonNode target : panel.get("targets")) {
          if (target.has("rawSql")) {
            boolean isSeries = target.get("format").asText().equals("time_series");
            String title = panel.get("title").asText();
            all.add(new Question(uid, title, isSeries, target.get("rawSql").asText()));
          }
        }
      }
      for (JsonNode variable : dashboard.get("templating").get("list")) {
        if (variable.get("type").asText().equals("query") && variable.get("query").isTextual()) {
          String title = "variable " + variable.get("name").asText();
          all.add(new Question(uid, title, false, variable.get("query").asText()));
        }
      }
    }
    return all;
  }

  /** Metrics that panels, variables and alert rules ask Prometheus for, of this prefix. */
  public static Set<String> metrics(String prefix) throws IOException {
    StringBuilder asked = new StringBuilder();
    for (JsonNode target : of("flowmon-health").findValues("expr")) {
      asked.append(target.asText()).append('\n');
    }
    for (Map<String, Object> rule : Provisioning.alertRules()) {
      asked.append(Provisioning.model(rule).getOrDefault("expr", "")).append('\n');
    }
    Set<String> names = new TreeSet<>();
    Matcher name = Pattern.compile("\\b" + prefix + "\\w+").matcher(asked);
    while (name.find()) {
      names.add(name.group());
    }
    return names;
  }

  /** The analyses that the dashboards of traffic read. */
  static List<AnalysisConfig> analyses() throws IOException {
    return files(ReportsDatabase.GRAFANA.resolve("analyses")).stream()
        .map(AnalysisConfig::read)
        .toList();
  }
}
