package org.flowmon.jobs.analysis;

import java.io.Serializable;
import org.flowmon.jobs.config.ConfigException;

/**
 * An analysis that comes, changes or goes while the job runs.
 *
 * @param name of the analysis
 * @param version of what is said of this name: a higher one replaces a lower one, wherever and in
 *     whatever order they arrive. At least 1; what the job's folder says has version 0
 * @param text the analysis's file; null where the analysis goes
 */
public record AnalysisChange(String name, long version, String text) implements Serializable {
  public AnalysisChange {
    if (version < 1) {
      throw new IllegalArgumentException("a change of version " + version + ", expected 1 or more");
    }
  }

  /**
   * The analysis as it is after the change; null where it goes.
   *
   * @throws ConfigException where the text is not that of an analysis of this name
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
