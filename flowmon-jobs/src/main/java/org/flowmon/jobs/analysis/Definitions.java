package org.flowmon.jobs.analysis;

import java.io.Serializable;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.jobs.config.ConfigException;

/**
 * The analyses that results speak of. A result of an analysis that came while the job ran brings
 * its text along, so that nobody behind the windows has to be told of it; of all others the name is
 * enough. Not thread-safe.
 */
public final class Definitions implements Serializable {
  private static final long serialVersionUID = 1L;

  private final HashMap<String, AnalysisConfig> started = new HashMap<>();
  private transient Map<String, Parsed> parsed;

  private record Parsed(String text, AnalysisConfig config) {}

  /** Definitions beside those that a job is started with. */
  public Definitions(List<AnalysisConfig> started) {
    started.forEach(analysis -> this.started.put(analysis.name(), analysis));
  }

  /** The analyses that the job was started with. */
  public Collection<AnalysisConfig> started() {
    return List.copyOf(started.values());
  }

  /**
   * The analysis of a result; the same object for the same name and text in a row.
   *
   * @param text that the result brought along; null: the analysis is one of those at the start;
   *     empty: it is gone
   * @return null where none was started with this name, or it is gone
   * @throws ConfigException where the text is none of an analysis
   */
  public AnalysisConfig of(String name, String text) {
    if (text == null) {
      return started.get(name);
    }
    if (text.isEmpty()) {
      return null;
    }
    if (parsed == null) {
      parsed = new HashMap<>();
    }
    Parsed last = parsed.get(name);
    if (last == null || !last.text().equals(text)) {
      last = new Parsed(text, AnalysisConfig.parse("analysis " + name, text));
      parsed.put(name, last);
    }
    return last.config();
  }
}
