package org.flowmon.deploy.grafana;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The files that Grafana loads are what the descriptions say; {@code -Dflowmon.grafana.write=true}
 * writes them.
 */
class DashboardFilesTest {
  @Test
  void theFilesAreMadeOfTheirDescriptions() throws IOException {
    Map<String, String> made = new TreeMap<>();
    DashboardBuilder.dashboards(ReportsDatabase.GRAFANA.resolve("source"))
        .forEach((uid, dashboard) -> made.put(uid + ".json", DashboardBuilder.json(dashboard)));
    if (Boolean.getBoolean("flowmon.grafana.write")) {
      for (Map.Entry<String, String> file : made.entrySet()) {
        Files.writeString(Dashboards.FOLDER.resolve(file.getKey()), file.getValue());
      }
    }
    Map<String, String> found = new TreeMap<>();
    for (Path file : Dashboards.files()) {
      found.put(file.getFileName().toString(), Files.readString(file));
    }
    assertEquals(made.keySet(), found.keySet(), "files; run with -Dflowmon.grafana.write=true");
    made.forEach(
        (name, json) ->
            assertEquals(json, found.get(name), name + "; run with -Dflowmon.grafana.write=true"));
    assertEquals(12, made.size(), made.keySet().toString());
  }
}
