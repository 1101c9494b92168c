package org.flowmon.jobs.analysis;

import java.io.Serializable;
import org.flowmon.jobs.config.ConfigException;
import org.jspecify.annotations.Nullable;

/**
 * A change of the running analyses: one starts, changes or, if {@code text}, its file, is null,
 * stops. Of one name a higher version replaces a lower one, in whatever order they arrive. Versions
 * begin at 1; the job's folder has 0.
 */
public record AnalysisChange(String name, long version, @Nullable String text)
    implements Serializable {
  public AnalysisChange {
    if (version < 1) {
      throw new IllegalArgumentException("a change of version " + version + ", expected 1 or more");
    }
  }

  /** Null if it stops; throws {@link ConfigException} if the text is no analysis of this name. */
  public @Nullable AnalysisConfig config() {
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
