package org.flowmon.jobs.alert;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.jobs.analysis.AnalysisConfig;

/**
 * The analyses whose alerts are followed, asked for when a report or a watermark comes and never
 * before. An analysis that is not here is taken for gone: its alerts are resolved.
 */
final class AlertedAnalyses implements Serializable {
  private static final long serialVersionUID = 1L;

  private final TreeMap<String, AnalysisConfig> byName = new TreeMap<>();

  private final TreeMap<String, Long> versions = new TreeMap<>();

  AlertedAnalyses(List<AnalysisConfig> analyses) {
    for (AnalysisConfig analysis : analyses) {
      if (!analysis.alerts().isEmpty()) {
        byName.put(analysis.name(), analysis);
      }
    }
  }

  /**
   * Takes what an analysis is from now on.
   *
   * @param definition its text; empty: it is gone
   * @param version of the change: word of a higher one may have come before
   */
  void learn(String name, String definition, long version) {
    Long last = versions.get(name);
    if (last != null && last >= version) {
      return;
    }
    versions.put(name, version);
    byName.remove(name);
    if (!definition.isEmpty()) {
      AnalysisConfig analysis = AnalysisConfig.parse("analysis " + name, definition);
      if (!analysis.alerts().isEmpty()) {
        byName.put(name, analysis);
      }
    }
  }

  /** The analysis of this name, null where there is none or it has no alerts. */
  AnalysisConfig get(String name) {
    return byName.get(name);
  }

  /** All that have alerts, by name. */
  Map<String, AnalysisConfig> all() {
    return byName;
  }
}
