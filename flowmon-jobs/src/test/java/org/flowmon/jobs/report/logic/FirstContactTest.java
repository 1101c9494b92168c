package org.flowmon.jobs.report.logic;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.logic.TestFlows.offered;
import static org.flowmon.jobs.report.logic.TestFlows.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.flowmon.jobs.enrich.EnrichmentConfig.Source;
import org.flowmon.jobs.enrich.EnrichmentFiles;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file first_contact.yaml: what counts as a first contact, and how much. */
class FirstContactTest {
  private static final int SYN = 2;
  private static final int CONNECTION = 0x1B;
  private static final long LONG_AGO = END - 100 * DAY;

  private static void miss(TestFlows flows, long time, String from, String to, int port) {
    flows.tcp(time, from, 50_000, to, port, SYN);
  }

  private static void hit(TestFlows flows, long time, String from, String to, int port) {
    flows.tcp(time, from, 50_000, to, port, CONNECTION);
    flows.tcp(time + 1, to, port, from, 50_000, CONNECTION);
  }

  private static List<String> lines(TestFlows flows, long from, String... columns) {
    AnalysisConfig analysis = offered("first_contact");
    return TestFlows.lines(report(analysis, flows.window(analysis, END, from)), columns);
  }

  private static final String[] COLUMNS = {
    "src_addr", "targets", "dead", "answered", "usual", "shape", "verdict"
  };

  /** A host that answers at port 443, and has done so for long. */
  private static TestFlows office() {
    TestFlows flows = new TestFlows();
    for (int day = 89; day >= 0; day -= 10) {
      hit(flows, END - day * DAY - SECOND, "10.0.0.9", "10.1.0.1", 443);
      hit(flows, END - day * DAY - SECOND, "10.0.0.9", "203.0.113.1", 443);
    }
    return flows;
  }

  @Test
  void theWeightsAreThoseOfTheRandomWalk() {
    Map<String, String> parameters = offered("first_contact").report().parameters();
    double scanner = 0.2;
    assertEquals(
        Math.log((1 - scanner) / (1 - 0.8)), Double.parseDouble(parameters.get("miss")), 5e-4);
    assertEquals(Math.log(0.8 / scanner), Double.parseDouble(parameters.get("hit")), 5e-4);
    assertEquals(
        Math.log((1 - scanner) / (1 - 0.98)), Double.parseDouble(parameters.get("dead")), 5e-4);
    assertEquals(Math.log(99), Double.parseDouble(parameters.get("scan")), 5e-4);
  }

  @Test
  void aTargetOfTheThirtyDaysBeforeIsNoFirstContactWhetherItAnsweredOrNot() {
    TestFlows flows = office();
    for (int i = 1; i <= 6; i++) {
      miss(flows, END - i * SECOND, "198.51.100.1", "203.0.113.9", i);
      miss(flows, END - (i % 2 == 0 ? 30 : 2) * DAY, "198.51.100.1", "203.0.113.9", i);
      miss(flows, END - i * SECOND, "198.51.100.2", "203.0.113.9", i);
      miss(flows, END - 31 * DAY - 1 - i, "198.51.100.2", "203.0.113.9", i);
      hit(flows, END - i * SECOND - 9, "198.51.100.3", "203.0.113.8", i);
      hit(flows, END - 5 * DAY, "198.51.100.3", "203.0.113.8", i);
      miss(flows, END - i * SECOND, "198.51.100.3", "203.0.113.9", i);
    }
    assertEquals(
        List.of(
            "198.51.100.2 6 0 0 0 ports scan",
            "198.51.100.3 6 0 0 6 ports scan",
            "198.51.100.1 0 0 0 6 few usual"),
        lines(flows, LONG_AGO, COLUMNS));
  }

  @Test
  void aServiceIsDeadIfItsHostAnsweredElsewhereOrIsPrivateAndNobodyGotAnAnswerOfIt() {
    TestFlows flows = office();
    for (int i = 1; i <= 2; i++) {
      miss(flows, END - i * SECOND, "198.51.100.1", "10.1.0.1", i); // closed ports of a host
      miss(flows, END - i * SECOND, "198.51.100.2", "10.1.7." + i, 22); // nobody is there
      miss(flows, END - i * SECOND, "198.51.100.3", "203.0.113.1", i);
      miss(flows, END - i * SECOND, "198.51.100.4", "203.0.113.20" + i, 80); // nobody knows
      miss(flows, END - i * SECOND, "198.51.100.5", "10.1.0.1", 440 + i); // 443 is next
    }
    hit(flows, END - 80 * DAY, "10.0.0.8", "10.1.0.1", 441);
    hit(flows, END - 95 * DAY, "10.0.0.8", "10.1.0.1", 442);
    assertEquals(
        List.of(
            "198.51.100.1 2 2 0 0 few scan",
            "198.51.100.2 2 2 0 0 few scan",
            "198.51.100.3 2 2 0 0 few scan",
            "198.51.100.5 2 1 0 0 few scan"),
        lines(flows, LONG_AGO, COLUMNS));
    // Without 90 days nobody knows what is dead.
    assertEquals(List.of(), lines(flows, END - 60 * DAY, COLUMNS));
  }

