package org.flowmon.archive.derived;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.archive.segment.SealedSegment;

/** The assignment of segments to runs: at most one run answers for each segment. */
public final class RunCover<R extends DerivedRun> {
  /** The segments that a run answers for. */
  public static final class Share<R extends DerivedRun> {
    private final R run;
    private final int[] positions;
    private final int live;
    private final boolean namesOthers;

    private Share(R run, int[] positions, int live, boolean namesOthers) {
      this.run = run;
      this.positions = positions;
      this.live = live;
      this.namesOthers = namesOthers;
    }

    public R run() {
      return run;
    }

    /** The snapshot place of each segment, −1 if the run does not answer for it. Read-only. */
    public int[] positions() {
      return positions;
    }

    public int live() {
      return live;
    }

    /** Whether it covers a segment that is not in the snapshot: merged away, or added later. */
    boolean namesOthers() {
      return namesOthers;
    }

    public void markAll(BitSet marked) {
      for (int position : positions) {
        if (position >= 0) {
          marked.set(position);
        }
      }
    }
  }

  private final List<Share<R>> shares = new ArrayList<>();
  private final List<Share<R>> idle = new ArrayList<>();
  private final BitSet uncovered;

  RunCover(List<SealedSegment> segments, Collection<R> runs) {
    Map<String, Integer> places = new HashMap<>(2 * segments.size());
    for (int i = 0; i < segments.size(); i++) {
      places.put(segments.get(i).id(), i);
    }
    uncovered = new BitSet(segments.size());
    uncovered.set(0, segments.size());
    List<R> largestFirst = new ArrayList<>(runs);
    largestFirst.sort(
        Comparator.comparingInt((R run) -> -run.segments().size()).thenComparing(R::name));
    for (R run : largestFirst) {
      Share<R> share = share(run, segments, places);
      if (share.live() > 0) {
        shares.add(share);
      } else {
        idle.add(share);
      }
    }
  }

  private Share<R> share(R run, List<SealedSegment> segments, Map<String, Integer> places) {
    int[] positions = new int[run.segments().size()];
    Arrays.fill(positions, -1);
    int live = 0;
    boolean namesOthers = false;
    for (int s = 0; s < positions.length; s++) {
      DerivedRun.Covered covered = run.segments().get(s);
      Integer place = places.get(covered.id());
      if (place == null || segments.get(place).segmentFile().crc32c() != covered.crc32c()) {
        namesOthers = true;
      } else if (uncovered.get(place)) {
        uncovered.clear(place);
        positions[s] = place;
        live++;
      }
    }
    return new Share<>(run, positions, live, namesOthers);
  }

  /** Runs that answer for some segment. */
  public List<Share<R>> shares() {
    return shares;
  }

  /** Runs that answer for no segment. */
  List<Share<R>> idle() {
    return idle;
  }

  public BitSet uncovered() {
    return uncovered;
  }
}
