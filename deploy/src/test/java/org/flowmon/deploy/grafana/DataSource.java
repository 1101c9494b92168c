package org.flowmon.deploy.grafana;

import java.util.Map;

/** The kinds of data sources; panels name a variable, so that any source of the kind may serve. */
enum DataSource {
  POSTGRES("grafana-postgresql-datasource", "datasource", "Reports"),
  PROMETHEUS("prometheus", "datasource", "Metrics"),
  INFINITY("yesoreyeram-infinity-datasource", "infinity_datasource", "Archive");

  final String type;
  final String variable;
  final String label;

  DataSource(String type, String variable, String label) {
    this.type = type;
    this.variable = variable;
    this.label = label;
  }

  Map<String, Object> reference() {
    return DashboardBuilder.ordered("type", type, "uid", "${" + variable + "}");
  }
}
