package org.flowmon.deploy.grafana;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The files that Grafana loads are what the descriptions say; {@code -Dflowmon.grafana.write=true}
 * writes them.
 */
class DashboardFilesTest {
  private static final Path FILES = ReportsDatabase.GRAFANA.resolve("dashboards");

  @Test
  void theFilesAreMadeOfTheirDescriptions() throws IOException {
    Map<String, String> made = new TreeMap<>();
    DashboardBuilder.dashboards(ReportsDatabase.GRAFANA.resolve("source"))
        .forEach((uid, dashboard) -> made.put(uid + ".json", DashboardBuilder.json(dashboard)));
    if (Boolean.getBoolean("flowmon.grafana.write")) {
      for (Map.Entry<String, String> file : made.entrySet()) {
        Files.writeString(FILES.resolve(file.getKey()), file.getValue());
      }
    }
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> files = Files.list(FILES)) {
      for (Path file : files.toList()) {
        found.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    assertEquals(made.keySet(), found.keySet(), "files; run with -Dflowmon.grafana.write=true");
    made.forEach(
        (name, json) ->
            assertEquals(json, found.get(name), name + "; run with -Dflowmon.grafana.write=true"));
    assertTrue(made.size() == 12, made.keySet().toString());
  }
}
