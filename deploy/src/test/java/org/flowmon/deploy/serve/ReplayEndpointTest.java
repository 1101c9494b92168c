package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.serve.access.Tokens;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replays over HTTP are those of the command line, and end when nobody waits for them. */
final class ReplayEndpointTest {
  private static final String PATH = "/api/v1/replays";
  private static final String FROM = "2026-11-01T00:00:00Z";
  private static final String TO = "2026-11-01T00:20:00Z";
  private static final String TALKERS =
      """
      name: talkers_here

      live:
        query: |
          SELECT src_addr, SUM(bytes) AS bytes, COUNT(*) AS flows FROM flows
          GROUP BY src_addr ORDER BY bytes DESC LIMIT 20
        window: 1s
        time: end_time
        lateness: 5s

      report:
        query: SELECT rank, src_addr, bytes, flows FROM live ORDER BY rank

      sinks: [kafka]
      """;

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private Path archive;

  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @BeforeEach
  void start() throws Exception {
    StringBuilder csv = new StringBuilder("end_time,src_addr,dst_addr,bytes\n");
    for (int i = 0; i < 12_000; i++) { // ten a second
      int second = i / 10;
      csv.append(
          String.format(
              "2026-11-01T0%d:%02d:%02dZ,10.0.%d.%d,192.0.2.1,%d%n",
              second / 3600, second / 60 % 60, second % 60, i % 7, i % 10, 100 + i % 1000));
    }
    archive = TestServer.archive(folder, csv.toString());
    Path tokens =
        Files.writeString(
            folder.resolve("tokens"),
            "read r readreadreadreadread\nanalyst a analystanalystanalyst\n");
    server =
        TestServer.start(
            folder, archive, Tokens.read(tokens), Optional.empty(), Duration.ofSeconds(30));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String body(Map<String, Object> members) throws Exception {
    return TestServer.JSON.writeValueAsString(members);
  }

  private HttpResponse<String> replay(String token, String body) throws Exception {
    HttpRequest.Builder request =
        server.jsonRequest("POST", PATH, body).header("Authorization", "Bearer " + token);
    return TestServer.checked("post", PATH, server.send(request.timeout(Duration.ofMinutes(3))));
  }

  private List<JsonNode> lines(HttpResponse<String> answer) throws Exception {
    assertEquals(200, answer.statusCode(), answer.body());
    List<JsonNode> lines = new ArrayList<>();
    for (String line : answer.body().lines().toList()) {
      lines.add(TestServer.checkedAs("ReplayLine", TestServer.JSON.readTree(line)));
    }
    return lines;
  }

  @Test
  void reportsAreThoseOfTheCommandLineAndProgressGoesOn() throws Exception {
    Path file = Files.writeString(folder.resolve("talkers_here.yaml"), TALKERS);
    List<JsonNode> expected = new ArrayList<>();
    CommandRun run =
        CommandRun.of(
            "replay",
            "--archive",
            archive,
            "--analysis",
            file,
            "--from",
            FROM,
            "--to",
            TO,
            "--format",
            "json");
    for (String line : run.out().lines().toList()) {
      expected.add(TestServer.JSON.readTree(line));
    }
    assertEquals(1200 * 10, expected.size());
    List<JsonNode> lines =
        lines(
            replay("analystanalystanalyst", body(Map.of("text", TALKERS, "from", FROM, "to", TO))));
    List<JsonNode> found = new ArrayList<>();
    double share = 0;
    int told = 0;
    for (JsonNode line : lines) {
      if (line.has("report")) {
        line.at("/report/rows").forEach(row -> found.add(row.get("columns")));
      } else if (line.has("progress")) {
        assertTrue(line.at("/progress/share").asDouble() >= share, line.toString());
        share = line.at("/progress/share").asDouble();
        told++;
      }
    }
    assertEquals(expected.size(), found.size());
    for (int i = 0; i < found.size(); i++) {
      assertEquals(expected.get(i).get("columns"), found.get(i), "row " + i);
    }
    assertTrue(told > 1, "progress was told " + told + " times");
    JsonNode end = lines.get(lines.size() - 1).get("end");
    assertEquals(1.0, end.get("share").asDouble());
    assertEquals(1200, end.get("reports").asInt());
    assertEquals(12_000, end.get("rows").asInt());
    assertEquals(12_000, end.get("flows").asInt());
  }

  @Test
  void whatCannotRunIsRefusedWithItsReason() throws Exception {
    Map<String, Object> range = Map.of("from", FROM, "to", TO);
    String known = body(Map.of("analysis", "elephants", "from", FROM, "to", TO));
    assertEquals(403, replay("readreadreadreadread", known).statusCode());
    assertEquals(400, replay("analystanalystanalyst", body(range)).statusCode());
    for (Map.Entry<String, Map<String, Object>> wrong :
        Map.of(
                "is missing", Map.<String, Object>of("analysis", "elephants", "from", FROM),
                "not before", Map.<String, Object>of("text", TALKERS, "from", TO, "to", FROM),
                "name: is missing",
                    Map.<String, Object>of("text", "nonsense: 1", "from", FROM, "to", TO),
                "no window",
                    Map.<String, Object>of(
                        "text", TALKERS, "from", FROM, "to", "2026-11-01T00:00:00.5Z"))
            .entrySet()) {
      HttpResponse<String> answer = replay("analystanalystanalyst", body(wrong.getValue()));
      assertEquals(400, answer.statusCode(), answer.body());
      assertTrue(answer.body().contains(wrong.getKey()), answer.body());
    }
    HttpResponse<String> unknown =
        replay(
            "analystanalystanalyst", body(Map.of("analysis", "unknown", "from", FROM, "to", TO)));
    assertEquals(404, unknown.statusCode(), unknown.body());
  }

  @Test
  void aClientThatGoesFreesTheNextOne() throws Exception {
    String body = body(Map.of("text", TALKERS, "from", FROM, "to", TO));
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.server.port())) {
      OutputStream out = client.getOutputStream();
      out.write(
          ("POST "
                  + PATH
                  + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  + "Authorization: Bearer analystanalystanalyst\r\nContent-Length: "
                  + body.getBytes(StandardCharsets.UTF_8).length
                  + "\r\n\r\n"
                  + body)
              .getBytes(StandardCharsets.UTF_8));
      assertTrue(client.getInputStream().read() >= 0, "it has begun");
      // It is not read any more: what the reports take is more than the sockets hold.
      HttpResponse<String> second = replay("analystanalystanalyst", body);
      assertEquals(429, second.statusCode(), second.body());
      assertTrue(second.body().contains("a replay runs already"), second.body());
    }
    String few = body(Map.of("text", TALKERS, "from", FROM, "to", "2026-11-01T00:00:10Z"));
    HttpResponse<String> next = replay("analystanalystanalyst", few);
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (next.statusCode() == 429 && System.nanoTime() < end) {
      Thread.sleep(100);
      next = replay("analystanalystanalyst", few);
    }
    List<JsonNode> lines = lines(next);
    assertTrue(lines.get(lines.size() - 1).has("end"));
    assertFalse(lines.stream().anyMatch(line -> line.has("error")));
  }

  @Test
  void aReplayThatTakesTooLongSaysSo() throws Exception {
    List<JsonNode> lines =
        lines(
            replay(
                "analystanalystanalyst",
                body(Map.of("text", TALKERS, "from", FROM, "to", TO, "seconds", 1))));
    JsonNode last = lines.get(lines.size() - 1);
    assertEquals("time_limit", last.at("/error/code").asText(), last.toString());
  }
}
