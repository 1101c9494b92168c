package org.flowmon.jobs;

import org.flowmon.jobs.config.AnalysisConfig;

/**
 * Analyses for tests: top sources by bytes of flows that are not outgoing, as {@link BruteForce}
 * counts them.
 */
public final class TestAnalyses {
  private TestAnalyses() {}

  public static AnalysisConfig talkers(
      String name, String window, String slide, String lateness, int slots, int limit) {
    return AnalysisConfig.parse(
        name + ".yaml",
        """
        name: %s
        live:
          query: |
            SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE outgoing IS NOT TRUE
            GROUP BY src_addr ORDER BY bytes DESC LIMIT %d
          window: %s
          slide: %s
          lateness: %s
          slots: %d
        report:
          logic: live
        """
            .formatted(name, limit, window, slide, lateness, slots));
  }
}
