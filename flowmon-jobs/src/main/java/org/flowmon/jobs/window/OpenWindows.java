package org.flowmon.jobs.window;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

/**
 * The windows of one analysis whose last result has not gone out, and the arrival counts by pane.
 */
final class OpenWindows implements ClosingWindows {
  private final LiveQuery live;
  private final Counter revisions;
  private final TreeMap<Long, OpenWindow> windows = new TreeMap<>();
  private final TreeMap<Long, ArrivalCounts> arrivals = new TreeMap<>();
  // Ends of windows that went out at the end of input, before the watermark closed them.
  private final TreeSet<Long> closedEarly = new TreeSet<>();
  private final MissingSites missing = new MissingSites();

  /**
   * Creates an empty instance.
   *
   * @param revisions counts results that replace an earlier one
   */
  OpenWindows(LiveQuery live, Counter revisions) {
    this.live = live;
    this.revisions = revisions;
  }

  LiveQuery live() {
    return live;
  }

  /**
   * Takes groups of a window.
   *
   * @return false if the window was closed already, so that they are left out
   */
  boolean add(Partial.OfWindow message, long closedThrough) {
    long windowEnd = message.windowEnd();
    if (isClosed(windowEnd, closedThrough)) {
      return false;
    }
    if (!(message instanceof Partial.Update update) || isWanted(update)) {
      window(windowEnd).add(message);
    }
    return true;
  }

  /**
   * Whether an update counts. From a state with revisions, if there are none any more, only the
   * last ones do: the others come again as a part, with the end of the window's lateness.
   */
  private boolean isWanted(Partial.Update update) {
    return live.window().revised()
        || update.through() >= update.windowEnd() + live.window().latenessMicros();
  }

  /** Begins the work on windows' results that can be done before they are due. */
  void prepare(long completeThrough, Executor executor) {
    for (OpenWindow open : windows.values()) {
      open.prepare(completeThrough, executor);
    }
  }

  private boolean isClosed(long windowEnd, long closedThrough) {
    return live.window().isClosed(windowEnd, closedThrough) || closedEarly.contains(windowEnd);
  }

  private OpenWindow window(long windowEnd) {
    return windows.computeIfAbsent(windowEnd, end -> new OpenWindow(live, end));
  }

  /**
   * Takes the arrival counts of a pane. They may come after a result of one of the pane's windows
   * has gone out, as a source broke the disorder bound or the input had ended before. Then they
   * count in the first later pane all of whose windows are still to come: over successive windows
   * nothing counts twice and nothing is lost.
   */
  void add(Partial.Counts message, long closedThrough) {
    count(toCome(message.paneStart(), closedThrough), message.counts(), closedThrough);
  }

  /** Restores the arrival counts of a pane, some of whose windows may be closed. */
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

  /** Returns the first pane, from this one on, none of whose windows has had a result. */
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

  @Override
  public void closeUpTo(long completeThrough, Consumer<WindowResult> results) {
    WindowSpec window = live.window();
    for (Map.Entry<Long, OpenWindow> open : windows.entrySet()) {
      if (window.firstResultAt(open.getKey()) > completeThrough) {
        break;
      }
      next(open.getValue(), completeThrough, results);
    }
    forget(completeThrough);
  }

  long bytes() {
    return windows.values().stream().mapToLong(OpenWindow::bytes).sum();
  }

  /** Returns the number of windows whose first result is due. */
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

  /** Forgets windows that had their last result, and their arrival counts. */
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

  @Override
  public void closeAtEnd(Consumer<WindowResult> results) {
    while (!windows.isEmpty()) {
      OpenWindow open = windows.firstEntry().getValue();
      closedEarly.add(windows.firstKey());
      windows.pollFirstEntry();
      next(open, Long.MAX_VALUE, results);
    }
  }

  private void next(OpenWindow open, long completeThrough, Consumer<WindowResult> results) {
    boolean isFirst = open.published() == Long.MIN_VALUE;
    open.next(completeThrough)
        .ifPresent(
            part -> {
              revisions.inc(isFirst ? 0 : 1);
              results.accept(result(part, open.published(), !open.hasCountsAlone()));
            });
  }

  /**
   * Returns the states of the earliest final window, and forgets it: one at a time, as the states
   * of a window may fill much of the memory. Used instead of results if states are published.
   *
   * @param completeThrough {@link Long#MAX_VALUE}: the input has ended; the window is remembered in
   *     case the job is restored and goes on
   * @return empty if no window is final
   */
  Optional<PublishedWindow> nextStates(long completeThrough) {
    boolean isEnd = completeThrough == Long.MAX_VALUE;
    Optional<PublishedWindow> states = Optional.empty();
    while (states.isEmpty()
        && !windows.isEmpty()
        && (isEnd || live.window().isClosed(windows.firstKey(), completeThrough))) {
      OpenWindow open = windows.pollFirstEntry().getValue();
      if (isEnd) {
        closedEarly.add(open.end());
      }
      states = open.next(completeThrough).map(this::states);
    }
    if (states.isEmpty() && !isEnd) {
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

  /** Returns the ends of all windows; only some may have a result. */
  Set<Long> ends() {
    return windows.keySet();
  }

  /** Returns a window, if it has messages. */
  Optional<OpenWindow> of(long windowEnd) {
    return Optional.ofNullable(windows.get(windowEnd));
  }

  /** Closes a window at the end of input, as {@link #closeAtEnd} closes all. */
  void closeEarly(long windowEnd) {
    closedEarly.add(windowEnd);
    windows.remove(windowEnd);
  }

  /** Ends of windows closed by {@link #closeAtEnd} and not by a watermark. */
  Iterable<Long> closedEarly() {
    return closedEarly;
  }

  /** Restores such an end from the state. */
  void closedEarly(long windowEnd) {
    closedEarly.add(windowEnd);
  }

  /**
   * By window end, for windows whose results may be revised: the arrival through which the last
   * result was complete.
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

  /** Restores one of these from the state. */
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
            // Over no flows a query without keys also has an answer, of one row.
            hasGroups ? answer.rows() : answer.rows().withRows(new int[0]),
            part.totals(),
            part.estimatedGroups(),
            part.level(),
            arrived(start, part.windowEnd()));
    return result.withBounds(answer.bounds()).withMissing(missing(through));
  }

  /** Returns the sites missing in a result that is complete through this arrival. */
  List<String> missing(long through) {
    return missing.at(through);
  }

  /** Reduces a window's parts to the groups that the analysis may hold. */
  WindowPart settled(WindowPart parts) {
    return parts.settled(live.analysis().live().limit().ofPane(live.window()));
  }

  /** Returns the arrival counts of a time. */
  ArrivalCounts arrived(long start, long end) {
    ArrivalCounts counts = ArrivalCounts.NONE;
    for (ArrivalCounts pane : arrivals.subMap(start, end).values()) {
      counts = counts.plus(pane);
    }
    return counts;
  }

  /** Forgets everything. */
  void clear() {
    windows.clear();
    arrivals.clear();
    closedEarly.clear();
    missing.clear();
  }

  /** Returns the messages that restore this. */
  List<Partial> snapshot() {
    List<Partial> messages = new ArrayList<>();
    windows.values().forEach(open -> open.snapshot(messages));
    arrivals.forEach(
        (pane, counts) -> messages.add(new Partial.Counts(0, live.id(), pane, counts)));
    missing.snapshot(live.id(), messages);
    return messages;
  }
}
