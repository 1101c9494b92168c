package org.flowmon.jobs.report.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.TestReports;
import org.junit.jupiter.api.Test;

class ReportRowTest {
  private static byte[] bytes(String json) {
    return json.getBytes(StandardCharsets.UTF_8);
  }

  private static String written(int row) {
    return ReportJson.value(TestReports.report(Report.FINAL, "192.0.2.1", 5, null, 9), row);
  }

  @Test
  void whatIsWrittenIsReadAgain() throws Exception {
    ReportRow row = ReportRow.parse(bytes(written(0)));
    assertEquals("elephants", row.analysis());
    assertEquals(TestReports.END - 10 * TestReports.SECOND, row.windowStart());
    assertEquals(TestReports.END, row.windowEnd());
    assertEquals(3, row.revision());
    assertEquals(2, row.rows());
    assertEquals(1, row.rowNumber());
    assertEquals("192.0.2.1", row.rowKey());
    assertEquals(
        List.of(
            "src_addr", "bytes", "flows", "share", "first_seen", "longest", "outgoing", "verdict"),
        List.copyOf(row.columns().keySet()));
    assertEquals(
        List.of(
            "192.0.2.1",
            new BigInteger("18446744073709551621"),
            BigInteger.valueOf(5),
            0.25,
            "2026-11-21T10:00:00.000001Z",
            BigInteger.valueOf(90000001),
            true,
            "a \"new\" one\n"),
        List.copyOf(row.columns().values()));
    assertEquals("exact", row.confidence().get("history"));
    assertEquals(BigInteger.valueOf(3), row.confidence().get("late_flows"));
    assertTrue(row.confidence().containsKey("message"));
    assertNull(row.confidence().get("message"));
    assertNull(ReportRow.parse(bytes(written(1))).columns().get("src_addr"));
  }

  @Test
  void whatIsApproximateIsReadAgainAndStandsOnlyWhereSomethingIs() throws Exception {
    String json = ReportJson.value(TestReports.approximate(), 0);
    assertTrue(
        json.endsWith(
            ",\"approximate\":[{\"column\":\"flows\",\"value\":\"MEDIAN(QUANTILES(bytes))\","
                + "\"bound\":12.5,\"bound_of\":\"ranks\",\"probability\":1.0,\"exact\":\"SELECT"
                + " bytes, COUNT(*) AS exact FROM flows WHERE service = 'a\\\"b' GROUP BY bytes\"},"
                + "{\"column\":\"share\",\"value\":\"TOP(HEAVY_HITTERS(dst_port), 3)\","
                + "\"bound\":null,\"bound_of\":null,\"probability\":null,\"exact\":null}]}"),
        json);
    List<Map<String, Object>> read = ReportRow.parse(bytes(json)).approximate();
    assertEquals(2, read.size());
    assertEquals(12.5, read.get(0).get("bound"));
    assertEquals("flows", read.get(0).get("column"));
    assertTrue(((String) read.get(0).get("exact")).contains("'a\"b'"));
    assertNull(read.get(1).get("bound"));
    assertEquals(List.of(), ReportRow.parse(bytes(written(0))).approximate());
    assertTrue(!written(0).contains("approximate"));
  }

  @Test
  void membersMayBeAddedWithinAVersion() throws Exception {
    String more = written(0).replace("\"columns\":{", "\"new\":{\"a\":[1]},\"columns\":{\"b\":{},");
    assertEquals(ReportRow.parse(bytes(written(0))), ReportRow.parse(bytes(more)));
  }

  private static String refusal(String json) {
    return assertThrows(IOException.class, () -> ReportRow.parse(bytes(json))).getMessage();
  }

  @Test
  void whatIsNoRowOfThisVersionIsRefused() {
    assertThrows(IOException.class, () -> ReportRow.parse(null));
    assertEquals("expected an object", refusal("[]"));
    assertEquals("expected an object", refusal(""));
    assertEquals("expected version as a number, found null", refusal("{}"));
    assertEquals(
        "version 4 of a report, expected 1, 3 with lists, or 2 without rows",
        refusal(written(0).replace("n\":1,", "n\":4,")));
    assertEquals("expected rows 0 in version 2", refusal(written(0).replace("n\":1,", "n\":2,")));
    assertEquals("expected one object", refusal(written(0) + " {}"));
    assertEquals("expected columns", refusal(written(0).replace("\"columns\"", "\"x\"")));
    assertEquals(
        "expected columns as an object", refusal("{\"version\":1,\"columns\":[],\"x\":0}"));
    assertEquals(
        "expected columns as an object", refusal("{\"version\":2,\"columns\":[],\"x\":0}"));
    assertEquals(
        "expected rows as a number, found 99999999999",
        refusal(written(0).replace("\"rows\":2", "\"rows\":99999999999")));
    assertEquals(
        "expected row_number from 1 to rows",
        refusal(written(0).replace("\"row_number\":1", "\"row_number\":3")));
    assertEquals(
        "expected a revision above 0",
        refusal(written(0).replace("\"revision\":3", "\"revision\":0")));
    assertEquals(
        "expected window_end as a time, found 'noon'",
        refusal(written(0).replace("d\":\"2026-11-21T10:00:00Z", "d\":\"noon")));
  }

  @Test
  void damagedBytesAreRefusedOrARow() {
    long seed = 71;
    Random random = new Random(seed);
    byte[] whole = bytes(written(0));
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = Arrays.copyOf(whole, random.nextInt(whole.length + 1));
      for (int n = random.nextInt(4); n > 0 && damaged.length > 0; n--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      }
      try {
        ReportRow.parse(damaged);
      } catch (IOException e) {
        refused++;
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ", case " + i, e);
      }
    }
    assertTrue(refused > 15_000, "refused " + refused);
  }
}
