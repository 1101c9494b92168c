package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.serve.access.Tokens;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may ask a server what, and how long. */
final class ServeCommandTest {
  private static final String READER = "reader-0123456789abcdef";
  private static final String ANALYST = "analyst-0123456789abcdef";
  private static final String ADMIN = "admin-0123456789abcdef";

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private Path archive;

  @BeforeEach
  void fill() throws Exception {
    archive =
        TestServer.archive(
            folder,
            "end_time,src_addr,dst_addr,bytes\n2026-11-01T00:00:10Z,10.0.0.1,192.0.2.1,5\n");
  }

  private Path tokens(String text) throws Exception {
    return Files.writeString(folder.resolve("tokens.txt"), text);
  }

  @Test
  void tokensHaveRoles() throws Exception {
    Tokens tokens =
        Tokens.read(
            tokens(
                "# who asks\n\nread grafana "
                    + READER
                    + "\nanalyst ann "
                    + ANALYST
                    + "\nadmin root "
                    + ADMIN
                    + "\n"));
    try (TestServer server =
        TestServer.start(folder, archive, tokens, Optional.empty(), Duration.ofSeconds(30))) {
      assertEquals(200, server.get("/api/v1/health").statusCode(), "health needs no token");
      HttpResponse<String> nobody = server.get("/api/v1/session");
      assertEquals(401, nobody.statusCode());
      assertEquals("Bearer", nobody.headers().firstValue("WWW-Authenticate").orElse(""));
      assertEquals(401, as(server, "wrong-0123456789abcdef", "GET", "/api/v1/session", ""));
      assertEquals(401, as(server, "", "GET", "/api/v1/session", ""));
      for (String[] one :
          new String[][] {{READER, "read"}, {ANALYST, "analyst"}, {ADMIN, "admin"}}) {
        HttpResponse<String> answer =
            server.send(
                server.request("/api/v1/session").header("Authorization", "Bearer " + one[0]));
        assertEquals(one[1], server.json(answer).get("role").asText());
      }
      String query = "{\"sql\": \"SELECT COUNT(*) FROM flows\"}";
      assertEquals(200, as(server, READER, "POST", "/api/v1/query", query));
      String resolve = "/api/v1/alerts/5b0cbd9a1a9d3b9f7f6f4b9a0f3c2d11/resolve";
      assertEquals(403, as(server, READER, "POST", resolve, ""));
      assertEquals(503, as(server, ANALYST, "POST", resolve, ""), "there is no job");
      String analysis = "/api/v1/analyses/mice";
      assertEquals(403, as(server, ANALYST, "DELETE", analysis, ""));
      assertEquals(503, as(server, ADMIN, "DELETE", analysis, ""), "there is no job");
      List<JsonNode> audited = server.audited();
      assertTrue(
          audited.stream()
              .anyMatch(
                  line ->
                      line.path("who").asText().equals("grafana")
                          && line.path("sql").asText().contains("COUNT(*)")
                          && line.path("rows").asInt() == 1),
          audited.toString());
      assertTrue(
          audited.stream().noneMatch(line -> line.toString().contains(READER)), "no secrets");
    }
  }

  private static int as(TestServer server, String token, String method, String path, String body)
      throws Exception {
    HttpRequest.Builder request =
        body.isEmpty()
            ? server.request(path).method(method, HttpRequest.BodyPublishers.noBody())
            : server.jsonRequest(method, path, body);
    HttpResponse<String> answer = server.send(request.header("Authorization", "Bearer " + token));
    return answer.statusCode();
  }

  @Test
  void wrongTokenFilesAreNamedWithTheirLine() throws Exception {
    for (String[] one :
        new String[][] {
          {"read a short\n", ":1: the token is too short"},
          {"\nboss a 0123456789abcdef\n", ":2: the role 'boss' is unknown"},
          {"read 0123456789abcdef\n", ":1: expected ROLE NAME TOKEN"},
          {"# none\n", "has no token"},
          {"read a 0123456789abcdef\nread a 0123456789abcdeg\n", ":2: 'a' has a token already"}
        }) {
      CommandRun run = CommandRun.of("serve", "--archive", archive, "--tokens", tokens(one[0]));
      assertEquals(3, run.code(), run.toString());
      assertTrue(run.err().contains(one[1]), run.err());
      assertFalse(run.err().contains("0123456789"), "no secrets");
    }
  }

