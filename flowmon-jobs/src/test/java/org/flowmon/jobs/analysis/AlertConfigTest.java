package org.flowmon.jobs.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.alert.AlertRules;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.config.job.WebhookConfig;
import org.junit.jupiter.api.Test;

/** Alerts in the files of analyses, webhooks in the job's file. */
class AlertConfigTest {
  private static final String SMALL =
      """
      name: talkers
      live:
        query: SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr
        window: 10s
      report: {logic: live}
      alerts:
        - name: loud
          when: bytes > 100
      """;

  private static AlertConfig only(String text) {
    List<AlertConfig> alerts = AnalysisConfig.parse("t.yaml", text).alerts();
    assertEquals(1, alerts.size());
    return alerts.get(0);
  }

  @Test
  void whatIsLeftOutHasItsDefault() {
    AlertConfig alert = only(SMALL);
    assertEquals("loud", alert.name());
    assertEquals("bytes > 100", alert.when().text());
    assertNull(alert.absent());
    assertNull(alert.key());
    assertEquals(Duration.ZERO, alert.holds());
    assertEquals(0, alert.least());
    assertEquals(Duration.ofHours(1), alert.silence());
    assertEquals(Duration.ZERO, alert.resolveAfter());
    assertEquals(AlertConfig.Severity.WARNING, alert.severity());
    assertEquals(List.of("kafka"), alert.sinks());
    assertEquals(10_000, alert.keys());
  }

  @Test
  void everyKeyIsRead() {
    AlertConfig alert =
        only(
            SMALL
                + """
                    key: [src_addr]
                    at_least: 3 of 5
                    silence: 5m
                    resolve_after: 1m
                    severity: critical
                    sinks: [kafka, ops]
                    keys: 7
                """);
    assertEquals(List.of("src_addr"), alert.key());
    assertEquals(3, alert.least());
    assertEquals(5, alert.of());
    assertEquals(Duration.ofMinutes(5), alert.silence());
    assertEquals(Duration.ofMinutes(1), alert.resolveAfter());
    assertEquals(AlertConfig.Severity.CRITICAL, alert.severity());
    assertEquals(List.of("kafka", "ops"), alert.sinks());
    assertEquals(7, alert.keys());
  }

  @Test
  void errorsNameFileLineAndWhatWasExpected() {
    refuses("    for_: 3s\n", "t.yaml:9: alerts[1].for_: is not a key here");
    refuses("    at_least: 6 of 5\n", "t.yaml:9: alerts[1].at_least: expected N of M windows");
    refuses("    at_least: 0 of 5\n", "alerts[1].at_least: expected N of M windows");
    refuses("    at_least: 3 of 65\n", "alerts[1].at_least: expected N of M windows");
    refuses("    at_least: 3 of 5\n    for: 1m\n", "alerts[1].at_least: expected one of");
    refuses(
        "    absent: 1m\n    for: 1m\n",
        "alerts[1].for: expected one of absent, for and at_least, found absent and for");
    refuses("    absent: 0s\n", "alerts[1].absent: expected more than 0s");
    refuses(
        "    absent: 1m\n    key: [src_addr]\n",
        "alerts[1].key: expected none: absent rows have no key");
    refuses("    sinks: []\n", "alerts[1].sinks: expected each sink once");
    refuses("    sinks: ['http://x/']\n", "alerts[1].sinks: expected kafka and names of webhooks");
    refuses("    severity: bad\n", "alerts[1].severity: expected one of info, warning, critical");
    refuses("  - name: loud\n    when: TRUE\n", "t.yaml:9: alerts[2].name: 'loud' is the name of");
    refuses("  - name: other\n", "alerts[2].when: is missing");
    refuses("  - other\n", "t.yaml:9: alerts: expected keys such as name");
  }

  private static void refuses(String more, String message) {
    ConfigException e =
        assertThrows(
            ConfigException.class, () -> AnalysisConfig.parse("t.yaml", SMALL + more), more);
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }

  @Test
  void conditionsAndKeysAreCheckedAgainstTheColumnsOfTheReport() {
    AnalysisConfig wrong =
        AnalysisConfig.parse("t.yaml", SMALL.replace("bytes > 100", "byte > 100"));
    ConfigException e =
        assertThrows(ConfigException.class, () -> JobAnalyses.check(List.of(wrong)));
    assertEquals(
        "t.yaml:8: alerts[1].when: line 1:1: no column 'byte' in the report; did you mean"
            + " 'bytes'?",
        e.getMessage());
    AnalysisConfig key = AnalysisConfig.parse("t.yaml", SMALL + "    key: [dst_addr]\n");
    e = assertThrows(ConfigException.class, () -> JobAnalyses.check(List.of(key)));
    assertTrue(
        e.getMessage().contains("expected columns out of src_addr, bytes; found 'dst_addr'"),
        e.getMessage());
    JobAnalyses.check(List.of(AnalysisConfig.parse("t.yaml", SMALL)));
  }

  private static JobConfig job(String more) {
    return JobConfig.parse(
        "j.yaml", "kafka: {bootstrap: 'x:1'}\narchive: {directory: /tmp/x}\n" + more);
  }

  @Test
  void webhooksAreNamedByAlertsAndConfiguredInTheJob() {
    JobConfig config =
        job(
            """
            webhooks:
              ops:
                url: https://example.org/hook?secret=1
                header_file: /etc/h
                timeout: 3s
                give_up: 1m
                queue: 9
            """);
    WebhookConfig webhook = config.webhooks().get(0);
    assertEquals("ops", webhook.name());
    assertEquals("/etc/h", webhook.headerFile());
    assertEquals(Duration.ofSeconds(3), webhook.timeout());
    assertEquals(Duration.ofMinutes(1), webhook.giveUp());
    assertEquals(9, webhook.queue());
    assertTrue(!config.toString().contains("secret"), config.toString());
    AnalysisConfig ops = AnalysisConfig.parse("t.yaml", SMALL + "    sinks: [kafka, ops]\n");
    AlertRules.checkSinks(ops, config);
    ConfigException e =
        assertThrows(ConfigException.class, () -> AlertRules.checkSinks(ops, job("")));
    assertTrue(e.getMessage().contains("found 'ops'"), e.getMessage());
  }

  @Test
  void aUrlThatIsNoneIsRefusedAndNotShown() {
    for (String url :
        List.of(
            "ftp://secret/", "secret", "https://u:secret@x/", "http:secret", "http://[secret")) {
      ConfigException e =
          assertThrows(
              ConfigException.class, () -> job("webhooks: {ops: {url: '" + url + "'}}\n"), url);
      assertTrue(e.getMessage().contains("webhooks.ops.url: expected a URL"), e.getMessage());
      assertTrue(!e.getMessage().contains("secret"), e.getMessage());
    }
    assertThrows(ConfigException.class, () -> job("webhooks: {kafka: {url: 'http://x/'}}\n"));
  }
}
