package org.flowmon.jobs.history;

import java.util.Iterator;
import java.util.LinkedHashMap;
import org.flowmon.archive.ArchiveSnapshot;

/**
 * Answers that serve several windows: those of a history query that depends on nothing but {@code
 * :now}, which with {@code history.refresh} is the same for all windows of a period. Only exact
 * ones are kept, since what held everything that had arrived by as-of cannot become better; they
 * are given as long as the archive has the {@linkplain AskedSegments same} of what they are about.
 * Windows of several periods may be under way at once, as flows may be late and tasks behind one
 * another: those that were asked for last are kept, with no more rows together than two answers of
 * {@link #MAX_ROWS} have, which is the most that one may have, and with no more bytes than are
 * said.
 */
final class RecentAnswers {
  static final int MAX_ROWS = 1_000_000;
  private static final int KEPT = 16;

  private final long maxBytes;

  /** An answer, and of what it is. */
  private record Kept(HistoryAnswer answer, AskedSegments segments, long bytes) {
    int rows() {
      return answer.rows().rowCount();
    }
  }

  // That which was asked for least lately comes first.
  private final LinkedHashMap<Long, Kept> byNow = new LinkedHashMap<>(32, 0.75f, true);
  private long rows;
  private long bytes; // of the rows, about
  private final KeptGroups groups = new KeptGroups();

  /** Answers that take no more of the heap together than the groups of one lookup may. */
  RecentAnswers() {
    this(LookupPool.groupMemory());
  }

  /** Answers of no more bytes of the heap together, about. */
  RecentAnswers(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** What was asked for by lists of the windows' values, where that is what serves others. */
  KeptGroups groups() {
    return groups;
  }

  /** Whether there is an answer for a time; a snapshot tells whether it still holds. */
  synchronized boolean has(long now) {
    return byNow.containsKey(now);
  }

  /** The answer for a time, null where it is not there, or the archive has something else now. */
  synchronized HistoryAnswer get(long now, ArchiveSnapshot snapshot) {
    Kept kept = byNow.get(now);
    boolean holds = kept != null && kept.segments().hold(snapshot, kept.answer().asOf());
    return holds ? kept.answer() : null;
  }

  /**
   * Keeps an answer, if it is exact.
   *
   * @param segments what it was answered of
   */
  synchronized void keep(long now, HistoryAnswer answer, AskedSegments segments) {
    long size = answer.status() == HistoryStatus.EXACT ? answer.rows().heapBytes() : 0;
    if (answer.status() == HistoryStatus.EXACT
        && answer.rows().rowCount() <= MAX_ROWS
        && size <= maxBytes) {
      Kept before = byNow.put(now, new Kept(answer, segments, size));
      rows += answer.rows().rowCount() - (before == null ? 0 : before.rows());
      bytes += size - (before == null ? 0 : before.bytes());
      Iterator<Kept> oldest = byNow.values().iterator();
      while (byNow.size() > KEPT || rows > 2L * MAX_ROWS || bytes > maxBytes) {
        Kept least = oldest.next();
        rows -= least.rows();
        bytes -= least.bytes();
        oldest.remove();
      }
    }
  }
}
