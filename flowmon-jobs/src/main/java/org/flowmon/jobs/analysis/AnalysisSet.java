package org.flowmon.jobs.analysis;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.jobs.config.ConfigException;

/**
 * The analyses of a job by name: those of its start, and the changes since. Sets with the same
 * changes are equal in content, whatever the order of changes. Not thread-safe.
 */
public final class AnalysisSet implements Serializable {
  /** The most names with changes, removed ones included: each is remembered. */
  public static final int MAX_NAMES = 1024;

  /** The most characters of all files together: they go to every task in one message. */
  public static final int MAX_TEXT = 4 << 20;

  private static final long serialVersionUID = 1L;

  private final boolean once;
  private final TreeMap<String, AnalysisConfig> running = new TreeMap<>();
  private final TreeMap<String, AnalysisChange> changes = new TreeMap<>();
  private long textOfChanges;

  /**
   * Creates the set of a job's start.
   *
   * @param analyses of its folder, each name once
   */
  public AnalysisSet(List<AnalysisConfig> analyses) {
    this(analyses, false);
  }

  /**
   * Creates the set of a job's start.
   *
   * @param analyses of its folder, each name once
   * @param once whether all analyses, later ones included, give only the last result of a window;
   *     {@code revisions} in their files is ignored
   */
  public AnalysisSet(List<AnalysisConfig> analyses, boolean once) {
    this.once = once;
    for (AnalysisConfig analysis : analyses) {
      if (running.put(analysis.name(), asIsRun(analysis)) != null) {
        throw new ConfigException("analysis " + analysis.name() + " is given twice");
      }
    }
  }

  /** Creates an independent copy. */
  public AnalysisSet(AnalysisSet other) {
    once = other.once;
    running.putAll(other.running);
    changes.putAll(other.changes);
    textOfChanges = other.textOfChanges;
  }

  /**
   * Applies a change.
   *
   * @return false if the same or a later change of this name was applied before
   * @throws ConfigException if it does not hold an analysis, or there are too many; the set is
   *     unchanged then
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

  private static int length(AnalysisChange change) {
    return change == null || change.text() == null ? 0 : change.text().length();
  }

  /** Returns the running analyses in the order of their names. */
  public List<AnalysisConfig> running() {
    return new ArrayList<>(running.values());
  }

  /** Returns a running analysis, or null. */
  public AnalysisConfig get(String name) {
    return running.get(name);
  }

  /** Returns the last change of each changed name. */
  public List<AnalysisChange> changes() {
    return new ArrayList<>(changes.values());
  }

  /** Returns the last change of a name, or null if it has not changed since the start. */
  public AnalysisChange change(String name) {
    return changes.get(name);
  }

  /** Returns the version of a name's definition; 0 if it has not changed since the start. */
  public long version(String name) {
    AnalysisChange change = changes.get(name);
    return change == null ? 0 : change.version();
  }

  /** Returns the text of an analysis that came while the job ran; null for one of the start. */
  public String text(String name) {
    AnalysisChange change = changes.get(name);
    return change == null ? null : change.text();
  }

  /** Returns the running analyses by name. */
  public Map<String, AnalysisConfig> byName() {
    return Map.copyOf(running);
  }
}
