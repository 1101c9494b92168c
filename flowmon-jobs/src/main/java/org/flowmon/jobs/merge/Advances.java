package org.flowmon.jobs.merge;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.udaf.group.OrderBound;
import org.flowmon.udaf.window.WindowPart;

/**
 * The groups that a task of the merge has sent in advance of their windows' results, and bounds of
 * the groups that results will need. It is no state: a restored task begins anew, and its messages
 * of a window replace all earlier ones.
 */
final class Advances {
  // Tells this run of the task from others, whose messages do not count here.
  private final long task = UUID.randomUUID().getMostSignificantBits();
  // By query, then end of the window.
  private final Map<Long, TreeMap<Long, Advance>> windows = new HashMap<>();

  /** One window's advances. */
  private static final class Advance {
    private int sent; // groups
    private int messages;
    private OrderBound bound; // null if there is none
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

  /** Returns the message that sends a part in advance. */
  Partial advance(WindowPart part) {
    of(part).messages++;
    return new Partial.Advance(part.queryId(), task, part.toBytes());
  }

  /** Returns the message that sends a part when its window closes. */
  Partial last(WindowPart part) {
    Advance window = find(part.queryId(), part.windowEnd());
    return window == null || window.sent == 0
        ? new Partial.Part(part.queryId(), part.toBytes())
        : new Partial.Rest(
            part.queryId(), task, window.messages, part.superseded(), part.toBytes());
  }

  /**
   * Notes a bound that needed groups of a window do not exceed. Bounds from different groups of a
   * window are each valid alone; the tighter one leaves out more.
   */
  void learn(WindowPart all) {
    Advance window = of(all);
    window.bound = OrderBound.tighter(window.bound, all.learned());
  }

  /** Returns the bound of a window; null if it is unknown. */
  OrderBound bound(long queryId, long windowEnd) {
    Advance window = find(queryId, windowEnd);
    return window == null ? null : window.bound;
  }

  /** Forgets the closed windows of a query. */
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
