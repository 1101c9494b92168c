package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.types.pojo.Field;
import org.flowmon.deploy.ArrowCells;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.code.CodeNames;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Arrow's own reader sees an answer as the JSON of the same query, and DuckDB, have it. */
final class ArrowAnswerTest {
  private static final long SEED = 25;
  private static final int FLOWS = 3000;
  private static final String TYPE = "application/vnd.apache.arrow.stream";

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @BeforeEach
  void start() throws Exception {
    Random random = new Random(SEED);
    StringBuilder csv =
        new StringBuilder("start_time,end_time,src_addr,dst_addr,dst_port,bytes,service\n");
    Instant begin = Instant.parse("2026-11-01T00:00:00Z");
    for (int i = 0; i < FLOWS; i++) {
      Instant end = begin.plusMillis(1000L * i + random.nextInt(999));
      csv.append(end.minusMillis(random.nextInt(5000)).toString())
          .append(',')
          .append(end)
          .append(",10.0.0.")
          .append(random.nextInt(9))
          .append(i % 3 == 0 ? ",2001:db8::" : ",192.0.2.")
          .append(1 + random.nextInt(200))
          .append(',')
          .append(i % 11 == 0 ? "" : random.nextInt(65_536))
          .append(',')
          .append(random.nextLong() >>> (1 + random.nextInt(60)))
          .append(i % 7 == 0 ? "," : ",dns-ä" + random.nextInt(5))
          .append('\n');
    }
    server = TestServer.start(folder, TestServer.archive(folder, csv.toString()));
  }

  @AfterEach
  void end() {
    server.close();
  }

  private HttpRequest request(String sql) throws Exception {
    return server
        .jsonRequest(
            "POST", "/api/v1/query", TestServer.JSON.writeValueAsString(Map.of("sql", sql)))
        .header("Accept", TYPE)
        .build();
  }

  private byte[] arrow(String sql) throws Exception {
    HttpResponse<byte[]> answer =
        HttpClient.newHttpClient().send(request(sql), HttpResponse.BodyHandlers.ofByteArray());
    assertEquals(200, answer.statusCode(), sql);
    assertEquals(TYPE, answer.headers().firstValue("Content-Type").orElse(""));
    return answer.body();
  }

  private static List<List<String>> read(InputStream stream, List<Field> fields)
      throws IOException {
    List<List<String>> rows = new ArrayList<>();
    try (BufferAllocator memory = new RootAllocator();
        ArrowStreamReader reader = new ArrowStreamReader(stream, memory)) {
      VectorSchemaRoot root = reader.getVectorSchemaRoot();
      fields.addAll(root.getSchema().getFields());
      while (reader.loadNextBatch()) {
        for (int r = 0; r < root.getRowCount(); r++) {
          List<String> row = new ArrayList<>();
          for (int c = 0; c < fields.size(); c++) {
            String cell = ArrowCells.text(root.getVector(c), r);
            row.add(cell == null ? "NULL" : cell);
          }
          rows.add(row);
        }
      }
    }
    return rows;
  }

  private List<List<String>> assertAsJson(String sql) throws Exception {
    JsonNode json =
        server.json(
            server.post(
                "/api/v1/query",
                TestServer.JSON.writeValueAsString(Map.of("sql", sql, "limit", 10_000))));
    List<List<String>> expected = new ArrayList<>();
    for (JsonNode row : json.get("rows")) {
      List<String> cells = new ArrayList<>();
      for (JsonNode column : json.get("columns")) {
        cells.add(cell(row.get(column.get("name").asText()), column));
      }
      expected.add(cells);
    }
    List<List<String>> found = read(new ByteArrayInputStream(arrow(sql)), new ArrayList<>());
    assertEquals(expected, found, sql);
    return found;
  }

