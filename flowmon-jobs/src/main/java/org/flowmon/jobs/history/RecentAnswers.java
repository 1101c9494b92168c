package org.flowmon.jobs.history;

import java.util.Optional;
import org.flowmon.archive.ArchiveSnapshot;

/**
 * A cache of answers that serve several windows: those of a history query that depends on {@code
 * :now} alone, which with {@code history.refresh} is the same for all windows of a period. Only
 * exact answers are cached, since they cannot improve. They are valid while the archive has the
 * {@linkplain AskedSegments same} rows for them. Windows of several periods may be open at once, as
 * flows may be late and tasks behind one another, so the most recently requested answers are kept.
 * Thread-safe.
 */
final class RecentAnswers {
  private static final int KEPT = 16;

  private final AnswerMemory memory;
  private final GroupCache groups;

  private record Kept(HistoryAnswer answer, AskedSegments segments) {}

  /** Creates a cache of one of the analyses that share a memory. */
  RecentAnswers(AnswerMemory memory) {
    this.memory = memory;
    this.groups = new GroupCache(memory);
  }

  /** Returns the cached groups, for queries with lists of the windows' values. */
  GroupCache groups() {
    return groups;
  }

  private AnswerMemory.Key key(long now) {
    return new AnswerMemory.Key(this, now);
  }

  /** Whether there is an answer for a time; a snapshot tells whether it still holds. */
  boolean has(long now) {
    return memory.has(key(now));
  }

  /** Returns the answer for a time, if it is cached and the archive has not changed. */
  Optional<HistoryAnswer> get(long now, ArchiveSnapshot snapshot) {
    return memory
        .get(key(now))
        .map(Kept.class::cast)
        .filter(kept -> kept.segments().hold(snapshot, kept.answer().asOf()))
        .map(Kept::answer);
  }

  /**
   * Caches an answer, if it is exact.
   *
   * @param segments the rows behind it
   */
  void keep(long now, HistoryAnswer answer, AskedSegments segments) {
    if (answer.status() == HistoryStatus.EXACT) {
      memory.put(key(now), new Kept(answer, segments), answer.rows().heapBytes(), KEPT);
    }
  }

  /** Drops all answers. */
  void clear() {
    memory.clear(this);
    groups.clear();
  }
}
