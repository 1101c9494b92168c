package org.flowmon.archive.query.group;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.limit.Threads;
import org.flowmon.archive.query.numbering.AddressNumbering;
import org.flowmon.archive.query.numbering.AddressNumbers;
import org.flowmon.archive.query.plan.NumberedKeys;
import org.flowmon.archive.query.plan.QueriedArchives;
import org.flowmon.archive.query.plan.RowRanges;
import org.flowmon.archive.query.posting.PostingSearch;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.FlowQuery;

/**
 * Plans the groupers of queries over the same rows: by packed keys, if these are numbers and
 * numbering the addresses pays (it costs a little for each dictionary entry), else by hash tables.
 */
public final class GroupPlanner {
  // With fewer rows nothing is gained.
  static final long MIN_ROWS = 8192;
  // Numbering so many dictionary entries costs as much as one row gains.
  private static final int ENTRIES_PER_ROW = 8;
  // Maximum numbered entries of dictionaries: 4 bytes of heap each, 16 more if all differ.
  private static final long MAX_ENTRIES = 1 << 24;
  // A process can map only so many files, and all dictionaries are read at the same time.
  static final int MAX_SEGMENTS = 256;

  private final QueriedArchives archives;
  private final List<SealedSegment> segments;
  private final Constraints constraints;
  private final Deadline deadline;
  private final GroupMemory memory;

  /** {@code segments} hold the rows; numbers and groups are charged to {@code memory}. */
  public GroupPlanner(
      QueriedArchives archives,
      List<SealedSegment> segments,
      Constraints constraints,
      Deadline deadline,
      GroupMemory memory) {
    this.archives = archives;
    this.segments = segments;
    this.constraints = constraints;
    this.deadline = deadline;
    this.memory = memory;
  }

  /** {@code threads} number addresses; {@code collectors} threads are going to collect rows. */
  public List<Grouper> plan(List<FlowQuery> queries, int threads, int collectors)
      throws IOException {
    List<Optional<NumberedKeys>> keys = queries.stream().map(NumberedKeys::of).toList();
    List<NumberedKeys> numbered = keys.stream().flatMap(Optional::stream).toList();
    long most = segments.stream().mapToLong(SealedSegment::rows).sum();
    if (!numbered.isEmpty() && segments.size() <= MAX_SEGMENTS && most >= MIN_ROWS) {
      List<SegmentLease> leases = new ArrayList<>();
      try {
        long rows = open(leases, addresses(numbered));
        List<SegmentReader> readers = leases.stream().map(SegmentLease::rows).toList();
        long entries = AddressNumbering.entries(readers, addresses(numbered));
        if (rows >= MIN_ROWS && isWorthNumbering(entries, rows, memory)) {
          AddressNumbers numbers =
              number(readers, addresses(numbered), entries, threads, deadline, memory);
          return packed(queries, keys, numbers, rows, collectors);
        }
      } finally {
        SegmentLease.closeAll(leases);
      }
    }
    return queries.stream().map(this::byHash).toList();
  }

  private static Set<FlowColumn> addresses(List<NumberedKeys> keys) {
    Set<FlowColumn> addresses = new TreeSet<>();
    keys.forEach(one -> addresses.addAll(one.addresses()));
    return addresses;
  }

  private Grouper byHash(FlowQuery query) {
    return new HashGrouper(query, memory);
  }

  /** Opens the segments, and estimates the rows that the query keeps. */
  private long open(List<SegmentLease> leases, Set<FlowColumn> addresses) throws IOException {
    long rows = 0;
    for (SealedSegment segment : segments) {
      deadline.check();
      SegmentLease lease = archives.open(segment);
      leases.add(lease);
      for (FlowColumn column : addresses) {
        deadline.bytesRead(lease.rows().dictionaryBytes(column));
      }
      rows += rows(lease, constraints, deadline::check);
    }
    return rows;
  }

  private List<Grouper> packed(
      List<FlowQuery> queries,
      List<Optional<NumberedKeys>> keys,
      AddressNumbers numbers,
      long rows,
      int collectors) {
    int sharers = (int) keys.stream().filter(Optional::isPresent).count();
    List<Grouper> groupers = new ArrayList<>();
    for (int g = 0; g < keys.size(); g++) {
      Optional<PackedKeys> packed = keys.get(g).flatMap(one -> PackedKeys.of(one, numbers));
      groupers.add(
          packed.isPresent()
              ? PackedGrouper.of(packed.get(), rows, sharers, collectors, memory)
              : byHash(queries.get(g)));
    }
    return groupers;
  }

  /** {@code entries} are those of the columns' dictionaries. */
  static AddressNumbers number(
      List<SegmentReader> segments,
      Set<FlowColumn> columns,
      long entries,
      int threads,
      Deadline deadline,
      GroupMemory memory)
      throws IOException {
    long most = AddressNumbering.MOST_BYTES_PER_ENTRY * entries;
    memory.take(most);
    AddressNumbering numbering = new AddressNumbering(segments, columns);
    Threads.run(threads, deadline, () -> numbering.run(deadline::check));
    AddressNumbers numbers = numbering.finish(deadline::check);
    memory.take(numbers.heapBytes() - most);
    return numbers;
  }

  static boolean isWorthNumbering(long entries, long rows, GroupMemory memory) {
    return entries <= MAX_ENTRIES
        && entries / ENTRIES_PER_ROW <= rows
        && AddressNumbering.MOST_BYTES_PER_ENTRY * entries <= memory.left();
  }

  /** Rather too many rows than too few. */
  public static long rows(SegmentLease lease, Constraints constraints, Runnable check) {
    return PostingSearch.estimate(lease, constraints, RowRanges.asked(lease, constraints), check);
  }
}
