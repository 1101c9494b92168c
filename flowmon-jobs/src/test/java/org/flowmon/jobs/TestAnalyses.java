package org.flowmon.jobs;

import org.flowmon.jobs.analysis.AnalysisConfig;

/**
 * Analyses for tests: top sources by bytes of flows that are not outgoing, as {@link BruteForce}
 * counts them.
 */
public final class TestAnalyses {
  private TestAnalyses() {}

  public static AnalysisConfig talkers(
      String name, String window, String slide, String lateness, int slots, int limit) {
    return talkers(name, window, slide, lateness, slots, "", limit);
  }

  /**
   * Returns the same analysis for some sources.
   *
   * @param having empty, or HAVING and a condition
   */
  public static AnalysisConfig talkers(
      String name,
      String window,
      String slide,
      String lateness,
      int slots,
      String having,
      int limit) {
    return AnalysisConfig.parse(
        name + ".yaml", text(name, window, slide, lateness, slots, having, limit));
  }

  /** Returns the file of such an analysis. */
  public static String text(
      String name,
      String window,
      String slide,
      String lateness,
      int slots,
      String having,
      int limit) {
    return """
    name: %s
    live:
      query: |
        SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE outgoing IS NOT TRUE
        GROUP BY src_addr %s ORDER BY bytes DESC LIMIT %d
      window: %s
      slide: %s
      lateness: %s
      slots: %d
    report:
      logic: live
    """
        .formatted(name, having, limit, window, slide, lateness, slots);
  }
}
