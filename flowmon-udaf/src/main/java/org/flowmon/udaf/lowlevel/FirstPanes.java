package org.flowmon.udaf.lowlevel;

import java.util.TreeSet;
import org.flowmon.udaf.pane.WindowSpec;

/**
 * Limits the panes that open before the first watermark. Until then the time is unknown: no window
 * closes, and flows of any past arrival open panes, so that an attacker could open one with each
 * flow. At most {@link #MAX_WINDOWS} windows open, or as many as are open by their own lateness if
 * these are more. After the first watermark there is no limit: earlier panes are closed, and the
 * elapsed time bounds the later ones. Not thread-safe.
 */
public final class FirstPanes {
  /** The most windows that open. A month has fewer of ten seconds. */
  public static final int MAX_WINDOWS = 1 << 18;

  private final int maxWindows;
  private final TreeSet<Long> starts = new TreeSet<>();
  private long windows;
  private boolean timeIsKnown;
  // The last opened pane: most flows are in the pane of the previous flow.
  private long latest = Long.MIN_VALUE;

  /** No open panes, and no watermark yet. */
  public FirstPanes() {
    this(MAX_WINDOWS);
  }

  /** No open panes, and no watermark yet; with another limit on windows. */
  FirstPanes(int maxWindows) {
    this.maxWindows = maxWindows;
  }

  /** Opens all panes at any time: for flows that somebody chose. */
  public static FirstPanes all() {
    FirstPanes all = new FirstPanes();
    all.timeIsKnown();
    return all;
  }

  /** Notes the first watermark. */
  public void timeIsKnown() {
    timeIsKnown = true;
    starts.clear();
  }

  /** Whether a watermark has come. */
  public boolean isTimeKnown() {
    return timeIsKnown;
  }

  /**
   * Opens a pane, unless that would open too many windows.
   *
   * @return whether the pane is open
   */
  public boolean open(WindowSpec window, long start) {
    if (timeIsKnown || (start == latest && !starts.isEmpty()) || starts.contains(start)) {
      return true;
    }
    long more = windowsBeside(window, start);
    if (windows + more > Math.max(maxWindows, openAtATime(window))) {
      return false;
    }
    windows += more;
    latest = start;
    return starts.add(start);
  }

  /** The number of a pane's windows that no open pane has. */
  private long windowsBeside(WindowSpec window, long start) {
    Long before = starts.lower(start);
    Long after = starts.higher(start);
    long width = window.widthMicros();
    long from = before == null ? start : Math.max(start, before + width);
    long to = after == null ? start + width : Math.min(start + width, after);
    return Math.max(0, to - from) / window.slideMicros();
  }

  /**
   * The number of windows that are open if all flows arrive in order, with clocks as far ahead as
   * allowed.
   */
  private static long openAtATime(WindowSpec window) {
    long micros = window.widthMicros() + window.latenessMicros() + 2 * window.aheadMicros();
    return micros / window.slideMicros() + 2;
  }

  /**
   * The pane that reports the counts of a pane that {@link #open} refused: the first open one after
   * it, or else the last.
   */
  public long nearest(long start) {
    Long after = starts.ceiling(start);
    return after == null ? starts.last() : after;
  }
}
