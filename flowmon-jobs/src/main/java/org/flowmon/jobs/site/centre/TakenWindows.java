package org.flowmon.jobs.site.centre;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.window.PublishedGroups;
import org.jspecify.annotations.Nullable;

/**
 * A site's taken windows: each time once per use; later ones are compared. Not thread-safe. Its
 * bytes are in {@link MergedSite}'s.
 */
final class TakenWindows {
  // Of one use: a day and a half of seconds.
  static final int MAX_TAKEN = 1 << 17;

  private final Map<Use, TreeMap<Long, Window>> taken = new LinkedHashMap<>();

  /** The use of a window's groups. */
  record Use(long queryId, int grouping) {}

  /**
   * {@code flows} arrived in it; {@link #UNKNOWN} in an older state. {@code digest} of its groups;
   * null without them, or in an older state.
   */
  record Window(long width, long flows, PublishedGroups.@Nullable Digest digest) {
    static final long UNKNOWN = -1;

    /** Whether the site's flows cannot give both. */
    boolean contradicts(Window other) {
      boolean hasOtherFlows = flows != other.flows && flows != UNKNOWN && other.flows != UNKNOWN;
      boolean hasOtherGroups =
          digest != null && other.digest != null && digest.contradicts(other.digest);
      return width == other.width && (hasOtherFlows || hasOtherGroups);
    }
  }

  /**
   * The window's times not taken for a use before, from any publication: starts and ends, one after
   * the other; none if all were taken, one pair if none was.
   */
  List<long[]> notTaken(Use use, long windowEnd, long width) {
    List<long[]> spans = new ArrayList<>();
    long from = windowEnd - width;
    SortedMap<Long, Window> windows = taken.getOrDefault(use, new TreeMap<>()).tailMap(from + 1);
    for (Map.Entry<Long, Window> window : windows.entrySet()) {
      long start = window.getKey() - window.getValue().width();
      if (start >= windowEnd) {
        break;
      }
      if (start > from) {
        spans.add(new long[] {from, start});
      }
      from = window.getKey();
    }
    if (from < windowEnd) {
      spans.add(new long[] {from, windowEnd});
    }
    return spans;
  }

  /**
   * Whether a window, all taken before, differs from the taken: the same one by groups and flows,
   * those within it by their sum of flows; one within a larger cannot be compared.
   */
  boolean contradicts(Use use, long windowEnd, Window window) {
    TreeMap<Long, Window> windows = taken.getOrDefault(use, new TreeMap<>());
    Window same = windows.get(windowEnd);
    if (same != null && same.width() == window.width()) {
      return window.contradicts(same);
    }
    long from = windowEnd - window.width();
    long flows = 0;
    for (Map.Entry<Long, Window> part : windows.subMap(from, false, windowEnd, true).entrySet()) {
      if (part.getKey() - part.getValue().width() != from) {
        return true;
      }
      from = part.getKey();
      boolean isKnown = flows != Window.UNKNOWN && part.getValue().flows() != Window.UNKNOWN;
      flows = isKnown ? flows + part.getValue().flows() : Window.UNKNOWN;
    }
    return from != windowEnd || (flows != window.flows() && flows != Window.UNKNOWN);
  }

  /**
   * False if too many of that use are open. Those that ended by {@code closed} are closed: above
   * the limit the eldest is forgotten, as a repeat of it is late anyway.
   */
  boolean take(Use use, long windowEnd, Window window, long closed) {
    TreeMap<Long, Window> windows = taken.computeIfAbsent(use, key -> new TreeMap<>());
    if (windows.size() >= MAX_TAKEN && windows.firstKey() <= closed) {
      windows.pollFirstEntry();
    }
    if (windows.size() >= MAX_TAKEN) {
      return false;
    }
    windows.put(windowEnd, window);
    return true;
  }

  void forget(Use use, long windowEnd) {
    TreeMap<Long, Window> windows = taken.get(use);
    if (windows != null) {
      windows.headMap(windowEnd, true).clear();
    }
  }

  void forget(long queryId) {
    taken.keySet().removeIf(use -> use.queryId() == queryId);
  }

  void write(StateSink sink) {
    sink.putVarint(taken.size());
    taken.forEach(
        (use, windows) -> {
          sink.putLong(use.queryId());
          sink.putVarint(use.grouping());
          sink.putVarint(windows.size());
          windows.forEach(
              (end, window) -> {
                sink.putLong(end);
                write(window, sink);
              });
        });
  }

  private static void write(Window window, StateSink sink) {
    sink.putLong(window.width());
    sink.putLong(window.flows());
    PublishedGroups.Digest digest = window.digest();
    sink.putByte(digest == null ? 0 : 1);
    if (digest != null) {
      sink.putLong(digest.keys());
      sink.putLong(digest.layout());
      sink.putLong(digest.values());
    }
  }

  private static Window readWindow(StateReader reader, boolean withDigests) {
    long width = reader.getLong();
    if (!withDigests) {
      return new Window(width, Window.UNKNOWN, null);
    }
    long flows = reader.getLong();
    boolean hasDigest = reader.getByte() == 1;
    return new Window(
        width,
        flows,
        hasDigest
            ? new PublishedGroups.Digest(reader.getLong(), reader.getLong(), reader.getLong())
            : null);
  }

  /** {@code withDigests} false: the older format with only the widths of windows. */
  static TakenWindows read(StateReader reader, boolean withDigests) {
    TakenWindows all = new TakenWindows();
    for (int n = reader.count("queries", 1 << 24, 10); n > 0; n--) {
      Use use = new Use(reader.getLong(), reader.count("groupings", 1 << 16, 0));
      TreeMap<Long, Window> windows = new TreeMap<>();
      for (int w = reader.count("windows", 1 << 28, 16); w > 0; w--) {
        windows.put(reader.getLong(), readWindow(reader, withDigests));
      }
      all.taken.put(use, windows);
    }
    return all;
  }
}
