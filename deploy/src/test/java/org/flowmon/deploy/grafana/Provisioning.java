package org.flowmon.deploy.grafana;

import static org.flowmon.deploy.grafana.DashboardBuilder.map;
import static org.flowmon.deploy.grafana.DashboardBuilder.maps;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The files of {@code deploy/grafana/provisioning}. */
final class Provisioning {
  private Provisioning() {}

  static Map<String, Object> read(String kind) throws IOException {
    String text =
        Files.readString(
            ReportsDatabase.GRAFANA.resolve("provisioning").resolve(kind).resolve("flowmon.yaml"));
    LoadSettings settings = LoadSettings.builder().setMaxAliasesForCollections(100).build();
    return map(new Load(settings).loadFromString(text));
  }

  static List<Map<String, Object>> alertRules() throws IOException {
    List<Map<String, Object>> all = new ArrayList<>();
    for (Map<String, Object> group : maps(read("alerting"), "groups")) {
      all.addAll(maps(group, "rules"));
    }
    return all;
  }

  /** The model of a rule's query of data. */
  static Map<String, Object> model(Map<String, Object> rule) {
    return map(maps(rule, "data").get(0).get("model"));
  }
}
