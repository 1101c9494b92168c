package org.flowmon.jobs.analysis;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.jobs.config.ConfigException;

/**
 * The analyses of a job by name: those that it was started with, and what has changed since. Who
 * applies the same changes has the same analyses, in whatever order they came. Not thread-safe.
 */
public final class AnalysisSet implements Serializable {
  /** Names that may have changed, those that are gone among them: each is remembered. */
  public static final int MAX_NAMES = 1024;

  /** Characters of all their files together: they go to every task in one message. */
  public static final int MAX_TEXT = 4 << 20;

  private static final long serialVersionUID = 1L;

  private final boolean once;
  private final TreeMap<String, AnalysisConfig> running = new TreeMap<>();
  private final TreeMap<String, AnalysisChange> changes = new TreeMap<>();
  private long textOfChanges;

  /**
   * The analyses that a job is started with.
   *
   * @param analyses of its folder, each name once
   */
  public AnalysisSet(List<AnalysisConfig> analyses) {
    this(analyses, false);
  }

  /**
   * The analyses that a job is started with.
   *
   * @param analyses of its folder, each name once
   * @param once whether results of all of them, also of those that come, are only the last ones:
   *     those that say that theirs are revised run as if they did not
   */
  public AnalysisSet(List<AnalysisConfig> analyses, boolean once) {
    this.once = once;
    for (AnalysisConfig analysis : analyses) {
      if (running.put(analysis.name(), asIsRun(analysis)) != null) {
        throw new ConfigException("analysis " + analysis.name() + " is given twice");
      }
    }
  }

  /** The same analyses, to be changed apart from these. */
  public AnalysisSet(AnalysisSet other) {
    once = other.once;
    running.putAll(other.running);
    changes.putAll(other.changes);
    textOfChanges = other.textOfChanges;
  }

  /**
   * Applies a change.
   *
   * @return false where the same or a later change of this name was applied before
   * @throws ConfigException where it does not hold an analysis, or there are too many; nothing has
   *     changed then
   */
  public boolean apply(AnalysisChange change) {
    AnalysisChange last = changes.get(change.name());
    if (last != null && last.version() >= change.version()) {
      return false;
    }
    AnalysisConfig config = change.config();
    if (last == null && changes.size() >= MAX_NAMES) {
      throw new ConfigException(
          "analysis " + change.name() + ": " + MAX_NAMES + " names have changed, and no more may");
    }
    long text = textOfChanges - length(last) + length(change);
    if (text > MAX_TEXT) {
      throw new ConfigException(
          "analysis "
              + change.name()
              + ": the files of analyses that have changed would have "
              + text
              + " characters together, expected at most "
              + MAX_TEXT);
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

  private AnalysisConfig asIsRun(AnalysisConfig analysis) {
    return once ? analysis.withoutRevisions() : analysis;
  }

  private static int length(AnalysisChange change) {
    return change == null || change.text() == null ? 0 : change.text().length();
  }

  /** Those that run, in the order of their names. */
  public List<AnalysisConfig> running() {
    return new ArrayList<>(running.values());
  }

  /** One that runs, or null. */
  public AnalysisConfig get(String name) {
    return running.get(name);
  }

  /** The last change of each name that has one. */
  public List<AnalysisChange> changes() {
    return new ArrayList<>(changes.values());
  }

  /** The last change of a name, or null where it is as the job was started. */
  public AnalysisChange change(String name) {
    return changes.get(name);
  }

  /** The version of what is said of a name; 0 where it is as the job was started. */
  public long version(String name) {
    AnalysisChange change = changes.get(name);
    return change == null ? 0 : change.version();
  }

  /** The text of an analysis that came while the job ran; null of one that it was started with. */
  public String text(String name) {
    AnalysisChange change = changes.get(name);
    return change == null ? null : change.text();
  }

  /** Those that run, by their names. */
  public Map<String, AnalysisConfig> byName() {
    return Map.copyOf(running);
  }
}
