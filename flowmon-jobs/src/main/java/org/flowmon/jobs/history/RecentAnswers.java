package org.flowmon.jobs.history;

import java.util.Optional;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.jobs.history.cache.AnswerMemory;
import org.flowmon.jobs.history.cache.AskedSegments;
import org.flowmon.jobs.history.cache.GroupCache;
import org.flowmon.udaf.value.ResultTable;

/**
 * Exact answers, which cannot improve, of history queries that depend on {@code :now} alone: with
 * {@code history.refresh} one serves all windows of a period. Valid while the archive has the
 * {@linkplain AskedSegments same} rows. Flows may be late and tasks behind one another, so windows
 * of several periods may be open; the most recently requested are kept, of as many rows as two of
 * the largest. Thread-safe.
 */
final class RecentAnswers {
  /** The most rows of an answer that is kept. */
  static final int MAX_ROWS = 1_000_000;

  private static final int KEPT = 16;

  private final AnswerMemory memory;
  private final AnswerMemory.Share share = new AnswerMemory.Share(KEPT, 2L * MAX_ROWS);
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
    return new AnswerMemory.Key(share, now);
  }

  /** A snapshot tells whether the answer still holds. */
  boolean has(long now) {
    return memory.has(key(now));
  }

  /** The answer for a time, if cached and the archive has not changed. */
  Optional<HistoryAnswer> get(long now, ArchivesSnapshot snapshot) {
    return memory
        .get(key(now))
        .map(Kept.class::cast)
        .filter(kept -> kept.segments().hold(snapshot, kept.answer().asOf()))
        .map(Kept::answer);
  }

  void keep(long now, HistoryAnswer answer, AskedSegments segments) {
    if (answer.status() == HistoryStatus.EXACT) {
      ResultTable rows = answer.rows().orElseThrow();
      if (rows.rowCount() <= MAX_ROWS) {
        memory.put(key(now), new Kept(answer, segments), rows.heapBytes(), rows.rowCount());
      }
    }
  }

  void clear() {
    memory.clear(share);
    groups.clear();
  }
}
