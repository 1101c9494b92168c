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

/** An analysis's windows whose last result has not gone out, and the arrival counts by pane. */
final class OpenWindows implements ClosingWindows {
  private final LiveQuery live;
  private final Counter revisions;
  private final TreeMap<Long, OpenWindow> windows = new TreeMap<>();
  private final TreeMap<Long, ArrivalCounts> arrivals = new TreeMap<>();
  // Windows that went out at the end of input, before the watermark closed them.
  private final TreeSet<Long> closedEarly = new TreeSet<>();
  private final MissingSites missing = new MissingSites();

  OpenWindows(LiveQuery live, Counter revisions) {
    this.live = live;
    this.revisions = revisions;
  }

  LiveQuery live() {
    return live;
  }

  /** False if the window was closed already, so that the groups are left out. */
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
   * From a state with revisions, if there are none now, only the last updates count: others come
   * again as a part, with the end of the window's lateness.
   */
  private boolean isWanted(Partial.Update update) {
    return live.window().revised()
        || update.through() >= update.windowEnd() + live.window().latenessMicros();
  }

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
   * Takes a pane's arrival counts. After a result of one of its windows (a source broke the
   * disorder bound, or the input had ended) they count in the first later pane with all windows to
   * come: over successive windows nothing counts twice or is lost.
   */
  void add(Partial.Counts message, long closedThrough) {
    count(toCome(message.paneStart(), closedThrough), message.counts(), closedThrough);
  }

  /** Some of the pane's windows may be closed. */
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
   * Takes out the earliest final window's states, empty if none is final: one at a time, as they
   * may fill much of the memory. Used instead of results. {@link Long#MAX_VALUE}: the input has
   * ended; the window is remembered in case the job is restored and goes on.
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

  /** Only some may have a result. */
  Set<Long> ends() {
    return windows.keySet();
  }

  Optional<OpenWindow> of(long windowEnd) {
    return Optional.ofNullable(windows.get(windowEnd));
  }

  void closeEarly(long windowEnd) {
    closedEarly.add(windowEnd);
    windows.remove(windowEnd);
  }

  Iterable<Long> closedEarly() {
    return closedEarly;
  }

  void closedEarly(long windowEnd) {
    closedEarly.add(windowEnd);
  }

  /** By end, if results may be revised: the arrival through which the last was complete. */
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

  List<String> missing(long through) {
    return missing.at(through);
  }

  WindowPart settled(WindowPart parts) {
    return parts.settled(live.analysis().live().limit().ofPane(live.window()));
  }

  ArrivalCounts arrived(long start, long end) {
    ArrivalCounts counts = ArrivalCounts.NONE;
    for (ArrivalCounts pane : arrivals.subMap(start, end).values()) {
      counts = counts.plus(pane);
    }
    return counts;
  }

  void clear() {
    windows.clear();
    arrivals.clear();
    closedEarly.clear();
    missing.clear();
  }

  List<Partial> snapshot() {
    List<Partial> messages = new ArrayList<>();
    windows.values().forEach(open -> open.snapshot(messages));
    arrivals.forEach(
        (pane, counts) -> messages.add(new Partial.Counts(0, live.id(), pane, counts)));
    missing.snapshot(live.id(), messages);
    return messages;
  }
}
