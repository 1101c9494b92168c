package org.flowmon.archive.query.group;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.flowmon.archive.query.group.list.CountMaker;
import org.flowmon.archive.query.group.list.KeyedRows;
import org.flowmon.archive.query.group.list.ListGroupMaker;
import org.flowmon.archive.query.group.list.ListedNumbers;
import org.flowmon.archive.query.group.partition.CutRows;
import org.flowmon.archive.query.group.partition.NarrowRows;
import org.flowmon.archive.query.group.partition.PartitionMap;
import org.flowmon.archive.query.group.partition.PartitionedRows;
import org.flowmon.archive.query.group.table.DenseTable;
import org.flowmon.archive.query.group.table.GroupMaker;
import org.flowmon.archive.query.group.table.PackedKey;
import org.flowmon.archive.query.group.table.PackedTable;
import org.flowmon.archive.query.group.table.RowGroupMaker;
import org.flowmon.archive.query.numbering.AddressNumbers;
import org.flowmon.archive.query.plan.GroupPlan;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.memory.HeapBudget;
import org.flowmon.flow.memory.HeapBudget.Part;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.value.ValueKind;

/**
 * All groups of a query, in partitions by ranges of their packed keys, whose order is that of the
 * keys. Each thread collects rows with a {@link PackedCollector}; threads share the partitions.
 *
 * <pre>
 *   rows ─► blocks of each partition ─► table of each partition ─► order ─► columns of the answer
 *           of each thread, bounded     one thread at a time
 * </pre>
 */
public final class PackedGroups {
  // Rows of a partition: they stay in a core's second-level cache while they are sorted.
  private static final int ROWS_PER_PARTITION = 1 << 15;
  private static final int MAX_WANTED = 1 << 11;
  private static final int MANY_PARTITIONS = 64;
  private static final int BLOCKS_PER_PARTITION = 4;
  // One evenly spaced key is added to so many sampled ones.
  private static final int ROWS_PER_EVEN_KEY = 4;
  // Maximum bits of the keys if every possible key has a state.
  private static final int MAX_DENSE_BITS = 17;
  // Share of the remaining memory for the states of all threads, of every possible key or by
  // number, or for the numbers of listed rows: the answer needs some, too.
  private static final int STATES_MEMORY_SHARE = 2;

  private final GroupPlan plan;
  private final AddressNumbers firsts; // of the first key
  private final AddressNumbers numbers; // of the others
  private final GroupLayout layout;
  private final PackedKey[] packing;
  private final int keyBits;
  private final int wanted;
  private final long maxHeapBytes;
  private final GroupMemory memory;
  private boolean isDense;
  private final List<PackedCollector> collectors = new ArrayList<>();
  private final AtomicInteger flushes = new AtomicInteger();
  private volatile Partitions partitions;

  /** The cut of the keys, and the groups of each part. */
  static final class Partitions {
    final PartitionMap map;
    final PackedTable[] tables;

    Partitions(PartitionMap map, GroupLayout layout, GroupMemory memory) {
      this.map = map;
      this.tables = new PackedTable[map.partitions()];
      Arrays.setAll(tables, p -> new PackedTable(layout, memory));
    }
  }

  private PackedGroups(
      GroupPlan plan,
      AddressNumbers firsts,
      AddressNumbers numbers,
      PackedKey[] packing,
      int wanted,
      long maxHeapBytes,
      GroupMemory memory) {
    this.memory = memory;
    this.plan = plan;
    this.firsts = firsts;
    this.numbers = numbers;
    this.layout = GroupLayout.of(plan.query());
    this.packing = packing;
    this.keyBits = bits(packing);
    this.wanted = wanted;
    this.maxHeapBytes = maxHeapBytes;
  }

  /**
   * Makes empty groups.
   *
   * @param rows estimated number of rows
   * @param sharers number of groups that share the heap for rows that are not in groups yet
   * @param threads collectors at most
   * @param memory charged for groups; if it has no room for every possible key in each thread, only
   *     occurring keys have states
   * @return null if the keys, and a bit for each argument, do not fit one long
   */
  public static PackedGroups of(
      GroupPlan plan,
      AddressNumbers numbers,
      long rows,
      int sharers,
      int threads,
      GroupMemory memory) {
    long bytes = Part.UNGROUPED_ROWS.bytes() / sharers;
    int wanted = wanted(rows, bytes, PartitionedRows.stride(GroupLayout.of(plan.query())));
    PackedGroups groups = withPartitions(plan, numbers, numbers, wanted, bytes, memory);
    if (groups != null) {
      groups.isDense = groups.takesDense(threads);
    }
    return groups;
  }

