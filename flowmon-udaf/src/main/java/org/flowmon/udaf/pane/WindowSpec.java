package org.flowmon.udaf.pane;

import org.flowmon.flow.FlowColumn;

/**
 * Windows over flows: [end − width, end), an end at each multiple of the slide since
 * 1970-01-01T00:00:00Z.
 *
 * <p>A flow belongs to a window by its time column, by its arrival where that is NULL. It is late
 * for a window, and not counted in it, where {@code arrival > end + lateness}: a property of the
 * flow, whatever the order of processing.
 *
 * <p>With lateness a window's result may come twice or more: at its end, then revised, at multiples
 * of the slide, while flows of it still arrive, and for the last time at its end + lateness. What a
 * result holds depends on arrivals alone: what came at or before the tick that it is of. Each
 * pane's groups are therefore kept apart by the tick from which on they count, their <i>due</i>
 * time, until that tick has come.
 *
 * @param widthMicros length of a window
 * @param slideMicros distance of window ends; equal to the width for tumbling windows. The width is
 *     a multiple of it
 * @param timeColumn {@link FlowColumn#END_TIME} or {@link FlowColumn#ARRIVAL}
 * @param latenessMicros how long after a window's end a flow of it may still arrive
 * @param aheadMicros flows whose time is further than this after their arrival are counted as ahead
 *     and belong to no window: a clock that runs years fast must not keep windows open for years
 * @param revised whether results come at the windows' ends and are revised; else each comes once,
 *     at its window's end + lateness, which is the last one of the others
 * @param spread whether the bytes and packets of a flow are divided among the panes in which it was
 *     active; windows over {@link FlowColumn#END_TIME} only
 */
