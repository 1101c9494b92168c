package org.flowmon.jobs.history;

import java.util.Optional;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/**
 * The result of a history query for one window, or why there is none. Times are in microseconds,
 * {@link #UNKNOWN} if there is none or the archive was not read.
 *
 * @param asOf later arrivals are not seen
 * @param from the first arrival from which on the archive is complete
 * @param through all earlier arrivals are in the archive, except for gaps
 * @param gaps arrivals before as-of that the archive may lack though it reached later ones: at
 *     gaps, and between imported files and the job's own segments
 * @param rows empty unless the status is {@link HistoryStatus#EXACT} or {@link
 *     HistoryStatus#PARTIAL}
 * @param message for people
 * @param seen of {@link SeenLookup}, empty without one or without an answer
 */
public record HistoryAnswer(
    HistoryStatus status,
    long asOf,
    long from,
    long through,
    LongRanges gaps,
    Optional<ResultTable> rows,
    @Nullable String message,
    Optional<ResultTable> seen) {
  public static final long UNKNOWN = Long.MIN_VALUE;

  public static final HistoryAnswer NONE = without(HistoryStatus.NONE, UNKNOWN, null);

  // Exporters hold flows back for minutes, and their clocks differ by less.
  private static final long NEAR_MICROS = 3_600_000_000L;

  /** Without addresses that were looked up. */
  public HistoryAnswer(
      HistoryStatus status,
      long asOf,
      long from,
      long through,
      LongRanges gaps,
      Optional<ResultTable> rows,
      @Nullable String message) {
    this(status, asOf, from, through, gaps, rows, message, Optional.empty());
  }

  public static HistoryAnswer without(HistoryStatus status, long asOf, @Nullable String message) {
    return new HistoryAnswer(
        status, asOf, UNKNOWN, UNKNOWN, LongRanges.NONE, Optional.empty(), message);
  }

  HistoryAnswer withRows(ResultTable others) {
    return new HistoryAnswer(status, asOf, from, through, gaps, Optional.of(others), message);
  }

  /** With addresses that were looked up over what {@code reach} covers. */
  HistoryAnswer withSeen(ResultTable found, HistoryAnswer reach) {
    boolean isExact = status == HistoryStatus.EXACT && reach.status == HistoryStatus.EXACT;
    return new HistoryAnswer(
        isExact ? HistoryStatus.EXACT : HistoryStatus.PARTIAL,
        asOf,
        from,
        through,
        gaps,
        rows,
        message == null ? reach.message : message,
        Optional.of(found));
  }

  HistoryAnswer withoutRows() {
    return new HistoryAnswer(status, asOf, from, through, gaps, Optional.empty(), message);
  }

  /** Flows that arrive later than as-of are not looked for. */
  HistoryAnswer withoutLaterGaps() {
    LongRanges before = asOf == UNKNOWN ? gaps : gaps.and(LongRanges.of(Long.MIN_VALUE, asOf));
    return new HistoryAnswer(status, asOf, from, through, before, rows, message, seen);
  }

  /** With a message if it has none. */
  HistoryAnswer otherwise(String other) {
    return message != null
        ? this
        : new HistoryAnswer(status, asOf, from, through, gaps, rows, other, seen);
  }

  /**
   * Whether it covers [start, end) in microseconds: after history began, all arrived by as-of and
   * in the archive, and no gap of arrivals in it or within an hour of it.
   */
  public boolean covers(long start, long end) {
    return rows.isPresent()
        && from != UNKNOWN
        && start >= from
        && end <= reached()
        && !gaps.intersects(start - NEAR_MICROS, end - 1 + NEAR_MICROS);
  }

  /** The times, in microseconds, that it {@linkplain #covers covers}. */
  public LongRanges held(LongRanges times) {
    if (rows.isEmpty() || from == UNKNOWN || reached() <= from) {
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

  // Ended sources reach no further than their last arrival, and nothing is missing after it.
  private long reached() {
    return status == HistoryStatus.EXACT ? asOf : Math.min(asOf, through);
  }
}
