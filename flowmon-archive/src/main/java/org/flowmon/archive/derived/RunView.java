package org.flowmon.archive.derived;

import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.flowmon.archive.segment.SealedSegment;

/**
 * The runs as of one snapshot: which of them answers for which of its segments. Segments are named
 * by their place in the snapshot's list. Counted by reference: {@link #release} what was handed
 * out. Safe for many threads.
 */
public final class RunView<R extends DerivedRun> {
  private final RunKind<R> kind;
  private final List<SealedSegment> segments;
  private final List<RunCover.Share<R>> shares;
  private final BitSet uncovered;
  private final int uncoveredCount;
  private final Map<String, String> broken;
  private final List<String> problems;
  private final Collection<R> damaged;
  private final AtomicInteger references = new AtomicInteger(1);

  /**
   * A view that takes a reference of each run that it uses.
   *
   * @param broken by the name of a run that is damaged what is wrong with it
   * @param problems what is wrong with runs that are not used
   * @param damaged takes the runs that turn out to be damaged; safe for many threads
   */
  RunView(
      RunKind<R> kind,
      List<SealedSegment> segments,
      RunCover<R> cover,
      Map<String, String> broken,
      List<String> problems,
      Collection<R> damaged) {
    this.kind = kind;
    this.segments = segments;
    this.uncovered = cover.uncovered();
    this.uncoveredCount = uncovered.cardinality();
    this.broken = Map.copyOf(broken);
    this.problems = List.copyOf(problems);
    this.damaged = damaged;
    this.shares = List.copyOf(cover.shares());
    shares.forEach(share -> share.run().acquire());
  }

  /** The segments of the snapshot, in the order of their places. */
  public List<SealedSegment> segments() {
    return segments;
  }

  /** Runs that answer for some segment, and for which. */
  public List<RunCover.Share<R>> shares() {
    return shares;
  }

  /** Places of the segments that no run answers for; a copy. */
  public BitSet uncovered() {
    return (BitSet) uncovered.clone();
  }

  /** How many segments no run answers for. */
  public int uncoveredCount() {
    return uncoveredCount;
  }

  /** By the name of a run that is damaged and not used what is wrong with it. */
  public Map<String, String> broken() {
    return broken;
  }

  /** What is wrong with runs that are not used. */
  public List<String> problems() {
    return problems;
  }

  /** Remembers that a run turned out to be damaged, and says so. */
  public String damaged(R run, String problem) {
    damaged.add(run);
    return kind.warning(problem);
  }

  void acquire() {
    references.incrementAndGet();
  }

  /** Gives a reference back; it may not be used afterwards. */
  public void release() {
    if (references.decrementAndGet() == 0) {
      shares.forEach(share -> share.run().release());
    }
  }
}
