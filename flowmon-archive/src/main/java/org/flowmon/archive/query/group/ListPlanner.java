package org.flowmon.archive.query.group;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.query.filter.ExactAddresses;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.query.group.list.KeyedRows;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.numbering.AddressNumbering;
import org.flowmon.archive.query.numbering.AddressNumbers;
import org.flowmon.archive.query.plan.NumberedKeys;
import org.flowmon.archive.query.plan.QueriedArchives;
import org.flowmon.archive.query.plan.RowRanges;
import org.flowmon.archive.query.posting.AddressIds;
import org.flowmon.archive.query.posting.IndexDictionary;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.memory.GroupMemory;

/** Plans {@link ListGrouping} for one query: whether lists are the rows of groups, and pay. */
public final class ListPlanner {
  // With fewer rows of an address on average, lists are not worth opening.
  private static final int ROWS_PER_KEY = 1024;
  // If more than one row of so many is kept, a scan is as fast.
  private static final int ADVANTAGE = 2;

  private final NumberedKeys keys;
  private final NumberedKeys.AddressPair pair;
  private final ExactAddresses first;
  private final Filter filter;
  private final Deadline deadline;
  private final List<SegmentLease> leases = new ArrayList<>();
  private final Map<SegmentLease, ListGrouping.SegmentLists> bySegment = new HashMap<>();
  private final NavigableMap<IpAddress, List<Listed>> lists = new TreeMap<>();
  private long rows;

  private ListPlanner(
      NumberedKeys keys,
      NumberedKeys.AddressPair pair,
      ExactAddresses first,
      Filter filter,
      Deadline deadline) {
    this.keys = keys;
    this.pair = pair;
    this.first = first;
    this.filter = filter;
    this.deadline = deadline;
  }

  /** A posting list, with the most rows it can have. */
  private record Listed(KeyedRows.OfSegment rows, long most) {}

  /**
   * A query's only grouping, if it sees all rows, whenever they arrived; {@code threads} number
   * addresses and make groups. Empty if other groupers are faster.
   */
  public static Optional<ListGrouping> plan(
      QueriedArchives archives,
      Filter filter,
      NumberedKeys keys,
      int threads,
      List<SealedSegment> segments,
      Deadline deadline,
      GroupMemory memory)
      throws IOException {
    Optional<NumberedKeys.AddressPair> pair = keys.addressPair();
    boolean isOneList = filter.addresses().size() == 1 && filter.addresses().get(0).size() == 1;
    if (pair.isEmpty() || !isOneList || segments.size() > GroupPlanner.MAX_SEGMENTS) {
      return Optional.empty();
    }
    ExactAddresses first = filter.addresses().get(0).get(0);
    if (first.column() != pair.get().first()) {
      return Optional.empty();
    }
    return new ListPlanner(keys, pair.get(), first, filter, deadline)
        .plan(archives, threads, segments, memory);
  }

  private Optional<ListGrouping> plan(
      QueriedArchives archives, int threads, List<SealedSegment> segments, GroupMemory memory)
      throws IOException {
    Optional<ListGrouping> grouping = Optional.empty();
    try {
      if (collectAll(archives, segments)) {
        grouping = number(threads, memory).map(packed -> grouping(packed, threads, memory));
      }
      return grouping;
    } finally {
      if (grouping.isEmpty()) {
        SegmentLease.closeAll(leases);
      }
    }
  }

  private ListGrouping grouping(PackedKeys packed, int threads, GroupMemory memory) {
    List<KeyedRows> keyed = new ArrayList<>();
    lists.forEach(
        (address, some) ->
            keyed.add(
                new KeyedRows(
                    keyed.size(),
                    some.stream().map(Listed::rows).toList(),
                    some.stream().mapToLong(Listed::most).sum())));
    return new ListGrouping(packed, pair.second(), keyed, leases, bySegment, threads, memory);
  }

