package org.flowmon.jobs.analysis;

import java.io.Serializable;
import org.flowmon.jobs.config.ConfigException;

/**
 * A change of the running analyses: one starts, changes or stops.
 *
 * @param name of the analysis
 * @param version of the change: a higher one replaces a lower one of this name, in whatever order
 *     they arrive. At least 1; the job's folder has version 0
 * @param text the analysis's file; null if the analysis stops
 */
public record AnalysisChange(String name, long version, String text) implements Serializable {
  public AnalysisChange {
    if (version < 1) {
      throw new IllegalArgumentException("a change of version " + version + ", expected 1 or more");
    }
  }

  /**
   * Returns the analysis after the change; null if it stops.
   *
   * @throws ConfigException if the text is not that of an analysis of this name
   */
  public AnalysisConfig config() {
    if (text == null) {
      return null;
    }
    AnalysisConfig config = AnalysisConfig.parse("analysis " + name, text);
    if (!config.name().equals(name)) {
      throw new ConfigException(
          "analysis " + name + ": name: expected '" + name + "', found '" + config.name() + "'");
    }
    return config;
  }
}
