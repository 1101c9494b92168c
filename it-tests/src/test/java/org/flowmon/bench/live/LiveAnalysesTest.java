package org.flowmon.bench.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
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
        assertTrue(analysis.history() != null, analysis.name());
      }
    }
  }

  @Test
  void anUnknownAnalysisIsRefused() {
    assertTrue(
        assertThrows(UsageException.class, () -> LiveAnalyses.of("none", 1))
            .getMessage()
            .contains("'none'"));
  }
}
