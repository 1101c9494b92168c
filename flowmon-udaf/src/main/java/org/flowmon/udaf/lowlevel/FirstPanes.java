package org.flowmon.udaf.lowlevel;

import java.util.TreeSet;
import org.flowmon.udaf.pane.WindowSpec;

/**
 * Limits the panes that open before the first watermark. Until then the time is unknown, no window
 * closes, and flows of any past arrival open panes: an attacker could open one with each. At most
 * {@link #MAX_WINDOWS} windows open, or as many as their lateness keeps open if these are more.
 * Afterwards there is no limit: earlier panes are closed, and the elapsed time bounds later ones.
 * Not thread-safe.
 */
public final class FirstPanes {
  /** The most windows that open. A month has fewer of ten seconds. */
  public static final int MAX_WINDOWS = 1 << 18;

  private final int maxWindows;
  private final TreeSet<Long> starts = new TreeSet<>();
  private long windows;
  private boolean timeIsKnown;
  // Most flows are in the pane of the previous flow.
  private long latest = Long.MIN_VALUE;

  public FirstPanes() {
    this(MAX_WINDOWS);
  }

  FirstPanes(int maxWindows) {
    this.maxWindows = maxWindows;
  }

  /** Opens all panes at any time: for flows that somebody chose. */
  public static FirstPanes all() {
    FirstPanes all = new FirstPanes();
    all.timeIsKnown();
    return all;
  }

  public void timeIsKnown() {
    timeIsKnown = true;
    starts.clear();
  }

  public boolean isTimeKnown() {
    return timeIsKnown;
  }

  /** Opens a pane unless that opens too many windows; returns whether it is open. */
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

  private long windowsBeside(WindowSpec window, long start) {
    Long before = starts.lower(start);
    Long after = starts.higher(start);
    long width = window.widthMicros();
    long from = before == null ? start : Math.max(start, before + width);
    long to = after == null ? start + width : Math.min(start + width, after);
    return Math.max(0, to - from) / window.slideMicros();
  }

  /** The open windows if all flows arrive in order, with clocks as far ahead as allowed. */
  private static long openAtATime(WindowSpec window) {
    long micros = window.widthMicros() + window.latenessMicros() + 2 * window.aheadMicros();
    return micros / window.slideMicros() + 2;
  }

  /** The pane that reports counts of a refused pane: the first open one after it, or the last. */
  public long nearest(long start) {
    Long after = starts.ceiling(start);
    return after == null ? starts.last() : after;
  }
}
