package org.flowmon.jobs.history;

import java.util.Iterator;
import java.util.LinkedHashMap;

/**
 * Answers that serve several windows: those of a history query that depends on nothing but {@code
 * :now}, which with {@code history.refresh} is the same for all windows of a period. Only exact
 * ones are kept, since what held everything that had arrived by as-of cannot become better. Windows
 * of several periods may be under way at once, as flows may be late and tasks behind one another:
 * those that were asked for last are kept, with no more rows together than two answers of {@link
 * #MAX_ROWS} have, which is the most that one may have.
 */
final class RecentAnswers {
  static final int MAX_ROWS = 1_000_000;
  private static final int KEPT = 16;

  // That which was asked for least lately comes first.
  private final LinkedHashMap<Long, HistoryAnswer> byNow = new LinkedHashMap<>(32, 0.75f, true);
  private long rows;
  private final KeptGroups groups = new KeptGroups();

  /** What was asked for by lists of the windows' values, where that is what serves others. */
  KeptGroups groups() {
    return groups;
  }

  /** The answer for a time, null where it is not there. */
  synchronized HistoryAnswer get(long now) {
    return byNow.get(now);
  }

  synchronized void keep(long now, HistoryAnswer answer) {
    if (answer.status() == HistoryStatus.EXACT && answer.rows().rowCount() <= MAX_ROWS) {
      HistoryAnswer before = byNow.put(now, answer);
      rows += answer.rows().rowCount() - (before == null ? 0 : before.rows().rowCount());
      Iterator<HistoryAnswer> oldest = byNow.values().iterator();
      while (byNow.size() > KEPT || rows > 2L * MAX_ROWS) {
        rows -= oldest.next().rows().rowCount();
        oldest.remove();
      }
    }
  }
}
