package org.flowmon.archive.directory;

import java.util.ArrayList;
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
    return find(List.of(addresses), HostRunFormat.SOURCE, warnings).get(0);
  }

  public BitSet destinations(AddressRanges addresses, Collection<String> warnings) {
    return find(List.of(addresses), HostRunFormat.DESTINATION, warnings).get(0);
  }

  /** The answers of {@link #sources} to many questions, which share what a question costs. */
  public List<BitSet> sourcesOfEach(List<AddressRanges> questions, Collection<String> warnings) {
    return find(questions, HostRunFormat.SOURCE, warnings);
  }

  public List<BitSet> destinationsOfEach(
      List<AddressRanges> questions, Collection<String> warnings) {
    return find(questions, HostRunFormat.DESTINATION, warnings);
  }

  private List<BitSet> find(List<AddressRanges> questions, int roles, Collection<String> warnings) {
    List<BitSet> answers = new ArrayList<>(questions.size());
    questions.forEach(unused -> answers.add(view.uncovered()));
    warnings.addAll(view.problems());
    for (RunCover.Share<HostRun> part : view.shares()) {
      String warning = view.warning(part.run());
      if (warning != null) {
        answers.forEach(part::markAll);
        warnings.add(warning);
        continue;
      }
      try {
        for (int q = 0; q < answers.size(); q++) {
          mark(part, questions.get(q), roles, answers.get(q));
        }
        part.run().requireWhole();
      } catch (SegmentCorruptException e) {
        answers.forEach(part::markAll);
        warnings.add(view.damaged(part.run(), String.valueOf(e.getMessage())));
      }
    }
    return answers;
  }

  private static void mark(
      RunCover.Share<HostRun> part, AddressRanges addresses, int roles, BitSet marked) {
    int left = MAX_ADDRESSES;
    for (AddressRanges.Range range : addresses.ranges()) {
      left = part.run().mark(range, roles, part.positions(), marked, left);
      if (left < 0) {
        part.markAll(marked);
        return;
      }
    }
  }

  /** Gives a reference back; the view may not be used afterwards. */
  public void release() {
    view.release();
  }
}
