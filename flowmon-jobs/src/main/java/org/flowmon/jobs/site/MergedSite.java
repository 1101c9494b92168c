package org.flowmon.jobs.site;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.flowmon.udaf.function.StateReader;
import org.flowmon.udaf.function.StateSink;
import org.flowmon.udaf.table.PublishedGroups;

/**
 * What a merging job knows of a site. Not thread-safe. Its bytes in a checkpoint (little-endian):
 *
 * <pre>
 *   version u8 = 2 | name | through i64 | said i64 | since i64 | heard i64 | has spoken u8
 *   | lost after i64 | lost until i64 | progresses since u8
 *   | attempts varint | (attempt i64 | next number i64) …
 *   | publications varint | (publication | whole from i64) …
 *   | queries varint | (query id i64 | grouping varint | windows varint | (window) …) …
 *   | windows in parts varint | (attempt i64 | publication | end i64 | 6 counts i64 | length u32 | parts u16 | taken u16 | size u32 | bytes) …
 *
 *   window: end i64 | width i64 | flows i64 | has a digest u8 | keys, layout, values i64 where it has
 * </pre>
 *
 * Version 1, which is still read, has ends and widths of windows alone, and not what was said.
 */
final class MergedSite {
  private static final int VERSION = 2;
  private static final int WITHOUT_DIGESTS = 1;
  // Attempts of which windows are in parts: of a site that is restarted the one before never ends.
  private static final int MAX_ATTEMPTS = 4;
  private static final int MAX_NUMBERED = 64;
  // Windows that are remembered of one use: a day and a half of seconds.
  private static final int MAX_TAKEN = 1 << 17;

  private final String name;
  private long through = Long.MIN_VALUE;
  // What it said last that it is complete through: it may be after the clock.
  private long said = Long.MIN_VALUE;
  private long since = Long.MIN_VALUE;
  private long heard;
  private boolean hasSpoken;
  // Messages were lost that it said when it had come to the first of these and before it had come
  // to the second; MAX_VALUE: none were; it has not said so much yet.
  private long lostAfter = Long.MAX_VALUE;
  private long lostUntil = Long.MAX_VALUE;
  private int progressesSince;
  // Number of the next message, of the attempts that were heard last.
  private final Map<Long, Long> next = new LinkedHashMap<>();
  private final TreeMap<Publication, Long> published = new TreeMap<>();
  private final Map<Use, TreeMap<Long, Window>> taken = new LinkedHashMap<>();
  private final Map<Long, Assembly> assemblies = new LinkedHashMap<>();

  /** What the groups of windows were taken for. */
  record Use(long queryId, int grouping) {}

  /**
   * A window that was taken.
   *
   * @param flows that arrived in it; {@link #UNKNOWN} in a state of before
   * @param digest of its groups; null where they were not there, or in a state of before
   */
  record Window(long width, long flows, PublishedGroups.Digest digest) {
    static final long UNKNOWN = -1;

    /** Whether not both can be what the site's flows give. */
    boolean contradicts(Window other) {
      boolean hasOtherFlows = flows != other.flows && flows != UNKNOWN && other.flows != UNKNOWN;
      boolean canCompare = digest != null && other.digest != null;
      return width == other.width
          && (hasOtherFlows || (canCompare && digest.contradicts(other.digest)));
    }
  }

  /**
   * A site that has said nothing.
   *
   * @param now from when on it is silent, in milliseconds
   */
  MergedSite(String name, long now) {
    this.name = name;
    this.heard = now;
  }

  String name() {
    return name;
  }

  /** What it is complete through; {@link Long#MIN_VALUE} where it has not said. */
  long through() {
    return through;
  }

  /**
   * Comes as far as it said, but no further than the clock.
   *
   * @param now the clock in microseconds
   * @param millis likewise
   */
  void follow(long now, long millis) {
    long next = Math.min(said, now);
    if (next > through) {
      through = next;
      heard(millis);
    }
  }

  /** What it said first: what it had published before is not here. */
  long since() {
    return since;
  }

  /** When it came further last, in milliseconds. */
  long heard() {
    return heard;
  }

  void heard(long now) {
    heard = Math.max(heard, now);
  }

