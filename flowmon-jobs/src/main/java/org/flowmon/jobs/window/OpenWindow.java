package org.flowmon.jobs.window;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.window.WindowPart;

/**
 * A window whose last result has not gone out.
 *
 * <p>Tasks of the merge are at different watermarks. An update is taken in once the watermark of
 * all is at what it is complete through, so that each result holds what had arrived by then and
 * nothing else: it is the same in every run.
 */
final class OpenWindow {
  private final long end;
  // What comes once: bytes, as they take less memory than a table, and a checkpoint has them.
  private final List<byte[]> parts = new ArrayList<>();
  // By key group: the last update that was taken in.
  private final Map<Integer, Partial.Update> taken = new TreeMap<>();
  // In the order they came in, which for each key group is that of what they are complete through.
  private final List<Partial.Update> waiting = new ArrayList<>();
  // Null where nothing came in advance of the result.
  private AdvancedParts advanced;
  // Through which arrival the last result was complete that went out.
  private long published = Long.MIN_VALUE;
  private boolean changed;
  // Whether anything was counted within it.
  private boolean counted;

  OpenWindow(long end) {
    this.end = end;
  }

  /** The window's end, in microseconds. */
  long end() {
    return end;
  }

  /**
   * Notes that something was counted within it, so that it has a result whether it has groups or
   * not.
   */
  void count() {
    changed |= published == Long.MIN_VALUE;
    counted = true;
  }

  /** Whether it has nothing but counts. */
  boolean hasCountsAlone() {
    return counted && parts.isEmpty() && advanced == null && taken.isEmpty();
  }

  void add(byte[] part) {
    changed |= published == Long.MIN_VALUE;
    parts.add(part);
  }

  void add(Partial.Update update) {
    waiting.add(update);
  }

  void add(Partial.Advance advance) {
    if (advanced == null) {
      advanced = new AdvancedParts();
    }
    advanced.add(advance);
  }

  void add(Partial.Rest rest) {
    changed |= published == Long.MIN_VALUE;
    if (advanced == null) {
      advanced = new AdvancedParts();
    }
    advanced.add(rest);
  }

  /** Begins to put in order what came in advance, should that be all and not have begun yet. */
  void prepare(FlowQuery query, WindowSpec window, long watermark, Executor executor) {
    if (advanced != null && window.advanceAt(end) <= watermark) {
      advanced.prepare(query, executor);
    }
  }

  /** Through which arrival the last result was complete that went out. */
  long published() {
    return published;
  }

  /** Notes the last result that went out, of the state. */
  void published(long through) {
    published = through;
  }

  /**
   * The window's result at a watermark; null where it has none, or none other than the last.
   *
   * @param watermark of all tasks of the merge
   */
  WindowPart next(LiveQuery live, long watermark) {
    WindowSpec window = live.window();
    if (!hasNews(window, watermark) || !isWhole(window, watermark)) {
      return null;
    }
    WindowPart part = publish(live.query(), window.completeThrough(end, watermark));
    return hasCountsAlone() ? WindowPart.empty(live.id(), end, live.query()) : part;
  }

  /** Whether at a watermark there is something other than the last result. */
  boolean hasNews(WindowSpec window, long watermark) {
    if (window.firstResultAt(end) > watermark) {
      return false;
    }
    takeIn(window.completeThrough(end, watermark));
    // What was published before is none of the results that come once.
    changed |= !window.revised();
    return changed;
  }

  /** Whether it has all of what it has at a watermark that {@link #hasNews} was asked for. */
  boolean isWhole(WindowSpec window, long watermark) {
    return isWhole(window.isClosed(end, watermark), window.completeThrough(end, watermark));
  }

  /**
   * What goes out as the window's result.
   *
   * @param through this arrival it is complete
   * @return null where nothing has come, or groups are lacking that went in advance
   */
  WindowPart publish(FlowQuery query, long through) {
    changed = false;
    published = through;
    return merged(query);
  }

  /**
   * Whether it has all that had arrived. Where a task passed over this tick, what that one has is
   * of a later one; what comes once was there when the window was closed.
   */
  private boolean isWhole(boolean isClosed, long through) {
    boolean hasRest = advanced != null && advanced.hasRest();
    return ((parts.isEmpty() && !hasRest) || isClosed)
        && waiting.stream().noneMatch(update -> update.since() < through);
  }

  private void takeIn(long through) {
    waiting.removeIf(
        update -> {
          if (update.through() > through) {
            return false;
          }
          changed |= update.through() > published;
          taken.put(update.keyGroup(), update);
          return true;
        });
  }

  private WindowPart merged(FlowQuery query) {
    if (advanced != null && !advanced.isWhole()) {
      return null;
    }
    WindowPart merged =
        advanced != null && advanced.hasRest()
            ? advanced.with(parts, query)
            : parts.isEmpty() ? null : WindowPart.open(parts, query);
    for (Partial.Update update : taken.values()) {
      WindowPart of = WindowPart.open(update.bytes(), query);
      if (merged == null) {
        merged = of;
      } else {
        merged.merge(of);
      }
    }
    return merged;
  }

  /** Bytes of all that has come. */
  long bytes() {
    return parts.stream().mapToLong(part -> part.length).sum()
        + (advanced == null ? 0 : advanced.bytes())
        + Stream.concat(taken.values().stream(), waiting.stream())
            .mapToLong(update -> update.bytes().length)
            .sum();
  }

  /** All of it, as the messages that would make it again. */
  void snapshot(long queryId, List<Partial> messages) {
    parts.forEach(part -> messages.add(new Partial.Part(queryId, part)));
    if (advanced != null) {
      advanced.snapshot(queryId, messages);
    }
    messages.addAll(taken.values());
    messages.addAll(waiting);
  }
}
