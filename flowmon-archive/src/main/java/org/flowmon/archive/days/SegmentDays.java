package org.flowmon.archive.days;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.flowmon.archive.derived.DerivedRun;
import org.flowmon.archive.derived.RunSource;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.HeldFolder;
import org.flowmon.flow.FlowColumn;
import org.jspecify.annotations.Nullable;

/** The sums of one segment by day, from its sidecar. To be closed; not thread-safe. */
public final class SegmentDays implements RunSource {
  // Times beyond these are no times of flows: their hours and buckets may not fit 64 bits.
  private static final long MAX_TIME = 1L << 61;

  /** The sidecar's sums by a column. */
  private static final class Sums {
    final Rollup rollup;
    final long[] days; // by slice

    Sums(Rollup rollup, long[] days) {
      this.rollup = rollup;
      this.days = days;
    }
  }

  private final List<HeldFolder> files;
  private final SealedSegment sealed;
  private final SegmentReader reader;
  private final SegmentIndex index;
  private final Map<FlowColumn, Sums> sums = new TreeMap<>();
  private final DayRun.Share share;

  private SegmentDays(
      List<HeldFolder> files, SealedSegment sealed, SegmentReader reader, SegmentIndex index) {
    this.files = files;
    this.sealed = sealed;
    this.reader = reader;
    this.index = index;
    List<Long> days = List.of();
    int columns = 0;
    for (FlowColumn column : RollupFormat.DIMENSIONS) {
      Optional<Sums> found = find(column);
      if (found.isPresent()) {
        sums.put(column, found.get());
        columns |= DayRun.Share.bit(column);
        days = Arrays.stream(found.get().days).sorted().distinct().boxed().toList();
      }
    }
    if (days.size() > DayRunFormat.MAX_DAYS) {
      sums.clear();
      days = List.of();
      columns = 0;
    }
    boolean areEstimated =
        sums.values().stream().allMatch(some -> hasEstimates(some.rollup)) && !sums.isEmpty();
    columns |= areEstimated ? DayRun.Share.ESTIMATES : 0;
    share =
        new DayRun.Share(
            new DerivedRun.Covered(sealed.id(), sealed.segmentFile().crc32c()), columns, days);
  }

  /** Opens a segment and its sidecar; {@code SegmentCorruptException} if one is damaged. */
  public static SegmentDays open(ArchiveStore store, String folder, SealedSegment segment)
      throws IOException {
    List<HeldFolder> files = new ArrayList<>();
    SegmentReader reader = null;
    SegmentIndex index = null;
    SegmentDays opened = null;
    try {
      HeldFolder rows = store.hold(folder + "/" + segment.fileName(), segment.segmentFile());
      files.add(rows);
      reader = SegmentReader.open(rows.folder(), segment);
      HeldFolder sidecar = store.hold(folder + "/" + segment.indexFileName(), segment.indexFile());
      files.add(sidecar);
      index = segment.openIndex(sidecar.folder(), true);
      opened = new SegmentDays(files, segment, reader, index);
      return opened;
    } finally {
      if (opened == null) {
        close(files, reader, index);
      }
    }
  }

  private Optional<Sums> find(FlowColumn column) {
    TimeRange ends = sealed.endTime();
    int nulls = reader.nullCount(FlowColumn.END_TIME);
    boolean noTimes = nulls == reader.rows();
    if (!noTimes && (ends.min() < -MAX_TIME || ends.max() > MAX_TIME)) {
      return Optional.empty();
    }
    boolean oneDay =
        noTimes || (nulls == 0 && DayRunFormat.day(ends.min()) == DayRunFormat.day(ends.max()));
    Rollup totals = oneDay ? index.totals(column) : null;
    if (totals != null && hasAllMeasures(totals)) {
      long[] days = new long[totals.slices()];
      Arrays.fill(days, noTimes ? DayRunFormat.NO_DAY : DayRunFormat.day(ends.min()));
      return Optional.of(new Sums(totals, days));
    }
    Rollup hours = index.hours(column);
    if (hours == null || !hasAllMeasures(hours)) {
      return Optional.empty();
    }
    long[] days = new long[hours.slices()];
    for (int s = 0; s < days.length; s++) {
      days[s] = DayRunFormat.dayOfHour(hours.hour(s));
    }
    return Optional.of(new Sums(hours, days));
  }

  /** A measure that the rollup lacks must be NULL in all rows. */
  private boolean hasAllMeasures(Rollup rollup) {
    return rollup.hasColumns(column -> reader.nullCount(column) < reader.rows());
  }

  private boolean hasEstimates(Rollup rollup) {
    return !reader.isSampled() || rollup.hasEstimates(RollupFormat.MEASURES);
  }

  DayRun.Share share() {
    return share;
  }

  /** Number of dictionary entries of the columns with sums. */
  @Override
  public long entries() {
    long entries = 0;
    for (FlowColumn column : RollupFormat.DIMENSIONS) {
      entries += share.has(column) ? index.dictionarySize(column) : 0;
    }
    return entries;
  }

  Optional<DayRunWriter.Input> input(FlowColumn column) {
    return input(column, day -> true);
  }

  /** Its sums by a column on some days, if it has any by it. */
  Optional<DayRunWriter.Input> input(FlowColumn column, LongPredicate wanted) {
    Sums of = sums.get(column);
    if (of == null) {
      return Optional.empty();
    }
    long[] days = of.days.clone();
    for (int s = 0; s < days.length; s++) {
      if (!wanted.test(days[s])) {
        days[s] = DayRunWriter.LEFT_OUT;
      }
    }
    return Optional.of(new DayRunWriter.Input(new Addresses(index, column), of.rollup, days));
  }

  /** The dictionary of a sidecar. */
  private static final class Addresses implements AddressSource {
    private final SegmentIndex index;
    private final FlowColumn column;
    private int[] ids = {};

    Addresses(SegmentIndex index, FlowColumn column) {
      this.index = index;
      this.column = column;
    }

    @Override
    public int size() {
      return index.dictionarySize(column);
    }

    @Override
    public void read(int from, int n, long[] high, long[] low) {
      if (ids.length < n) {
        ids = new int[n];
      }
      for (int i = 0; i < n; i++) {
        ids[i] = from + i;
      }
      index.readAddresses(column, ids, n, high, low);
    }
  }

  @Override
  public void close() {
    close(files, reader, index);
  }

  private static void close(
      List<HeldFolder> files, @Nullable SegmentReader reader, @Nullable SegmentIndex index) {
    if (reader != null) {
      reader.release();
    }
    if (index != null) {
      index.release();
    }
    files.forEach(HeldFolder::close);
  }
}
