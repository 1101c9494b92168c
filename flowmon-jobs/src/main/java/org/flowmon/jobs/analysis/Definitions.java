package org.flowmon.jobs.analysis;

import java.io.Serializable;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.config.ConfigException;
import org.jspecify.annotations.Nullable;

/**
 * The analyses that results refer to. A result of one that came while the job ran carries its text,
 * so operators after the windows need no messages about it; for others the name suffices. Not
 * thread-safe.
 */
public final class Definitions implements Serializable {
  private static final long serialVersionUID = 1L;

  private final HashMap<String, AnalysisConfig> started = new HashMap<>();
  private transient @Nullable Map<String, Parsed> parsed;

  // Defines them where it is deserialized: see FlowColumn.
  @SuppressWarnings("unused")
  private final List<FlowColumn> ownColumns = FlowColumn.defined();

  private record Parsed(String text, AnalysisConfig config) {}

  public Definitions(List<AnalysisConfig> started) {
    started.forEach(analysis -> this.started.put(analysis.name(), analysis));
  }

  public Collection<AnalysisConfig> started() {
    return List.copyOf(started.values());
  }

  /**
   * The analysis of a result, the same object while name and text are. Null {@code text}: one of
   * the start; empty: removed. Returns null if none of this name is known or it is removed.
   *
   * @throws ConfigException if the text is no analysis of this name
   */
  public @Nullable AnalysisConfig of(String name, @Nullable String text) {
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
