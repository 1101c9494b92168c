package org.flowmon.jobs.site.centre;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.flowmon.jobs.site.Publication;
import org.flowmon.jobs.site.StatesLayout;
import org.flowmon.jobs.site.StatesMessage;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;

/**
 * What a merging job knows of a site. Not thread-safe. Its bytes in a checkpoint (little-endian):
 *
 * <pre>
 *   version u8 = 3 | name | through i64 | said i64 | since i64 | heard i64 | has spoken u8
 *   | lost after i64 | lost until i64 | progresses since u8
 *   | attempts varint | (attempt i64 | next number i64) …
 *   | last messages varint | (fingerprint i64) …
 *   | publications varint | (publication | whole from i64) …
 *   | queries varint | (query id i64 | grouping varint | windows varint | (window) …) …
 *   | windows in parts varint | (attempt i64 | publication | end i64 | 6 counts i64 | length u32 | parts u16 | taken u16 | size u32 | bytes) …
 *
 *   window: end i64 | width i64 | flows i64 | has a digest u8 | keys, layout, values i64 where it has
 * </pre>
 *
 * Version 1, which is still read, has ends and widths of windows alone, and neither what was said
 * nor fingerprints. There was no release with version 2, of which there were two.
 */
final class MergedSite {
  private static final int VERSION = 3;
  private static final int WITHOUT_DIGESTS = 1;
  // Attempts of which windows are in parts: of a site that is restarted the one before never ends.
  private static final int MAX_ATTEMPTS = 4;
  // A site that comes further at nine tenths of the clock's pace, or faster, keeps up with it: so
  // many microseconds of the site are a millisecond of the clock.
  private static final int MICROS_PER_MILLI_KEPT_UP = 900;

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
  private MessageNumbers numbers = new MessageNumbers();
  private final TreeMap<Publication, Long> published = new TreeMap<>();
  private TakenWindows taken = new TakenWindows();
  private final Map<Long, IncompleteWindow> assemblies = new LinkedHashMap<>();

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
    if (next <= through) {
      return;
    }
    // Of one that has not been anywhere nobody can say by how much it comes further.
    long more =
        through == Long.MIN_VALUE
            ? Long.MAX_VALUE
            : Math.floorDiv(next, MICROS_PER_MILLI_KEPT_UP)
                - Math.floorDiv(through, MICROS_PER_MILLI_KEPT_UP);
    through = next;
    heard(more >= millis - heard ? millis : heard + more);
  }

  /** What it said first: what it had published before is not here. */
  long since() {
    return since;
  }

  /**
   * Until when it has kept up with the clock, in milliseconds: by as much as it comes further, and
   * a ninth, it goes on, up to the clock. So who says in its name that it comes further by little
   * makes nobody wait for it.
   */
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

  /** Hears a message's number: the first thing that is done with one. What it tells of is lost. */
  MessageNumbers.Heard count(StatesMessage message, long fingerprint) {
    MessageNumbers.Heard heard = numbers.hear(message, fingerprint, hasSpoken);
    if (heard.lost() > 0) {
      lose();
    }
    if (heard.isOther()) {
      doubt();
    }
    return heard;
  }

  /**
   * Notes that somebody else has spoken in its name, or it has after somebody else: whatever is of
   * results that are to come may not be here, or not be its own.
   */
  private void doubt() {
    lose();
    lostAfter = Long.MIN_VALUE;
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
  record Taken(IncompleteWindow window, String lost) {}

  /**
   * Takes a part of a window: what does not follow the parts before it, or ends them, is lost.
   *
   * @param now grows from part to part, of whichever site
   */
  Taken take(StatesMessage.Part part, long now) {
    IncompleteWindow before = assemblies.remove(part.attempt());
    boolean isFirst = part.part() == 0;
    IncompleteWindow assembly = isFirst ? IncompleteWindow.of(part) : before;
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
    for (IncompleteWindow assembly : assemblies.values()) {
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

  /** Its windows that were taken. */
  TakenWindows taken() {
    return taken;
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
    numbers.write(sink);
    sink.putVarint(published.size());
    published.forEach(
        (publication, from) -> {
          StatesLayout.putPublication(publication, sink);
          sink.putLong(from);
        });
    taken.write(sink);
    sink.putVarint(assemblies.size());
    assemblies.forEach(
        (attempt, assembly) -> {
          sink.putLong(attempt);
          assembly.write(sink);
        });
    return sink.toBytes();
  }

  /** Reads what {@link #toBytes} wrote. */
  static MergedSite read(byte[] bytes) {
    StateReader reader = new StateReader(bytes, 0, bytes.length, "the state of a site");
    int version = reader.getByte();
    if (version != WITHOUT_DIGESTS && version != VERSION) {
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
    site.numbers = MessageNumbers.read(reader, version == VERSION);
    for (int n = reader.count("publications", StatesMessage.MAX_PUBLICATIONS, 30); n > 0; n--) {
      site.published.put(StatesLayout.getPublication(reader), reader.getLong());
    }
    site.taken = TakenWindows.read(reader, version == VERSION);
    for (int n = reader.count("windows in parts", MAX_ATTEMPTS, 8); n > 0; n--) {
      site.assemblies.put(reader.getLong(), IncompleteWindow.read(reader));
    }
    reader.end();
    return site;
  }
}