  /** As Arrow has it: times in µs, codes as numbers, lists as texts. */
  private static String cell(JsonNode cell, JsonNode column) {
    if (cell.isNull()) {
      return "NULL";
    }
    return switch (column.get("kind").asText()) {
      case "timestamp" ->
          Long.toString(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(cell.asText())));
      case "list" -> cell.toString();
      case "long" ->
          cell.isTextual() ? code(column.get("name").asText(), cell.asText()) : cell.asText();
      default -> cell.asText();
    };
  }

  private static String code(String column, String name) {
    CodeNames names =
        FlowColumn.all().stream()
            .filter(one -> one.sqlName().equals(column))
            .findFirst()
            .orElseThrow()
            .codeNames();
    for (long code = 0; code < 1 << 16; code++) {
      if (name.equals(names.name(code))) {
        return Long.toString(code);
      }
    }
    throw new AssertionError("no code " + name);
  }

  @Test
  void rowsAreThoseOfTheJson() throws Exception {
    List<List<String>> rows =
        assertAsJson(
            "SELECT start_time, end_time, src_addr, dst_addr, dst_port, bytes, service, protocol,"
                + " source_kind FROM flows ORDER BY end_time, bytes");
    assertEquals(FLOWS, rows.size());
    assertEquals(
        0, assertAsJson("SELECT src_addr, dst_port FROM flows WHERE dst_port = -1").size());
  }

  @Test
  void groupsAreThoseOfTheJson() throws Exception {
    assertAsJson(
        "SELECT src_addr, COUNT(*) AS n, AVG(dst_port) AS mean, MIN(end_time) AS first,"
            + " SUM(bytes) AS wide, MAX(end_time - start_time) AS longest,"
            + " SUM(bytes) > 5 AS large FROM flows GROUP BY src_addr ORDER BY n, src_addr");
  }

  @Test
  void groupsAreThoseOfDuckDb() throws Exception {
    String sql =
        "SELECT src_addr, COUNT(dst_port) AS n, MAX(dst_port) AS most, SUM(bytes) AS wide FROM %s"
            + " GROUP BY src_addr ORDER BY src_addr";
    List<List<String>> found =
        read(new ByteArrayInputStream(arrow(sql.formatted("flows"))), new ArrayList<>());
    List<List<String>> expected = new ArrayList<>();
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement();
        ResultSet rows =
            statement.executeQuery(
                sql.formatted("read_csv('" + folder.resolve("flows.csv") + "')"))) {
      while (rows.next()) {
        expected.add(
            List.of(rows.getString(1), rows.getString(2), rows.getString(3), rows.getString(4)));
      }
    }
    assertEquals(9, expected.size());
    assertEquals(expected, found);
  }

  @Test
  void columnsOfFlowsKeepTheirWidths() throws Exception {
    List<Field> fields = new ArrayList<>();
    read(
        new ByteArrayInputStream(
            arrow(
                "SELECT dst_port, protocol, bytes, src_as, end_time, SUM(bytes) AS s, COUNT(*) AS n"
                    + " FROM flows GROUP BY dst_port, protocol, bytes, src_as, end_time")),
        fields);
    assertEquals(
        List.of(
            "Int(16, false)",
            "Int(8, false)",
            "Int(64, true)",
            "Int(32, false)",
            "Timestamp(MICROSECOND, UTC)",
            "Int(64, true)",
            "Int(64, true)"),
        fields.stream().map(field -> field.getType().toString()).toList());
    assertTrue(fields.stream().allMatch(Field::isNullable));
  }

  @Test
  void aClientThatGoesLeavesTheServerWell() throws Exception {
    HttpResponse<InputStream> answer =
        HttpClient.newHttpClient()
            .send(
                request("SELECT end_time, src_addr, dst_addr, bytes, service FROM flows"),
                HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream body = answer.body()) {
      assertEquals(64, body.readNBytes(64).length);
    }
    assertEquals(FLOWS, server.query("SELECT COUNT(*) AS n FROM flows").at("/rows/0/n").asInt());
  }

  @Test
  void anErrorBeforeTheFirstBatchIsAProblem() throws Exception {
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(request("SELECT nothing_such FROM flows"), HttpResponse.BodyHandlers.ofString());
    assertEquals(400, answer.statusCode());
    assertTrue(answer.body().contains("bad_query"), answer.body());
  }
}
