package org.flowmon.bench.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.junit.jupiter.api.Test;

class LiveAnalysesTest {
  @Test
  void everyAnalysisHasWindowsOfTheLengthAskedFor() {
    for (int seconds : new int[] {1, 10, 60, 1000}) {
      for (AnalysisConfig analysis : LiveAnalyses.of(LiveAnalyses.NAMES, seconds)) {
        assertEquals(Duration.ofSeconds(seconds), analysis.live().slide(), analysis.name());
        int slides = analysis.name().equals("dispersion") ? 10 : 1;
        assertEquals(Duration.ofSeconds(seconds * (long) slides), analysis.live().window());
        assertNotNull(analysis.history(), analysis.name());
      }
    }
  }

  @Test
  void theQueriesOfDispersionFollowItsWindow() {
    AnalysisConfig built =
        AnalysisConfig.parse("dispersion.yaml", AnalysisConfig.textOf("dispersion"));
    AnalysisConfig analysis = LiveAnalyses.of("dispersion", 7);
    assertEquals(
        built.live().query().replace("INTERVAL '1' MINUTE", "INTERVAL '7' SECOND"),
        analysis.live().query());
    assertEquals(
        built.requiredHistory().query().replace("INTERVAL '10' MINUTE", "INTERVAL '70' SECOND"),
        analysis.requiredHistory().query());
  }

  @Test
  void anUnknownAnalysisIsRefused() {
    String message =
        assertThrows(UsageException.class, () -> LiveAnalyses.of("none", 1)).getMessage();
    String names = message.replaceFirst("^no built-in analysis 'none', expected one of ", "");
    Set<String> all =
        new TreeSet<>(List.of(names.substring(1, names.length() - 1).split(", ", -1)));
    Set<String> expected = new TreeSet<>();
    AnalysisConfig.bundled().forEach(analysis -> expected.add(analysis.name()));
    AnalysisConfig.offered().forEach(analysis -> expected.add(analysis.name()));
    assertEquals(expected, all, message);
  }
}
