package org.flowmon.jobs.window;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.flink.metrics.Counter;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.window.WindowPart;

/** The windows of one analysis whose last result has not gone out, and what arrived by pane. */
final class OpenWindows {
  private final LiveQuery live;
  private final Counter revisions;
  private final TreeMap<Long, OpenWindow> windows = new TreeMap<>();
  private final TreeMap<Long, ArrivalCounts> arrivals = new TreeMap<>();
  // Ends of windows that went out at the end of input, before the watermark closed them.
  private final TreeSet<Long> closedEarly = new TreeSet<>();
  private final MissingSites missing = new MissingSites();

  /**
   * None yet.
   *
   * @param revisions counts results that take the place of an earlier one
   */
  OpenWindows(LiveQuery live, Counter revisions) {
    this.live = live;
    this.revisions = revisions;
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
    long windowEnd = WindowPart.windowEnd(message.bytes());
    if (isClosed(windowEnd, closedThrough)) {
      return false;
    }
    window(windowEnd).add(message.bytes());
    return true;
  }

  /**
   * Takes groups that come in advance.
   *
   * @return false where their window was closed by then already, so that they are left out
   */
  boolean add(Partial.Advance message, long closedThrough) {
    long windowEnd = WindowPart.windowEnd(message.bytes());
    if (isClosed(windowEnd, closedThrough)) {
      return false;
    }
    window(windowEnd).add(message);
    return true;
  }

  /**
   * Takes what came after groups in advance.
   *
   * @return false where its window was closed by then already, so that it is left out
   */
  boolean add(Partial.Rest message, long closedThrough) {
    long windowEnd = WindowPart.windowEnd(message.bytes());
    if (isClosed(windowEnd, closedThrough)) {
      return false;
    }
    window(windowEnd).add(message);
    return true;
  }

  /** Begins with what can be done of windows' results before they are due. */
  void prepare(long completeThrough, Executor executor) {
    for (OpenWindow open : windows.values()) {
      open.prepare(live.query(), live.window(), completeThrough, executor);
    }
  }

  /**
   * Takes a part that may be followed by others in its place.
   *
   * @return false where its window was closed by then already, so that it is left out
   */
  boolean add(Partial.Update message, long closedThrough) {
    if (isClosed(message.windowEnd(), closedThrough)) {
      return false;
    }
    // Of a state that was made with revisions, where there are none any more: all but the last
    // updates come again as a part, with the end of the window's lateness.
    boolean isLast = message.through() >= message.windowEnd() + live.window().latenessMicros();
    if (live.window().revised() || isLast) {
      window(message.windowEnd()).add(message);
    }
    return true;
  }

  private boolean isClosed(long windowEnd, long closedThrough) {
    return live.window().isClosed(windowEnd, closedThrough) || closedEarly.contains(windowEnd);
  }

  private OpenWindow window(long windowEnd) {
    return windows.computeIfAbsent(windowEnd, OpenWindow::new);
  }

  /**
   * Takes what arrived within a pane. What comes when a result of one of the pane's windows has
   * gone out, as a source broke the disorder bound or the input had ended before, counts in the
   * first pane after it all of whose windows are still to come: so over windows that follow one
   * another nothing counts twice and nothing is forgotten.
   */
  void add(Partial.Counts message, long closedThrough) {
    count(toCome(message.paneStart(), closedThrough), message.counts(), closedThrough);
  }

  /** Takes from the state what arrived within a pane, of which some windows may be closed. */
  void restore(Partial.Counts message, long closedThrough) {
    count(message.paneStart(), message.counts(), closedThrough);
  }

  private void count(long pane, ArrivalCounts counts, long closedThrough) {
    arrivals.merge(pane, counts, ArrivalCounts::plus);
    WindowSpec window = live.window();
    for (long end = window.firstWindowEnd(pane);
        end <= window.lastWindowEnd(pane);
        end += window.slideMicros()) {
      if (!isClosed(end, closedThrough)) {
        window(end).count();
      }
    }
  }

