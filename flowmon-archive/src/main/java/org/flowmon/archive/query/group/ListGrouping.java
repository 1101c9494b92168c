package org.flowmon.archive.query.group;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.query.group.list.CountMaker;
import org.flowmon.archive.query.group.list.KeyedRows;
import org.flowmon.archive.query.group.list.ListGroupMaker;
import org.flowmon.archive.query.group.list.ListedNumbers;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.limit.Threads;
import org.flowmon.archive.query.plan.SegmentAccess;
import org.flowmon.archive.query.plan.SegmentAccesses;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.memory.HeapBudget;
import org.flowmon.flow.memory.HeapBudget.Part;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.result.DistinctCounts;
import org.flowmon.udaf.result.GroupAnswer;

/**
 * Groups of two addresses for a filter on the first one, and on times at most: a posting list is
 * the rows of one first address, so groups are made list by list. It holds the segments open.
 */
public final class ListGrouping implements AutoCloseable {
  // The answer needs some of the remaining memory, beside threads' states or rows' numbers.
  private static final int MEMORY_SHARE = 2;

  private final PackedKeys packed;
  private final FlowColumn second;
  private final List<KeyedRows> keys;
  private final List<SegmentLease> leases;
  private final Map<SegmentLease, SegmentLists> lists;
  private final int threads;
  private final GroupMemory memory;

  /** The lists of a segment: at most {@code planned} rows of the query, and the rows read. */
  record SegmentLists(long planned, LongAdder read) {}

  /** {@code keys} by number of first address; closes {@code leases}, of which some have lists. */
  ListGrouping(
      PackedKeys packed,
      FlowColumn second,
      List<KeyedRows> keys,
      List<SegmentLease> leases,
      Map<SegmentLease, SegmentLists> lists,
      int threads,
      GroupMemory memory) {
    this.packed = packed;
    this.second = second;
    this.keys = keys;
    this.leases = leases;
    this.lists = lists;
    this.threads = threads;
    this.memory = memory;
  }

  /** Whether heap and memory have room for a state of each second address in each thread. */
  static boolean hasRoom(PackedKeys packed, int threads, GroupMemory memory) {
    return hasRoom(packed, threads, HeapBudget.PROCESS, memory);
  }

  static boolean hasRoom(PackedKeys packed, int threads, HeapBudget heap, GroupMemory memory) {
    long bytes = ListGroupMaker.heapBytes(packed.numbers(1), packed.layout());
    return bytes <= heap.of(Part.UNGROUPED_ROWS)
        && bytes * threads <= heap.of(Part.LISTED_STATES)
        && bytes * threads <= memory.left() / MEMORY_SHARE;
  }

  /** {@code read} gets the number of rows about to be read, and may throw to end the work. */
  public GroupAnswer.WithBounds answer(IntConsumer read, Deadline deadline) throws IOException {
    Optional<ListedNumbers> listed = listed(read, deadline);
    try {
      return groups(listed, read).answer(threads, deadline);
    } finally {
      listed.ifPresent(ListedNumbers::release);
    }
  }

  public void count(DistinctCounts counts, GroupTable into, IntConsumer read, Deadline deadline)
      throws IOException {
    Optional<ListedNumbers> listed = listed(read, deadline);
    try {
      groups(listed, read).count(counts, 0, into, threads, deadline);
    } finally {
      listed.ifPresent(ListedNumbers::release);
    }
  }

  private PackedAnswer groups(Optional<ListedNumbers> listed, IntConsumer read) {
    return new PackedAnswer(
        packed,
        keys.size(),
        () -> {
          if (listed.isPresent()) {
            return new CountMaker(keys, listed.get(), packed.packing(), packed.layout());
          }
          memory.take(ListGroupMaker.heapBytes(packed.numbers(1), packed.layout()));
          return new ListGroupMaker(
              keys, second, packed.numbers(1), packed.packing(), packed.layout(), read);
        },
        List.of(),
        memory);
  }

  /** The numbers of all second keys, read if counting them is all there is to do. */
  private Optional<ListedNumbers> listed(IntConsumer read, Deadline deadline) throws IOException {
    if (!takesNumbers()) {
      return Optional.empty();
    }
    ListedNumbers listed = new ListedNumbers(keys, second, packed.numbers(1), threads, read);
    boolean done = false;
    try {
      Threads.run(threads, deadline, listed::run);
      done = true;
      return Optional.of(listed);
    } finally {
      if (!done) {
        listed.release();
      }
    }
  }

  /** Takes the memory for a number of each row, if groups are only counts and there is enough. */
  boolean takesNumbers() {
    boolean areCounts =
        packed.layout().accumulators().stream()
            .allMatch(a -> a.operation() == Accumulator.Operation.COUNT_ROWS);
    long rows = keys.stream().mapToLong(KeyedRows::count).sum();
    long lists = keys.stream().mapToLong(key -> key.lists().size()).sum();
    long bytes = Integer.BYTES * rows + ListedNumbers.BYTES_PER_LIST * lists;
    boolean fits =
        rows <= Integer.MAX_VALUE // counts are int
            && bytes <= Part.LISTED_NUMBERS.bytes()
            && bytes <= memory.left() / MEMORY_SHARE;
    if (areCounts && fits) {
      memory.take(bytes);
    }
    return areCounts && fits;
  }

  public List<SegmentLease> leases() {
    return leases;
  }

  public SegmentAccesses accesses(double bytesOfRow) {
    SegmentAccesses accesses = new SegmentAccesses();
    for (SegmentLease lease : leases) {
      Optional<SegmentLists> some = Optional.ofNullable(lists.get(lease));
      long planned = some.map(SegmentLists::planned).orElse(0L);
      long read = some.map(of -> of.read().sum()).orElse(0L);
      accesses.add(
          new SegmentAccess(
              lease.rows().sealed().id(),
              lease.rows().rows() - lease.firstRow(),
              some.isPresent() ? SegmentAccess.Way.LISTS : SegmentAccess.Way.NONE,
              1,
              planned,
              (long) (planned * bytesOfRow),
              read,
              read,
              0,
              0,
              (long) (read * bytesOfRow)));
    }
    return accesses;
  }

  @Override
  public String toString() {
    return keys.stream().mapToInt(key -> key.lists().size()).sum() + " posting lists";
  }

  @Override
  public void close() {
    SegmentLease.closeAll(leases);
  }
}
