package org.flowmon.archive.days;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.flowmon.archive.derived.RunCheck;
import org.flowmon.archive.derived.RunCover;
import org.flowmon.archive.derived.RunProblem;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.rollup.CellMerge;
import org.flowmon.archive.rollup.CellReader;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.archive.rollup.RollupMeasures;
import org.flowmon.archive.rollup.WideSumsException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.flow.FlowColumn;

/**
 * Compares the day sums with the sidecars of their segments, on all days that queries may use. Not
 * thread-safe.
 */
public final class DayCheck {
  private final ArchiveStore store;
  private final String segmentsFolder;
  private final List<SealedSegment> segments;

  private DayCheck(ArchiveStore store, String segmentsFolder, List<SealedSegment> segments) {
    this.store = store;
    this.segmentsFolder = segmentsFolder;
    this.segments = segments;
  }

  /**
   * Finds the problems of the day sums' runs.
   *
   * @param archive that they must belong to
   * @param segments of a snapshot that is held
   */
  public static List<RunProblem> of(
      ArchiveStore store, UUID archive, String segmentsFolder, List<SealedSegment> segments)
      throws IOException {
    DayCheck check = new DayCheck(store, segmentsFolder, segments);
    try (DaySums sums = new DaySums(store, archive)) {
      return RunCheck.of(sums, segments, check::difference);
    }
  }

  private String difference(RunCover.Share<DayRun> share) throws IOException {
    DayUpdate.read(share.run());
    Set<Long> spoilt = DayUpdate.spoilt(share);
    // By day: the segments with rows on it.
    TreeMap<Long, BitSet> days = new TreeMap<>();
    List<DayRun.Share> covered = share.run().shares();
    for (int s = 0; s < covered.size(); s++) {
      for (long day : covered.get(s).days()) {
        if (!spoilt.contains(day)) {
          days.computeIfAbsent(day, d -> new BitSet()).set(s);
        }
      }
    }
    for (long day : days.keySet()) {
      String difference = difference(share, day, days.get(day));
      if (difference != null) {
        return difference;
      }
    }
    return null;
  }

  private String difference(RunCover.Share<DayRun> share, long day, BitSet numbers)
      throws IOException {
    List<SegmentDays> opened = new ArrayList<>();
    try {
      for (int s = numbers.nextSetBit(0); s >= 0; s = numbers.nextSetBit(s + 1)) {
        SegmentDays segment = open(segments.get(share.positions()[s]));
        if (segment == null) {
          return null; // its damage is reported for the segment itself
        }
        opened.add(segment);
        if (!segment.share().equals(share.run().shares().get(s))) {
          return "the days of segment " + segment.share().segment().id() + " are others";
        }
      }
      for (FlowColumn column : RollupFormat.DIMENSIONS) {
        String difference = difference(share.run(), column, day, opened);
        if (difference != null) {
          return "days of " + column.sqlName() + ", day " + day + ": " + difference;
        }
      }
      return null;
    } finally {
      opened.forEach(SegmentDays::close);
    }
  }

  private SegmentDays open(SealedSegment segment) throws IOException {
    try {
      return SegmentDays.open(store, segmentsFolder, segment);
    } catch (java.nio.file.NoSuchFileException | SegmentCorruptException e) {
      return null;
    }
  }

  private static String difference(DayRun run, FlowColumn column, long day, List<SegmentDays> ofDay)
      throws IOException {
    // By outgoing: the sums of the segments.
    List<List<CellMerge.Input>> expected =
        List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (SegmentDays segment : ofDay) {
      DayRunWriter.Input input = segment.input(column, Set.of(day));
      int[] newIds = input == null ? null : input.idsIn(run.dictionary(column));
      if (input != null && newIds == null) {
        return "an address of segment " + segment.share().segment().id() + " is not there";
      }
      for (int s = 0; input != null && s < input.slices(); s++) {
        if (input.has(s)) {
          expected
              .get(input.rollup().outgoing(s))
              .add(new CellMerge.Input(input.rollup(), s, newIds));
        }
      }
    }
    Rollup rollup = run.rollup(column);
    int slice = 0;
    while (rollup != null && slice < rollup.slices() && rollup.hour(slice) < day) {
      slice++;
    }
    for (int outgoing = 0; outgoing < expected.size(); outgoing++) {
      boolean found =
          rollup != null
              && slice < rollup.slices()
              && rollup.hour(slice) == day
              && rollup.outgoing(slice) == outgoing;
      if (found == expected.get(outgoing).isEmpty()) {
        return "sums with outgoing " + outgoing + (found ? " are there" : " are not there");
      }
      if (found) {
        String problem = compare(expected.get(outgoing), rollup, slice++);
        if (problem != null) {
          return problem;
        }
      }
    }
    return null;
  }

  private static String compare(List<CellMerge.Input> expected, Rollup rollup, int slice)
      throws IOException {
    CellReader reader = new CellReader();
    reader.open(rollup, slice);
    int[] ids = new int[RollupFormat.BLOCK];
    long[] values = new long[RollupFormat.BLOCK];
    String[] problem = new String[1];
    int[] block = new int[1];
    try {
      new CellMerge(RollupMeasures.of(List.of(rollup), List.of()))
          .merge(
              expected,
              (expectedIds, n, streams) -> {
                int b = block[0]++;
                if (b >= reader.blocks() || reader.cells(b) != n) {
                  problem[0] = "a number of hosts that segments do not have";
                  return;
                }
                reader.readIds(b, ids);
                boolean same = Arrays.equals(ids, 0, n, expectedIds, 0, n);
                for (int s = rollup.rowsStream(); s < streams.length; s++) {
                  reader.read(s, b, values);
                  same &= Arrays.equals(values, 0, n, streams[s], 0, n);
                }
                problem[0] = same ? problem[0] : "sums that are not those of its segments";
              });
    } catch (WideSumsException e) {
      return e.getMessage();
    }
    return problem[0] == null && block[0] < reader.blocks()
        ? "hosts that segments do not have"
        : problem[0];
  }
}
