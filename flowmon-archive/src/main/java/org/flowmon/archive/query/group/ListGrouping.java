package org.flowmon.archive.query.group;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.index.RowCursor;
import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.query.group.list.KeyedRows;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.limit.Threads;
import org.flowmon.archive.query.numbering.AddressNumbering;
import org.flowmon.archive.query.numbering.AddressNumbers;
import org.flowmon.archive.query.plan.AskedArchives;
import org.flowmon.archive.query.plan.GroupPlan;
import org.flowmon.archive.query.plan.RowRanges;
import org.flowmon.archive.query.plan.SegmentAccess;
import org.flowmon.archive.query.posting.AddressIds;
import org.flowmon.archive.query.posting.IndexDictionary;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.memory.GroupMemory;

/**
 * Groups of two addresses for a filter on the first one, and on times at most: a posting list is
 * the rows of one first address, so groups are made list by list. It holds the segments open until
 * it is closed.
 */
public final class ListGrouping implements AutoCloseable {
  // With fewer rows of an address on average, lists are not worth opening.
  private static final int ROWS_PER_KEY = 1024;
  // If more than one row of so many is kept, a scan is as fast.
  private static final int ADVANTAGE = 2;

  private final GroupPlan plan;
  private final List<SegmentLease> leases = new ArrayList<>();
  private final Map<SegmentLease, LongAdder> rowsRead = new HashMap<>(); // by open segment
  private final List<KeyedRows> keys = new ArrayList<>();
  private int segmentsRead;
  private long rows;

  private PackedGroups groups;

  private ListGrouping(GroupPlan plan) {
    this.plan = plan;
  }

  /**
   * The lists of a query that sees all rows, whenever they arrived.
   *
   * @param plan of the query's only grouping, null if its groups have no plan
   * @param threads that number addresses and make groups
   * @return null if groups are made otherwise
   */
  public static ListGrouping of(
      AskedArchives archives,
      Filter filter,
      GroupPlan plan,
      int threads,
      List<SealedSegment> segments,
      Deadline deadline,
      GroupMemory memory)
      throws IOException {
    List<FlowColumn> pair = plan == null ? null : plan.addressPair();
    if (pair == null
        || segments.size() > PackedGrouping.MAX_SEGMENTS
        || filter.addresses() == null
        || filter.addresses().size() != 1
        || filter.addresses().get(0).size() != 1
        || filter.addresses().get(0).get(0).column() != pair.get(0)) {
      return null;
    }
    ListGrouping grouping = new ListGrouping(plan);
    boolean works = false;
    try {
      NavigableMap<IpAddress, List<Listed>> lists = new TreeMap<>();
      long most = 0;
      for (SealedSegment segment : segments) {
        deadline.check();
        SegmentLease lease = archives.open(segment);
        grouping.leases.add(lease);
        long ofSegment = grouping.collect(lease, filter, pair.get(0), lists);
        if (ofSegment < 0) {
          return null;
        }
        most += ofSegment;
      }
      works = grouping.areWorthIt(lists, most) && grouping.number(lists, threads, deadline, memory);
      return works ? grouping : null;
    } finally {
      if (!works) {
        grouping.close();
      }
    }
  }

  /**
   * A posting list.
   *
   * @param most rows of it at most
   */
  private record Listed(KeyedRows.OfSegment rows, long most) {}

  /**
   * Collects the lists of a segment.
   *
   * @return rows within the query's times, −1 if the lists do not suffice
   */
  private long collect(
      SegmentLease lease,
      Filter filter,
      FlowColumn column,
      NavigableMap<IpAddress, List<Listed>> lists) {
    SegmentReader segment = lease.rows();
    RowRanges within = RowRanges.asked(lease, filter.constraints());
    if (within.total() == 0) {
      return 0;
    }
    boolean decides =
        segment.indexed().contains(column) && (!filter.hasTimes() || filter.decidesTimes(segment));
    SegmentIndex index = decides ? lease.index() : null;
    if (index == null || !index.isIndexed(column)) {
      return -1;
    }
    segmentsRead++;
    LongAdder seen = new LongAdder();
    rowsRead.put(lease, seen);
    double share = (double) within.total() / segment.rows();
    try {
      if (index.dictionarySize(column) != segment.dictionarySize(column)) {
        return -1; // its ids are not those of the segment
      }
      IndexDictionary dictionary = new IndexDictionary(index, column);
      for (AddressIds ids :
          AddressIds.of(index, column, filter.addresses().get(0).get(0).ranges())) {
        for (int id = ids.from(); id < ids.to(); id++) {
          int of = id;
          Supplier<RowCursor> read = () -> counted(rows(lease, index, column, of, within), seen);
          long count = index.count(column, id);
          lists
              .computeIfAbsent(dictionary.address(id), address -> new ArrayList<>())
              .add(
                  new Listed(
                      new KeyedRows.OfSegment(segment, read), Math.min(count, within.total())));
          rows += (long) Math.ceil(share * count);
          if (rows < (long) lists.size() * ROWS_PER_KEY / 2 && lists.size() > ROWS_PER_KEY) {
            return -1; // many addresses with few rows: the first ones already tell
          }
        }
      }
    } catch (SegmentCorruptException e) {
      lease.indexFailed(String.valueOf(e.getMessage()));
      return -1;
    }
    return within.total();
  }

