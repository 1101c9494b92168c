package org.flowmon.udaf.lowlevel;

import java.util.TreeSet;
import org.flowmon.udaf.pane.WindowSpec;

/**
 * Which panes may open until the first watermark comes. Until then nothing says which time it is:
 * no window closes, and flows of any arrival in the past open them, so that whoever may send flows
 * could open one with each. So no more windows open than {@link #MAX_WINDOWS}, or than stand open
 * by their own lateness if these are more. From the first watermark on there is no limit: what is
 * behind it is closed, and what lies before it is bounded by the time that went by. Not
 * thread-safe.
 */
public final class FirstPanes {
  /** Windows that may open. A month has fewer of ten seconds. */
  public static final int MAX_WINDOWS = 1 << 18;

  private final int maxWindows;
  private final TreeSet<Long> starts = new TreeSet<>();
  private long windows;
  private boolean timeIsKnown;
  // The last that was opened: most flows are of the pane of the one before.
  private long latest = Long.MIN_VALUE;

  /** None has opened, and no watermark has come. */
  public FirstPanes() {
    this(MAX_WINDOWS);
  }

  /** Likewise, with another number of windows. */
  FirstPanes(int maxWindows) {
    this.maxWindows = maxWindows;
  }

  /** All open, whatever the time: of flows that somebody chose. */
  public static FirstPanes all() {
    FirstPanes all = new FirstPanes();
    all.timeIsKnown();
    return all;
  }

  /** Notes that a watermark has come. */
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
   * @return whether it is open, now or from before
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

  /** The windows of a pane that no pane which is open has. */
  private long windowsBeside(WindowSpec window, long start) {
    Long before = starts.lower(start);
    Long after = starts.higher(start);
    long width = window.widthMicros();
    long from = before == null ? start : Math.max(start, before + width);
    long to = after == null ? start + width : Math.min(start + width, after);
    return Math.max(0, to - from) / window.slideMicros();
  }

  /** Windows that are open while all flows arrive in order, with clocks that lead as they may. */
  private static long openAtATime(WindowSpec window) {
    long micros = window.widthMicros() + window.latenessMicros() + 2 * window.aheadMicros();
    return micros / window.slideMicros() + 2;
  }

  /**
   * The pane in which counts of another are told that {@link #open} did not open: the first after
   * it, or else the last.
   */
  public long nearest(long start) {
    Long after = starts.ceiling(start);
    return after == null ? starts.last() : after;
  }
}
