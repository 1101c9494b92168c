package org.flowmon.archive.query.rollup;

import java.util.Comparator;
import java.util.Optional;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.archive.query.plan.RowRanges;
import org.flowmon.archive.query.posting.AddressIds;
import org.flowmon.archive.query.posting.IndexDictionary;
import org.flowmon.archive.query.posting.PostingSearch;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.TimeKeys;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.set.LongRanges;

/** Cells that answer for a segment: slices wholly within the query's times; the rest are rows. */
public final class SegmentCells extends CellSource {
  // Reading a cell costs about as much as a row of a scan divided by this.
  private static final int CELLS_PER_ROW = 4;
  // Times beyond these are no times of flows: their hours and buckets may not fit 64 bits.
  private static final long MAX_TIME = 1L << 61;

  private final SegmentLease lease;
  private final SegmentIndex index;
  private final RowRanges rest;

  private SegmentCells(
      SegmentLease lease, SegmentIndex index, FlowColumn address, Rollup rollup, RowRanges rest) {
    super(new IndexDictionary(index, address), rollup, RollupFormat.HOUR_MICROS);
    this.lease = lease;
    this.index = index;
    this.rest = rest;
  }

  /** Keeps the segment open while cells are read. */
  public SegmentLease lease() {
    return lease;
  }

  /** Rows outside the slices, which remain to be read. */
  public RowRanges rest() {
    return rest;
  }

  @Override
  DamagedCellsException damaged(String problem) {
    return new DamagedCellsException(lease, problem);
  }

  /**
   * Plans the cells for a segment, all of whose rows the query sees; {@code all}: those within its
   * times. Empty if the sidecar has no such rollup, or rows are cheaper.
   *
   * @throws org.flowmon.archive.region.SegmentCorruptException if the sidecar is damaged
   */
  public static Optional<SegmentCells> plan(
      RollupRule rule,
      SegmentLease lease,
      SegmentIndex index,
      Constraints constraints,
      RowRanges all) {
    SegmentReader segment = lease.rows();
    TimeRange ends = segment.sealed().endTime();
    boolean areTimes =
        ends.min() > ends.max() || (ends.min() >= -MAX_TIME && ends.max() <= MAX_TIME);
    if (!areTimes || (lease.firstRow() > 0 && !hasHours(segment))) {
      return Optional.empty();
    }
    return rule.addresses().stream()
        .filter(index::isIndexed)
        .flatMap(address -> plan(rule, lease, index, address, constraints).stream())
        .min(Comparator.comparingLong(SegmentCells::cells))
        .filter(cells -> !cells.isDearerThan(all));
  }

  private static boolean hasHours(SegmentReader segment) {
    return segment.clampedRows() == 0 && segment.nullCount(FlowColumn.END_TIME) == 0;
  }

  private static Optional<SegmentCells> plan(
      RollupRule rule,
      SegmentLease lease,
      SegmentIndex index,
      FlowColumn address,
      Constraints constraints) {
    SegmentReader segment = lease.rows();
    boolean whole =
        lease.firstRow() == 0 && rule.times().map(times -> isWithin(times, segment)).orElse(true);
    long hidden = newestHidden(lease);
    Rollup totals = whole && !rule.needsHours() ? index.totals(address) : null;
    Rollup rollup = totals != null ? totals : index.hours(address);
    if (rollup == null || !hasAllMeasures(rule, rollup, segment)) {
      return Optional.empty();
    }
    LongRanges cut = LongRanges.NONE;
    int[] slices = new int[rollup.slices()];
    int n = 0;
    for (int s = 0; s < slices.length; s++) {
      LongRanges kept =
          totals != null ? LongRanges.ALL : keptOf(rule, segment, rollup.hour(s), hidden);
      if (kept.equals(LongRanges.ALL)) {
        slices[n++] = s;
      } else {
        cut = cut.or(kept);
      }
    }
    if (!cut.isEmpty() && !canBeCut(rule, segment)) {
      return Optional.empty();
    }
    RowRanges rest = RowRanges.within(segment, cut).visibleFrom(lease.firstRow());
    SegmentCells cells = new SegmentCells(lease, index, address, rollup, rest);
    cells.choose(slices, n);
    cells.choose(constraints.addresses(address));
    return Optional.of(cells);
  }

  /**
   * Whether the rows of an hour that the query's times cut can be found: apart from those whose
   * clock was ahead, and from those without a time, which have a slice.
   */
  private static boolean canBeCut(RollupRule rule, SegmentReader segment) {
    return segment.clampedRows() == 0
        && (!rule.nullTimeIsKept() || segment.nullCount(FlowColumn.END_TIME) == 0);
  }

  /** The largest time of expired rows, all of which have a time here. */
  private static long newestHidden(SegmentLease lease) {
    return lease.firstRow() == 0
        ? Long.MIN_VALUE
        : new TimeKeys(lease.rows()).at(lease.firstRow() - 1);
  }

  private static boolean isWithin(LongRanges times, SegmentReader segment) {
    TimeRange ends = segment.sealed().endTime();
    return segment.nullCount(FlowColumn.END_TIME) == 0 && covers(times, ends.min(), ends.max());
  }

  private static boolean covers(LongRanges times, long from, long to) {
    LongRanges range = LongRanges.of(from, to);
    return times.and(range).equals(range);
  }

  /** The wanted times of an hour; all times if all of its rows are wanted. */
  private static LongRanges keptOf(RollupRule rule, SegmentReader segment, long hour, long hidden) {
    Optional<LongRanges> times = rule.times();
    long begin = hour * RollupFormat.HOUR_MICROS;
    if (hour != RollupFormat.NO_HOUR && begin <= hidden) {
      LongRanges all = LongRanges.of(begin, begin + RollupFormat.HOUR_MICROS - 1);
      return times.map(some -> some.and(all)).orElse(all);
    } else if (times.isEmpty()) {
      return LongRanges.ALL;
    } else if (hour == RollupFormat.NO_HOUR) {
      return rule.nullTimeIsKept() ? LongRanges.ALL : LongRanges.NONE;
    }
    TimeRange ends = segment.sealed().endTime();
    long from = Math.max(begin, ends.min());
    long to = Math.min(begin + RollupFormat.HOUR_MICROS - 1, ends.max());
    return covers(times.get(), from, to)
        ? LongRanges.ALL
        : times.get().and(LongRanges.of(from, to));
  }

  /**
   * A column that the rollup lacks must be NULL in all rows, an estimate that is asked for equal to
   * its column.
   */
  private static boolean hasAllMeasures(RollupRule rule, Rollup rollup, SegmentReader segment) {
    return rollup.hasColumns(column -> segment.nullCount(column) < segment.rows())
        && (rollup.hasEstimates(rule.estimates()) || !segment.isSampled());
  }

  private boolean isDearerThan(RowRanges all) {
    long read = cells();
    long rows = all.total();
    long left = rest.total();
    if (ids().isPresent()) {
      long postings = 0;
      long wanted = 0;
      for (AddressIds some : ids().get()) {
        wanted += some.to() - some.from();
        for (int id = some.from(); id < some.to() && postings < rows; id++) {
          postings += PostingSearch.LIST_COST + index.count(address(), id);
        }
      }
      read = Math.min(read, wanted * slices() * RollupFormat.BLOCK);
      rows = Math.min(rows, postings);
      left = Math.min(left, postings);
    }
    return read / CELLS_PER_ROW + left > rows;
  }
}
