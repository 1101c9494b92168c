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
 * The runs for one snapshot, and which of them answers for which of its segments. Segments are
 * named by their place in the snapshot's list. Counted by reference: each view that was handed out
 * needs its {@link #release}. Safe for many threads.
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
   * A view that takes a reference of each run that it uses.
   *
   * @param problems the problems of unused runs
   * @param damaged takes runs that turn out to be damaged, with the problem; safe for many threads
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

  /** Number of segments that no run answers for. */
  public int uncoveredCount() {
    return uncoveredCount;
  }

  /** The problems of unused runs. */
  public List<String> problems() {
    return problems;
  }

  /**
   * Remembers that a run turned out to be damaged: it is not used again, and later views are
   * without it.
   *
   * @return the warning
   */
  public String damaged(R run, String problem) {
    String warning = kind.warning(problem);
    if (warnings.putIfAbsent(run, warning) == null) {
      damaged.accept(run, problem);
    }
    return warning;
  }

  /** The warning of a run that turned out to be damaged, null for a sound one. */
  public @Nullable String warning(R run) {
    return warnings.get(run);
  }

  void acquire() {
    references.incrementAndGet();
  }

  /**
   * Checks whether a run's file was cut since it was mapped: bytes read from it may never have been
   * written. Such a run is not used again.
   *
   * @return the warnings, empty if all are whole
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
