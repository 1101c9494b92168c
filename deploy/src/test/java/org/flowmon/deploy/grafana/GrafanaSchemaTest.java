package org.flowmon.deploy.grafana;

import static org.flowmon.deploy.grafana.DashboardBuilder.maps;
import static org.flowmon.deploy.grafana.DashboardBuilder.string;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Grafana's own types read the dashboards and alert rules strictly (grafana-foundation-sdk, in Go).
 * Without Go, or without this module in its cache or by its proxy, the test is skipped.
 */
class GrafanaSchemaTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path GO =
      Stream.of("/usr/local/go/bin/go", "/usr/bin/go")
          .map(Path::of)
          .filter(Files::isExecutable)
          .findFirst()
          .orElse(Path.of("go"));

  @TempDir Path folder;

  private record Run(int code, String out) {}

  private static Run go(Path folder, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(GO.toString()));
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(15, TimeUnit.MINUTES), "go does not end");
    return new Run(process.exitValue(), out);
  }

  /**
   * Builds a program in Go from resources; without Go or its modules the test is skipped.
   *
   * @param what is not checked then
   * @return the program, in {@code folder}
   */
  static Path program(Path folder, String resources, String what) throws Exception {
    assumeTrue(Files.isExecutable(GO), "Go is missing: " + what);
    for (String name : List.of("go.mod", "go.sum", "main.go")) {
      String resource = resources + name + ".txt";
      try (InputStream in = GrafanaSchemaTest.class.getResourceAsStream(resource)) {
        assertTrue(in != null, resource);
        Files.write(folder.resolve(name), in.readAllBytes());
      }
    }
    Run run = go(folder, List.of("build", "-o", "check", "."));
    assumeTrue(run.code() == 0, "a module of Go is missing: " + what + ": " + run.out());
    return folder.resolve("check");
  }

  private Run check(List<Path> files) throws Exception {
    List<String> command = new ArrayList<>(List.of(folder.resolve("check").toString()));
    files.forEach(file -> command.add(file.toAbsolutePath().toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Run(process.waitFor(), out);
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
    program(folder, "/grafana/", "dashboards are not checked by Grafana's types");
    List<Path> files = new ArrayList<>(Dashboards.files());
    for (Map<String, Object> rule : Provisioning.alertRules()) {
      files.add(rule(rule));
    }
    Run run = check(files);
    assertEquals("ok " + files.size(), run.out().strip());
    // and it does find a fault
    Path one = files.get(0);
    Path wrong =
        Files.writeString(
            folder.resolve("wrong.json"),
            Files.readString(one).replace("\"gridPos\"", "\"gridPlace\""));
    run = check(List.of(wrong));
    assertEquals(1, run.code());
    assertTrue(run.out().contains("gridPlace"), run.out());
  }
}