  /**
   * Makes empty groups of two addresses whose rows are listed by the first: {@link
   * GroupPlan#addressPair}.
   *
   * @param ascending the first addresses
   * @param numbers of the second ones
   * @param memory charged for groups
   * @return null if a state for each second address exceeds the heap share of the threads, or the
   *     memory
   */
  public static PackedGroups ofLists(
      GroupPlan plan,
      Collection<IpAddress> ascending,
      AddressNumbers numbers,
      int threads,
      GroupMemory memory) {
    return ofLists(plan, ascending, numbers, threads, HeapBudget.PROCESS, memory);
  }

  /**
   * As {@link #ofLists(GroupPlan, Collection, AddressNumbers, int, GroupMemory)}, with a given
   * heap.
   */
  static PackedGroups ofLists(
      GroupPlan plan,
      Collection<IpAddress> ascending,
      AddressNumbers numbers,
      int threads,
      HeapBudget heap,
      GroupMemory memory) {
    long bytes = ListGroupMaker.heapBytes(numbers, GroupLayout.of(plan.query()));
    long rows = heap.of(Part.UNGROUPED_ROWS);
    return bytes > rows
            || bytes * threads > heap.of(Part.LISTED_STATES)
            || bytes * threads > memory.left() / STATES_MEMORY_SHARE
        ? null
        : withPartitions(plan, AddressNumbers.of(ascending), numbers, 1, rows, memory);
  }

  /**
   * The number of partitions to aim for: few enough that memory is not full of blocks with a few
   * rows each.
   */
  static int wanted(long rows, long heapBytes, int stride) {
    long room = heapBytes / (PartitionedRows.blockBytes(stride) * BLOCKS_PER_PARTITION);
    return (int) Math.max(1, Math.min(Math.min(MAX_WANTED, room), rows / ROWS_PER_PARTITION));
  }

  /**
   * Makes groups with about {@code wanted} partitions and at most {@code maxHeapBytes} for the rows
   * of a thread, however few keys there are.
   */
  static PackedGroups withPartitions(
      GroupPlan plan, AddressNumbers numbers, int wanted, long maxHeapBytes, GroupMemory memory) {
    return withPartitions(plan, numbers, numbers, wanted, maxHeapBytes, memory);
  }

