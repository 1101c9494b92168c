package org.flowmon.deploy.grafana;

import static org.flowmon.deploy.grafana.DashboardBuilder.map;
import static org.flowmon.deploy.grafana.DashboardBuilder.maps;
import static org.flowmon.deploy.grafana.DashboardBuilder.string;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.sink.postgres.PostgresReports;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The provisioned alert rules, on tables that the sink made, with a finding of each kind. */
class AlertRulesTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  @SuppressWarnings("NullAway.Init")
  private static ReportsDatabase database;

  @BeforeAll
  static void start() throws Exception {
    database = ReportsDatabase.start();
    PostgresReports.createTables(database.config(), AnalysisConfig.offered());
    for (Map<String, Object> rule : ofFindings()) {
      database.write(finding(rule));
    }
  }

  /** Stores a finding twice in about the last minute, a usual row, and the finding a day before. */
  private static String finding(Map<String, Object> rule) throws SQLException {
    String analysis = analysis(rule);
    String verdict =
        string(Provisioning.model(rule), "rawSql")
            .replaceFirst("(?s).*verdict IN \\('(\\w+)'.*", "$1");
    assertTrue(Verdicts.FINDINGS.contains(verdict), analysis + ": " + verdict);
    List<String> addresses =
        database
            .read(
                "SELECT column_name::text FROM information_schema.columns WHERE udt_name = 'inet'"
                    + " AND table_name = 'report_"
                    + analysis
                    + "' AND column_name IN ('src_addr', 'dst_addr', 'exporter')")
            .stream()
            .map(row -> row.get(0).toString())
            .toList();
    String names = String.join(", ", addresses);
    String values = "'192.0.2.1'" + ", '192.0.2.1'".repeat(addresses.size() - 1);
    return """
    INSERT INTO report_%s (window_start, window_end, revision, row_key, row_number, verdict, %s)
    SELECT t, t, 3, 'key', 1, v, %s FROM (VALUES ('%5$s'::timestamptz - interval '1 minute', '%4$s'),
      ('%5$s'::timestamptz - interval '61 s', '%4$s'), ('%5$s'::timestamptz - interval '62 s', 'usual'),
      ('%5$s'::timestamptz - interval '1 day', '%4$s')) AS r (t, v)
    """
        .formatted(analysis, names, values, verdict, NOW);
  }

  @AfterAll
  static void stop() throws IOException {
    database.close();
  }

  /** The analysis whose reports a rule is over; empty if of none alone. */
  private static String analysis(Map<String, Object> rule) {
    return map(rule.get("labels")).getOrDefault("analysis", "").toString();
  }

  private static List<Map<String, Object>> ofFindings() throws IOException {
    return Provisioning.alertRules().stream().filter(rule -> !analysis(rule).isEmpty()).toList();
  }

  private static List<String> rows(Map<String, Object> rule, Instant now) throws SQLException {
    Map<String, Object> range = map(maps(rule, "data").get(0).get("relativeTimeRange"));
    Instant from = now.minusSeconds(((Number) range.get("from")).longValue());
    String sql =
        new Expansion(from, now, Duration.ofMinutes(1))
            .sql(string(Provisioning.model(rule), "rawSql"));
    return database.read(sql).stream()
        .map(row -> row.stream().map(String::valueOf).collect(Collectors.joining(" ")))
        .toList();
  }

  @Test
  void eachFindingOfTheTimeRangeIsOneAlert() throws Exception {
    assertEquals(8, ofFindings().size());
    for (Map<String, Object> rule : ofFindings()) {
      List<String> rows = rows(rule, NOW);
      assertEquals(1, rows.size(), rule.get("uid") + ": " + rows);
      assertTrue(rows.get(0).startsWith("192.0.2.1 "), rows.get(0));
      assertTrue(rows.get(0).endsWith(" 2"), rows.get(0));
      assertEquals(List.of(), rows(rule, NOW.plus(Duration.ofHours(2))), "no finding any more");
    }
  }

  @Test
  void theNewestReportOfTrafficMayBeTenMinutesOld() throws Exception {
    Map<String, Object> rule =
        Provisioning.alertRules().stream()
            .filter(r -> r.get("uid").equals("flowmon-no-reports"))
            .findFirst()
            .orElseThrow();
    assertEquals("[null]", rows(rule, NOW).toString(), "no data, which fires");
    assertEquals("Alerting", rule.get("noDataState"));
    database.write(
        MonthOfReports.windows(
            List.of(
                Dashboards.analyses().stream()
                    .filter(a -> a.name().equals("series_by_protocol"))
                    .findFirst()
                    .orElseThrow()),
            NOW.minusSeconds(3600),
            NOW));
    assertEquals(List.of("0"), rows(rule, NOW.plusSeconds(600)));
    assertEquals(List.of("1"), rows(rule, NOW.plusSeconds(601)));
  }

  @Test
  void aRuleSaysWhatHappenedAndLeadsToAPanel() throws IOException {
    Set<String> sources = new TreeSet<>();
    for (Map<String, Object> source : maps(Provisioning.read("datasources"), "datasources")) {
      sources.add(string(source, "uid"));
    }
    Set<String> uids = new HashSet<>();
    for (Map<String, Object> rule : Provisioning.alertRules()) {
      String uid = string(rule, "uid");
      assertTrue(uids.add(uid) && uid.matches("[a-z-]{1,40}"), uid);
      Map<String, Object> annotations = map(rule.get("annotations"));
      assertTrue(string(annotations, "summary").length() > 10, uid);
      assertTrue(string(annotations, "description").length() > 20, uid);
      JsonNode dashboard = Dashboards.of(string(annotations, "__dashboardUid__"));
      int panel = Integer.parseInt(string(annotations, "__panelId__"));
      boolean isThere = false;
      for (JsonNode one : dashboard.get("panels")) {
        isThere |= one.get("id").asInt() == panel;
      }
      assertTrue(isThere, uid + ": panel " + panel);
      List<Map<String, Object>> data = maps(rule, "data");
      assertTrue(sources.contains(string(data.get(0), "datasourceUid")), uid);
      assertEquals("__expr__", string(data.get(1), "datasourceUid"), uid);
      assertEquals(rule.get("condition"), data.get(1).get("refId"), uid);
      assertEquals(data.get(0).get("refId"), map(data.get(1).get("model")).get("expression"), uid);
    }
    assertEquals(17, uids.size(), uids.toString());
  }
}
