package org.flowmon.archive.directory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.archive.segment.SealedSegment;

/** Which run answers for which segment: each segment is answered for by one run at most. */
final class HostCover {
  /** What a run answers for. */
  static final class Share {
    private final HostRun run;
    private final int[] positions;
    private final int live;

    private Share(HostRun run, int[] positions, int live) {
      this.run = run;
      this.positions = positions;
      this.live = live;
    }

    HostRun run() {
      return run;
    }

    /**
     * By the number of a segment in the run its place in the snapshot, −1 where the run does not
     * answer for it. Not to be written to.
     */
    int[] positions() {
      return positions;
    }

    /** How many segments it answers for. */
    int live() {
      return live;
    }

    /** Marks all segments that it answers for. */
    void markAll(BitSet marked) {
      for (int position : positions) {
        if (position >= 0) {
          marked.set(position);
        }
      }
    }
  }

  private final List<Share> shares = new ArrayList<>();
  private final List<HostRun> idle = new ArrayList<>();
  private final BitSet uncovered;

  private HostCover(List<SealedSegment> segments, Collection<HostRun> runs) {
    Map<String, Integer> places = new HashMap<>(2 * segments.size());
    for (int i = 0; i < segments.size(); i++) {
      places.put(segments.get(i).id(), i);
    }
    uncovered = new BitSet(segments.size());
    uncovered.set(0, segments.size());
    List<HostRun> largestFirst = new ArrayList<>(runs);
    largestFirst.sort(
        Comparator.comparingInt((HostRun run) -> -run.segments().size())
            .thenComparing(HostRun::name));
    for (HostRun run : largestFirst) {
      Share share = share(run, segments, places);
      if (share.live() > 0) {
        shares.add(share);
      } else {
        idle.add(run);
      }
    }
  }

  /** Shares the segments out among the runs. */
  static HostCover of(List<SealedSegment> segments, Collection<HostRun> runs) {
    return new HostCover(segments, runs);
  }

  private Share share(HostRun run, List<SealedSegment> segments, Map<String, Integer> places) {
    int[] positions = new int[run.segments().size()];
    Arrays.fill(positions, -1);
    int live = 0;
    for (int s = 0; s < positions.length; s++) {
      HostRun.Covered covered = run.segments().get(s);
      Integer place = places.get(covered.id());
      if (place != null
          && segments.get(place).segmentFile().crc32c() == covered.crc32c()
          && uncovered.get(place)) {
        uncovered.clear(place);
        positions[s] = place;
        live++;
      }
    }
    return new Share(run, positions, live);
  }

  List<Share> shares() {
    return shares;
  }

  /** Runs that answer for no segment. */
  List<HostRun> idle() {
    return idle;
  }

  /** Places of the segments that no run answers for. */
  BitSet uncovered() {
    return uncovered;
  }
}