  private static PackedGroups withPartitions(
      GroupPlan plan,
      AddressNumbers firsts,
      AddressNumbers numbers,
      int wanted,
      long maxHeapBytes,
      GroupMemory memory) {
    PackedKey[] packing = new PackedKey[plan.keys().size()];
    int shift = 0;
    for (int k = packing.length - 1; k >= 0; k--) {
      boolean isAddress = !(plan.keys().get(k) instanceof GroupPlan.NumberKey);
      long ofNull = (k == 0 ? firsts : numbers).ofNull();
      if (plan.keys().get(k) instanceof GroupPlan.NumberKey number) {
        ofNull = 1L << GroupPlan.bits(number.column().type());
      }
      // At least one: if no address is numbered, NULL is 0.
      int bits = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(ofNull));
      packing[k] = new PackedKey(shift, bits, ofNull, isAddress);
      shift += bits;
      if (shift > 62) {
        return null;
      }
    }
    PackedGroups groups =
        new PackedGroups(plan, firsts, numbers, packing, wanted, maxHeapBytes, memory);
    int arguments = groups.layout.arguments().size();
    return PartitionedRows.fits(groups.keyBits, arguments) ? groups : null;
  }

  private static int bits(PackedKey[] packing) {
    return packing[0].shift() + packing[0].bits();
  }

  GroupLayout layout() {
    return layout;
  }

  long maxHeapBytes() {
    return maxHeapBytes;
  }

  int keyBits() {
    return keyBits;
  }

  /** Whether keys are so few that each has its place. */
  boolean isDense() {
    return isDense;
  }

  /**
   * Takes the memory for a state of each key in each thread, before any has one, if there is
   * enough.
   */
  private boolean takesDense(int threads) {
    boolean areFew =
        keyBits <= MAX_DENSE_BITS
            && DenseTable.words(layout, keyBits) * Long.BYTES <= Part.DENSE_STATES.bytes();
    if (!areFew) {
      return false;
    }
    long bytes = DenseTable.bytes(layout, keyBits) * threads;
    if (bytes > memory.left() / STATES_MEMORY_SHARE) {
      return false;
    }
    memory.take(bytes);
    return true;
  }

  /** The partition that a thread begins with: far from those of others. */
  int firstToFlush(int count) {
    return (int) ((((flushes.getAndIncrement() * 0x9E37_79B9L) & 0xFFFF_FFFFL) * count) >>> 32);
  }

  /** Collects rows of one thread. */
  public synchronized PackedCollector collector() {
    PackedCollector collector = new PackedCollector(this, new KeyReader(plan, numbers, packing));
    collectors.add(collector);
    return collector;
  }

  /** For rows that come before keys are cut. */
  PartitionedRows earlyRows(ValueKind[] arguments) {
    return new PartitionedRows(1, keyBits, arguments, false);
  }

  CutRows newRows(PartitionMap map, ValueKind[] arguments) {
    boolean many = map.partitions() >= MANY_PARTITIONS;
    boolean mayBeNarrow = many && maxHeapBytes >= NarrowRows.MIN_HEAP_BYTES;
    return new CutRows(map, layout, keyBits, arguments, many, mayBeNarrow);
  }

  /** Null until the first thread has seen enough rows. */
  Partitions partitions() {
    return partitions;
  }

  /**
   * Cuts the keys unless another thread has.
   *
   * @param sample keys of rows
   */
  synchronized Partitions cut(long[] sample) {
    if (partitions == null) {
      long[] all = withEvenKeys(sample);
      PartitionMap map = PartitionMap.of(all, all.length, keyBits, wanted);
      partitions = new Partitions(map, layout, memory);
    }
    return partitions;
  }

  /**
   * Adds keys whose first addresses are evenly spaced: later rows may be of other hosts, which must
   * not all get into one partition.
   */
  private long[] withEvenKeys(long[] sample) {
    PackedKey first = packing[0];
    long addresses = first.isAddress() ? first.ofNull() : 0;
    int even = (int) Math.min(sample.length / ROWS_PER_EVEN_KEY, addresses);
    long[] all = Arrays.copyOf(sample, sample.length + even);
    for (int i = 0; i < even; i++) {
      all[sample.length + i] = (addresses * i / even) << first.shift();
    }
    return all;
  }

  private PackedAnswer answer(int parts, Supplier<GroupMaker> makers, List<CutRows> rests) {
    return new PackedAnswer(plan, layout, packing, firsts, numbers, parts, makers, rests, memory);
  }

  /**
   * The answer, as steps that several threads run together, one step after the other. All
   * collectors must have ended.
   */
  public PackedAnswer finish() {
    if (isDense() && !collectors.isEmpty()) {
      List<DenseTable> dense = collectors.stream().map(PackedCollector::dense).toList();
      collectors.clear();
      return answer(1, () -> (part, arena) -> DenseTable.merge(dense, arena), List.of());
    }
    PackedTable[] tables = partitions == null ? new PackedTable[0] : partitions.tables;
    List<CutRows> rests =
        collectors.stream().map(PackedCollector::rest).filter(Objects::nonNull).toList();
    collectors.clear();
    return answer(
        tables.length, () -> new RowGroupMaker(tables, rests, layout, keyBits, memory), rests);
  }

  /**
   * As {@link #finish()}, for groups of two addresses whose rows are listed by the first ({@link
   * GroupPlan#addressPair}); nothing was collected.
   *
   * @param keys by number, ascending: those of {@link #ofLists}
   * @param read gets the number of rows about to be read, and may throw to end the work
   */
  public PackedAnswer finish(List<KeyedRows> keys, IntConsumer read) {
    FlowColumn second = plan.addressPair().get(1);
    return answer(
        keys.size(),
        () -> {
          memory.take(ListGroupMaker.heapBytes(numbers, layout));
          return new ListGroupMaker(keys, second, numbers, packing, layout, read);
        },
        List.of());
  }

  /**
   * The numbers of the second keys of listed rows, if groups are nothing but counts of rows.
   * Threads read them before {@link #finish(List, ListedNumbers)}.
   *
   * @return null if there is more in a group, or if rows are too many for the heap or the query's
   *     remaining memory: {@link #finish(List, IntConsumer)} keeps no number of a row
   */
  public ListedNumbers listed(List<KeyedRows> keys, int threads, IntConsumer read) {
    boolean areCounts =
        layout.accumulators().stream()
            .allMatch(a -> a.operation() == Accumulator.Operation.COUNT_ROWS);
    long rows = keys.stream().mapToLong(KeyedRows::count).sum();
    long lists = keys.stream().mapToLong(key -> key.lists().size()).sum();
    long bytes = Integer.BYTES * rows + ListedNumbers.BYTES_PER_LIST * lists;
    boolean fits =
        rows <= Integer.MAX_VALUE // counts are int
            && bytes <= Part.LISTED_NUMBERS.bytes()
            && bytes <= memory.left() / STATES_MEMORY_SHARE;
    if (areCounts && fits) {
      memory.take(bytes);
    }
    return areCounts && fits
        ? new ListedNumbers(keys, plan.addressPair().get(1), numbers, threads, read)
        : null;
  }

  /** As {@link #finish(List, IntConsumer)}, if numbers were read. */
  public PackedAnswer finish(List<KeyedRows> keys, ListedNumbers listed) {
    return answer(keys.size(), () -> new CountMaker(keys, listed, packing, layout), List.of());
  }
}
