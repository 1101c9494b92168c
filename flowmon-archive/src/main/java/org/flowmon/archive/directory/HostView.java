package org.flowmon.archive.directory;

import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.udaf.query.AddressRanges;

/**
 * The host directory as of one snapshot: which of its segments hold an address. Segments are named
 * by their place in the snapshot's list. Counted by reference: {@link #release} what was handed
 * out. Safe for many threads.
 */
public final class HostView {
  // Of a range with more addresses than this in a run, nearly every segment holds one.
  private static final int MAX_ADDRESSES = 4096;

  private final List<SealedSegment> segments;
  private final List<HostCover.Share> parts;
  private final BitSet uncovered;
  private final int uncoveredCount;
  private final List<String> problems;
  private final Collection<HostRun> damaged;
  private final AtomicInteger references = new AtomicInteger(1);

  /**
   * A view that takes a reference of each run that it uses.
   *
   * @param problems what is wrong with runs that are not used
   * @param damaged takes the runs that turn out to be damaged; safe for many threads
   */
  HostView(
      List<SealedSegment> segments,
      List<HostCover.Share> shares,
      BitSet uncovered,
      List<String> problems,
      Collection<HostRun> damaged) {
    this.segments = segments;
    this.uncovered = uncovered;
    this.uncoveredCount = uncovered.cardinality();
    this.problems = List.copyOf(problems);
    this.damaged = damaged;
    this.parts = List.copyOf(shares);
    parts.forEach(part -> part.run().acquire());
  }

  /** The segments of the snapshot, in the order of their places. */
  public List<SealedSegment> segments() {
    return segments;
  }

  /** Whether it can leave out any segment. */
  public boolean isUseful() {
    return !parts.isEmpty();
  }

  /** How many segments it says nothing of: they have to be asked themselves. */
  public int uncovered() {
    return uncoveredCount;
  }

  /** Runs that are used. */
  public int runs() {
    return parts.size();
  }

  /**
   * The places of the segments that may hold an address as source: all others hold none.
   *
   * @param warnings takes what is wrong with the directory; the answer stands all the same
   */
  public BitSet sources(AddressRanges addresses, Collection<String> warnings) {
    return find(addresses, HostRunFormat.SOURCE, warnings);
  }

  /** As {@link #sources}, of destinations. */
  public BitSet destinations(AddressRanges addresses, Collection<String> warnings) {
    return find(addresses, HostRunFormat.DESTINATION, warnings);
  }

  private BitSet find(AddressRanges addresses, int roles, Collection<String> warnings) {
    BitSet marked = (BitSet) uncovered.clone();
    warnings.addAll(problems);
    for (HostCover.Share part : parts) {
      try {
        int left = MAX_ADDRESSES;
        for (AddressRanges.Range range : addresses.ranges()) {
          left = part.run().mark(range, roles, part.positions(), marked, left);
          if (left < 0) {
            part.markAll(marked);
            break;
          }
        }
      } catch (SegmentCorruptException e) {
        damaged.add(part.run());
        part.markAll(marked);
        warnings.add(warning(e.getMessage()));
      }
    }
    return marked;
  }

  static String warning(String problem) {
    return problem + ": segments were asked instead; flowmon compact makes the directory again";
  }

  void acquire() {
    references.incrementAndGet();
  }

  /** Gives a reference back; it may not be used afterwards. */
  public void release() {
    if (references.decrementAndGet() == 0) {
      parts.forEach(part -> part.run().release());
    }
  }
}
