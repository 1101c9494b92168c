package org.flowmon.deploy.grafana;

import static org.flowmon.deploy.grafana.DashboardBuilder.maps;
import static org.flowmon.deploy.grafana.DashboardBuilder.string;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.deploy.GoProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Grafana's own types read the dashboards and alert rules strictly (grafana-foundation-sdk, in Go).
 * Without Go, or without this module in its cache or by its proxy, the test is skipped.
 */
class GrafanaSchemaTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  @TempDir Path folder;

  private static GoProgram.Run check(GoProgram program, List<Path> files) throws Exception {
    return program.run(files.stream().map(file -> file.toAbsolutePath().toString()).toList());
  }

  /** A rule of a provisioning file as the interface of Grafana has it. */
  private Path rule(Map<String, Object> rule) throws IOException {
    Map<String, Object> all = new LinkedHashMap<>(rule);
    all.put("orgID", 1);
    all.put("folderUID", "flowmon");
    all.put("ruleGroup", "flowmon");
    for (Map<String, Object> query : maps(rule, "data")) {
      assertTrue(query.containsKey("model"), rule.toString());
    }
    Path file = folder.resolve(string(rule, "uid") + ".rule.json");
    return Files.writeString(file, JSON.writeValueAsString(all));
  }

  @Test
  void dashboardsAndAlertRulesAreThoseOfGrafanasTypes() throws Exception {
    GoProgram program = GoProgram.build(folder, "/grafana", "dashboards by Grafana's types");
    List<Path> files = new ArrayList<>(Dashboards.files());
    for (Map<String, Object> rule : Provisioning.alertRules()) {
      files.add(rule(rule));
    }
    GoProgram.Run run = check(program, files);
    assertEquals("ok " + files.size(), run.out().strip());
    // and it does find a fault
    Path one = files.get(0);
    Path wrong =
        Files.writeString(
            folder.resolve("wrong.json"),
            Files.readString(one).replace("\"gridPos\"", "\"gridPlace\""));
    run = check(program, List.of(wrong));
    assertEquals(1, run.code());
    assertTrue(run.out().contains("gridPlace"), run.out());
  }
}
