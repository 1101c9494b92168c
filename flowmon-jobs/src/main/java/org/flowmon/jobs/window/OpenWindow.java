package org.flowmon.jobs.window;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.window.AdvancedGroups;
import org.flowmon.udaf.window.WindowPart;

/**
 * A window whose last result has not gone out. Merging tasks are at different watermarks: an update
 * is taken in once all have reached the arrival through which it is complete. So each result has
 * exactly the flows arrived by then, the same in every run.
 */
final class OpenWindow {
  private final LiveQuery live;
  private final WindowSpec window;
  private final long end;
  // As bytes they take less memory than a table, and a checkpoint has them.
  private final List<byte[]> parts = new ArrayList<>();
  // By key group: the last update that was taken in.
  private final Map<Integer, Partial.Update> taken = new TreeMap<>();
  // In order of arrival: for each key group that of {@code through}.
  private final List<Partial.Update> waiting = new ArrayList<>();
  // Sent in advance, and the rests of it: the groups, and the messages for a checkpoint.
  private final AdvancedGroups advanced;
  private final List<Partial.OfWindow> ahead = new ArrayList<>();
  // The last published result was complete through it.
  private long published = Long.MIN_VALUE;
  private boolean changed;
  // Any arrival was counted within it.
  private boolean counted;

  OpenWindow(LiveQuery live, long end) {
    this.live = live;
    this.window = live.window();
    this.end = end;
    this.advanced = new AdvancedGroups(live.query());
  }

  long end() {
    return end;
  }

  /** It has a result even without groups. */
  void count() {
    changed |= published == Long.MIN_VALUE;
    counted = true;
  }

  boolean hasCountsAlone() {
    return counted && parts.isEmpty() && advanced.isEmpty() && taken.isEmpty();
  }

  void add(Partial.OfWindow message) {
    boolean isLast = true;
    if (message instanceof Partial.Part part) {
      parts.add(part.bytes());
    } else if (message instanceof Partial.Rest rest) {
      ahead.add(rest);
      advanced.addRest(rest.task(), rest.advances(), rest.superseded(), rest.bytes());
    } else if (message instanceof Partial.Advance advance) {
      ahead.add(advance);
      advanced.add(advance.task(), advance.bytes());
      isLast = false;
    } else {
      waiting.add((Partial.Update) message);
      isLast = false;
    }
    changed |= isLast && published == Long.MIN_VALUE;
  }

  void prepare(long watermark, Executor executor) {
    if (window.advanceAt(end) <= watermark) {
      advanced.prepare(executor);
    }
  }

  long published() {
    return published;
  }

  void published(long through) {
    published = through;
  }

  /** At this watermark of all merging tasks; empty without a result, or none but the last. */
  Optional<WindowPart> next(long watermark) {
    if (!hasNews(watermark) || !isWhole(watermark)) {
      return Optional.empty();
    }
    Optional<WindowPart> part = publish(window.completeThrough(end, watermark));
    return hasCountsAlone() ? Optional.of(WindowPart.empty(live.id(), end, live.query())) : part;
  }

  boolean hasNews(long watermark) {
    if (window.firstResultAt(end) > watermark) {
      return false;
    }
    takeIn(window.completeThrough(end, watermark));
    // Results that come once ignore earlier publications.
    changed |= !window.revised();
    return changed;
  }

  /**
   * Whether all messages of a watermark given to {@link #hasNews} are here. A task that skipped
   * this tick has groups of a later one; final parts came when the window was closed.
   */
  boolean isWhole(long watermark) {
    long through = window.completeThrough(end, watermark);
    return ((parts.isEmpty() && !advanced.hasRest()) || window.isClosed(end, watermark))
        && waiting.stream().noneMatch(update -> update.since() < through);
  }

  /** Complete through this arrival; empty if nothing came, or groups sent ahead are missing. */
  Optional<WindowPart> publish(long through) {
    changed = false;
    published = through;
    return advanced.isWhole() ? merged() : Optional.empty();
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

  private Optional<WindowPart> merged() {
    List<WindowPart> all = new ArrayList<>();
    if (advanced.hasRest()) {
      all.add(advanced.complete(parts));
    } else if (!parts.isEmpty()) {
      all.add(WindowPart.open(parts, live.query()));
    }
    taken.values().forEach(update -> all.add(WindowPart.open(update.bytes(), live.query())));
    return all.stream()
        .reduce(
            (merged, more) -> {
              merged.merge(more);
              return merged;
            });
  }

  long bytes() {
    return messages().mapToLong(message -> message.bytes().length).sum();
  }

  private Stream<Partial.OfWindow> messages() {
    Stream<Partial.OfWindow> last =
        Stream.concat(
            parts.stream().map(part -> new Partial.Part(live.id(), part)), ahead.stream());
    return Stream.concat(last, Stream.concat(taken.values().stream(), waiting.stream()));
  }

  void snapshot(List<Partial> messages) {
    messages().forEach(messages::add);
  }
}
