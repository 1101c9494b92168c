package org.flowmon.deploy.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.flowmon.deploy.demo.service.DemoAnalyses;
import org.flowmon.ingest.synthetic.Incidents;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DetectionTest {
  private static final long START = 1_795_262_400_000L;

  private final List<String> lines = new ArrayList<>();
  private final Incidents truth = new TrafficModel(7, TrafficOptions.demo()).incidents();
  private final Detection detection = new Detection(truth, lines::add);

  private void row(String analysis, String subject, int windowEnd, int now) {
    detection.row(
        analysis, subject, "window " + windowEnd, START + windowEnd * 1000L, START + now * 1000L);
  }

  @Test
  void whatIsFoundOfWhatIsPlantedIsToldWithTheSeconds() {
    detection.begin(START, Duration.ofSeconds(60));
    detection.tick(START + 9_000);
    assertEquals(List.of(), lines);
    detection.tick(START + 19_000);
    assertEquals(4, lines.size(), lines.toString());
    assertEquals(
        "  18 s  PLANTED scan: "
            + truth.scanner()
            + " tries the ports of 64 hosts, 1 of"
            + " 100 flows",
        lines.get(3));
    detection.tick(START + 19_500);
    assertEquals(4, lines.size(), lines.toString());
    lines.clear();
    row("scans_fast", truth.scanner().toString(), 30, 31);
    row("scans_fast", truth.scanner().toString(), 40, 41);
    row("scans", truth.scanner().toString(), 40, 41); // right, but of another kind
    row("ddos", truth.scanner().toString(), 40, 41);
    row("dispersion", "203.0.113.0", 40, 41);
    assertEquals(
        List.of(
            "  31 s  FOUND   scan: " + truth.scanner() + ", by scans_fast 13.0 s after it began"),
        lines);
    Detection.Score score = detection.score();
    assertEquals(6, score.names().size());
    assertEquals(Set.of("scan"), score.found().keySet());
    assertEquals(5, score.missed());
    assertEquals(Set.of(), score.falses());
    assertTrue(detection.isNews("scans_fast", truth.scanner().toString(), "window 30"));
    assertFalse(detection.isNews("scans_fast", truth.scanner().toString(), "window 40"));
  }

  @Test
  void whoeverIsNotPlantedIsFalse() {
    detection.begin(START, Duration.ofSeconds(60));
    row("elephants", "198.18.0.7", 30, 31);
    row("elephants", "198.18.0.7", 40, 41);
    row("dispersion", "2001:db8:8001::", 30, 31);
    row("new_talkers", "", 30, 31);
    row("anomaly", "", 10, 11); // before anything began
    row("anomaly", "", 20, 21);
    assertEquals(
        Set.of("elephants 198.18.0.7", "dispersion 2001:db8:8001::", "new_talkers ", "anomaly "),
        detection.score().falses());
  }

  @Test
  void whatWouldBeginAfterTheEndIsNotPlanted() {
    detection.begin(START, Duration.ofSeconds(20));
    detection.tick(START + 60_000);
    assertEquals(List.of("beacon", "slow_scan", "heavy_talker", "scan"), detection.score().names());
    assertEquals(4, lines.size(), lines.toString());
  }

  @Test
  void everythingPlantedHasAnAnalysisThatAJobTakes(@TempDir Path temporary) throws Exception {
    Path folder = temporary.resolve("analyses");
    DemoAnalyses.write(folder);
    List<AnalysisConfig> analyses = AnalysisConfig.readFolder(folder);
    JobAnalyses.check(analyses);
    List<String> names = analyses.stream().map(AnalysisConfig::name).sorted().toList();
    assertEquals(
        DemoAnalyses.ALL.stream().map(DemoAnalyses.Finder::analysis).sorted().toList(), names);
    for (Incidents.Planted one : truth.planted()) {
      assertTrue(
          DemoAnalyses.ALL.stream().anyMatch(analysis -> analysis.finds().equals(one.name())),
          one.name());
    }
  }
}
