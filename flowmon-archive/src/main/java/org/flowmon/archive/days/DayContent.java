package org.flowmon.archive.days;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.archive.derived.RunContent;
import org.flowmon.archive.derived.RunCover;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.memory.HeapBudget;

/** The content of the day sums' runs. */
final class DayContent extends RunContent<DayRun, SegmentDays> {
  // A run is written again if more than one of so many of its cells are useless.
  private static final int WORN = 4;

  DayContent(DaySums days, String segmentsFolder, List<SealedSegment> segments) {
    super(days, segmentsFolder, segments);
  }

  /** An input of a run: its sums by a column, if it has any. */
  private interface Part {
    Optional<DayRunWriter.Input> input(FlowColumn column);
  }

  @Override
  protected SegmentDays openSource(SealedSegment segment) throws IOException {
    return SegmentDays.open(store(), segmentsFolder(), segment);
  }

  /** New ids take 4 bytes of heap for each entry, a slice at most some 15 for each in addition. */
  @Override
  protected long mostEntries() {
    return HeapBudget.Part.DAY_MERGE.bytes() / Integer.BYTES;
  }

  @Override
  protected Optional<String> problem(DayRun run) {
    run.readAll();
    return Optional.empty();
  }

  @Override
  protected void write(Path file, List<SegmentDays> of) throws IOException {
    List<Part> parts = new ArrayList<>();
    of.forEach(days -> parts.add(days::input));
    write(file, parts, of.stream().map(SegmentDays::share).toList());
  }

  private void write(Path file, List<Part> parts, List<DayRun.Share> shares) throws IOException {
    try (DayRunWriter writer = new DayRunWriter(file, archive())) {
      for (FlowColumn column : RollupFormat.DIMENSIONS) {
        writer.column(parts.stream().flatMap(part -> part.input(column).stream()).toList());
      }
      writer.finish(shares);
    }
  }

  @Override
  protected boolean fit(List<RunCover.Share<DayRun>> parts) {
    long entries = 0;
    for (RunCover.Share<DayRun> part : parts) {
      for (FlowColumn column : RollupFormat.DIMENSIONS) {
        entries += part.run().dictionary(column).size();
      }
    }
    return entries <= mostEntries();
  }

  @Override
  protected boolean isWorn(RunCover.Share<DayRun> share) {
    if (!share.run().mayHaveEstimates()) {
      return true;
    }
    Set<Long> spoilt = spoilt(share);
    long useless = 0;
    long all = 0;
    for (FlowColumn column : RollupFormat.DIMENSIONS) {
      Rollup rollup = share.run().rollup(column);
      for (int s = 0; rollup != null && s < rollup.slices(); s++) {
        all += rollup.cells(s);
        useless += spoilt.contains(rollup.hour(s)) ? rollup.cells(s) : 0;
      }
    }
    return useless * WORN > all;
  }

  /** The days of a run on which a segment has rows but the run does not answer for it. */
  static Set<Long> spoilt(RunCover.Share<DayRun> share) {
    Set<Long> days = new HashSet<>();
    for (int s = 0; s < share.positions().length; s++) {
      if (share.positions()[s] < 0) {
        days.addAll(share.run().shares().get(s).days());
      }
    }
    return days;
  }

  /**
   * Merges runs without days on which segments are gone: they are made again from segments, and so
   * are runs that do not know of estimates.
   */
  @Override
  protected Optional<DayRun> merge(List<RunCover.Share<DayRun>> parts, Writer<DayRun> writer)
      throws IOException {
    if (!parts.stream().allMatch(part -> part.run().mayHaveEstimates())) {
      return Optional.empty();
    }
    List<SegmentDays> again = new ArrayList<>();
    try {
      List<Part> inputs = new ArrayList<>();
      List<DayRun.Share> shares = new ArrayList<>();
      for (RunCover.Share<DayRun> part : parts) {
        if (!add(part, inputs, shares, again)) {
          return Optional.empty();
        }
      }
      return Optional.of(writer.write(file -> write(file, inputs, shares)));
    } finally {
      again.forEach(SegmentDays::close);
    }
  }

  /** Adds days to keep; {@code again} takes segments read for it. False to make the run again. */
  private boolean add(
      RunCover.Share<DayRun> part,
      List<Part> inputs,
      List<DayRun.Share> shares,
      List<SegmentDays> again) {
    Set<Long> spoilt = spoilt(part);
    for (int s = 0; s < part.positions().length; s++) {
      if (part.positions()[s] < 0) {
        continue;
      }
      DayRun.Share segment = part.run().shares().get(s);
      shares.add(segment);
      if (segment.days().stream().anyMatch(spoilt::contains)) {
        Optional<SegmentDays> read =
            again.size() < MOST_SOURCES
                ? openReadable(segments().get(part.positions()[s]))
                : Optional.empty();
        if (read.isEmpty()) {
          return false;
        }
        again.add(read.get());
        inputs.add(column -> read.get().input(column, spoilt::contains));
      }
    }
    inputs.add(column -> input(part.run(), column, spoilt));
    return true;
  }

  private static Optional<DayRunWriter.Input> input(
      DayRun run, FlowColumn column, Set<Long> without) {
    Rollup rollup = run.rollup(column);
    if (rollup == null) {
      return Optional.empty();
    }
    long[] days = new long[rollup.slices()];
    for (int s = 0; s < days.length; s++) {
      days[s] = without.contains(rollup.hour(s)) ? DayRunWriter.LEFT_OUT : rollup.hour(s);
      if (days[s] != DayRunWriter.LEFT_OUT) {
        run.verify(column, s);
      }
    }
    return Optional.of(new DayRunWriter.Input(run.dictionary(column), rollup, days));
  }

  @Override
  protected Optional<String> difference(RunCover.Share<DayRun> share) throws IOException {
    share.run().readAll();
    Set<Long> spoilt = spoilt(share);
    // By day: the segments with rows on it.
    Map<Long, BitSet> days = new TreeMap<>();
    List<DayRun.Share> covered = share.run().shares();
    for (int s = 0; s < covered.size(); s++) {
      for (long day : covered.get(s).days()) {
        if (!spoilt.contains(day)) {
          days.computeIfAbsent(day, d -> new BitSet()).set(s);
        }
      }
    }
    for (Map.Entry<Long, BitSet> day : days.entrySet()) {
      Optional<String> difference = difference(share, day.getKey(), day.getValue());
      if (difference.isPresent()) {
        return difference;
      }
    }
    return Optional.empty();
  }

  private Optional<String> difference(RunCover.Share<DayRun> share, long day, BitSet numbers)
      throws IOException {
    List<SegmentDays> opened = new ArrayList<>();
    try {
      for (int s = numbers.nextSetBit(0); s >= 0; s = numbers.nextSetBit(s + 1)) {
        Optional<SegmentDays> segment = openSound(segments().get(share.positions()[s]));
        if (segment.isEmpty()) {
          return Optional.empty();
        }
        opened.add(segment.get());
        DayRun.Share found = segment.get().share();
        if (!share.run().isOf(found, share.run().shares().get(s))) {
          return Optional.of("the days of segment " + found.segment().id() + " are others");
        }
      }
      for (FlowColumn column : RollupFormat.DIMENSIONS) {
        Optional<String> difference = DayComparison.of(share.run(), column, day, opened);
        if (difference.isPresent()) {
          return difference.map(
              what -> "days of " + column.sqlName() + ", day " + day + ": " + what);
        }
      }
      return Optional.empty();
    } finally {
      opened.forEach(SegmentDays::close);
    }
  }
}