  /** The first pane, from this one on, none of whose windows has had a result. */
  private long toCome(long paneStart, long closedThrough) {
    WindowSpec window = live.window();
    long pane = paneStart;
    if (closedThrough != Long.MIN_VALUE) {
      pane = Math.max(pane, window.paneStart(closedThrough - window.firstResultAt(0)));
    }
    Long early = closedEarly.ceiling(window.firstWindowEnd(pane));
    while (early != null && early <= window.lastWindowEnd(pane)) {
      pane = early;
      early = closedEarly.ceiling(window.firstWindowEnd(pane));
    }
    return pane;
  }

  void add(Partial.Missing message) {
    missing.add(message);
  }

  /**
   * Gives the results that windows have now and did not have before, earliest first, and forgets
   * windows that had their last.
   */
  void closeUpTo(long completeThrough, Consumer<WindowResult> results) {
    WindowSpec window = live.window();
    for (Map.Entry<Long, OpenWindow> open : windows.entrySet()) {
      if (window.firstResultAt(open.getKey()) > completeThrough) {
        break;
      }
      next(open.getValue(), completeThrough, results);
    }
    forget(completeThrough);
  }

  /** Bytes of all that windows have. */
  long bytes() {
    return windows.values().stream().mapToLong(OpenWindow::bytes).sum();
  }

  /** How many windows are to have their first result. */
  int due(long completeThrough) {
    int due = 0;
    for (Map.Entry<Long, OpenWindow> open : windows.entrySet()) {
      if (live.window().firstResultAt(open.getKey()) > completeThrough) {
        break;
      }
      due += open.getValue().published() == Long.MIN_VALUE ? 1 : 0;
    }
    return due;
  }

  /** Forgets windows that had their last result, and what arrived for them. */
  void forget(long completeThrough) {
    WindowSpec window = live.window();
    while (!windows.isEmpty() && window.isClosed(windows.firstKey(), completeThrough)) {
      windows.pollFirstEntry();
    }
    while (!arrivals.isEmpty()
        && window.isClosed(window.lastWindowEnd(arrivals.firstKey()), completeThrough)) {
      arrivals.pollFirstEntry();
    }
    missing.forget(completeThrough);
    while (!closedEarly.isEmpty() && window.isClosed(closedEarly.first(), completeThrough)) {
      closedEarly.pollFirst();
    }
  }

  /**
   * Gives the last results of all windows, earliest first, as no more input comes. Should the job
   * be restored and go on, they are known; what arrived by pane stays for the windows after them.
   */
  void closeAtEnd(Consumer<WindowResult> results) {
    while (!windows.isEmpty()) {
      OpenWindow open = windows.firstEntry().getValue();
      closedEarly.add(windows.firstKey());
      windows.pollFirstEntry();
      next(open, Long.MAX_VALUE, results);
    }
  }

  private void next(OpenWindow open, long completeThrough, Consumer<WindowResult> results) {
    boolean isFirst = open.published() == Long.MIN_VALUE;
    WindowPart part = open.next(live, completeThrough);
    if (part != null) {
      revisions.inc(isFirst ? 0 : 1);
      results.accept(result(part, open.published(), !open.hasCountsAlone()));
    }
  }

  /**
   * The states of the earliest window that is final, which is forgotten: one at a time, as those of
   * a window may fill much of the memory. In the place of results, where states are published.
   *
   * @param completeThrough {@link Long#MAX_VALUE}: no more input comes, and should the job be
   *     restored and go on, the window is known
   * @return null where no window is final
   */
  PublishedWindow nextStates(long completeThrough) {
    boolean isEnd = completeThrough == Long.MAX_VALUE;
    PublishedWindow states = null;
    while (states == null
        && !windows.isEmpty()
        && (isEnd || live.window().isClosed(windows.firstKey(), completeThrough))) {
      OpenWindow open = windows.pollFirstEntry().getValue();
      if (isEnd) {
        closedEarly.add(open.end());
      }
      WindowPart part = open.next(live, completeThrough);
      states = part == null ? null : states(part);
    }
    if (states == null && !isEnd) {
      forget(completeThrough);
    }
    return states;
  }

