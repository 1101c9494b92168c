package org.flowmon.archive.days;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.flowmon.archive.derived.RunCover;
import org.flowmon.archive.derived.RunUpdate;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.rollup.CellReader;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.memory.HeapBudget;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings the files of the day sums up to a snapshot. Not thread-safe. */
public final class DayUpdate extends RunUpdate<DayRun> {
  private static final Logger LOG = LoggerFactory.getLogger(DayUpdate.class);
  // Segments that are open at the same time.
  private static final int SEGMENTS_AT_ONCE = 64;
  // A run is written again if more than one of so many of its cells are useless.
  private static final int WORN = 4;
  // Entries of dictionaries whose new ids are on the heap at once, 4 bytes each; in addition, a
  // slice with a cell of some 15 bytes for each at most.
  private static final long MAX_ENTRIES = HeapBudget.Part.DAY_MERGE.bytes() / Integer.BYTES;

  private final String segmentsFolder;
  private final BitSet settled;

  private DayUpdate(
      DaySums days,
      String segmentsFolder,
      List<SealedSegment> segments,
      BitSet settled,
      BooleanSupplier stop) {
    super(days, segments, stop);
    this.segmentsFolder = segmentsFolder;
    this.settled = settled;
  }

  /**
   * Updates the sums.
   *
   * @param segments of the newest snapshot, held until this returns
   * @param settled places of those that compaction leaves unchanged: others are not covered
   * @param verify whether every byte of every run is checked first
   * @param stop asked before each file: if it is true the rest is left to the next update
   * @throws IOException if files cannot be written; files already written stay
   */
  public static Done run(
      DaySums days,
      String segmentsFolder,
      List<SealedSegment> segments,
      BitSet settled,
      boolean verify,
      BooleanSupplier stop)
      throws IOException {
    return new DayUpdate(days, segmentsFolder, segments, settled, stop).run(verify);
  }

  @Override
  protected BitSet toCover() {
    return settled;
  }

  @Override
  protected String problem(DayRun run) {
    read(run);
    return null;
  }

  /**
   * Reads every byte of a run.
   *
   * @throws SegmentCorruptException if something differs from the bytes written
   */
  static void read(DayRun run) {
    CellReader reader = new CellReader();
    int[] ids = new int[RollupFormat.BLOCK];
    long[] values = new long[RollupFormat.BLOCK];
    for (FlowColumn column : RollupFormat.DIMENSIONS) {
      DayDictionary dictionary = run.dictionary(column);
      for (int id = 1; id < dictionary.size(); id++) {
        if (IpAddress.compare(
                dictionary.high(id - 1),
                dictionary.low(id - 1),
                dictionary.high(id),
                dictionary.low(id))
            >= 0) {
          throw run.corrupt("days of " + column.sqlName(), "addresses that do not ascend");
        }
      }
      Rollup rollup = run.rollup(column);
      for (int s = 0; rollup != null && s < rollup.slices(); s++) {
        run.verify(column, s);
        reader.open(rollup, s);
        for (int b = 0; b < reader.blocks(); b++) {
          reader.readIds(b, ids);
          for (int stream = rollup.rowsStream(); stream < rollup.streams(); stream++) {
            reader.read(stream, b, values);
          }
        }
      }
    }
  }

  @Override
  protected int cover(BitSet wanted, int from, List<SealedSegment> taken, List<DayRun> runs)
      throws IOException {
    List<SegmentDays> opened = new ArrayList<>();
    int next = from;
    try {
      long entries = 0;
      for (;
          next >= 0 && opened.size() < SEGMENTS_AT_ONCE && entries < MAX_ENTRIES;
          next = wanted.nextSetBit(next + 1)) {
        SealedSegment segment = segments().get(next);
        SegmentDays days = open(segment);
        if (days != null) {
          opened.add(days);
          taken.add(segment);
          entries += days.entries();
        }
      }
      if (!opened.isEmpty()) {
        List<Part> parts = new ArrayList<>();
        opened.forEach(days -> parts.add(column -> days.input(column, null)));
        runs.add(write(parts, opened.stream().map(SegmentDays::share).toList()));
      }
    } finally {
      opened.forEach(SegmentDays::close);
    }
    return next;
  }

  private SegmentDays open(SealedSegment segment) {
    try {
      return SegmentDays.open(store(), segmentsFolder, segment);
    } catch (IOException | SegmentCorruptException | IllegalArgumentException e) {
      LOG.warn("segment {} is not in the day sums: {}", segment.id(), e.toString());
      return null;
    }
  }

  /** An input of a run: its sums by a column, null for none. */
  private interface Part {
    DayRunWriter.Input input(FlowColumn column);
  }

  private DayRun write(List<Part> parts, List<DayRun.Share> shares) throws IOException {
    return write(
        file -> {
          try (DayRunWriter writer = new DayRunWriter(file, archive())) {
            for (FlowColumn column : RollupFormat.DIMENSIONS) {
              List<DayRunWriter.Input> inputs = new ArrayList<>();
              for (Part part : parts) {
                DayRunWriter.Input input = part.input(column);
                if (input != null) {
                  inputs.add(input);
                }
              }
              writer.column(inputs);
            }
            writer.finish(shares);
          }
        });
  }

  @Override
  protected boolean fit(List<RunCover.Share<DayRun>> parts) {
    long entries = 0;
    for (RunCover.Share<DayRun> part : parts) {
      for (FlowColumn column : RollupFormat.DIMENSIONS) {
        entries += part.run().dictionary(column).size();
      }
    }
    return entries <= MAX_ENTRIES;
  }

  @Override
  protected boolean isWorn(RunCover.Share<DayRun> share) {
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
   * Merges runs. Their days on which segments are gone are left out, and made again from those
   * segments that have rows on them.
   */
  @Override
  protected DayRun merge(List<RunCover.Share<DayRun>> parts) throws IOException {
    List<SegmentDays> again = new ArrayList<>();
    try {
      List<Part> inputs = new ArrayList<>();
      List<DayRun.Share> shares = new ArrayList<>();
      for (RunCover.Share<DayRun> part : parts) {
        if (!add(part, inputs, shares, again)) {
          return null;
        }
      }
      return write(inputs, shares);
    } finally {
      again.forEach(SegmentDays::close);
    }
  }

  /**
   * Adds the days of a run that are to be kept.
   *
   * @param again takes the segments that are read for it
   * @return false if the run is to be made again from its segments instead
   */
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
        SegmentDays read =
            again.size() < SEGMENTS_AT_ONCE ? open(segments().get(part.positions()[s])) : null;
        if (read == null) {
          return false;
        }
        again.add(read);
        inputs.add(column -> read.input(column, spoilt));
      }
    }
    inputs.add(column -> input(part.run(), column, spoilt));
    return true;
  }

  private static DayRunWriter.Input input(DayRun run, FlowColumn column, Set<Long> without) {
    Rollup rollup = run.rollup(column);
    if (rollup == null) {
      return null;
    }
    long[] days = new long[rollup.slices()];
    for (int s = 0; s < days.length; s++) {
      days[s] = without.contains(rollup.hour(s)) ? DayRunWriter.LEFT_OUT : rollup.hour(s);
      if (days[s] != DayRunWriter.LEFT_OUT) {
        run.verify(column, s);
      }
    }
    return new DayRunWriter.Input(run.dictionary(column), rollup, days);
  }
}
