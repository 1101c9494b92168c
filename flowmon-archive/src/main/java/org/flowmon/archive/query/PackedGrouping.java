package org.flowmon.archive.query;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.group.AddressNumbering;
import org.flowmon.archive.group.GroupPlan;
import org.flowmon.archive.group.PackedGroups;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Constraints;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.LongRanges;
import org.flowmon.udaf.query.ResultTable;

/**
 * Whether a query's groups are made of numbers instead of addresses: numbering costs a little for
 * each entry of the segments' dictionaries, and pays for itself over many rows.
 */
final class PackedGrouping {
  // Rows below which nothing is gained.
  private static final long MIN_ROWS = 8192;
  // Numbering so many entries of a dictionary costs what a row gains.
  private static final int ENTRIES_PER_ROW = 8;
  // What the numbers of dictionaries may take on the heap: 4 bytes each, 16 more where all differ.
  private static final long MAX_ENTRIES = 1 << 24;
  // A process maps only so many files, and all dictionaries are read at the same time.
  static final int MAX_SEGMENTS = 256;

  private PackedGrouping() {}

  /**
   * The groups of a query, none yet.
   *
   * @return null where they are made otherwise
   */
  static PackedGroups of(
      AskedArchives archives,
      FlowQuery query,
      Constraints constraints,
      QueryOptions options,
      List<SealedSegment> segments,
      Deadline deadline)
      throws IOException {
    GroupPlan plan = GroupPlan.of(query);
    long most = segments.stream().mapToLong(SealedSegment::rows).sum();
    if (plan == null || segments.size() > MAX_SEGMENTS || most < MIN_ROWS) {
      return null;
    }
    List<SegmentLease> leases = new ArrayList<>();
    try {
      List<SegmentReader> readers = new ArrayList<>();
      long rows = 0;
      long entries = 0;
      for (SealedSegment segment : segments) {
        deadline.check();
        SegmentLease lease = archives.open(segment, options.verifyChecksums());
        leases.add(lease);
        readers.add(lease.rows());
        for (FlowColumn column : plan.addresses()) {
          deadline.bytesRead(lease.rows().dictionaryBytes(column));
        }
        rows += rows(lease, constraints);
        entries += AddressNumbering.entries(lease.rows(), plan.addresses());
      }
      if (rows < MIN_ROWS || entries > MAX_ENTRIES || entries / ENTRIES_PER_ROW > rows) {
        return null;
      }
      AddressNumbering numbering = new AddressNumbering(readers, plan.addresses());
      Threads.run(options.threads(), () -> numbering.run(deadline::check));
      return PackedGroups.of(plan, numbering.finish(), rows);
    } finally {
      leases.forEach(SegmentLease::close);
    }
  }

  /** About how many rows of a segment the query keeps; rather too many than too few. */
  private static long rows(SegmentLease lease, Constraints constraints) {
    SegmentReader segment = lease.rows();
    if (SegmentScan.isAbsent(segment, constraints)) {
      return 0;
    }
    LongRanges endTimes = constraints.longs(FlowColumn.END_TIME);
    RowRanges ranges =
        endTimes == null ? RowRanges.all(segment) : RowRanges.within(segment, endTimes);
    ranges = ranges.visibleFrom(lease.firstRow());
    boolean useful = ranges.total() > 0 && PostingPlan.isIndexable(constraints, segment.indexed());
    SegmentIndex index = useful ? lease.index() : null;
    if (index == null) {
      return ranges.total();
    }
    try {
      return PostingPlan.estimate(index, constraints, ranges, segment.rows());
    } catch (SegmentCorruptException e) {
      return ranges.total(); // the scan finds it again, and says so
    }
  }

  /** The answer, once all collectors have ended. */
  static ResultTable finish(PackedGroups groups, int threads, Deadline deadline)
      throws IOException {
    PackedGroups.Finish finish = groups.finish();
    int useful = Math.max(1, Math.min(threads, finish.parts()));
    Threads.run(useful, () -> finish.order(deadline::check));
    finish.allocate();
    Threads.run(useful, () -> finish.write(deadline::check));
    return finish.table();
  }
}
