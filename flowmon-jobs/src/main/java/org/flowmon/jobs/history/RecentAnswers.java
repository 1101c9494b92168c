package org.flowmon.jobs.history;

import java.util.Optional;
import org.flowmon.archive.ArchiveSnapshot;

/**
 * Exact answers, which cannot improve, of history queries that depend on {@code :now} alone: with
 * {@code history.refresh} one serves all windows of a period. Valid while the archive has the
 * {@linkplain AskedSegments same} rows. Flows may be late and tasks behind one another, so windows
 * of several periods may be open; the most recently requested are kept. Thread-safe.
 */
final class RecentAnswers {
  private static final int KEPT = 16;

  private final AnswerMemory memory;
  private final GroupCache groups;

  private record Kept(HistoryAnswer answer, AskedSegments segments) {}

  RecentAnswers(AnswerMemory memory) {
    this.memory = memory;
    this.groups = new GroupCache(memory);
  }

  GroupCache groups() {
    return groups;
  }

  private AnswerMemory.Key key(long now) {
    return new AnswerMemory.Key(this, now);
  }

  /** A snapshot tells whether the answer still holds. */
  boolean has(long now) {
    return memory.has(key(now));
  }

  /** The answer for a time, if cached and the archive has not changed. */
  Optional<HistoryAnswer> get(long now, ArchiveSnapshot snapshot) {
    return memory
        .get(key(now))
        .map(Kept.class::cast)
        .filter(kept -> kept.segments().hold(snapshot, kept.answer().asOf()))
        .map(Kept::answer);
  }

  void keep(long now, HistoryAnswer answer, AskedSegments segments) {
    if (answer.status() == HistoryStatus.EXACT) {
      memory.put(key(now), new Kept(answer, segments), answer.rows().heapBytes(), KEPT);
    }
  }

  void clear() {
    memory.clear(this);
    groups.clear();
  }
}