  @Test
  void nothingListensBeyondThisMachineWithoutTokensAndTls() throws Exception {
    CommandRun bare = CommandRun.of("serve", "--archive", archive, "--listen", "0.0.0.0:0");
    assertEquals(2, bare.code());
    assertTrue(bare.err().contains("add --tokens FILE, --tls-key FILE and --tls-cert"), bare.err());
    Path tokens = tokens("read a 0123456789abcdef\n");
    CommandRun plain =
        CommandRun.of("serve", "--archive", archive, "--listen", "0.0.0.0:0", "--tokens", tokens);
    assertEquals(2, plain.code());
  }

  @Test
  void aQueryEndsAtItsTimeLimit() throws Exception {
    try (TestServer server =
        TestServer.start(folder, archive, Tokens.NONE, Optional.empty(), Duration.ofNanos(1))) {
      HttpResponse<String> late =
          server.post("/api/v1/query", "{\"sql\": \"SELECT COUNT(*) FROM flows\"}");
      assertEquals(408, late.statusCode(), late.body());
      assertEquals(
          "time_limit", TestServer.JSON.readTree(late.body()).get("code").asText(), late.body());
    }
  }

  @Test
  void everyRequestOfTheArchiveEndsAtTheTimeLimit() throws Exception {
    try (TestServer server =
        TestServer.start(folder, archive, Tokens.NONE, Optional.empty(), Duration.ofNanos(1))) {
      for (HttpResponse<String> late :
          List.of(
              server.post("/api/v1/seen", "{\"addresses\": [\"10.0.0.1\"]}"),
              server.post("/api/v1/seen", addresses(2_001)),
              server.get("/api/v1/flows?address=10.0.0.1"),
              server.get("/api/v1/hosts/10.0.0.1"),
              server.get("/api/v1/exporters"))) {
        assertEquals(408, late.statusCode(), late.body());
        assertEquals("time_limit", TestServer.JSON.readTree(late.body()).get("code").asText());
      }
    }
  }

  @Test
  void seenOfManyAddressesIsALargeQuery() throws Exception {
    try (TestServer server = TestServer.start(folder, archive)) {
      for (int count : new int[] {2_000, 2_001}) {
        JsonNode seen = server.json(server.post("/api/v1/seen", addresses(count)));
        assertEquals(count, seen.get("hosts").size());
        assertTrue(seen.get("hosts").get(1).get("seen").asBoolean(), "10.0.0.1");
      }
      List<String> lanes =
          server.audited().stream()
              .filter(line -> line.path("path").asText().equals("/api/v1/seen"))
              .map(line -> line.path("addresses").asInt() + " " + line.path("lane").asText())
              .toList();
      assertEquals(List.of("2000 small", "2001 large"), lanes);
    }
  }

  private static String addresses(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "\"10.0." + i / 256 + "." + i % 256 + "\"")
        .collect(Collectors.joining(", ", "{\"seconds\": 20, \"addresses\": [", "]}"));
  }

  @Test
  void withoutAJobTheAnalysesThatComeWithFlowmonAreListed() throws Exception {
    try (TestServer server = TestServer.start(folder, archive)) {
      JsonNode all = server.json(server.get("/api/v1/analyses"));
      assertTrue(all.get("analyses").size() > 5, all.toString());
      String name = all.get("analyses").get(0).get("name").asText();
      JsonNode one = server.json(server.get("/api/v1/analyses/" + name));
      String text = one.get("text").asText();
      JsonNode right = server.json(check(server, text));
      assertTrue(right.get("valid").asBoolean(), right.toString());
      assertEquals(name, right.get("name").asText());
      JsonNode wrong = server.json(check(server, text.replace("window", "windw")));
      assertTrue(wrong.get("errors").size() > 0, wrong.toString());
      assertEquals(404, server.get("/api/v1/analyses/no_such").statusCode());
      assertEquals(503, server.get("/api/v1/reports").statusCode());
      assertEquals(503, server.get("/api/v1/alerts").statusCode());
    }
  }

  private static HttpResponse<String> check(TestServer server, String text) throws Exception {
    return server.post(
        "/api/v1/analyses/check", TestServer.JSON.writeValueAsString(Map.of("text", text)));
  }
}