  /** What it publishes, and from which window on. */
  SortedMap<Publication, Long> published() {
    return published;
  }

  /**
   * Notes the number of a message: the first thing that is done with one.
   *
   * @return how many messages of its attempt are known to have been lost before it
   */
  long count(StatesMessage message) {
    Long expected = next.remove(message.attempt());
    long from = expected == null ? 0 : expected;
    next.put(message.attempt(), Math.max(from, message.number() + 1));
    if (next.size() > MAX_NUMBERED) {
      next.remove(next.keySet().iterator().next());
    }
    // What was said before the first message that is here is told by since().
    boolean isFirst = !hasSpoken && next.size() == 1 && expected == null;
    if (isFirst || message.number() <= from) {
      return 0;
    }
    lose();
    return message.number() - from;
  }

  /**
   * Notes that windows which it published since it was complete through what it is are not here.
   */
  void lose() {
    lostAfter = Math.min(lostAfter, through);
    lostUntil = Long.MAX_VALUE;
    progressesSince = 0;
  }

  /** The windows that were final after this may not all be here; MAX_VALUE where all are. */
  long lostAfter() {
    return lostAfter;
  }

  /** Those that were final after this are; MAX_VALUE where that is not known. */
  long lostUntil() {
    return lostUntil;
  }

  /** Forgets what was lost: no result can lack it any more. */
  void forgetLost() {
    lostAfter = Long.MAX_VALUE;
    lostUntil = Long.MAX_VALUE;
  }

  /**
   * Takes a progress; whether what it publishes has changed.
   *
   * @param now the clock in microseconds
   * @param millis likewise
   */
  boolean take(StatesMessage.Progress progress, long now, long millis) {
    if (!hasSpoken) {
      hasSpoken = true;
      since = Math.min(progress.through(), now);
    }
    // A progress may come between windows that end together, to tell of a publication: what was
    // lost was said before the second one that says more, at the latest.
    boolean isOpen = lostAfter != Long.MAX_VALUE && lostUntil == Long.MAX_VALUE;
    boolean isMore = progress.through() > Math.max(said, Math.max(through, lostAfter));
    if (isOpen && isMore && ++progressesSince == 2) {
      lostUntil = progress.through();
    }
    said = progress.through();
    follow(now, millis);
    TreeMap<Publication, Long> current = new TreeMap<>();
    progress.published().forEach(one -> current.put(one.publication(), one.wholeFrom()));
    if (current.equals(published)) {
      return false;
    }
    published.clear();
    published.putAll(current);
    return true;
  }

  /**
   * What a part of a window came to.
   *
   * @param window the whole, null where more parts are to come
   * @param lost why a window is not whole that was begun, null where none is
   */
  record Taken(Assembly window, String lost) {}

  /**
   * Takes a part of a window: what does not follow the parts before it, or ends them, is lost.
   *
   * @param now grows from part to part, of whichever site
   */
  Taken take(StatesMessage.Part part, long now) {
    Assembly before = assemblies.remove(part.attempt());
    boolean isFirst = part.part() == 0;
    Assembly assembly = isFirst ? Assembly.of(part) : before;
    if (assembly == null || !assembly.take(part)) {
      return new Taken(null, "part " + part.part() + " came without the parts before it");
    }
    if (!assembly.isComplete()) {
      assembly.touched = now;
      assemblies.put(part.attempt(), assembly);
    }
    return new Taken(
        assembly.isComplete() ? assembly : null,
        isFirst && before != null
            ? "the window of " + before.publication.analysis() + " was not told to its end"
            : null);
  }

  /** Whether more windows are in parts than a state may have. */
  boolean hasTooManyParts() {
    return assemblies.size() > MAX_ATTEMPTS;
  }

  /** Bytes in memory of windows in parts. */
  long partsBytes() {
    long sum = 0;
    for (Assembly assembly : assemblies.values()) {
      sum += assembly.room();
    }
    return sum;
  }

  /**
   * When the last part came of that of which nothing came for longest; MAX_VALUE: there is none.
   */
  long eldestPart() {
    return assemblies.isEmpty() ? Long.MAX_VALUE : assemblies.values().iterator().next().touched;
  }

