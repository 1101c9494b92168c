package org.flowmon.archive.derived;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.jspecify.annotations.Nullable;

/**
 * The runs for one snapshot, and which of them answers for which of its segments, named by place.
 * Counted by reference: each view handed out needs its {@link #release}. Safe for many threads.
 */
public final class RunView<R extends DerivedRun> {
  private final RunKind<R> kind;
  private final List<SealedSegment> segments;
  private final List<RunCover.Share<R>> shares;
  private final BitSet uncovered;
  private final int uncoveredCount;
  private final List<String> problems;
  private final BiConsumer<R, String> damaged;
  // Problems found since; by identity.
  private final Map<R, String> warnings = new ConcurrentHashMap<>();
  private final AtomicInteger references = new AtomicInteger(1);

  /**
   * Takes a reference of each run that it uses. {@code problems} are of unused runs; {@code
   * damaged} takes runs that turn out to be damaged, with the problem; it is safe for many threads.
   */
  RunView(
      RunKind<R> kind,
      List<SealedSegment> segments,
      RunCover<R> cover,
      List<String> problems,
      BiConsumer<R, String> damaged) {
    this.kind = kind;
    this.segments = segments;
    this.uncovered = cover.uncovered();
    this.uncoveredCount = uncovered.cardinality();
    this.problems = List.copyOf(problems);
    this.damaged = damaged;
    this.shares = List.copyOf(cover.shares());
    shares.forEach(share -> share.run().acquire());
  }

  /** The segments of the snapshot, in the order of their places. */
  public List<SealedSegment> segments() {
    return segments;
  }

  /** Runs that answer for some segment, with those segments. */
  public List<RunCover.Share<R>> shares() {
    return shares;
  }

  /** Places of the segments that no run answers for; a copy. */
  public BitSet uncovered() {
    return (BitSet) uncovered.clone();
  }

  public int uncoveredCount() {
    return uncoveredCount;
  }

  /** The problems of unused runs. */
  public List<String> problems() {
    return problems;
  }

  /** Remembers a damaged run, which neither this nor later views use; returns the warning. */
  public String damaged(R run, String problem) {
    String warning = kind.warning(problem);
    if (warnings.putIfAbsent(run, warning) == null) {
      damaged.accept(run, problem);
    }
    return warning;
  }

  /** The warning of a damaged run, null for a sound one. */
  public @Nullable String warning(R run) {
    return warnings.get(run);
  }

  void acquire() {
    references.incrementAndGet();
  }

  /**
   * Warnings, empty if none, of runs whose files were cut since they were mapped: bytes read from
   * them may never have been written. They are not used again.
   */
  public List<String> cut() {
    List<String> cut = new ArrayList<>();
    for (RunCover.Share<R> share : shares) {
      try {
        share.run().requireWhole();
      } catch (SegmentCorruptException e) {
        cut.add(damaged(share.run(), String.valueOf(e.getMessage())));
      }
    }
    return cut;
  }

  /** Gives a reference back; the view may not be used afterwards. */
  public void release() {
    if (references.decrementAndGet() == 0) {
      shares.forEach(share -> share.run().release());
    }
  }
}