  private PublishedWindow states(WindowPart parts) {
    WindowPart part = settled(parts);
    long end = part.windowEnd();
    ArrivalCounts counts = arrived(end - live.window().widthMicros(), end);
    return new PublishedWindow(live, end, counts, part.level() > 0 ? null : part.toBytes());
  }

  /** The ends of all windows, of which some may have a result. */
  Set<Long> ends() {
    return windows.keySet();
  }

  /** A window, null where nothing has come of it. */
  OpenWindow of(long windowEnd) {
    return windows.get(windowEnd);
  }

  /** Closes a window as no more input comes, as {@link #closeAtEnd} does with all. */
  void closeEarly(long windowEnd) {
    closedEarly.add(windowEnd);
    windows.remove(windowEnd);
  }

  /** Ends of windows that {@link #closeAtEnd} closed and no watermark has. */
  Iterable<Long> closedEarly() {
    return closedEarly;
  }

  /** Notes such an end, from the state. */
  void closedEarly(long windowEnd) {
    closedEarly.add(windowEnd);
  }

  /**
   * By the ends of windows whose results may be revised: through which arrival the last one was.
   */
  Map<Long, Long> published() {
    Map<Long, Long> published = new TreeMap<>();
    windows.forEach(
        (end, open) -> {
          if (open.published() != Long.MIN_VALUE) {
            published.put(end, open.published());
          }
        });
    return published;
  }

  /** Notes one of these, from the state. */
  void published(long windowEnd, long through) {
    window(windowEnd).published(through);
  }

  private WindowResult result(WindowPart parts, long through, boolean hasGroups) {
    WindowSpec window = live.window();
    WindowPart part = settled(parts);
    long start = part.windowEnd() - window.widthMicros();
    GroupAnswer.WithBounds answer = part.answer();
    WindowResult result =
        new WindowResult(
            live.analysis().name(),
            null,
            start,
            part.windowEnd(),
            window.update(part.windowEnd(), through),
            through,
            part.windowEnd() + window.latenessMicros(),
            // Over no flows a query without keys has an answer, too, of one row.
            hasGroups ? answer.rows() : answer.rows().withRows(new int[0]),
            part.totals(),
            part.estimatedGroups(),
            part.level(),
            arrived(start, part.windowEnd()));
    return result.withBounds(answer.bounds()).withMissing(missing(through));
  }

  /** The sites that a result lacks which is complete through this arrival. */
  List<String> missing(long through) {
    return missing.at(through);
  }

  /** A window's parts with no more groups than the analysis may hold. */
  WindowPart settled(WindowPart parts) {
    return parts.settled(live.analysis().live().limit().ofPane(live.window()));
  }

  /** What arrived within a time. */
  ArrivalCounts arrived(long start, long end) {
    ArrivalCounts counts = ArrivalCounts.NONE;
    for (ArrivalCounts pane : arrivals.subMap(start, end).values()) {
      counts = counts.plus(pane);
    }
    return counts;
  }

  /** Forgets all of it. */
  void clear() {
    windows.clear();
    arrivals.clear();
    closedEarly.clear();
    missing.clear();
  }

  /** All of it, as the messages that would make it again. */
  List<Partial> snapshot() {
    List<Partial> messages = new ArrayList<>();
    windows.values().forEach(open -> open.snapshot(live.id(), messages));
    arrivals.forEach(
        (pane, counts) -> messages.add(new Partial.Counts(0, live.id(), pane, counts)));
    missing.snapshot(live.id(), messages);
    return messages;
  }
}