  private boolean areWorthIt(NavigableMap<IpAddress, List<Listed>> lists, long most) {
    return rows >= (long) lists.size() * ROWS_PER_KEY
        && rows <= most / ADVANTAGE
        && rows >= PackedGrouping.MIN_ROWS;
  }

  /**
   * Numbers the second addresses in the dictionaries of the segments; first ones are counted.
   *
   * @return whether these numbers are few enough
   */
  private boolean number(
      NavigableMap<IpAddress, List<Listed>> lists,
      int threads,
      Deadline deadline,
      GroupMemory memory)
      throws IOException {
    List<FlowColumn> second = List.of(plan.addressPair().get(1));
    List<SegmentReader> readers = leases.stream().map(SegmentLease::rows).toList();
    long entries = 0;
    for (SegmentReader reader : readers) {
      entries += AddressNumbering.entries(reader, second);
    }
    long most = AddressNumbering.MOST_BYTES_PER_ENTRY * entries;
    if (!PackedGrouping.isWorthNumbering(entries, rows) || most > memory.left()) {
      return false;
    }
    for (SegmentReader reader : readers) {
      deadline.bytesRead(reader.dictionaryBytes(second.get(0)));
    }
    memory.take(most);
    AddressNumbering numbering = new AddressNumbering(readers, second);
    Threads.run(threads, deadline, () -> numbering.run(deadline::check));
    AddressNumbers numbers = numbering.finish(deadline::check);
    memory.take(numbers.heapBytes() - most);
    groups = PackedGroups.ofLists(plan, lists.keySet(), numbers, threads, memory);
    if (groups == null) {
      memory.take(-numbers.heapBytes());
    }
    lists.forEach(
        (address, some) ->
            keys.add(
                new KeyedRows(
                    keys.size(),
                    some.stream().map(Listed::rows).toList(),
                    some.stream().mapToLong(Listed::most).sum())));
    return groups != null;
  }

  /** The rows of a list that are visible to the query. */
  private static RowCursor rows(
      SegmentLease lease, SegmentIndex index, FlowColumn column, int id, RowRanges ranges) {
    RowCursor cursor =
        unlessDamaged(
            lease,
            () ->
                ranges.count() == 1
                    ? index.cursor(column, id, ranges.from(0), ranges.to(0))
                    : within(index.rows(column, id), ranges).cursor());
    return block -> unlessDamaged(lease, () -> cursor.next(block));
  }

  private static RowCursor counted(RowCursor cursor, LongAdder rows) {
    return block -> {
      int n = cursor.next(block);
      rows.add(n);
      return n;
    };
  }

  private static RowSet within(RowSet list, RowRanges ranges) {
    RowSet all = RowSet.none();
    for (int r = 0; r < ranges.count() && !list.isEmpty(); r++) {
      all = all.or(list.and(RowSet.range(ranges.from(r), ranges.to(r))));
    }
    return all;
  }

  private static <T> T unlessDamaged(SegmentLease lease, Supplier<T> read) {
    try {
      return read.get();
    } catch (SegmentCorruptException e) {
      lease.indexFailed(String.valueOf(e.getMessage()));
      throw new DamagedListException(e);
    }
  }

  /** The groups, none yet. */
  public PackedGroups groups() {
    return groups;
  }

  /** Rows of each first address, by its number. */
  public List<KeyedRows> keys() {
    return keys;
  }

  /** Segments that have rows of the query. */
  public int segmentsRead() {
    return segmentsRead;
  }

  /** Segments that are open. */
  public int segmentsOpened() {
    return leases.size();
  }

  /**
   * How each segment was read, after all lists were read, by id.
   *
   * @param bytesPerRow as {@link #bytesPerRow}
   */
  public List<SegmentAccess> accesses(double bytesPerRow) {
    List<SegmentAccess> all = new ArrayList<>();
    for (SegmentLease lease : leases) {
      LongAdder read = rowsRead.get(lease);
      long n = read == null ? 0 : read.sum();
      SegmentReader segment = lease.rows();
      all.add(
          new SegmentAccess(
              segment.sealed().id(),
              segment.rows() - lease.firstRow(),
              read == null ? SegmentAccess.Way.NONE : SegmentAccess.Way.LISTS,
              1,
              n,
              n,
              0,
              0,
              (long) (n * bytesPerRow)));
    }
    all.sort(Comparator.comparing(SegmentAccess::segment));
    return all;
  }

  /**
   * Estimated bytes read for a row, averaged over the segments.
   *
   * @param ofSegment the estimate for one segment
   */
  public double bytesPerRow(ToDoubleFunction<SegmentReader> ofSegment) {
    double sum = 0;
    for (SegmentLease lease : leases) {
      sum += ofSegment.applyAsDouble(lease.rows());
    }
    return sum / leases.size();
  }

  @Override
  public void close() {
    SegmentLease.closeAll(leases);
    leases.clear();
  }
}
