package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.deploy.CommandRun;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers of a running server: each fits the contract, and says what the command line says. */
final class ContractTest {
  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static Path archive;

  @SuppressWarnings("NullAway.Init")
  private static TestServer server;

  private static final int FLOWS = 3000;

  @BeforeAll
  static void start() throws Exception {
    Random random = new Random(22);
    StringBuilder csv =
        new StringBuilder(
            "end_time,arrival,src_addr,dst_addr,src_port,dst_port,protocol,bytes,packets,state\n");
    for (int i = 0; i < FLOWS; i++) {
      // Few times, so that many flows share one; some flows have none.
      csv.append(
          String.format(
              "%s,2026-11-04T00:00:00Z,10.0.%d.%d,192.0.2.%d,%d,%d,%d,%d,%d,%s%n",
              i % 50 == 0 ? "" : "2026-11-0" + (1 + i / 1000) + "T00:00:" + (10 + i % 40) + "Z",
              random.nextInt(4),
              random.nextInt(200),
              random.nextInt(20),
              1024 + i,
              List.of(53, 80, 443).get(random.nextInt(3)),
              random.nextBoolean() ? 6 : 17,
              random.nextInt(1_000_000),
              random.nextInt(1000),
              List.of("SF", "S0", "REJ").get(random.nextInt(3))));
    }
    archive = TestServer.archive(folder, csv.toString());
    server = TestServer.start(folder, archive);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void answersAreThoseOfTheCommandLine() throws Exception {
    for (String sql :
        List.of(
            "SELECT COUNT(*) AS flows, SUM(bytes) AS bytes FROM flows",
            "SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr ORDER BY bytes DESC,"
                + " src_addr LIMIT 20",
            "SELECT * FROM flows WHERE dst_port = 53 ORDER BY src_port",
            "SELECT state, protocol, AVG(bytes) AS mean, MIN(end_time) AS first FROM flows GROUP BY"
                + " state, protocol ORDER BY state, protocol",
            "SELECT dst_addr, COUNT(DISTINCT src_addr) AS sources FROM flows GROUP BY dst_addr"
                + " HAVING sources > 100 ORDER BY dst_addr",
            "SELECT QUANTILE(QUANTILES(bytes), 0.95) AS p95 FROM flows",
            "SELECT src_addr FROM flows WHERE dst_port = 1")) {
      JsonNode answer = server.query(sql);
      CommandRun run = CommandRun.of("query", sql, "--archive", archive, "--format", "json");
      assertEquals(TestServer.JSON.readTree(run.out()), answer.get("rows"), sql);
      assertEquals(answer.get("rows").size(), answer.get("row_count").asInt());
      assertTrue(answer.get("next").isNull(), sql);
      CommandRun csv = CommandRun.of("query", sql, "--archive", archive, "--format", "csv");
      assertEquals(csv.out(), formatted(sql, "csv"), sql);
      List<JsonNode> lines = new ArrayList<>();
      for (String line : formatted(sql, "ndjson").lines().toList()) {
        lines.add(TestServer.JSON.readTree(line));
      }
      assertEquals(answer.get("rows"), TestServer.JSON.valueToTree(lines), sql);
    }
  }

  private static String formatted(String sql, String format) throws Exception {
    HttpResponse<String> answer =
        server.post(
            "/api/v1/query",
            TestServer.JSON.writeValueAsString(Map.of("sql", sql, "format", format)));
    assertEquals(200, answer.statusCode(), answer.body());
    return answer.body();
  }

  @Test
  void approximateAnswersSayHowFarTheyMayBeOff() throws Exception {
    JsonNode bound =
        server
            .query("SELECT QUANTILE(QUANTILES(bytes), 0.95) AS p95 FROM flows")
            .get("approximate")
            .get(0);
    assertEquals("p95", bound.get("column").asText());
    assertEquals("ranks", bound.get("bound_of").asText());
    JsonNode exact = server.query(bound.get("exact").asText());
    assertEquals(1, exact.get("row_count").asInt(), "the exact query answers");
  }

  @Test
  void parametersHaveTypes() throws Exception {
    String body =
        """
        {"sql": "SELECT COUNT(*) AS n FROM flows WHERE dst_port = :port AND src_addr IN (:hosts)\
         AND end_time >= :from AND protocol < :most",
         "parameters": {"port": 53, "hosts": ["10.0.0.1", "10.0.1.1"],
           "from": {"type": "timestamp", "value": "2026-11-01T00:00:00Z"}, "most": 256}}
        """;
    JsonNode answer = server.json(server.post("/api/v1/query", body));
    JsonNode expected =
        server.query(
            "SELECT COUNT(*) AS n FROM flows WHERE dst_port = 53 AND src_addr IN ('10.0.0.1',"
                + " '10.0.1.1') AND end_time >= '2026-11-01T00:00:00Z' AND protocol < 256");
    assertEquals(expected.get("rows"), answer.get("rows"));
    for (String wrong :
        List.of(
            "{\"sql\": \"SELECT :x FROM flows\"}",
            "{\"sql\": \"SELECT bytes FROM flows\", \"parameters\": {\"x\": 1}}",
            "{\"sql\": \"SELECT bytes FROM flows WHERE bytes = :x\", \"parameters\": {\"x\":"
                + " {\"type\": \"address\", \"value\": \"x\"}}}",
            "{\"sql\": \"SELECT bytes FROM flows\", \"parameters\": 7}")) {
      assertEquals(400, server.post("/api/v1/query", wrong).statusCode(), wrong);
    }
  }

  @Test
  void pagesOfAQueryHaveEachRowOnce() throws Exception {
    String sql = "SELECT src_port, end_time FROM flows ORDER BY end_time, src_port";
    List<JsonNode> rows = new ArrayList<>();
    String cursor = null;
    int pages = 0;
    do {
      Map<String, Object> body =
          cursor == null
              ? Map.of("sql", sql, "limit", 700)
              : Map.of("sql", sql, "limit", 700, "cursor", cursor);
      JsonNode page =
          server.json(server.post("/api/v1/query", TestServer.JSON.writeValueAsString(body)));
      page.get("rows").forEach(rows::add);
      cursor = page.get("next").isNull() ? null : page.get("next").asText();
      pages++;
    } while (cursor != null);
    assertEquals(5, pages);
    assertEquals(server.query(sql).get("rows"), TestServer.JSON.valueToTree(rows));
  }

  @Test
  void aCursorOfAnotherQueryIsRefused() throws Exception {
    String first =
        TestServer.JSON.writeValueAsString(Map.of("sql", "SELECT bytes FROM flows", "limit", 1));
    String cursor = server.json(server.post("/api/v1/query", first)).get("next").asText();
    for (String wrong : List.of(cursor, "x", "AAAA", cursor.substring(1))) {
      String body =
          TestServer.JSON.writeValueAsString(
              Map.of("sql", "SELECT packets FROM flows", "limit", 1, "cursor", wrong));
      assertEquals(400, server.post("/api/v1/query", body).statusCode(), wrong);
    }
  }

  @Test
  void aCursorSkipsNoMoreRowsThanThereCanBe() throws Exception {
    String sql = "SELECT bytes FROM flows";
    String first = TestServer.JSON.writeValueAsString(Map.of("sql", sql, "limit", 1));
    String cursor = server.json(server.post("/api/v1/query", first)).get("next").asText();
    ArrayNode place = (ArrayNode) TestServer.JSON.readTree(Base64.getUrlDecoder().decode(cursor));
    for (long skip : new long[] {-1, (1L << 40) + 1, Long.MAX_VALUE}) {
      place.set(3, skip);
      byte[] bytes = TestServer.JSON.writeValueAsBytes(place);
      String made = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
      String body =
          TestServer.JSON.writeValueAsString(Map.of("sql", sql, "limit", 1, "cursor", made));
      assertEquals(400, server.post("/api/v1/query", body).statusCode(), made);
    }
  }

  @Test
  void pagesOfFlowsHaveEachFlowOnceInTheOrderOfTheirEnds() throws Exception {
    for (String order : List.of("newest", "oldest")) {
      for (int limit : new int[] {7, 100, 2999}) {
        Set<Integer> ports = new HashSet<>();
        List<String> ends = new ArrayList<>();
        String at = "";
        int rows = 0;
        do {
          JsonNode page =
              server.json(
                  server.get(
                      "/api/v1/flows?address=10.0.0.0/16&columns=src_port&order="
                          + order
                          + "&limit="
                          + limit
                          + at));
          for (JsonNode row : page.get("rows")) {
            ports.add(row.get("src_port").asInt());
            rows++;
          }
          at = page.get("next").isNull() ? "" : "&cursor=" + page.get("next").asText();
        } while (!at.isEmpty());
        assertEquals(FLOWS, rows, order + " by " + limit);
        assertEquals(FLOWS, ports.size(), order + " by " + limit);
        assertTrue(ends.isEmpty());
      }
    }
  }

  @Test
  void flowsAreOfTheAddressAndMeetTheCondition() throws Exception {
    String where = URLEncoder.encode("dst_port = 53 AND bytes > 500000", StandardCharsets.UTF_8);
    JsonNode page =
        server.json(
            server.get(
                "/api/v1/flows?address=192.0.2.7&limit=1000&from=2026-11-02&where=" + where));
    JsonNode expected =
        server.query(
            "SELECT src_port FROM flows WHERE (src_addr = '192.0.2.7' OR dst_addr = '192.0.2.7')"
                + " AND end_time >= '2026-11-02' AND dst_port = 53 AND bytes > 500000");
    Set<Integer> found = new HashSet<>();
    page.get("rows").forEach(row -> found.add(row.get("src_port").asInt()));
    Set<Integer> wanted = new HashSet<>();
    expected.get("rows").forEach(row -> wanted.add(row.get("src_port").asInt()));
    assertFalse(wanted.isEmpty());
    assertEquals(wanted, found);
    HttpResponse<String> wrong =
        server.get("/api/v1/flows?address=192.0.2.7&where=" + "dst_port+%3D+53+AND+byts+%3E+5");
    assertEquals(400, wrong.statusCode());
    assertEquals(18, TestServer.JSON.readTree(wrong.body()).get("position").asInt());
  }

  @Test
  void hostsAndSeenAreThoseOfTheCommandLine() throws Exception {
    JsonNode host = server.json(server.get("/api/v1/hosts/192.0.2.7?limit=5"));
    JsonNode expected =
        TestServer.JSON.readTree(
            CommandRun.of(
                    "host", "192.0.2.7", "--archive", archive, "--limit", "5", "--format", "json")
                .out());
    expected
        .fieldNames()
        .forEachRemaining(name -> assertEquals(expected.get(name), host.get(name)));
    JsonNode seen =
        server.json(
            server.post("/api/v1/seen", "{\"addresses\": [\"192.0.2.7\", \"2001:db8::1\"]}"));
    assertTrue(seen.get("hosts").get(0).get("seen").asBoolean());
    assertFalse(seen.get("hosts").get(1).get("seen").asBoolean());
  }

  @Test
  void everyOtherAnswerFitsTheContract() throws Exception {
    server.json(server.get("/api/v1/health"));
    assertEquals("admin", server.json(server.get("/api/v1/session")).get("role").asText());
    JsonNode archives = server.json(server.get("/api/v1/archive"));
    assertEquals(FLOWS, archives.get("archives").get(0).get("flows").asInt());
    JsonNode exporters = server.json(server.get("/api/v1/exporters"));
    assertEquals(FLOWS, exporters.get("exporters").get(0).get("archived_flows").asInt());
    server.json(server.get("/api/v1/exporters?from=2026-11-02&to=2026-11-03T00:00:00Z"));
    JsonNode plan =
        server.json(
            server.post(
                "/api/v1/explain", "{\"sql\": \"SELECT COUNT(*) FROM flows WHERE bytes > 7\"}"));
    assertEquals(FLOWS, plan.get("plans").get(0).get("flows").asInt());
  }

  @Test
  void everyColumnHasADescription() throws Exception {
    JsonNode columns = server.json(server.get("/api/v1/columns"));
    assertTrue(columns.get("columns").size() > 90, columns.get("columns").size() + " columns");
    for (JsonNode column : columns.get("columns")) {
      boolean isOwn = column.get("origin").asText().equals("own");
      assertTrue(
          isOwn || !column.get("description").isNull(),
          column + " has no description in columns.properties");
    }
  }

  @Test
  void errorsSayWhereInTheQuery() throws Exception {
    HttpResponse<String> wrong =
        server.post("/api/v1/query", "{\"sql\": \"SELECT bytes\\nFROM flows WHERE byts > 1\"}");
    assertEquals(400, wrong.statusCode());
    JsonNode problem = TestServer.JSON.readTree(wrong.body());
    assertEquals("bad_query", problem.get("code").asText());
    assertEquals(30, problem.get("position").asInt());
    assertEquals(2, problem.get("line").asInt());
    assertEquals(18, problem.get("column").asInt());
    JsonNode checked =
        server.json(
            server.post("/api/v1/check", "{\"sql\": \"bytes >\", \"kind\": \"condition\"}"));
    assertFalse(checked.get("valid").asBoolean());
    assertEquals(7, checked.get("error").get("position").asInt());
    JsonNode right =
        server.json(
            server.post(
                "/api/v1/check",
                "{\"sql\": \"SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr\"}"));
    assertEquals("B", right.get("columns").get(1).get("unit").asText());
  }

  @Test
  void completionProposesWhatTheParserTakes() throws Exception {
    assertEquals(List.of("AND"), proposals("dst_port = 53 A", "condition"));
    assertTrue(proposals("SELECT src_a", "query").contains("src_addr"));
    assertTrue(proposals("SELECT src_addr FROM flows ", "query").contains("GROUP BY"));
    assertFalse(proposals("SELECT src_addr FROM flows WHERE ", "query").contains("SUM("));
    assertTrue(proposals("state = ", "condition").contains("'SF'"));
    assertEquals(List.of(), proposals("state = 'S", "condition"), "amid a text");
    assertEquals(List.of(), proposals("bytes > > s", "condition"), "after an error");
  }

  private static List<String> proposals(String text, String kind) throws Exception {
    JsonNode answer =
        server.json(
            server.post(
                "/api/v1/complete",
                TestServer.JSON.writeValueAsString(
                    Map.of("sql", text, "position", text.length(), "kind", kind))));
    List<String> texts = new ArrayList<>();
    answer.get("proposals").forEach(one -> texts.add(one.get("text").asText()));
    return texts;
  }

  @Test
  void theContractAndItsPageAreServed() throws Exception {
    HttpResponse<String> json = server.send(server.request("/openapi.json"));
    assertEquals("3.1.0", server.json(json).get("openapi").asText());
    assertTrue(server.send(server.request("/docs/")).body().contains("swagger-ui"));
    HttpResponse<String> script =
        server.send(server.request("/webjars/swagger-ui/swagger-ui-bundle.js"));
    assertEquals(200, script.statusCode());
    String tag = script.headers().firstValue("ETag").orElseThrow();
    HttpResponse<String> again =
        server.send(
            server
                .request("/webjars/swagger-ui/swagger-ui-bundle.js")
                .header("If-None-Match", tag));
    assertEquals(304, again.statusCode());
    assertNotNull(again.headers().firstValue("ETag").orElse(null));
    for (String path :
        List.of("/webjars/../secret", "/docs/%2e%2e/openapi.yaml", "/webjars/no-such/x.js")) {
      assertTrue(server.send(server.request(path)).statusCode() >= 400, path);
    }
  }

  /** Without a request for each file a page is there in a fraction of the time. */
  @Test
  void filesOfThePageAreKeptAsLongAsTheServerRuns() throws Exception {
    String page = server.send(server.request("/")).body();
    Matcher main = Pattern.compile("src=\"\\./(kept/[^/]+)(/js/main\\.js)\"").matcher(page);
    assertTrue(main.find(), page);
    HttpResponse<String> kept = server.send(server.request("/" + main.group(1) + main.group(2)));
    assertEquals(200, kept.statusCode());
    assertTrue(cacheControl(kept).contains("immutable"), cacheControl(kept));
    HttpResponse<String> other = server.send(server.request("/kept/another" + main.group(2)));
    assertEquals(kept.body(), other.body());
    assertEquals("no-cache", cacheControl(other));
    assertEquals("no-cache", cacheControl(server.send(server.request("/"))));
    assertEquals("no-cache", cacheControl(server.send(server.request("/" + main.group(1) + "/"))));
    assertEquals(404, server.send(server.request("/kept/main.js")).statusCode());
  }

  private static String cacheControl(HttpResponse<String> response) {
    return response.headers().firstValue("Cache-Control").orElseThrow();
  }
}
