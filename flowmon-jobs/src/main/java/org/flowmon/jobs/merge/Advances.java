package org.flowmon.jobs.merge;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.udaf.order.OrderBound;
import org.flowmon.udaf.window.WindowPart;

/**
 * What a task of the merge has done for windows in advance of their results: groups that it has
 * sent, and bounds of what will be wanted of them. It is no state: a task that is restored has done
 * nothing, and what it sends of a window then takes the place of all that was sent of it before.
 */
final class Advances {
  // Tells this run of the task from others: what these have sent means nothing here.
  private final long task = UUID.randomUUID().getMostSignificantBits();
  // By query, then end of the window.
  private final Map<Long, TreeMap<Long, Advance>> windows = new HashMap<>();

  /** Of one window. */
  private static final class Advance {
    private int sent; // groups
    private int messages;
    private OrderBound bound; // null where there is none
  }

  private Advance of(WindowPart part) {
    return windows
        .computeIfAbsent(part.queryId(), query -> new TreeMap<>())
        .computeIfAbsent(part.windowEnd(), end -> new Advance());
  }

  private Advance find(long queryId, long windowEnd) {
    TreeMap<Long, Advance> ofQuery = windows.get(queryId);
    return ofQuery == null ? null : ofQuery.get(windowEnd);
  }

  /**
   * Counts groups that are sent.
   *
   * @return the place of the first of them among all of their window
   */
  int add(WindowPart part) {
    Advance window = of(part);
    int first = window.sent;
    window.sent = Math.addExact(first, part.size());
    return first;
  }

  /** The message that sends a part in advance. */
  Partial advance(WindowPart part) {
    of(part).messages++;
    return new Partial.Advance(part.queryId(), task, part.toBytes());
  }

  /** The message that sends a part when its window closes. */
  Partial last(WindowPart part) {
    Advance window = find(part.queryId(), part.windowEnd());
    return window == null || window.sent == 0
        ? new Partial.Part(part.queryId(), part.toBytes())
        : new Partial.Rest(
            part.queryId(), task, window.messages, part.superseded(), part.toBytes());
  }

  /**
   * Notes what groups of a window are not going to be behind that are wanted. Of what is learned of
   * different groups of a window one after the other each says so by itself: the tighter one leaves
   * out more.
   */
  void learn(WindowPart all) {
    Advance window = of(all);
    window.bound = OrderBound.tighter(window.bound, all.learned());
  }

  /** That of a window; null where it is not known. */
  OrderBound bound(long queryId, long windowEnd) {
    Advance window = find(queryId, windowEnd);
    return window == null ? null : window.bound;
  }

  /** Forgets windows of a query that are closed. */
  void forget(LiveQuery live, long completeThrough) {
    TreeMap<Long, Advance> ofQuery = windows.get(live.id());
    while (ofQuery != null
        && !ofQuery.isEmpty()
        && live.window().isClosed(ofQuery.firstKey(), completeThrough)) {
      ofQuery.pollFirstEntry();
    }
  }

  /** Forgets all windows of a query. */
  void forget(long queryId) {
    windows.remove(queryId);
  }
}
