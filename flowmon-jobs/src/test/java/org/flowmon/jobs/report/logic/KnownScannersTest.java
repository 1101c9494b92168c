package org.flowmon.jobs.report.logic;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.logic.TestFlows.offered;
import static org.flowmon.jobs.report.logic.TestFlows.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.YamlFile;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.flowmon.jobs.enrich.EnrichmentConfig.Source;
import org.flowmon.jobs.enrich.EnrichmentFiles;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The analyses that name who tries much, and the scanners that a site knows by its networks. */
class KnownScannersTest {
  private static final String OURS = "198.51.100.1";
  private static final String OTHER = "198.51.100.17";
  private static final String OFFICE = "198.51.100.33";

  private static TestFlows sweeps() {
    TestFlows flows = new TestFlows();
    for (int i = 0; i < 150; i++) {
      long time = END - SECOND - i * SECOND / 4;
      for (String source : List.of(OURS, OTHER, OFFICE)) {
        flows.tcp(time, source, 50_000, "203.0.113." + i, 445, 2);
        flows.tcp(time, "203.0.113." + i, 445, source, 50_000, 0x14); // refused
      }
    }
    return flows;
  }

  private static ResultTable rows(AnalysisConfig analysis, Enrichment networks) {
    TestFlows flows = sweeps();
    flows.enrich(networks);
    return report(analysis, flows.window(analysis, END, END - 100 * DAY));
  }

  private static List<String> verdicts(String name, Enrichment networks) {
    return TestFlows.lines(rows(offered(name), networks), "src_addr", "verdict");
  }

  /** Two networks with a name, of which that of our scanner begins with "scanner". */
  private static Enrichment networks(Path folder) throws IOException {
    Path networks = folder.resolve("networks.csv");
    Files.writeString(
        networks, "network,name\n198.51.100.0/28,scanner: ours\n198.51.100.32/28,office scanner\n");
    return new EnrichmentFiles(
        new EnrichmentConfig(Map.of(Source.NETWORKS, networks.toString()), Duration.ofSeconds(1)),
        line -> {
          throw new AssertionError(line);
        });
  }

  @ParameterizedTest
  @CsvSource({
    "scans, scan",
    "scans_fast, scan",
    "portscans, scan",
    "new_targets, scan",
    "fan_out, more",
    "first_contact, scan"
  })
  void whoseNetworkIsNamedAScannerIsKnownAndNobodyElse(
      String name, String verdict, @TempDir Path folder) throws Exception {
    assertEquals(
        List.of(OURS + " " + verdict, OTHER + " " + verdict, OFFICE + " " + verdict),
        verdicts(name, Enrichment.NONE));
    assertEquals(
        List.of(OURS + " known", OTHER + " " + verdict, OFFICE + " " + verdict),
        verdicts(name, networks(folder)));
  }

  /** Of commit be42ca52: their live queries name no network, by which today's know a scanner. */
  @ParameterizedTest
  @ValueSource(strings = {"portscans", "new_targets", "fan_out"})
  void anAnalysisOfAnEarlierBuildKnowsNoScanners(String name, @TempDir Path folder)
      throws Exception {
    AnalysisConfig before =
        AnalysisConfig.parse("before", YamlFile.resourceText("/analyses-before/" + name + ".yaml"));
    assertEquals(rows(offered(name), Enrichment.NONE), rows(before, networks(folder)));
    assertNotEquals(rows(offered(name), Enrichment.NONE), rows(offered(name), networks(folder)));
  }
}
