package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** DuckDB reads an answer in Parquet as the JSON of the same query has it. */
final class ParquetAnswerTest {
  private static final long SEED = 22;
  private static final int FLOWS = 3000;

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  private int files;

  @BeforeEach
  void start() throws Exception {
    Random random = new Random(SEED);
    StringBuilder csv = new StringBuilder("end_time,src_addr,dst_addr,dst_port,bytes\n");
    for (int i = 0; i < FLOWS; i++) {
      csv.append(Instant.parse("2026-11-01T00:00:00Z").plusMillis(1000L * i + random.nextInt(999)))
          .append(",10.0.0.")
          .append(random.nextInt(9))
          .append(i % 3 == 0 ? ",2001:db8::" : ",192.0.2.")
          .append(1 + random.nextInt(200))
          .append(',')
          .append(i % 11 == 0 ? "" : random.nextInt(65_536))
          .append(',')
          .append(random.nextLong() >>> (1 + random.nextInt(60)))
          .append('\n');
    }
    server = TestServer.start(folder, TestServer.archive(folder, csv.toString()));
  }

  @AfterEach
  void end() {
    server.close();
  }

  private HttpResponse<Path> parquet(String sql) throws Exception {
    HttpRequest request =
        server
            .jsonRequest(
                "POST", "/api/v1/query", TestServer.JSON.writeValueAsString(Map.of("sql", sql)))
            .header("Accept", "application/vnd.apache.parquet")
            .build();
    HttpResponse<Path> answer =
        HttpClient.newHttpClient()
            .send(request, HttpResponse.BodyHandlers.ofFile(folder.resolve(files++ + ".parquet")));
    assertEquals(200, answer.statusCode(), sql);
    assertEquals(
        "application/vnd.apache.parquet", answer.headers().firstValue("Content-Type").orElse(""));
    return answer;
  }

  private void assertEqualRows(String sql, int rows) throws Exception {
    JsonNode json =
        server.json(
            server.post(
                "/api/v1/query",
                TestServer.JSON.writeValueAsString(Map.of("sql", sql, "limit", 10_000))));
    JsonNode expected = json.get("rows");
    assertEquals(rows, expected.size(), sql);
    Path file = parquet(sql).body();
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement();
        ResultSet found = statement.executeQuery("SELECT * FROM '" + file + "'")) {
      for (JsonNode row : expected) {
        assertTrue(found.next(), sql);
        for (JsonNode column : json.get("columns")) {
          String name = column.get("name").asText();
          assertEquals(text(row.get(name), column), found(found, name, column), sql + ": " + name);
        }
      }
      assertTrue(!found.next(), "more rows of " + sql);
    }
  }

  private static String text(JsonNode cell, JsonNode column) {
    if (cell.isNull()) {
      return "NULL";
    }
    return column.get("kind").asText().equals("timestamp")
        ? Instant.parse(cell.asText()).toString()
        : cell.asText();
  }

  private static String found(ResultSet row, String name, JsonNode column) throws Exception {
    if (row.getObject(name) == null) {
      return "NULL";
    }
    return switch (column.get("kind").asText()) {
      case "timestamp" -> row.getTimestamp(name).toInstant().toString();
      case "double" -> Double.toString(row.getDouble(name));
      default -> row.getString(name);
    };
  }

  @Test
  void rowsAreThoseOfTheJson() throws Exception {
    assertEqualRows(
        "SELECT end_time, src_addr, dst_addr, dst_port, bytes, protocol FROM flows"
            + " ORDER BY end_time, bytes",
        FLOWS);
    assertEqualRows("SELECT src_addr, dst_port FROM flows WHERE dst_port = -1", 0);
  }

  @Test
  void groupsAreThoseOfTheJson() throws Exception {
    assertEqualRows(
        "SELECT src_addr, COUNT(*) AS n, AVG(dst_port) AS mean, MIN(end_time) AS first,"
            + " SUM(bytes) AS wide FROM flows GROUP BY src_addr ORDER BY n, src_addr",
        9);
  }

  @Test
  void anAnswerWithoutOrderIsAFileToo() throws Exception {
    Path file = parquet("SELECT bytes FROM flows WHERE bytes > 1000").body();
    JsonNode sum =
        server.query("SELECT COUNT(*) AS n, SUM(bytes) AS s FROM flows WHERE bytes > 1000");
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement();
        ResultSet found =
            statement.executeQuery("SELECT COUNT(*), SUM(bytes) FROM '" + file + "'")) {
      assertTrue(found.next());
      assertEquals(sum.at("/rows/0/n").asText(), found.getString(1));
      assertEquals(sum.at("/rows/0/s").asText(), found.getString(2));
    }
  }
}
