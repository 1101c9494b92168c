package org.flowmon.jobs.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.YamlFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of commit be42ca52, whose logics were code, and others that name such a logic. */
class FormerLogicsTest {
  private static String before(String name) {
    return YamlFile.resourceText("/analyses-before/" + name + ".yaml");
  }

  private static AnalysisConfig.Report report(String text) {
    AnalysisConfig analysis = AnalysisConfig.parse("file", text);
    JobAnalyses.check(List.of(analysis));
    return analysis.report();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dispersion",
        "elephants",
        "mice",
        "traffic_by_as",
        "traffic_by_exporter",
        "traffic_by_interface",
        "traffic_by_port",
        "traffic_by_protocol"
      })
  void anAnalysisThatCameWithAnEarlierBuildIsTheQueryOfToday(String name) {
    AnalysisConfig.Report today =
        AnalysisConfig.parse("today", AnalysisConfig.textOf(name)).report();
    assertEquals(today, report(before(name)));
  }

  @Test
  void whatAParameterChoseStaysChosen() {
    AnalysisConfig.Report fanOut = report(before("fan_out"));
    assertEquals("20", fanOut.parameters().get("peers"));
    assertEquals("20", fanOut.parameters().get("web_peers"), "of all ports, as the logic did");
    AnalysisConfig.Report talkers = report(before("new_talkers"));
    assertEquals(Map.of("least", "1"), talkers.parameters());
    assertEquals("verdict = 'new'", String.valueOf(talkers.condition()));
    AnalysisConfig.Report dispersion =
        report(
            before("dispersion")
                .replace("    min_lag: 2\n", "    limit: 1000\n")
                .replace("window: 10m\n  slide: 1m", "window: 1m\n  slide: 10s")
                .replace("INTERVAL '1' MINUTE) AS slot", "INTERVAL '10' SECOND) AS slot"));
    assertEquals(Map.of("min_lag", "1"), dispersion.parameters(), "the logic's default");
    assertTrue(dispersion.query().contains("live.slot = :now - INTERVAL '10' SECOND"));
    AnalysisConfig.Report elephants =
        report(
            before("elephants")
                .replace("share: 0.01", "share: 0.2\n    emit: significant\n    measure: bytes")
                .replace("report:", "report:\n  condition: rank < 9"));
    assertEquals(Map.of("share", "0.2", "factor", "3"), elephants.parameters());
    assertEquals("(rank < 9) AND verdict = 'new'", String.valueOf(elephants.condition()));
    AnalysisConfig.Report targets =
        report(before("new_targets").replace("days: 2", "coverage: 0.25\n    emit: scans"));
    assertEquals(Map.of("targets", "100", "days", "2", "least", "0.25"), targets.parameters());
    assertEquals("verdict = 'scan'", String.valueOf(targets.condition()));
  }

  /** A query over src_addr alone would join the past of another key: it must not be taken. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dispersion | min_lag: 2 | limit: 10",
        "elephants | src_addr | dst_addr",
        "elephants | factor: 3 | measure: packets",
        "elephants | factor: 3 | emit: loud",
        "fan_out | factor: 3 | emit_no_history: true",
        "mice | limit: 100 | limit: 50",
        "new_talkers | emit: new | limit: 1000",
        "traffic_by_port | COUNT(*) AS flows | COUNT(*) AS n",
        "slow_scans | factor: 3 | factor: 2"
      })
  void whatTheQueryDoesNotMeanIsRefusedWithWhatToDo(String name, String part, String other) {
    String text = before(name);
    assertTrue(text.contains(part), part);
    AnalysisConfig analysis = AnalysisConfig.parse("file", text.replace(part, other));
    ConfigException e =
        assertThrows(ConfigException.class, () -> JobAnalyses.check(List.of(analysis)));
    assertTrue(e.getMessage().startsWith("file:"), e.getMessage());
    assertTrue(
        e.getMessage()
            .contains(
                ": report.logic: logic "
                    + analysis.report().logic()
                    + " is a query now, which does not have these live columns"),
        e.getMessage());
    assertTrue(e.getMessage().contains("extend the bundled analysis (extends: "), e.getMessage());
  }
}
