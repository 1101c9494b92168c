package org.flowmon.jobs.history;

import java.util.Map;
import java.util.TreeMap;

/**
 * Answers that serve several windows: those of a history query that depends on nothing but {@code
 * :now}, which with {@code history.refresh} is the same for all windows of a period. Only exact
 * ones are kept, since what held everything that had arrived by as-of cannot become better; of the
 * last two periods, as windows of two periods may be under way at once; and none of more than
 * {@link #MAX_ROWS} rows.
 */
final class RecentAnswers {
  static final int MAX_ROWS = 1_000_000;
  private static final int KEPT = 2;

  private final TreeMap<Long, HistoryAnswer> byNow = new TreeMap<>();
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
      byNow.put(now, answer);
      Map.Entry<Long, HistoryAnswer> oldest = byNow.firstEntry();
      if (byNow.size() > KEPT) {
        byNow.remove(oldest.getKey());
      }
    }
  }
}
