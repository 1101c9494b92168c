package org.flowmon.udaf.pane;

import org.flowmon.flow.FlowColumn;

/**
 * Windows over flows: [end − width, end), an end at each multiple of the slide since
 * 1970-01-01T00:00:00Z.
 *
 * <p>A flow belongs to a window by its time column, or by its arrival if that is NULL. It is late
 * for a window, and not counted in it, if {@code arrival > end + lateness}: a property of the flow,
 * whatever the order of processing.
 *
 * <p>With lateness a window may have several results: at its end, revisions at multiples of the
 * slide while its flows still arrive, and a last one at its end + lateness. A result includes
 * exactly the flows that arrived at or before its tick. Each pane's groups are therefore kept apart
 * by the tick from which they count, their <i>due</i> time, until that tick has come.
 *
 * @param widthMicros a multiple of the slide
 * @param slideMicros distance of window ends; equal to the width for tumbling windows
 * @param timeColumn {@link FlowColumn#END_TIME} or {@link FlowColumn#ARRIVAL}
 * @param latenessMicros the longest time after a window's end that a flow of it may still arrive
 * @param aheadMicros flows whose time is further than this after their arrival are counted as ahead
 *     and belong to no window: a clock that runs years fast must not keep windows open for years
 * @param revised whether results come at the windows' ends and are revised; else each window has
 *     one result, at its end + lateness, equal to the last revised one
 * @param spread whether a flow's bytes and packets are divided among the panes of its activity;
 *     only over {@link FlowColumn#END_TIME}
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

  /** A longer flow is not divided: one of its times is wrong. A hundred years, in microseconds. */
  public static final long MAX_FLOW_MICROS = 100L * 366 * 86_400_000_000L;

  // Old captures are replayed against today's arrival times.
  private static final long MOST = 1L << 60;
  private static final long MAX_MICROS = 100L * 366 * 86_400_000_000L;

  /** The most updates of a window: its lateness has fewer slides. */
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

  /** Windows with one result each, over undivided flows. */
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

  /** A width that is a multiple of the slide. */
  public WindowSpec withWidth(long micros) {
    return new WindowSpec(
        micros, slideMicros, timeColumn, latenessMicros, aheadMicros, revised, spread);
  }

  public int windowsPerPane() {
    return Math.toIntExact(widthMicros / slideMicros);
  }

  /** Whether a number of microseconds is a valid time for arithmetic: some 36,000 years. */
  public static boolean isTime(long micros) {
    return micros >= -MOST && micros <= MOST;
  }

  /** Of the pane, as long as the slide, that holds a time. */
  public long paneStart(long time) {
    return Math.floorDiv(time, slideMicros) * slideMicros;
  }

  /** Of the pane that holds the arrival, or the nearest {@linkplain #isTime valid time}. */
  public long arrivalPane(long arrival) {
    return paneStart(Math.max(-MOST, Math.min(MOST, arrival)));
  }

  public long firstWindowEnd(long paneStart) {
    return paneStart + slideMicros;
  }

  public long lastWindowEnd(long paneStart) {
    return paneStart + widthMicros;
  }

  /** Whether a flow of a pane arrived too late for every window that holds the pane. */
  public boolean isLate(long paneStart, long arrival) {
    return arrival > lastWindowEnd(paneStart) + latenessMicros;
  }

  /** The first pane that a flow of this arrival is on time for. */
  public long firstPaneInTime(long arrival) {
    return -tickAtOrBefore(latenessMicros + widthMicros - arrival);
  }

  /** Whether the window is complete if no flow will arrive at or before the watermark any more. */
  public boolean isClosed(long windowEnd, long watermarkMicros) {
    return windowEnd + latenessMicros <= watermarkMicros;
  }

  private long tickAtOrBefore(long time) {
    return Math.floorDiv(time, slideMicros) * slideMicros;
  }

  /**
   * The tick from which groups with flows of these arrivals count: the first multiple of the slide
   * that is at or after the arrival, after the watermark, and at or after the end of their first
   * window. If results come once, it is that window's end and has no meaning.
   *
   * @param watermarkMicros no flow that arrived at or before this is expected any more: a later one
   *     counts from the next tick on
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

  /** The watermark at which groups are first needed: their tick, or first end + lateness. */
  public long neededAt(long fromWindowEnd, long due) {
    long last = fromWindowEnd + latenessMicros;
    return revised ? Math.min(due, last) : last;
  }

  public boolean hasResultsBetween(long before, long watermarkMicros) {
    if (before < Long.MIN_VALUE / 2 || watermarkMicros > Long.MAX_VALUE / 2) {
      return true;
    }
    return tickAtOrBefore(watermarkMicros - latenessMicros) + latenessMicros > before
        || (revised && tickAtOrBefore(watermarkMicros) > before);
  }

  /** The first watermark at which the window has a result. */
  public long firstResultAt(long windowEnd) {
    return revised ? windowEnd : windowEnd + latenessMicros;
  }

  /**
   * The watermark from which a window's groups are sent ahead of its result, to leave little work
   * for it: a quarter of the lateness after the end. Most flows have come by then, and there is
   * time to send and sort them. {@link Long#MAX_VALUE}, never, if results are revised, if nothing
   * may be late, or if several windows would be sent ahead at a time.
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
   * The arrival, inclusive, through which a window's result at a watermark is complete: the last
   * tick, or the window's end + lateness after that.
   */
  public long completeThrough(long windowEnd, long watermarkMicros) {
    return isClosed(windowEnd, watermarkMicros)
        ? windowEnd + latenessMicros
        : tickAtOrBefore(watermarkMicros);
  }

  /** 0 for a result at the window's end, one more with each slide. */
  public int update(long windowEnd, long completeThrough) {
    return Math.toIntExact(-Math.floorDiv(windowEnd - completeThrough, slideMicros));
  }
}
