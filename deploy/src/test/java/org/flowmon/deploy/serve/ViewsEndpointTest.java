package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.flowmon.deploy.serve.access.Tokens;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shared views: kept over a restart, changed by analysts, never lost between two writers. */
final class ViewsEndpointTest {
  private static final String ANALYST = "analystanalystanalyst";
  private static final String READER = "readreadreadreadread";

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private Path archive;

  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @BeforeEach
  void start() throws Exception {
    archive =
        TestServer.archive(folder, "end_time,src_addr,bytes\n2026-11-01T00:00:10Z,10.0.0.1,5\n");
    serve();
  }

  private void serve() throws Exception {
    Path tokens =
        Files.writeString(
            folder.resolve("tokens"), "read r " + READER + "\nanalyst ann " + ANALYST + "\n");
    server =
        TestServer.start(
            folder, archive, Tokens.read(tokens), Optional.empty(), Duration.ofSeconds(30));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpResponse<String> ask(
      String method, String path, String token, String body, String... headers) throws Exception {
    HttpRequest.Builder request =
        body.isEmpty()
            ? server.request(path).method(method, HttpRequest.BodyPublishers.noBody())
            : server.jsonRequest(method, path, body);
    request.header("Authorization", "Bearer " + token);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return TestServer.checked(method.toLowerCase(Locale.ROOT), path, server.send(request));
  }

  private static String view(String filter) throws Exception {
    return TestServer.JSON.writeValueAsString(
        Map.of("page", "explore", "parameters", Map.of("by", "dst_addr", "filter", filter)));
  }

  private JsonNode all() throws Exception {
    return server.json(ask("GET", "/api/v1/views", READER, "")).get("views");
  }

  @Test
  void aViewIsKeptOverARestartAndRemoved() throws Exception {
    assertEquals(0, all().size());
    String path = "/api/v1/views/web%20%C3%BC%22";
    HttpResponse<String> kept = ask("PUT", path, ANALYST, view("dst_port = 443"));
    assertEquals("\"1\"", kept.headers().firstValue("ETag").orElse(""));
    server.close();
    serve();
    JsonNode one = all().get(0);
    assertEquals("web ü\"", one.get("name").asText());
    assertEquals("dst_port = 443", one.at("/parameters/filter").asText());
    assertEquals("ann", one.get("by").asText());
    assertEquals(one, server.json(ask("GET", path, READER, "")));
    assertEquals(200, ask("DELETE", path, ANALYST, "").statusCode());
    assertEquals(404, ask("GET", path, READER, "").statusCode());
    assertEquals(404, ask("DELETE", path, ANALYST, "").statusCode());
  }

  @Test
  void onlyAnalystsChangeViewsAndOnlyRightOnes() throws Exception {
    String path = "/api/v1/views/x";
    assertEquals(403, ask("PUT", path, READER, view("")).statusCode());
    assertEquals(403, ask("DELETE", path, READER, "").statusCode());
    for (String wrong :
        List.of(
            "{\"page\": \"other\", \"parameters\": {}}",
            "{\"page\": \"explore\"}",
            "{\"page\": \"explore\", \"parameters\": {\"by\": 7}}",
            "{\"page\": \"explore\", \"parameters\": {\"B\": \"x\"}}",
            "{\"page\": \"explore\", \"parameters\": {\"by\": \"" + "x".repeat(10_001) + "\"}}")) {
      assertEquals(400, ask("PUT", path, ANALYST, wrong).statusCode(), wrong);
    }
    assertEquals(
        400, ask("PUT", "/api/v1/views/%20x", ANALYST, view("")).statusCode(), "a blank before");
    assertEquals(400, ask("PUT", path, ANALYST, view(""), "If-Match", "W/\"1\"").statusCode());
    assertEquals(0, all().size());
  }

  @Test
  void aChangeOfAnOldRevisionIsRefused() throws Exception {
    String path = "/api/v1/views/x";
    assertEquals(200, ask("PUT", path, ANALYST, view("a"), "If-None-Match", "*").statusCode());
    assertEquals(412, ask("PUT", path, ANALYST, view("b"), "If-None-Match", "*").statusCode());
    assertEquals(200, ask("PUT", path, ANALYST, view("c"), "If-Match", "\"1\"").statusCode());
    HttpResponse<String> old = ask("PUT", path, ANALYST, view("d"), "If-Match", "\"1\"");
    assertEquals(412, old.statusCode());
    assertTrue(old.body().contains("of revision 2"), old.body());
    assertEquals(412, ask("DELETE", path, ANALYST, "", "If-Match", "\"1\"").statusCode());
    assertEquals("c", all().get(0).at("/parameters/filter").asText());
  }

  @Test
  void ofManyWritersOfOneRevisionOneWins() throws Exception {
    String path = "/api/v1/views/x";
    ask("PUT", path, ANALYST, view("first"));
    List<CompletableFuture<Integer>> writers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String body = view("writer " + i);
      writers.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return ask("PUT", path, ANALYST, body, "If-Match", "\"1\"").statusCode();
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              }));
    }
    int won = 0;
    for (CompletableFuture<Integer> writer : writers) {
      won += writer.get() == 200 ? 1 : 0;
    }
    assertEquals(1, won);
    assertEquals(2, all().get(0).get("revision").asInt());
  }

  @Test
  void aViewMadeAnewHasAnotherRevision() throws Exception {
    String path = "/api/v1/views/again";
    ask("PUT", path, ANALYST, view("first"));
    assertEquals(200, ask("DELETE", path, ANALYST, "").statusCode());
    HttpResponse<String> anew = ask("PUT", path, ANALYST, view("second"));
    assertEquals("\"2\"", anew.headers().firstValue("ETag").orElse(""));
    assertEquals(412, ask("PUT", path, ANALYST, view("c"), "If-Match", "\"1\"").statusCode());
  }

  @Test
  void moreViewsThanThereMayBeAreRefused() throws Exception {
    ObjectNode whole = TestServer.JSON.createObjectNode().put("version", 1);
    ObjectNode views = whole.putObject("views");
    for (int i = 0; i < 1000; i++) {
      ObjectNode one = (ObjectNode) TestServer.JSON.readTree(view("bytes > " + i));
      views.set("v" + i, one.put("revision", 1).put("by", "ann").put("at", "2026-11-01T00:00:00Z"));
    }
    Files.writeString(folder.resolve("views.json"), whole.toString());
    HttpResponse<String> more = ask("PUT", "/api/v1/views/x", ANALYST, view("a"));
    assertEquals(413, more.statusCode());
    assertTrue(more.body().contains("1000 views already"), more.body());
    assertEquals(200, ask("PUT", "/api/v1/views/v7", ANALYST, view("b")).statusCode());
    assertEquals(200, ask("DELETE", "/api/v1/views/v8", ANALYST, "").statusCode());
    assertEquals(200, ask("PUT", "/api/v1/views/x", ANALYST, view("a")).statusCode());
    assertEquals(1000, all().size());
  }

  @Test
  void aDamagedFileIsNamedAndLeftAlone() throws Exception {
    Path file = folder.resolve("views.json");
    Files.writeString(file, "{\"version\": 2}");
    HttpResponse<String> answer = ask("GET", "/api/v1/views", READER, "");
    assertEquals(503, answer.statusCode());
    assertTrue(answer.body().contains("views.json is damaged"), answer.body());
    assertEquals(503, ask("PUT", "/api/v1/views/x", ANALYST, view("")).statusCode());
    assertEquals("{\"version\": 2}", Files.readString(file));
    assertFalse(Files.exists(folder.resolve("views.json.next")));
  }
}
