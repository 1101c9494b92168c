package org.flowmon.jobs.site.centre;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.flowmon.jobs.site.Publication;
import org.flowmon.jobs.site.StatesLayout;
import org.flowmon.jobs.site.StatesMessage;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;

/**
 * The state of a site in a merging job. Not thread-safe. Its bytes in a checkpoint (little-endian):
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
 *   window: end i64 | width i64 | flows i64 | has a digest u8 | keys, layout, values i64 if it has
 * </pre>
 *
 * Version 1, which is still read, has only ends and widths of windows, and neither {@code said} nor
 * fingerprints. Version 2 was never released; it had two layouts.
 */
final class MergedSite {
  private static final int VERSION = 3;
  private static final int WITHOUT_DIGESTS = 1;
  // An attempt's last window before a restart never ends.
  private static final int MAX_ATTEMPTS = 4;
  // A site at nine tenths of the clock's pace, or faster, keeps up: so many of its µs per clock's
  // ms.
  private static final int MICROS_PER_MILLI_KEPT_UP = 900;

  private final String name;
  private long through = Long.MIN_VALUE;
  // It may be after the clock.
  private long said = Long.MIN_VALUE;
  private long since = Long.MIN_VALUE;
  private long heard;
  private boolean hasSpoken;
  // Lost messages were sent after the site reached the first and before the second. MAX_VALUE: no
  // loss; not known yet.
  private long lostAfter = Long.MAX_VALUE;
  private long lostUntil = Long.MAX_VALUE;
  private int progressesSince;
  private MessageNumbers numbers = new MessageNumbers();
  private final TreeMap<Publication, Long> published = new TreeMap<>();
  private TakenWindows taken = new TakenWindows();
  private final Map<Long, IncompleteWindow> assemblies = new LinkedHashMap<>();

  /** Silent from {@code now}, in milliseconds, on. */
  MergedSite(String name, long now) {
    this.name = name;
    this.heard = now;
  }

  String name() {
    return name;
  }

  /** {@link Long#MIN_VALUE} before its first progress. */
  long through() {
    return through;
  }

  /** Advances to its last progress, but no further than the clock, in µs and ms. */
  void follow(long now, long millis) {
    long next = Math.min(said, now);
    if (next <= through) {
      return;
    }
    // The first advance has no known size.
    long more =
        through == Long.MIN_VALUE
            ? Long.MAX_VALUE
            : Math.floorDiv(next, MICROS_PER_MILLI_KEPT_UP)
                - Math.floorDiv(through, MICROS_PER_MILLI_KEPT_UP);
    through = next;
    heard(more >= millis - heard ? millis : heard + more);
  }

  /** The time of its first progress: earlier windows are not here. */
  long since() {
    return since;
  }

  /**
   * The clock, in milliseconds, until which it kept up. It grows by each advance and a ninth of
   * that, up to the clock: forged small advances make nobody wait.
   */
  long heard() {
    return heard;
  }

  void heard(long now) {
    heard = Math.max(heard, now);
  }

  /** Its publications, and the first whole window of each. */
  SortedMap<Publication, Long> published() {
    return published;
  }

  /** Takes a message's number before anything else; if it shows a loss, windows are lost. */
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

  /** Another sender uses its name: any part of future results may be missing or forged. */
  private void doubt() {
    lose();
    lostAfter = Long.MIN_VALUE;
  }

  /** Windows published since the time through which it is complete are lost. */
  void lose() {
    lostAfter = Math.min(lostAfter, through);
    lostUntil = Long.MAX_VALUE;
    progressesSince = 0;
  }

  /** Windows that were final after this may be missing; MAX_VALUE if none is. */
  long lostAfter() {
    return lostAfter;
  }

  /** Windows that were final after this are here; MAX_VALUE if unknown. */
  long lostUntil() {
    return lostUntil;
  }

  /** No result can lack it any more. */
  void forgetLost() {
    lostAfter = Long.MAX_VALUE;
    lostUntil = Long.MAX_VALUE;
  }

  /** Returns whether its publications have changed; the clock is in µs and ms. */
  boolean take(StatesMessage.Progress progress, long now, long millis) {
    if (!hasSpoken) {
      hasSpoken = true;
      since = Math.min(progress.through(), now);
    }
    // A progress may come between windows that end together, to announce a publication: lost
    // windows were sent before the second that is further, at the latest.
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

  /** The complete window, empty if more is to come; whether a begun one is lost. */
  record Taken(Optional<IncompleteWindow> window, boolean isLost) {}

  /**
   * A part that does not follow those before, or a window that it ends early, is lost. {@code now}
   * grows from part to part, of whichever site.
   */
  Taken take(StatesMessage.Part part, long now) {
    IncompleteWindow before = assemblies.remove(part.attempt());
    boolean isFirst = part.part() == 0;
    IncompleteWindow assembly = isFirst ? IncompleteWindow.of(part) : before;
    if (assembly == null || !assembly.take(part)) {
      return new Taken(Optional.empty(), true);
    }
    if (!assembly.isComplete()) {
      assembly.touched = now;
      assemblies.put(part.attempt(), assembly);
    }
    return new Taken(
        assembly.isComplete() ? Optional.of(assembly) : Optional.empty(),
        isFirst && before != null);
  }

  boolean hasTooManyParts() {
    return assemblies.size() > MAX_ATTEMPTS;
  }

  long partsBytes() {
    long sum = 0;
    for (IncompleteWindow assembly : assemblies.values()) {
      sum += assembly.room();
    }
    return sum;
  }

  /** Sequence number of its eldest incomplete window's last part; MAX_VALUE without one. */
  long eldestPart() {
    return assemblies.isEmpty() ? Long.MAX_VALUE : assemblies.values().iterator().next().touched;
  }

  long dropEldest() {
    return assemblies.remove(assemblies.keySet().iterator().next()).room();
  }

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
