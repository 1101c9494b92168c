package org.flowmon.archive.days;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.rollup.CellMerge;
import org.flowmon.archive.rollup.CellReader;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.archive.rollup.RollupMeasures;
import org.flowmon.archive.rollup.WideSumsException;
import org.flowmon.flow.FlowColumn;

/** Compares the sums of a run on one day with the sidecars of the segments that have rows on it. */
final class DayComparison {
  private DayComparison() {}

  static Optional<String> of(DayRun run, FlowColumn column, long day, List<SegmentDays> ofDay)
      throws IOException {
    // By outgoing: the sums of the segments.
    List<List<CellMerge.Input>> expected =
        List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (SegmentDays segment : ofDay) {
      Optional<DayRunWriter.Input> some = segment.input(column, of -> of == day);
      if (some.isEmpty()) {
        continue;
      }
      DayRunWriter.Input input = some.get();
      Optional<int[]> newIds = input.idsIn(run.dictionary(column));
      if (newIds.isEmpty()) {
        return Optional.of(
            "an address of segment " + segment.share().segment().id() + " is not there");
      }
      for (int s = 0; s < input.slices(); s++) {
        if (input.has(s)) {
          expected
              .get(input.rollup().outgoing(s))
              .add(new CellMerge.Input(input.rollup(), s, newIds.get()));
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
        return Optional.of("sums with outgoing " + outgoing + (found ? " exist" : " are missing"));
      }
      if (rollup != null && found) {
        Optional<String> problem = compare(expected.get(outgoing), rollup, slice++);
        if (problem.isPresent()) {
          return problem;
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<String> compare(List<CellMerge.Input> expected, Rollup rollup, int slice)
      throws IOException {
    CellReader reader = new CellReader();
    reader.open(rollup, slice);
    int[] ids = new int[RollupFormat.BLOCK];
    long[] values = new long[RollupFormat.BLOCK];
    String[] problem = new String[1];
    int[] block = new int[1];
    try {
      new CellMerge(new RollupMeasures(List.of(rollup), List.of()))
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
      return Optional.of(String.valueOf(e.getMessage()));
    }
    return problem[0] == null && block[0] < reader.blocks()
        ? Optional.of("hosts that segments do not have")
        : Optional.ofNullable(problem[0]);
  }
}
