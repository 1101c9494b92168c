package org.flowmon.jobs.analysis;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.jspecify.annotations.Nullable;

/**
 * The analyses of a job by name: those of its start, and the changes since, in any order with equal
 * result. Not thread-safe.
 */
public final class AnalysisSet implements Serializable {
  /** The most names with changes, removed ones included: each is remembered. */
  public static final int MAX_NAMES = 1024;

  /** The most characters of all files together: they go to every task in one message. */
  public static final int MAX_TEXT = 4 << 20;

  private static final long serialVersionUID = 1L;

  private final boolean once;
  private final EnrichmentConfig enrichment;
  private final TreeMap<String, AnalysisConfig> running = new TreeMap<>();
  private final TreeMap<String, AnalysisChange> changes = new TreeMap<>();
  private long textOfChanges;

  // Defines them where it is deserialized: see FlowColumn.
  @SuppressWarnings("unused")
  private final List<FlowColumn> ownColumns = FlowColumn.defined();

  public AnalysisSet(List<AnalysisConfig> analyses) {
    this(analyses, false);
  }

  /**
   * Analyses of the folder at the start, each name once. With {@code once} all, later ones
   * included, give only the last result of a window; {@code revisions} in their files is ignored.
   */
  public AnalysisSet(List<AnalysisConfig> analyses, boolean once) {
    this(analyses, once, EnrichmentConfig.NONE);
  }

  /** Also with the files that their queries join. */
  public AnalysisSet(List<AnalysisConfig> analyses, boolean once, EnrichmentConfig enrichment) {
    this.once = once;
    this.enrichment = enrichment;
    for (AnalysisConfig analysis : analyses) {
      if (running.put(analysis.name(), asIsRun(analysis)) != null) {
        throw new ConfigException("analysis " + analysis.name() + " is given twice");
      }
    }
  }

  public AnalysisSet(AnalysisSet other) {
    once = other.once;
    enrichment = other.enrichment;
    running.putAll(other.running);
    changes.putAll(other.changes);
    textOfChanges = other.textOfChanges;
  }

  /**
   * Returns false if this or a later change of the name was applied.
   *
   * @throws ConfigException if it holds no analysis, or there are too many; the set is unchanged
   *     then
   */
  public boolean apply(AnalysisChange change) {
    AnalysisChange last = changes.get(change.name());
    if (last != null && last.version() >= change.version()) {
      return false;
    }
    AnalysisConfig config = change.config();
    if (last == null && changes.size() >= MAX_NAMES) {
      throw new ConfigException(
          "analysis %s: %d names have changed since the job's start, and no more may"
              .formatted(change.name(), MAX_NAMES));
    }
    long text = textOfChanges - length(last) + length(change);
    if (text > MAX_TEXT) {
      throw new ConfigException(
          "analysis %s: the files of changed analyses would have %d characters together, expected at most %d"
              .formatted(change.name(), text, MAX_TEXT));
    }
    textOfChanges = text;
    changes.put(change.name(), change);
    if (config == null) {
      running.remove(change.name());
    } else {
      running.put(change.name(), asIsRun(config));
    }
    return true;
  }

  /**
   * Removes an analysis unless a later change was applied before. Never fails: beyond {@link
   * #MAX_NAMES} the change is not remembered.
   */
  public void remove(String name, long version) {
    AnalysisChange last = changes.get(name);
    if (last != null && last.version() >= version) {
      return;
    }
    if (last != null || changes.size() < MAX_NAMES) {
      textOfChanges -= length(last);
      changes.put(name, new AnalysisChange(name, version, null));
    }
    running.remove(name);
  }

  private AnalysisConfig asIsRun(AnalysisConfig analysis) {
    return once ? analysis.withoutRevisions() : analysis;
  }

  private static int length(@Nullable AnalysisChange change) {
    return change == null || change.text() == null ? 0 : change.text().length();
  }

  /** A view of the running analyses, in the order of their names. */
  public Collection<AnalysisConfig> running() {
    return Collections.unmodifiableCollection(running.values());
  }

  public EnrichmentConfig enrichment() {
    return enrichment;
  }

  public @Nullable AnalysisConfig get(String name) {
    return running.get(name);
  }

  public List<AnalysisChange> changes() {
    return new ArrayList<>(changes.values());
  }

  /** The last change of a name; null: unchanged since the start. */
  public @Nullable AnalysisChange change(String name) {
    return changes.get(name);
  }

  /** The version of a definition; 0: unchanged since the start. */
  public long version(String name) {
    AnalysisChange change = changes.get(name);
    return change == null ? 0 : change.version();
  }

  /** The text of an analysis that came while the job ran; null for one of the start. */
  public @Nullable String text(String name) {
    AnalysisChange change = changes.get(name);
    return change == null ? null : change.text();
  }
}
