package org.flowmon.archive.query.group;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.flowmon.archive.query.group.partition.CutRows;
import org.flowmon.archive.query.group.partition.NarrowRows;
import org.flowmon.archive.query.group.partition.PartitionMap;
import org.flowmon.archive.query.group.partition.PartitionedRows;
import org.flowmon.archive.query.group.table.DenseTable;
import org.flowmon.archive.query.group.table.PackedKey;
import org.flowmon.archive.query.group.table.PackedTable;
import org.flowmon.archive.query.group.table.RowGroupMaker;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.flow.memory.HeapBudget.Part;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.result.DistinctCounts;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.value.ValueKind;

/**
 * Groups by packed keys, in partitions by ranges of these in order, which threads share; each
 * thread collects rows with a {@link PackedCollector}.
 *
 * <pre>
 *   rows ─► blocks of each partition ─► table of each partition ─► order ─► columns of the answer
 *           of each thread, bounded     one thread at a time
 * </pre>
 */
public final class PackedGrouper implements Grouper {
  // Rows of a partition: they stay in a core's second-level cache while they are sorted.
  private static final int ROWS_PER_PARTITION = 1 << 15;
  private static final int MAX_WANTED = 1 << 11;
  private static final int MANY_PARTITIONS = 64;
  private static final int BLOCKS_PER_PARTITION = 4;
  // One evenly spaced key is added to so many sampled ones.
  private static final int ROWS_PER_EVEN_KEY = 4;
  // Most key bits if each key has a state: more states would not stay in a second-level cache.
  private static final int MAX_DENSE_BITS = 12;
  // Share of the remaining memory for the states of all threads: the answer needs some, too.
  private static final int STATES_MEMORY_SHARE = 2;

  private final PackedKeys keys;
  private final int wanted;
  private final long maxHeapBytes;
  private final GroupMemory memory;
  private boolean isDense;
  private final List<PackedCollector> collectors = new ArrayList<>();
  private final AtomicInteger flushes = new AtomicInteger();
  private Optional<Partitions> partitions = Optional.empty(); // before enough rows were seen

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

  private PackedGrouper(PackedKeys keys, int wanted, long maxHeapBytes, GroupMemory memory) {
    this.keys = keys;
    this.wanted = wanted;
    this.maxHeapBytes = maxHeapBytes;
    this.memory = memory;
  }

  /**
   * Makes empty groups.
   *
   * @param rows estimated
   * @param sharers groupers that share the heap for rows that are not in groups yet
   * @param threads collectors at most
   * @param memory if it has no room for every possible key in each thread, only occurring keys have
   *     states
   */
  static PackedGrouper of(
      PackedKeys keys, long rows, int sharers, int threads, GroupMemory memory) {
    long bytes = Part.UNGROUPED_ROWS.bytes() / sharers;
    int wanted = wanted(rows, bytes, PartitionedRows.stride(keys.layout()));
    PackedGrouper groups = withPartitions(keys, wanted, bytes, memory);
    groups.isDense = groups.takesDense(threads);
    return groups;
  }

  /** Partitions to aim for: few enough that memory is not full of blocks with a few rows each. */
  static int wanted(long rows, long heapBytes, int stride) {
    long room = heapBytes / (PartitionedRows.blockBytes(stride) * BLOCKS_PER_PARTITION);
    return (int) Math.max(1, Math.min(Math.min(MAX_WANTED, room), rows / ROWS_PER_PARTITION));
  }

  /** About {@code wanted} partitions, ≤ {@code maxHeapBytes} for a thread's rows, for any keys. */
  static PackedGrouper withPartitions(
      PackedKeys keys, int wanted, long maxHeapBytes, GroupMemory memory) {
    return new PackedGrouper(keys, wanted, maxHeapBytes, memory);
  }

  GroupLayout layout() {
    return keys.layout();
  }

  long maxHeapBytes() {
    return maxHeapBytes;
  }

  int keyBits() {
    return keys.bits();
  }

  boolean isDense() {
    return isDense;
  }

  /** Takes the memory for a state of each key in each thread, before any has one, if enough. */
  private boolean takesDense(int threads) {
    boolean areFew =
        keyBits() <= MAX_DENSE_BITS
            && DenseTable.words(layout(), keyBits()) * Long.BYTES <= Part.DENSE_STATES.bytes();
    if (!areFew) {
      return false;
    }
    long bytes = DenseTable.bytes(layout(), keyBits()) * threads;
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

  @Override
  public synchronized PackedCollector collector() {
    PackedCollector collector = new PackedCollector(this, new KeyReader(keys));
    collectors.add(collector);
    return collector;
  }

  PartitionedRows earlyRows(ValueKind[] arguments) {
    return new PartitionedRows(1, keyBits(), arguments, false);
  }

  CutRows newRows(PartitionMap map, ValueKind[] arguments) {
    boolean many = map.partitions() >= MANY_PARTITIONS;
    boolean mayBeNarrow = many && maxHeapBytes >= NarrowRows.MIN_HEAP_BYTES;
    return new CutRows(map, layout(), keyBits(), arguments, many, mayBeNarrow);
  }

  /** Cuts the keys for the first thread that has seen enough rows; {@code sample} gives keys. */
  synchronized Partitions cut(Supplier<long[]> sample) {
    if (partitions.isEmpty()) {
      long[] all = withEvenKeys(sample.get());
      PartitionMap map = PartitionMap.of(all, all.length, keyBits(), wanted);
      partitions = Optional.of(new Partitions(map, layout(), memory));
    }
    return partitions.get();
  }

  /** Adds evenly spaced first addresses: other, later hosts must not all get into one partition. */
  private long[] withEvenKeys(long[] sample) {
    PackedKey first = keys.packing()[0];
    long addresses = first.isAddress() ? first.ofNull() : 0;
    int even = (int) Math.min(sample.length / ROWS_PER_EVEN_KEY, addresses);
    long[] all = Arrays.copyOf(sample, sample.length + even);
    for (int i = 0; i < even; i++) {
      all[sample.length + i] = (addresses * i / even) << first.shift();
    }
    return all;
  }

  @Override
  public GroupAnswer.WithBounds answer(int threads, Deadline deadline) throws IOException {
    return groups().answer(threads, deadline);
  }

  @Override
  public void groups(Consumer<GroupTable> to, Deadline deadline) {
    groups().each(to, deadline::check);
  }

  @Override
  public void count(
      DistinctCounts counts, int grouping, GroupTable into, int threads, Deadline deadline)
      throws IOException {
    groups().count(counts, grouping, into, threads, deadline);
  }

  private PackedAnswer groups() {
    if (isDense() && !collectors.isEmpty()) {
      List<DenseTable> dense =
          collectors.stream().map(PackedCollector::dense).flatMap(Optional::stream).toList();
      collectors.clear();
      return new PackedAnswer(
          keys, 1, () -> (part, arena) -> DenseTable.merge(dense, arena), List.of(), memory);
    }
    PackedTable[] tables = partitions.map(cut -> cut.tables).orElse(new PackedTable[0]);
    List<CutRows> rests =
        collectors.stream().map(PackedCollector::rest).flatMap(Optional::stream).toList();
    collectors.clear();
    return new PackedAnswer(
        keys,
        tables.length,
        () -> new RowGroupMaker(tables, rests, layout(), keyBits(), memory),
        rests,
        memory);
  }

  @Override
  public String toString() {
    return isDense()
        ? "a state for each possible key"
        : "partitions of packed keys, " + keyBits() + " bits";
  }
}
