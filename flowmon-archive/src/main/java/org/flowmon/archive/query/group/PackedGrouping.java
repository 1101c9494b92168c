package org.flowmon.archive.query.group;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.limit.Threads;
import org.flowmon.archive.query.numbering.AddressNumbering;
import org.flowmon.archive.query.numbering.AddressNumbers;
import org.flowmon.archive.query.plan.AskedArchives;
import org.flowmon.archive.query.plan.GroupPlan;
import org.flowmon.archive.query.plan.RowRanges;
import org.flowmon.archive.query.posting.PostingSearch;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.DistinctCounts;
import org.flowmon.udaf.value.ResultTable;

/**
 * Decides whether a query's groups are made from numbers instead of addresses. Numbering costs a
 * little for each entry of the segments' dictionaries, and pays over many rows.
 */
public final class PackedGrouping {
  // With fewer rows nothing is gained.
  static final long MIN_ROWS = 8192;
  // Numbering so many dictionary entries costs as much as one row gains.
  private static final int ENTRIES_PER_ROW = 8;
  // Maximum numbered entries of dictionaries: 4 bytes of heap each, 16 more if all differ.
  private static final long MAX_ENTRIES = 1 << 24;
  // A process can map only so many files, and all dictionaries are read at the same time.
  static final int MAX_SEGMENTS = 256;

  private PackedGrouping() {}

  /**
   * Empty groups for some queries over the same rows.
   *
   * @param numberingThreads that number addresses
   * @param collectors threads that are going to collect rows
   * @param memory charged for numbers and groups
   * @return for each query null if its groups are made otherwise
   */
  public static PackedGroups[] of(
      AskedArchives archives,
      List<FlowQuery> queries,
      Constraints constraints,
      List<SealedSegment> segments,
      Deadline deadline,
      int numberingThreads,
      int collectors,
      GroupMemory memory)
      throws IOException {
    PackedGroups[] groups = new PackedGroups[queries.size()];
    List<GroupPlan> plans = new ArrayList<>();
    Set<FlowColumn> addresses = EnumSet.noneOf(FlowColumn.class);
    for (FlowQuery query : queries) {
      GroupPlan plan = GroupPlan.of(query);
      plans.add(plan);
      addresses.addAll(plan == null ? Set.of() : plan.addresses());
    }
    int packed = (int) plans.stream().filter(Objects::nonNull).count();
    long most = segments.stream().mapToLong(SealedSegment::rows).sum();
    if (packed == 0 || segments.size() > MAX_SEGMENTS || most < MIN_ROWS) {
      return groups;
    }
    List<SegmentLease> leases = new ArrayList<>();
    try {
      List<SegmentReader> readers = new ArrayList<>();
      long rows = 0;
      long entries = 0;
      for (SealedSegment segment : segments) {
        deadline.check();
        SegmentLease lease = archives.open(segment);
        leases.add(lease);
        readers.add(lease.rows());
        for (FlowColumn column : addresses) {
          deadline.bytesRead(lease.rows().dictionaryBytes(column));
        }
        rows += rows(lease, constraints, deadline::check);
        entries += AddressNumbering.entries(lease.rows(), addresses);
      }
      long numbered = AddressNumbering.MOST_BYTES_PER_ENTRY * entries;
      if (rows < MIN_ROWS || !isWorthNumbering(entries, rows) || numbered > memory.left()) {
        return groups;
      }
      memory.take(numbered);
      AddressNumbering numbering = new AddressNumbering(readers, addresses);
      Threads.run(numberingThreads, deadline, () -> numbering.run(deadline::check));
      AddressNumbers numbers = numbering.finish(deadline::check);
      memory.take(numbers.heapBytes() - numbered);
      for (int g = 0; g < groups.length; g++) {
        GroupPlan plan = plans.get(g);
        groups[g] =
            plan == null ? null : PackedGroups.of(plan, numbers, rows, packed, collectors, memory);
      }
      return groups;
    } finally {
      SegmentLease.closeAll(leases);
    }
  }

  /** Whether so many rows are worth numbering so many entries of dictionaries. */
  static boolean isWorthNumbering(long entries, long rows) {
    return entries <= MAX_ENTRIES && entries / ENTRIES_PER_ROW <= rows;
  }

  /** Estimates the rows of a segment that the query keeps; rather too many than too few. */
  public static long rows(SegmentLease lease, Constraints constraints, Runnable check) {
    SegmentReader segment = lease.rows();
    RowRanges ranges = RowRanges.asked(lease, constraints);
    boolean useful =
        ranges.total() > 0 && PostingSearch.isIndexable(constraints, segment.indexed());
    SegmentIndex index = useful ? lease.index() : null;
    if (index == null) {
      return ranges.total();
    }
    try {
      return PostingSearch.estimate(index, constraints, ranges, segment.rows(), check);
    } catch (SegmentCorruptException e) {
      return ranges.total(); // the scan finds the damage again, and reports it
    }
  }

  /** The answer, once all collectors have ended. */
  public static ResultTable finish(PackedAnswer finish, int threads, Deadline deadline)
      throws IOException {
    int useful = Math.max(1, Math.min(threads, finish.parts()));
    Threads.run(useful, deadline, () -> finish.order(deadline::check));
    finish.measure();
    Threads.run(useful, deadline, finish::allocate);
    finish.begin();
    Threads.run(useful, deadline, () -> finish.write(deadline::check));
    return finish.table();
  }

  /**
   * Counts the groups of a grouping, once all collectors have ended.
   *
   * @return tables of the query's groups, to be merged
   */
  public static List<GroupTable> count(
      PackedAnswer finish, DistinctCounts counts, int grouping, int threads, Deadline deadline)
      throws IOException {
    int useful = Math.max(1, Math.min(threads, finish.parts()));
    List<GroupTable> counted =
        Threads.run(useful, deadline, () -> finish.count(counts, grouping, deadline::check));
    finish.release();
    return counted;
  }
}
