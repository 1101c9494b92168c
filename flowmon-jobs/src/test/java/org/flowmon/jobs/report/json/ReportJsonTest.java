package org.flowmon.jobs.report.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportApproximation;
import org.flowmon.jobs.report.TestReports;
import org.flowmon.udaf.function.ErrorBound;
import org.junit.jupiter.api.Test;

class ReportJsonTest {
  @Test
  void aRowIsTheJsonOfItsSpecification() {
    Report report = TestReports.report(Report.FINAL, "192.0.2.1", 5, null, 9);
    List<String> keys = new ArrayList<>();
    ReportJson.messages(report, (key, value) -> keys.add(key));
    assertEquals(
        List.of("elephants|2026-11-21T10:00:00Z|192.0.2.1", "elephants|2026-11-21T10:00:00Z|\\N"),
        keys);
    assertEquals(
        """
        {"version":1,"analysis":"elephants","window_start":"2026-11-21T09:59:50Z",\
        "window_end":"2026-11-21T10:00:00Z","revision":3,"rows":2,"row_number":1,\
        "row_key":"192.0.2.1","columns":{"src_addr":"192.0.2.1","bytes":18446744073709551621,\
        "flows":5,"share":0.25,"first_seen":"2026-11-21T10:00:00.000001Z","longest":90000001,\
        "outgoing":true,"verdict":"a \\"new\\" one\\u000a"},"confidence":{"history":"exact",\
        "as_of":"2026-11-21T09:59:40Z","history_from":"2026-11-12T10:00:00Z",\
        "history_through":"2026-11-21T10:00:00Z","arrived_through":"2026-11-21T10:00:00Z",\
        "final_at":"2026-11-21T10:01:00Z","flows":1000,"late_flows":3,"ahead_flows":2,\
        "lost_flows":1,"sampled_flows":0,"sampling_rate":0,"group_sampling":1.0,"groups":null,\
        "groups_lower":null,"groups_upper":null,"message":null}}\
        """,
        ReportJson.value(report, 0));
  }

  @Test
  void aReportWithoutRowsIsOneMessageOfAVersionOfItsOwn() throws Exception {
    Report report = TestReports.report(Report.FINAL);
    List<String> messages = new ArrayList<>();
    ReportJson.messages(report, (key, value) -> messages.add(key + " " + value));
    assertEquals(
        List.of(
            """
            elephants|2026-11-21T10:00:00Z| {"version":2,"analysis":"elephants",\
            "window_start":"2026-11-21T09:59:50Z","window_end":"2026-11-21T10:00:00Z",\
            "revision":3,"rows":0,"confidence":{"history":"exact",\
            "as_of":"2026-11-21T09:59:40Z","history_from":"2026-11-12T10:00:00Z",\
            "history_through":"2026-11-21T10:00:00Z","arrived_through":"2026-11-21T10:00:00Z",\
            "final_at":"2026-11-21T10:01:00Z","flows":1000,"late_flows":3,"ahead_flows":2,\
            "lost_flows":1,"sampled_flows":0,"sampling_rate":0,"group_sampling":1.0,"groups":null,\
            "groups_lower":null,"groups_upper":null,"message":null}}\
            """),
        messages);
    List<byte[]> values = new ArrayList<>();
    ReportJson.lines(report, line -> values.add(line.getBytes(StandardCharsets.UTF_8)));
    ReportRow read = ReportRow.parse(values.get(0));
    assertEquals(0, read.rows());
    assertEquals(0, read.rowNumber());
    assertEquals(Map.of(), read.columns());
    assertEquals(BigInteger.ONE, read.confidence().get("lost_flows"));
  }

  @Test
  void theExactQueriesAreInTheFirstRowAlone() throws Exception {
    Report report = TestReports.approximate("192.0.2.1", 5, "192.0.2.2", 7);
    String first = ReportJson.value(report, 0);
    assertTrue(
        first.endsWith(",\"approximate\":" + ReportJson.approximations(report) + "}"), first);
    String second = ReportJson.value(report, 1);
    assertTrue(
        second.endsWith(
            """
            ,"approximate":[{"column":"flows","value":"MEDIAN(QUANTILES(bytes))","bound":12.5,\
            "bound_of":"ranks","probability":1.0},{"column":"share",\
            "value":"TOP(HEAVY_HITTERS(dst_port), 3)","bound":null,"bound_of":null,\
            "probability":null}]}\
            """),
        second);
    for (String message : List.of(first, second)) {
      byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
      Map<String, Object> flows = ReportRow.parse(bytes).approximate().get(0);
      assertEquals(message.equals(first), flows.containsKey("exact"));
      assertEquals(12.5, flows.get("bound"));
    }
  }

  @Test
  void aListIsAnArrayOfItemsInAVersionOfItsOwn() throws Exception {
    String first = ReportJson.value(TestReports.withLists(true), 0);
    assertTrue(first.startsWith("{\"version\":3,"), first);
    String list = "[{\"item\":\"a\\\"b\\u202e\",\"value\":7,\"lower\":6.5,\"upper\":7}]";
    assertTrue(
        first.contains("\"ports\":" + list + ",\"name\":\"[{\\\"item\\\":\\\"a\\\\\\\"b\\u202e"),
        first);
    assertTrue(
        first.contains("\"value\":\"TOP(HEAVY_HITTERS(dst_port), 3)\",\"computed\":true"), first);
    String second = ReportJson.value(TestReports.withLists(true), 1);
    assertTrue(second.contains("\"ports\":null,\"name\":\"[]\""), second);
  }

  @Test
  void listsOfBothVersionsAreReadAlike() throws Exception {
    ReportRow texts =
        ReportRow.parse(
            ReportJson.value(TestReports.withLists(false), 0).getBytes(StandardCharsets.UTF_8));
    ReportRow arrays =
        ReportRow.parse(
            ReportJson.value(TestReports.withLists(true), 0).getBytes(StandardCharsets.UTF_8));
    assertEquals(texts.columns(), arrays.columns());
    assertEquals(List.copyOf(texts.columns().keySet()), List.copyOf(arrays.columns().keySet()));
  }

  @Test
  void theVersionsOfJoinedFilesAreInTheConfidence() throws Exception {
    String message = ReportJson.value(TestReports.enriched(), 0);
    assertTrue(
        message.contains(
            "\"message\":null,\"enrichment\":[\"networks /n.csv of 1 (sha256 a)\",\"networks /n.csv"
                + " of 2\"]}"),
        message);
    assertEquals(1, ReportRow.parse(message.getBytes(StandardCharsets.UTF_8)).rows());
    assertTrue(
        !ReportJson.value(TestReports.report(Report.FINAL, "192.0.2.1", 5), 0)
            .contains("enrichment"));
  }

  @Test
  void anErrorWithoutALimitIsNoBound() throws Exception {
    Report report = TestReports.report(Report.FINAL, "192.0.2.1", 5);
    Report unbounded =
        new Report(
            report.analysis(),
            null,
            report.windowStart(),
            report.windowEnd(),
            report.revision(),
            report.columns(),
            report.rows(),
            report.confidence(),
            List.of(
                new ReportApproximation(
                    "flows", "v", false, ErrorBound.additive(Double.POSITIVE_INFINITY, 1), null)));
    byte[] message = ReportJson.value(unbounded, 0).getBytes(StandardCharsets.UTF_8);
    Map<String, Object> flows = ReportRow.parse(message).approximate().get(0);
    assertTrue(flows.containsKey("bound"));
    assertNull(flows.get("bound"));
    assertNull(flows.get("bound_of"));
  }
}