  /** Drops that one; the bytes that it had. */
  long dropEldest() {
    return assemblies.remove(assemblies.keySet().iterator().next()).room();
  }

  /**
   * The times of a window that were not taken for a use before, of whichever publication.
   *
   * @return starts and ends, one after the other: none where all were, one where none was
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

  /** The window that was taken for a use and ends there; null where none was. */
  Window taken(Use use, long windowEnd) {
    return taken.getOrDefault(use, new TreeMap<>()).get(windowEnd);
  }

  /** Notes that a window was taken for a use; false where there are too many of it. */
  boolean taken(Use use, long windowEnd, Window window) {
    TreeMap<Long, Window> windows = taken.computeIfAbsent(use, key -> new TreeMap<>());
    if (windows.size() >= MAX_TAKEN) {
      return false;
    }
    windows.put(windowEnd, window);
    return true;
  }

  /** Forgets the windows of a use that ended by then. */
  void forget(Use use, long windowEnd) {
    TreeMap<Long, Window> windows = taken.get(use);
    if (windows != null) {
      windows.headMap(windowEnd, true).clear();
    }
  }

  /** Forgets what was taken for a query. */
  void forget(long queryId) {
    taken.keySet().removeIf(use -> use.queryId() == queryId);
  }

  byte[] toBytes() {
    StateSink sink = new StateSink();
    sink.putByte(VERSION);
    StatesLayout.putName(name, sink);
    sink.putLong(through);
    sink.putLong(said);
    sink.putLong(since);
    sink.putLong(heard);
    sink.putByte(hasSpoken ? 1 : 0);
    sink.putLong(lostAfter);
    sink.putLong(lostUntil);
    sink.putByte(progressesSince);
    sink.putVarint(next.size());
    next.forEach(
        (attempt, number) -> {
          sink.putLong(attempt);
          sink.putLong(number);
        });
    sink.putVarint(published.size());
    published.forEach(
        (publication, from) -> {
          StatesLayout.putPublication(publication, sink);
          sink.putLong(from);
        });
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
    sink.putVarint(assemblies.size());
    assemblies.forEach(
        (attempt, assembly) -> {
          sink.putLong(attempt);
          assembly.write(sink);
        });
    return sink.toBytes();
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

  private static Window readWindow(StateReader reader, int version) {
    long width = reader.getLong();
    if (version == WITHOUT_DIGESTS) {
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

  /** Reads what {@link #toBytes} wrote. */
  static MergedSite read(byte[] bytes) {
    StateReader reader = new StateReader(bytes, 0, bytes.length, "the state of a site");
    int version = reader.getByte();
    if (version < WITHOUT_DIGESTS || version > VERSION) {
      throw reader.error("found version " + version + ", this reads versions 1 and " + VERSION);
    }
    MergedSite site = new MergedSite(StatesLayout.getName(reader), 0);
    site.through = reader.getLong();
    site.said = version == WITHOUT_DIGESTS ? site.through : reader.getLong();
    site.since = reader.getLong();
    site.heard = reader.getLong();
    site.hasSpoken = reader.getByte() == 1;
    site.lostAfter = reader.getLong();
    site.lostUntil = reader.getLong();
    site.progressesSince = reader.getByte();
    for (int n = reader.count("attempts", MAX_NUMBERED, 16); n > 0; n--) {
      site.next.put(reader.getLong(), reader.getLong());
    }
    for (int n = reader.count("publications", StatesMessage.MAX_PUBLICATIONS, 30); n > 0; n--) {
      site.published.put(StatesLayout.getPublication(reader), reader.getLong());
    }
    for (int n = reader.count("queries", 1 << 24, 10); n > 0; n--) {
      Use use = new Use(reader.getLong(), reader.count("groupings", 1 << 16, 0));
      TreeMap<Long, Window> windows = new TreeMap<>();
      for (int w = reader.count("windows", 1 << 28, 16); w > 0; w--) {
        windows.put(reader.getLong(), readWindow(reader, version));
      }
      site.taken.put(use, windows);
    }
    for (int n = reader.count("windows in parts", MAX_ATTEMPTS, 8); n > 0; n--) {
      site.assemblies.put(reader.getLong(), Assembly.read(reader));
    }
    reader.end();
    return site;
  }
}
