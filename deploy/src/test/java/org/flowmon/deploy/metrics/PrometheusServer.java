package org.flowmon.deploy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.flowmon.jobs.embedded.EmbeddedKafka;

/**
 * A real Prometheus with what {@code deploy/prometheus} has: only targets and times are the test's.
 * Tests are skipped without it, unless {@code FLOWMON_REQUIRE_TOOLS} is 1.
 */
public final class PrometheusServer implements AutoCloseable {
  public static final Path FOLDER = Path.of("..", "deploy", "prometheus");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(3);

  private final Process process;
  private final String url;
  private final Path log;
  private final HttpClient client = HttpClient.newHttpClient();

  private PrometheusServer(Process process, String url, Path log) {
    this.process = process;
    this.url = url;
    this.log = log;
  }

  /** {@code targets}: the place of each scrape job; other jobs are left out. */
  public static PrometheusServer start(Path folder, Map<String, String> targets) throws Exception {
    require("prometheus");
    StringBuilder config = new StringBuilder();
    String[] parts = Files.readString(FOLDER.resolve("prometheus.yml")).split("  - job_name: ", -1);
    config.append(parts[0].replace(": 15s", ": 1s"));
    for (int i = 1; i < parts.length; i++) {
      String target = targets.get(parts[i].split("\\s", 2)[0]);
      if (target != null) {
        config
            .append("  - job_name: ")
            .append(parts[i].replaceFirst("targets: \\[.*\\]}", "targets: [\"" + target + "\"]}"));
      }
    }
    Path file = Files.writeString(folder.resolve("prometheus.yml"), config);
    Files.writeString(
        folder.resolve("flowmon-alerts.yml"),
        Files.readString(FOLDER.resolve("flowmon-alerts.yml")).replace("for: 1m", "for: 2s"));
    String address = "127.0.0.1:" + EmbeddedKafka.freePort();
    Path log = folder.resolve("prometheus.log");
    Process process =
        new ProcessBuilder(
                "prometheus",
                "--config.file=" + file,
                "--storage.tsdb.path=" + folder.resolve("prometheus"),
                "--web.listen-address=" + address)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    return new PrometheusServer(process, "http://" + address, log);
  }

  /** The program's output; ends the test if its exit code is another one. */
  static String promtool(int expected, Path input, String... arguments) throws Exception {
    require("promtool");
    List<String> command = new ArrayList<>(List.of("promtool"));
    command.addAll(List.of(arguments));
    Path out = Files.createTempFile("promtool", ".out");
    try {
      Process run =
          new ProcessBuilder(command)
              .directory(FOLDER.toFile())
              .redirectInput(input.toAbsolutePath().toFile())
              .redirectErrorStream(true)
              .redirectOutput(out.toFile())
              .start();
      int code = run.waitFor();
      assertEquals(expected, code, () -> command + ": " + text(out));
      return text(out);
    } finally {
      Files.delete(out);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static void require(String program) throws InterruptedException {
    try {
      assertEquals(
          0,
          new ProcessBuilder(program, "--version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor());
    } catch (IOException e) {
      if ("1".equals(System.getenv("FLOWMON_REQUIRE_TOOLS"))) {
        fail(program + " is not installed, and FLOWMON_REQUIRE_TOOLS=1");
      }
      abort("skipped: " + program + " is not installed");
    }
  }

  /** The results of a query now, as Prometheus gives them. */
  public JsonNode query(String promql) throws Exception {
    String path = "/api/v1/query?query=" + URLEncoder.encode(promql, StandardCharsets.UTF_8);
    return data(path).get("result");
  }

  /** Waits until a query has results; returns them. */
  public JsonNode await(String promql) throws Exception {
    long end = System.nanoTime() + LIMIT_NANOS;
    while (System.nanoTime() < end) {
      assertTrue(process.isAlive(), () -> text(log));
      try {
        JsonNode found = query(promql);
        if (!found.isEmpty()) {
          return found;
        }
      } catch (ConnectException e) {
        // it starts
      }
      Thread.sleep(200);
    }
    return fail(promql + " has no results; targets: " + data("/api/v1/targets"));
  }

  private JsonNode data(String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + path)).build();
    String body = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    JsonNode answer;
    try {
      answer = JSON.readTree(body);
    } catch (IOException e) {
      throw new ConnectException(body); // "Service Unavailable" while it starts
    }
    assertEquals("success", answer.path("status").asText(), body);
    return answer.get("data");
  }

  @Override
  public void close() throws Exception {
    process.destroy();
    if (!process.waitFor(20, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }
}
