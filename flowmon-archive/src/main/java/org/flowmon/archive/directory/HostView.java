package org.flowmon.archive.directory;

import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import org.flowmon.archive.derived.RunCover;
import org.flowmon.archive.derived.RunView;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.udaf.set.AddressRanges;

/**
 * The host directory for one snapshot: which segments, by place in its list, hold an address.
 * Counted by reference: each view needs its {@link #release}. Safe for many threads.
 */
public final class HostView {
  // If a range has more addresses in a run than this, nearly every segment holds one.
  private static final int MAX_ADDRESSES = 4096;

  private final RunView<HostRun> view;

  /** Takes over a reference of the view. */
  HostView(RunView<HostRun> view) {
    this.view = view;
  }

  /** The segments of the snapshot, in the order of their places. */
  public List<SealedSegment> segments() {
    return view.segments();
  }

  /** Number of segments it does not cover: they have to be read themselves. */
  public int uncovered() {
    return view.uncoveredCount();
  }

  public int runs() {
    return view.shares().size();
  }

  /**
   * The places of segments that may hold an address as source: all others hold none. {@code
   * warnings} takes the directory's problems; the answer stands nevertheless.
   */
  public BitSet sources(AddressRanges addresses, Collection<String> warnings) {
    return find(addresses, HostRunFormat.SOURCE, warnings);
  }

  public BitSet destinations(AddressRanges addresses, Collection<String> warnings) {
    return find(addresses, HostRunFormat.DESTINATION, warnings);
  }

  private BitSet find(AddressRanges addresses, int roles, Collection<String> warnings) {
    BitSet marked = view.uncovered();
    warnings.addAll(view.problems());
    for (RunCover.Share<HostRun> part : view.shares()) {
      String warning = view.warning(part.run());
      if (warning != null) {
        part.markAll(marked);
        warnings.add(warning);
        continue;
      }
      try {
        int left = MAX_ADDRESSES;
        for (AddressRanges.Range range : addresses.ranges()) {
          left = part.run().mark(range, roles, part.positions(), marked, left);
          if (left < 0) {
            part.markAll(marked);
            break;
          }
        }
        part.run().requireWhole();
      } catch (SegmentCorruptException e) {
        part.markAll(marked);
        warnings.add(view.damaged(part.run(), String.valueOf(e.getMessage())));
      }
    }
    return marked;
  }

  /** Gives a reference back; the view may not be used afterwards. */
  public void release() {
    view.release();
  }
}
