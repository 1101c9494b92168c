package org.flowmon.deploy.grafana;

import static org.flowmon.deploy.grafana.DashboardBuilder.map;
import static org.flowmon.deploy.grafana.DashboardBuilder.maps;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The files of {@code deploy/grafana/provisioning}. */
final class Provisioning {
  private Provisioning() {}

  static Map<String, Object> read(String kind) throws IOException {
    return DashboardBuilder.yaml(
        ReportsDatabase.GRAFANA.resolve("provisioning").resolve(kind).resolve("flowmon.yaml"));
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
