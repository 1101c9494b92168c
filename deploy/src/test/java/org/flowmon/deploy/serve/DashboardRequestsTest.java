package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.flowmon.deploy.grafana.Dashboards;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What panels of Grafana ask {@code flowmon serve}, by the data source Infinity. */
final class DashboardRequestsTest {
  private static final Map<String, String> VALUES =
      Map.of(
          "${host}", "10.0.0.3",
          "${where}", "bytes > 100",
          "${limit}", "200",
          "${__from:date:iso}", "2026-11-01T00:00:00.000Z",
          "${__to:date:iso}", "2026-11-01T01:00:00.000Z");

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @BeforeEach
  void start() throws Exception {
    StringBuilder csv =
        new StringBuilder(
            "start_time,end_time,exporter,src_addr,dst_addr,src_port,dst_port,protocol,tcp_flags,packets,bytes\n");
    for (int i = 1; i <= 9; i++) {
      csv.append(
          "2026-11-01T00:00:00Z,2026-11-01T00:00:0%dZ,192.0.2.1,10.0.0.%d,198.51.100.%d,50000,443,6,18,2,%d\n"
              .formatted(i, i, i, 300 * i));
    }
    server = TestServer.start(folder, TestServer.archive(folder, csv.toString()));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String filled(String text) {
    String all = text;
    for (Map.Entry<String, String> value : VALUES.entrySet()) {
      all = all.replace(value.getKey(), value.getValue());
    }
    assertTrue(!all.contains("$"), "no value for " + all);
    return all;
  }

  private JsonNode answer(JsonNode target) throws Exception {
    List<String> query = new ArrayList<>();
    for (JsonNode parameter : target.get("url_options").get("params")) {
      query.add(
          parameter.get("key").asText()
              + "="
              + URLEncoder.encode(filled(parameter.get("value").asText()), StandardCharsets.UTF_8));
    }
    HttpResponse<String> answer =
        server.get(filled(target.get("url").asText()) + "?" + String.join("&", query));
    assertEquals(200, answer.statusCode(), answer.body());
    JsonNode root = TestServer.JSON.readTree(answer.body());
    String selector = target.get("root_selector").asText();
    return selector.isEmpty() ? root : root.get(selector);
  }

  @Test
  void everyPanelOverTheArchiveGetsTheFieldsThatItShows() throws Exception {
    int asked = 0;
    for (JsonNode dashboard : Dashboards.all()) {
      for (JsonNode panel : dashboard.get("panels")) {
        JsonNode target = panel.get("targets").get(0);
        if (!target.has("url")) {
          continue;
        }
        asked++;
        JsonNode found = answer(target);
        JsonNode first = found.isArray() ? found.get(0) : found;
        String title = panel.get("title").asText();
        assertTrue(first != null, title + ": no rows");
        for (JsonNode column : target.get("columns")) {
          String name = column.get("selector").asText();
          JsonNode value = first.get(name);
          assertTrue(value != null, title + ": no " + name + " in " + first);
          boolean isNumber = column.get("type").asText().equals("number");
          assertTrue(value.isNull() || value.isNumber() == isNumber, title + ": " + name);
        }
      }
    }
    assertTrue(asked >= 9, asked + " panels");
  }

  @Test
  void theFlowSearchFindsTheFlow() throws Exception {
    JsonNode rows =
        answer(Dashboards.of("flowmon-flows").get("panels").get(0).get("targets").get(0));
    assertEquals(1, rows.size());
    assertEquals("10.0.0.3", rows.get(0).get("src_addr").asText());
    assertEquals(900, rows.get(0).get("bytes").asLong());
  }

  @Test
  void theMetricsOfTheDashboardOfHealthAreServed() throws Exception {
    String served = server.send(server.request("/metrics")).body();
    Set<String> asked = Dashboards.metrics("flowmon_serve_");
    assertEquals(3, asked.size(), asked.toString());
    for (String name : asked) {
      assertTrue(served.contains("\n" + name + "{lane="), name + " in " + served);
    }
  }
}
