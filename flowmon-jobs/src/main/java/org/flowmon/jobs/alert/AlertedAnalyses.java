package org.flowmon.jobs.alert;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.jobs.analysis.AnalysisConfig;

/**
 * The analyses whose alerts are followed. It is read only when a report or a watermark comes. An
 * analysis missing here counts as removed: its alerts are resolved.
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
   * Sets the definition of an analysis from now on.
   *
   * @param definition its text; empty: it is removed
   * @param version of the change; a higher version may have come before
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

  /** Returns the analysis of this name, null if there is none or it has no alerts. */
  AnalysisConfig get(String name) {
    return byName.get(name);
  }

  /** Returns all analyses with alerts, by name. */
  Map<String, AnalysisConfig> all() {
    return byName;
  }
}