public record WindowSpec(
    long widthMicros,
    long slideMicros,
    FlowColumn timeColumn,
    long latenessMicros,
    long aheadMicros,
    boolean revised,
    boolean spread) {
  /** The default of {@link #aheadMicros}: one hour. */
  public static final long DEFAULT_AHEAD_MICROS = 3_600_000_000L;

  /**
   * A flow that took longer is not divided: one of its times is wrong. A hundred years, in
   * microseconds.
   */
  public static final long MAX_FLOW_MICROS = 100L * 366 * 86_400_000_000L;

  // Old captures are replayed against today's arrival times.
  private static final long MOST = 1L << 60;
  private static final long MAX_MICROS = 100L * 366 * 86_400_000_000L;

  /** Slides of lateness, less than this: so many updates a window may have. */
  public static final int MAX_UPDATES = (1 << 29) - 1;

  public WindowSpec {
    if (widthMicros <= 0
        || slideMicros <= 0
        || widthMicros > MAX_MICROS
        || widthMicros % slideMicros != 0) {
      throw new IllegalArgumentException(
          "a window of "
              + widthMicros
              + " us with slide "
              + slideMicros
              + " us: expected a width of 1 us … 100 years that is a multiple of the slide");
    }
    if (spread && timeColumn != FlowColumn.END_TIME) {
      throw new IllegalArgumentException(
          "flows are divided among windows over end_time, not over " + timeColumn.sqlName());
    }
    if (timeColumn != FlowColumn.END_TIME && timeColumn != FlowColumn.ARRIVAL) {
      throw new IllegalArgumentException(
          "windows are over end_time or arrival, not " + timeColumn.sqlName());
    }
    if (latenessMicros < 0
        || latenessMicros > MAX_MICROS
        || aheadMicros < 0
        || aheadMicros > MAX_MICROS) {
      throw new IllegalArgumentException(
          "lateness "
              + latenessMicros
              + " us, ahead "
              + aheadMicros
              + " us: expected 0 … 100 years");
    }
    if (latenessMicros / slideMicros >= MAX_UPDATES) {
      throw new IllegalArgumentException(
          "lateness "
              + latenessMicros
              + " us, slide "
              + slideMicros
              + " us: expected less than "
              + MAX_UPDATES
              + " slides");
    }
  }

  /** Windows whose results come once, over flows that are not divided. */
  public WindowSpec(
      long widthMicros,
      long slideMicros,
      FlowColumn timeColumn,
      long latenessMicros,
      long aheadMicros) {
    this(widthMicros, slideMicros, timeColumn, latenessMicros, aheadMicros, false, false);
  }

  /** Tumbling windows over {@code end_time}. */
  public static WindowSpec tumbling(long widthMicros, long latenessMicros) {
    return new WindowSpec(
        widthMicros, widthMicros, FlowColumn.END_TIME, latenessMicros, DEFAULT_AHEAD_MICROS);
  }

  /** The same windows with another width, a multiple of the slide. */
  public WindowSpec withWidth(long micros) {
    return new WindowSpec(
        micros, slideMicros, timeColumn, latenessMicros, aheadMicros, revised, spread);
  }

  /** Windows that share panes: width / slide. */
  public int windowsPerPane() {
    return Math.toIntExact(widthMicros / slideMicros);
  }

  /** Whether a number of microseconds is a time with which one can reckon: some 36,000 years. */
  public static boolean isTime(long micros) {
    return micros >= -MOST && micros <= MOST;
  }

  /** The start of the pane, as long as the slide, that holds a time. */
  public long paneStart(long time) {
    return Math.floorDiv(time, slideMicros) * slideMicros;
  }

  /**
   * The start of the pane that holds an arrival; of one that {@linkplain #isTime is no time} that
   * of the nearest time.
   */
  public long arrivalPane(long arrival) {
    return paneStart(Math.max(-MOST, Math.min(MOST, arrival)));
  }

  /** The end of the first window that holds the pane. */
  public long firstWindowEnd(long paneStart) {
    return paneStart + slideMicros;
  }

  /** The end of the last window that holds the pane. */
  public long lastWindowEnd(long paneStart) {
    return paneStart + widthMicros;
  }

  /** Whether a flow of a pane arrived too late for every window that holds the pane. */
  public boolean isLate(long paneStart, long arrival) {
    return arrival > lastWindowEnd(paneStart) + latenessMicros;
  }

  /** The first pane that a flow of this arrival is not late for. */
  public long firstPaneInTime(long arrival) {
    return -tickAtOrBefore(latenessMicros + widthMicros - arrival);
  }

  /**
   * Whether the window that ends there is complete when no flow will arrive at or before the
   * watermark any more.
   */
  public boolean isClosed(long windowEnd, long watermarkMicros) {
    return windowEnd + latenessMicros <= watermarkMicros;
  }

  /** The last multiple of the slide that is not after a time. */
  private long tickAtOrBefore(long time) {
    return Math.floorDiv(time, slideMicros) * slideMicros;
  }

  /**
   * From which tick on groups of a pane count that hold flows of these arrivals: the first multiple
   * of the slide that is at or after the arrival, after the watermark and not before the first of
   * the pane's windows ends. Where results come once it says nothing and is that window's end.
   *
   * @param fromWindowEnd end of the first window that they count in
   * @param watermarkMicros no flow that arrived at or before this is expected any more: what comes
   *     nevertheless counts from the next tick on
   */
  public long due(long fromWindowEnd, long arrival, long watermarkMicros) {
    if (!revised) {
      return fromWindowEnd;
    }
    long due = fromWindowEnd;
    if (arrival > due) {
      due = -tickAtOrBefore(-arrival);
    }
    return due > watermarkMicros ? due : tickAtOrBefore(watermarkMicros) + slideMicros;
  }

  /**
   * The watermark at which such groups are needed first: their tick, or the end + lateness of their
   * first window.
   */
  public long neededAt(long fromWindowEnd, long due) {
    long last = fromWindowEnd + latenessMicros;
    return revised ? Math.min(due, last) : last;
  }

  /** Whether a window may have a result that it did not have at an earlier watermark. */
  public boolean hasResultsBetween(long before, long watermarkMicros) {
    if (before < Long.MIN_VALUE / 2 || watermarkMicros > Long.MAX_VALUE / 2) {
      return true;
    }
    return tickAtOrBefore(watermarkMicros - latenessMicros) + latenessMicros > before
        || (revised && tickAtOrBefore(watermarkMicros) > before);
  }

  /** The watermark from which on a window that ends there has a result. */
  public long firstResultAt(long windowEnd) {
    return revised ? windowEnd : windowEnd + latenessMicros;
  }

  /**
   * The watermark from which on what there is of a window goes ahead of its result, so that little
   * is left to do once that is due: a quarter of its lateness after its end. Most flows have come
   * by then, and there is time to send them and to put them in order.
   *
   * @return {@link Long#MAX_VALUE}, never, where results are revised, nothing may be late, or so
   *     much that several windows would be there in advance at a time
   */
  public long advanceAt(long windowEnd) {
    return hasAdvances() ? windowEnd + latenessMicros / 4 : Long.MAX_VALUE;
  }

  /** Whether any window reaches {@link #advanceAt} after one watermark and by another. */
  public boolean advancesBetween(long before, long watermarkMicros) {
    if (!hasAdvances() || watermarkMicros > Long.MAX_VALUE / 2) {
      return false;
    }
    long lead = latenessMicros / 4;
    return before < Long.MIN_VALUE / 2 || tickAtOrBefore(watermarkMicros - lead) + lead > before;
  }

  private boolean hasAdvances() {
    return !revised && latenessMicros > 3 && latenessMicros <= slideMicros;
  }

  /**
   * Through which arrival, inclusive, the result is complete that a window has at a watermark: the
   * last tick, or the window's end + lateness where that is reached.
   */
  public long completeThrough(long windowEnd, long watermarkMicros) {
    return isClosed(windowEnd, watermarkMicros)
        ? windowEnd + latenessMicros
        : tickAtOrBefore(watermarkMicros);
  }

  /** Number of the last result of each window, the final one: lateness / slide, rounded up. */
  public int lastUpdate() {
    return Math.toIntExact(-Math.floorDiv(-latenessMicros, slideMicros));
  }

  /**
   * Number of a result by what it is complete through: 0 for that at the window's end, one more
   * with each slide, {@link #lastUpdate} for the final one.
   */
  public int update(long windowEnd, long completeThrough) {
    return Math.toIntExact(-Math.floorDiv(windowEnd - completeThrough, slideMicros));
  }
}