  @Test
  void withoutHistoryAllTargetsCountAsInScans() {
    TestFlows flows = office();
    for (int i = 1; i <= 9; i++) {
      miss(flows, END - i * SECOND, "198.51.100.1", "203.0.113.9", i);
      miss(flows, END - 2 * DAY, "198.51.100.1", "203.0.113.9", i);
    }
    AnalysisConfig analysis = offered("first_contact");
    WindowHistory window = flows.window(analysis, END, LONG_AGO);
    assertEquals(
        List.of("198.51.100.1 9 0 0 null ports scan"),
        TestFlows.lines(
            report(analysis, new WindowHistory(window.window(), Tables.failed())), COLUMNS));
  }

  @Test
  void peerToPeerProgramsAreToldByTheirShapeAndAnswers() {
    TestFlows flows = office();
    for (int i = 1; i <= 30; i++) {
      miss(flows, END - i * SECOND, "10.0.0.1", "192.0.2." + i, 6000 + i);
      miss(flows, END - i * SECOND, "10.0.0.2", "192.0.2." + i, 6000 + i);
      if (i <= 8) {
        hit(flows, END - i * SECOND, "10.0.0.1", "198.51.100." + i, 6000 + i);
      }
      miss(flows, END - i * SECOND, "10.0.0.3", "192.0.2." + i, 445);
    }
    assertEquals(
        List.of(
            "10.0.0.2 30 0 0 0 mixed scan",
            "10.0.0.3 30 0 0 0 hosts scan",
            "10.0.0.1 30 0 8 0 mixed peers"),
        lines(flows, LONG_AGO, COLUMNS));
  }

  @Test
  void whoseNetworkIsNamedAScannerIsKnown(@TempDir Path directory) throws Exception {
    Path networks = directory.resolve("networks.csv");
    Files.writeString(
        networks, "network,name\n198.51.100.0/28,scanner: ours\n198.51.100.16/28,office\n");
    TestFlows flows = office();
    for (int i = 1; i <= 9; i++) {
      for (String source : List.of("198.51.100.1", "198.51.100.2", "198.51.100.17")) {
        miss(flows, END - i * SECOND, source, "203.0.113.9", i);
      }
      // The answers of a known one are no other's.
      flows.tcp(END - i * SECOND, "203.0.113.9", i, "198.51.100.1", 50_000, 0x14);
    }
    flows.enrich(
        new EnrichmentFiles(
            new EnrichmentConfig(
                Map.of(Source.NETWORKS, networks.toString()), Duration.ofSeconds(1)),
            line -> {
              throw new AssertionError(line);
            }));
    assertEquals(
        List.of("198.51.100.1 known", "198.51.100.2 known", "198.51.100.17 scan"),
        lines(flows, LONG_AGO, "src_addr", "verdict"));
    AnalysisConfig byNetwork = offered("scan_networks");
    assertEquals(
        List.of("198.51.100.0 3 known"),
        TestFlows.lines(
            report(byNetwork, flows.window(byNetwork, END, LONG_AGO)),
            "prefix",
            "sources",
            "verdict"));
  }

  private static final String OF_TODAY =
      """
      AND server_addr IN (
        SELECT server_addr FROM flows
        WHERE client_addr IN (:live.asked) AND end_time >= :now - INTERVAL '24' HOUR AND end_time < :now
        GROUP BY server_addr)\
      """
          .indent(8);

  private static final String OF_NEW_TARGETS =
      """
      AND server_addr IN (
        SELECT dst_addr FROM (
          ${tried} AND ${counted} AND ${wanted}
          GROUP BY client_addr, server_addr, target HAVING tries > 0
        ) WHERE past = 0 AND hits = 0 GROUP BY dst_addr)\
      """
          .indent(8);

  /** A few clients inside and outside, and as few targets, tried at any time and mostly today. */
  private static TestFlows random(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    TestFlows flows = new TestFlows();
    for (int i = 0; i < 300; i++) {
      long days = random.nextInt(3) == 0 ? random.nextInt(100) : random.nextInt(3);
      long time = END - days * DAY - random.nextLong(DAY) - 2;
      String from = (random.nextBoolean() ? "10.0.0." : "198.51.100.") + random.nextInt(5);
      String to = (random.nextBoolean() ? "10.1.0." : "203.0.113.") + random.nextInt(9);
      int port = 440 + random.nextInt(6);
      if (random.nextInt(3) == 0) {
        hit(flows, time, from, to, port);
      } else {
        miss(flows, time, from, to, port);
      }
    }
    return flows;
  }

  @Test
  void whatTheLookupLeavesOutChangesNoRow() {
    AnalysisConfig analysis = offered("first_contact");
    AnalysisConfig ofAll = offered("first_contact", OF_TODAY, "", OF_NEW_TARGETS, "");
    String[] columns = {
      "rank",
      "src_addr",
      "targets",
      "dead",
      "answered",
      "pinged",
      "usual",
      "hosts",
      "ports",
      "flows",
      "evidence",
      "verdict"
    };
    int scans = 0;
    int dead = 0;
    for (long seed = 1; seed <= 40; seed++) {
      TestFlows flows = random(seed);
      ResultTable rows = report(analysis, flows.window(analysis, END, LONG_AGO));
      List<String> expected =
          TestFlows.lines(report(ofAll, flows.window(ofAll, END, LONG_AGO)), columns);
      assertEquals(expected, TestFlows.lines(rows, columns), "seed " + seed);
      for (int row = 0; row < rows.rowCount(); row++) {
        scans += "scan".equals(rows.text(row, rows.column("verdict"))) ? 1 : 0;
        dead += rows.longValue(row, rows.column("dead")) > 0 ? 1 : 0;
      }
    }
    assertTrue(scans > 40 && dead > 40, scans + " scans, " + dead + " with dead services");
  }
}
