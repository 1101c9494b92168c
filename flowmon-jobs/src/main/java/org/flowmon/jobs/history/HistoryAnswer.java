package org.flowmon.jobs.history;

import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.ResultTable;

/**
 * What the history query of an analysis gave for one window, or why it gave nothing.
 *
 * @param asOf what arrived later is not seen, in microseconds; {@link #UNKNOWN} where nothing was
 *     looked up
 * @param from history begins here: the first arrival of which the archive holds all, in
 *     microseconds; {@link #UNKNOWN} where there is none or the archive was not read
 * @param through everything that arrived before this is in the archive, but for gaps, in
 *     microseconds; {@link #UNKNOWN} likewise
 * @param gaps arrivals, in microseconds, that the archive may lack before as-of, though it has
 *     reached later ones: at gaps, and between imported files and what the job archived
 * @param rows null unless the status is {@link HistoryStatus#EXACT} or {@link
 *     HistoryStatus#PARTIAL}
 * @param message for people, null where there is nothing to say
 */
public record HistoryAnswer(
    HistoryStatus status,
    long asOf,
    long from,
    long through,
    LongRanges gaps,
    ResultTable rows,
    String message) {
  /** A time that nobody knows. */
  public static final long UNKNOWN = Long.MIN_VALUE;

  /** Nothing to look up. */
  public static final HistoryAnswer NONE =
      new HistoryAnswer(HistoryStatus.NONE, UNKNOWN, UNKNOWN, UNKNOWN, LongRanges.NONE, null, null);

  // Exporters hold flows back for minutes, and their clocks differ by less.
  private static final long NEAR_MICROS = 3_600_000_000L;

  /** No answer, for a reason. */
  static HistoryAnswer without(HistoryStatus status, long asOf, String message) {
    return new HistoryAnswer(status, asOf, UNKNOWN, UNKNOWN, LongRanges.NONE, null, message);
  }

  /** The same answer with other rows. */
  HistoryAnswer withRows(ResultTable others) {
    return new HistoryAnswer(status, asOf, from, through, gaps, others, message);
  }

  /**
   * Whether all that belongs to the time range [start, end) is in this history: it begins after
   * history began, all of it had arrived by as-of and lies in the archive, and no gap of arrivals
   * touches it or lies within an hour of it.
   *
   * @param start in microseconds
   * @param end in microseconds
   */
  public boolean covers(long start, long end) {
    return rows != null
        && from != UNKNOWN
        && start >= from
        && end <= reached()
        && !gaps.intersects(start - NEAR_MICROS, end - 1 + NEAR_MICROS);
  }

  /**
   * What of some times is in this history, in the sense of {@link #covers}.
   *
   * @param times in microseconds
   */
  public LongRanges held(LongRanges times) {
    if (rows == null || from == UNKNOWN || reached() <= from) {
      return LongRanges.NONE;
    }
    LongRanges near = LongRanges.NONE;
    for (int i = 0; i < gaps.count(); i++) {
      long first = Math.max(gaps.first(i), Long.MIN_VALUE + NEAR_MICROS) - NEAR_MICROS;
      long last = Math.min(gaps.last(i), Long.MAX_VALUE - NEAR_MICROS) + NEAR_MICROS;
      near = near.or(LongRanges.of(first, last));
    }
    return times.and(LongRanges.of(from, reached() - 1)).and(near.complement());
  }

  // Sources that have ended reach no further than their last arrival, and nothing is missing
  // behind.
  private long reached() {
    return status == HistoryStatus.EXACT ? asOf : Math.min(asOf, through);
  }
}