  /** Collects all segments' lists; returns whether they suffice and are worth it. */
  private boolean collectAll(QueriedArchives archives, List<SealedSegment> segments)
      throws IOException {
    long most = 0;
    for (SealedSegment segment : segments) {
      deadline.check();
      SegmentLease lease = archives.open(segment);
      leases.add(lease);
      OptionalLong ofSegment = collect(lease);
      if (ofSegment.isEmpty()) {
        return false;
      }
      most += ofSegment.getAsLong();
    }
    return rows >= (long) lists.size() * ROWS_PER_KEY
        && rows <= most / ADVANTAGE
        && rows >= GroupPlanner.MIN_ROWS;
  }

  /** Returns the rows within the query's times, empty if the lists do not suffice. */
  private OptionalLong collect(SegmentLease lease) {
    SegmentReader segment = lease.rows();
    FlowColumn column = first.column();
    RowRanges within = RowRanges.asked(lease, filter.constraints());
    if (within.total() == 0) {
      return OptionalLong.of(0);
    }
    boolean decides =
        segment.indexed().contains(column) && (!filter.hasTimes() || filter.decidesTimes(segment));
    SegmentIndex index = decides ? lease.index() : null;
    if (index == null || !index.isIndexed(column)) {
      return OptionalLong.empty();
    }
    try {
      // Else its ids are not those of the segment.
      return index.dictionarySize(column) == segment.dictionarySize(column)
              && collect(lease, index, within)
          ? OptionalLong.of(within.total())
          : OptionalLong.empty();
    } catch (SegmentCorruptException e) {
      lease.indexFailed(String.valueOf(e.getMessage()));
      return OptionalLong.empty();
    }
  }

  /** Collects lists unless there are many with few rows, which the first ones already tell. */
  private boolean collect(SegmentLease lease, SegmentIndex index, RowRanges within) {
    FlowColumn column = first.column();
    LongAdder seen = new LongAdder();
    long planned = 0;
    double share = (double) within.total() / lease.rows().rows();
    IndexDictionary dictionary = new IndexDictionary(index, column);
    for (AddressIds ids : AddressIds.of(index, column, first.ranges())) {
      for (int id = ids.from(); id < ids.to(); id++) {
        PostingList list = new PostingList(lease, index, column, id, within, seen);
        long count = index.count(column, id);
        long most = Math.min(count, within.total());
        planned += most;
        lists
            .computeIfAbsent(dictionary.address(id), address -> new ArrayList<>())
            .add(new Listed(new KeyedRows.OfSegment(lease.rows(), list::rows), most));
        rows += (long) Math.ceil(share * count);
        if (rows < (long) lists.size() * ROWS_PER_KEY / 2 && lists.size() > ROWS_PER_KEY) {
          return false;
        }
      }
    }
    bySegment.put(lease, new ListGrouping.SegmentLists(planned, seen));
    return true;
  }

  /**
   * Numbers second addresses in the segments' dictionaries; first ones are counted. Empty if they,
   * or states for them, are too many.
   */
  private Optional<PackedKeys> number(int threads, GroupMemory memory) throws IOException {
    Set<FlowColumn> second = Set.of(pair.second());
    List<SegmentReader> readers = leases.stream().map(SegmentLease::rows).toList();
    long entries = AddressNumbering.entries(readers, second);
    if (!GroupPlanner.isWorthNumbering(entries, rows, memory)) {
      return Optional.empty();
    }
    for (SegmentReader reader : readers) {
      deadline.bytesRead(reader.dictionaryBytes(pair.second()));
    }
    AddressNumbers numbers =
        GroupPlanner.number(readers, second, entries, threads, deadline, memory);
    Optional<PackedKeys> packed =
        PackedKeys.of(keys, AddressNumbers.of(lists.keySet()), numbers)
            .filter(one -> ListGrouping.hasRoom(one, threads, memory));
    if (packed.isEmpty()) {
      memory.take(-numbers.heapBytes());
    }
    return packed;
  }
}
