package org.flowmon.jobs.merge;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.udaf.table.WindowPart;
import org.flowmon.udaf.table.WindowSpec;

/** The parts of one analysis's windows that are not complete yet, and what arrived by pane. */
final class OpenWindows {
  private final LiveQuery live;
  private final TreeMap<Long, WindowPart> parts = new TreeMap<>();
  private final TreeMap<Long, ArrivalCounts> arrivals = new TreeMap<>();
  // Ends of windows that went out at the end of input, before the watermark closed them.
  private final TreeSet<Long> closedEarly = new TreeSet<>();

  OpenWindows(LiveQuery live) {
    this.live = live;
  }

  LiveQuery live() {
    return live;
  }

  /**
   * Takes a part.
   *
   * @return false where its window was closed by then already, so that it is left out
   */
  boolean add(Partial.Part message, long closedThrough) {
    WindowPart part = WindowPart.open(message.bytes(), live.query());
    if (live.window().isClosed(part.windowEnd(), closedThrough)
        || closedEarly.contains(part.windowEnd())) {
      return false;
    }
    WindowPart first = parts.putIfAbsent(part.windowEnd(), part);
    if (first != null) {
      first.merge(part);
    }
    return true;
  }

  void add(Partial.Counts message) {
    arrivals.merge(message.paneStart(), message.counts(), ArrivalCounts::plus);
  }

  /** Gives the results of the windows that are complete, earliest first, and forgets them. */
  void closeUpTo(long completeThrough, Consumer<WindowResult> results) {
    WindowSpec window = live.window();
    while (!parts.isEmpty() && window.isClosed(parts.firstKey(), completeThrough)) {
      results.accept(result(parts.pollFirstEntry().getValue()));
    }
    while (!arrivals.isEmpty()
        && window.isClosed(window.lastWindowEnd(arrivals.firstKey()), completeThrough)) {
      arrivals.pollFirstEntry();
    }
    while (!closedEarly.isEmpty() && window.isClosed(closedEarly.first(), completeThrough)) {
      closedEarly.pollFirst();
    }
  }

  /**
   * Gives the results of all windows, earliest first, as no more input comes. Should the job be
   * restored and go on, they are known; what arrived by pane stays for the windows after them.
   */
  void closeAtEnd(Consumer<WindowResult> results) {
    while (!parts.isEmpty()) {
      WindowPart part = parts.pollFirstEntry().getValue();
      closedEarly.add(part.windowEnd());
      results.accept(result(part));
    }
  }

  /** Ends of windows that {@link #closeAtEnd} closed and no watermark has. */
  Iterable<Long> closedEarly() {
    return closedEarly;
  }

  /** Notes such an end, from the state. */
  void closedEarly(long windowEnd) {
    closedEarly.add(windowEnd);
  }

  private WindowResult result(WindowPart part) {
    long start = part.windowEnd() - live.window().widthMicros();
    ArrivalCounts counts = ArrivalCounts.NONE;
    for (ArrivalCounts pane : arrivals.subMap(start, part.windowEnd()).values()) {
      counts = counts.plus(pane);
    }
    return new WindowResult(
        live.analysis().name(),
        start,
        part.windowEnd(),
        part.result(),
        part.totals(),
        part.groups(),
        counts);
  }

  /** Forgets all of it. */
  void clear() {
    parts.clear();
    arrivals.clear();
    closedEarly.clear();
  }

  /** All of it, as the messages that would make it again. */
  List<Partial> snapshot() {
    List<Partial> messages = new ArrayList<>();
    parts.values().forEach(part -> messages.add(new Partial.Part(live.id(), part.toBytes())));
    arrivals.forEach(
        (pane, counts) -> messages.add(new Partial.Counts(0, live.id(), pane, counts)));
    return messages;
  }
}
