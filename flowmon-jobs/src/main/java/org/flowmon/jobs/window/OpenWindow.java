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
 * all reaches the arrival through which it is complete. So each result holds exactly the flows that
 * had arrived by then, and is the same in every run.
 */
final class OpenWindow {
  private final long end;
  // Final parts as bytes: they take less memory than a table, and a checkpoint has them.
  private final List<byte[]> parts = new ArrayList<>();
  // By key group: the last update that was taken in.
  private final Map<Integer, Partial.Update> taken = new TreeMap<>();
  // In the order of arrival, which for each key group is that of {@code through}.
  private final List<Partial.Update> waiting = new ArrayList<>();
  // Null without advances.
  private AdvancedParts advanced;
  // The arrival through which the last published result was complete.
  private long published = Long.MIN_VALUE;
  private boolean changed;
  // Whether any arrival was counted within it.
  private boolean counted;

  OpenWindow(long end) {
    this.end = end;
  }

  /** The window's end, in microseconds. */
  long end() {
    return end;
  }

  /** Notes that arrivals were counted within it, so it has a result even without groups. */
  void count() {
    changed |= published == Long.MIN_VALUE;
    counted = true;
  }

  /** Whether it has counts and no groups. */
  boolean hasCountsAlone() {
    return counted && parts.isEmpty() && advanced == null && taken.isEmpty();
  }

  /** Takes groups of the window. */
  void add(Partial.OfWindow message) {
    if (message instanceof Partial.Update update) {
      waiting.add(update);
    } else if (message instanceof Partial.Part part) {
      changed |= published == Long.MIN_VALUE;
      parts.add(part.bytes());
    } else {
      advanced = advanced == null ? new AdvancedParts() : advanced;
      changed |= advanced.add(message) && published == Long.MIN_VALUE;
    }
  }

  /** Begins to order the advances if all have come and it has not begun yet. */
  void prepare(FlowQuery query, WindowSpec window, long watermark, Executor executor) {
    if (advanced != null && window.advanceAt(end) <= watermark) {
      advanced.prepare(query, executor);
    }
  }

  /** The arrival through which the last published result was complete. */
  long published() {
    return published;
  }

  /** Restores the last published result's arrival from the state. */
  void published(long through) {
    published = through;
  }

  /**
   * Returns the window's result at a watermark; null if it has none, or none other than the last.
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

  /** Whether the result at a watermark differs from the last one. */
  boolean hasNews(WindowSpec window, long watermark) {
    if (window.firstResultAt(end) > watermark) {
      return false;
    }
    takeIn(window.completeThrough(end, watermark));
    // Results that come once ignore earlier publications.
    changed |= !window.revised();
    return changed;
  }

  /** Whether it has all messages of a watermark that was given to {@link #hasNews}. */
  boolean isWhole(WindowSpec window, long watermark) {
    return isWhole(window.isClosed(end, watermark), window.completeThrough(end, watermark));
  }

  /**
   * Publishes the window's result.
   *
   * @param through the arrival through which it is complete
   * @return null if nothing has come, or groups sent in advance are missing
   */
  WindowPart publish(FlowQuery query, long through) {
    changed = false;
    published = through;
    return merged(query);
  }

  /**
   * Whether it has all groups that had arrived. A task that skipped this tick has groups of a later
   * one; final parts were there when the window was closed.
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

  /** Returns the bytes of all its messages. */
  long bytes() {
    return parts.stream().mapToLong(part -> part.length).sum()
        + (advanced == null ? 0 : advanced.bytes())
        + Stream.concat(taken.values().stream(), waiting.stream())
            .mapToLong(update -> update.bytes().length)
            .sum();
  }

  /** Adds the messages that restore this. */
  void snapshot(long queryId, List<Partial> messages) {
    parts.forEach(part -> messages.add(new Partial.Part(queryId, part)));
    if (advanced != null) {
      advanced.snapshot(queryId, messages);
    }
    messages.addAll(taken.values());
    messages.addAll(waiting);
  }
}
