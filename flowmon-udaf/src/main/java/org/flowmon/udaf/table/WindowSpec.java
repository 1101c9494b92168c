package org.flowmon.udaf.table;

import org.flowmon.flow.FlowColumn;

/**
 * Windows over flows: [end − width, end), an end at each multiple of the slide since
 * 1970-01-01T00:00:00Z.
 *
 * <p>A flow belongs to a window by its time column, by its arrival where that is NULL. It is late
 * for a window, and not counted in it, where {@code arrival > end + lateness}: a property of the
 * flow, whatever the order of processing.
 *
 * @param widthMicros length of a window
 * @param slideMicros distance of window ends; equal to the width for tumbling windows. The width is
 *     a multiple of it
 * @param timeColumn {@link FlowColumn#END_TIME} or {@link FlowColumn#ARRIVAL}
 * @param latenessMicros how long after a window's end a flow of it may still arrive
 * @param aheadMicros flows whose time is further than this after their arrival are counted as ahead
 *     and belong to no window: a clock that runs years fast must not keep windows open for years
 */
public record WindowSpec(
    long widthMicros,
    long slideMicros,
    FlowColumn timeColumn,
    long latenessMicros,
    long aheadMicros) {
  /** The default of {@link #aheadMicros}: one hour. */
  public static final long DEFAULT_AHEAD_MICROS = 3_600_000_000L;

  // Old captures are replayed against today's arrival times.
  private static final long MAX_MICROS = 100L * 366 * 86_400_000_000L;

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
  }

  /** Tumbling windows over {@code end_time}. */
  public static WindowSpec tumbling(long widthMicros, long latenessMicros) {
    return new WindowSpec(
        widthMicros, widthMicros, FlowColumn.END_TIME, latenessMicros, DEFAULT_AHEAD_MICROS);
  }

  /** Windows that share panes: width / slide. */
  public int windowsPerPane() {
    return Math.toIntExact(widthMicros / slideMicros);
  }

  /** The start of the pane, as long as the slide, that holds a time. */
  public long paneStart(long time) {
    return Math.floorDiv(time, slideMicros) * slideMicros;
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

  /**
   * Whether the window that ends there is complete when no flow will arrive at or before the
   * watermark any more.
   */
  public boolean isClosed(long windowEnd, long watermarkMicros) {
    return windowEnd + latenessMicros <= watermarkMicros;
  }
}
