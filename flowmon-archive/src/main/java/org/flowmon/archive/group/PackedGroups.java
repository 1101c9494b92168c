package org.flowmon.archive.group;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.query.ValueKind;
import org.flowmon.udaf.table.AnswerColumns;
import org.flowmon.udaf.table.DistinctCounts;
import org.flowmon.udaf.table.GroupTable;

/**
 * All groups of a query, in partitions by ranges of their packed keys, whose order is that of the
 * keys. Threads collect rows each by a {@link PackedCollector}, and share partitions.
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
  private static final int COUNTED_AT_ONCE = 1 << 12;
  private static final int BLOCKS_PER_PARTITION = 4;
  // Of so many keys of a sample one more is not a row's.
  private static final int ROWS_PER_EVEN_KEY = 4;
  // What rows of a thread that are not in groups yet may take on the heap, and their share of it.
  private static final long MAX_HEAP_BYTES = 96L << 20;
  private static final long HEAP_SHARE = 24;
  // What a thread's states may take where every possible key has one.
  private static final long MAX_DENSE_WORDS = 1 << 22;
  private static final int MAX_DENSE_BITS = 17;
  private static final long DENSE_HEAP_SHARE = 32;
  // What states by number may take of the heap, of all threads.
  private static final long LIST_HEAP_SHARE = 8;
  // What numbers of listed rows may take of the heap.
  private static final long LISTED_HEAP_SHARE = 16;

  private final GroupPlan plan;
  private final AddressNumbers firsts; // of the first key
  private final AddressNumbers numbers; // of the others
  private final GroupLayout layout;
  private final PackedKey[] packing;
  private final int keyBits;
  private final int wanted;
  private final long maxHeapBytes;
  private boolean isDense;
  private final AnswerColumns columns;
  private final List<PackedCollector> collectors = new ArrayList<>();
  private final AtomicInteger flushes = new AtomicInteger();
  private final AtomicInteger next = new AtomicInteger();
  private volatile Partitions partitions;

  /** How keys are cut, and the groups of each part. */
  static final class Partitions {
    final PartitionMap map;
    final PackedTable[] tables;

    Partitions(PartitionMap map, GroupLayout layout) {
      this.map = map;
      this.tables = new PackedTable[map.partitions()];
      Arrays.setAll(tables, p -> new PackedTable(layout));
    }
  }

  private PackedGroups(
      GroupPlan plan,
      AddressNumbers firsts,
      AddressNumbers numbers,
      PackedKey[] packing,
      int wanted,
      long maxHeapBytes) {
    this.plan = plan;
    this.firsts = firsts;
    this.numbers = numbers;
    this.layout = GroupLayout.of(plan.query());
    this.packing = packing;
    this.keyBits = bits(packing);
    this.wanted = wanted;
    this.maxHeapBytes = maxHeapBytes;
    this.columns = new AnswerColumns(plan.query(), layout);
  }

  /**
   * No groups yet.
   *
   * @param rows about how many rows there will be
   * @param sharers how many share what rows that are not in groups yet may take on the heap
   * @return null where keys, and a bit for each argument, do not fit one long
   */
  public static PackedGroups of(GroupPlan plan, AddressNumbers numbers, long rows, int sharers) {
    long share = Runtime.getRuntime().maxMemory() / HEAP_SHARE;
    long bytes = Math.min(MAX_HEAP_BYTES, share) / sharers;
    int wanted = wanted(rows, bytes, PartitionedRows.stride(GroupLayout.of(plan.query())));
    PackedGroups groups = withPartitions(plan, numbers, wanted, bytes);
    if (groups != null) {
      groups.isDense = groups.fitsDense();
    }
    return groups;
  }

  /**
   * No groups yet, of two addresses where the rows of each first one are known: {@link
   * GroupPlan#addressPair}.
   *
   * @param ascending the first addresses
   * @param numbers of the second ones
   * @return null where a state for each second address is more than threads may have on the heap
   */
  public static PackedGroups ofLists(
      GroupPlan plan, Collection<IpAddress> ascending, AddressNumbers numbers, int threads) {
    return ofLists(plan, ascending, numbers, threads, Runtime.getRuntime().maxMemory());
  }

  /** Likewise, with a heap of so many bytes. */
  static PackedGroups ofLists(
      GroupPlan plan,
      Collection<IpAddress> ascending,
      AddressNumbers numbers,
      int threads,
      long heap) {
    long bytes = ListGroupMaker.heapBytes(numbers, GroupLayout.of(plan.query()));
    return bytes > Math.min(MAX_HEAP_BYTES, heap / HEAP_SHARE)
            || bytes * threads > heap / LIST_HEAP_SHARE
        ? null
        : withPartitions(plan, AddressNumbers.of(ascending), numbers, 1, MAX_HEAP_BYTES);
  }

  /**
   * How many partitions there should be: so few that memory is not full of blocks with a few rows
   * each.
   */
  static int wanted(long rows, long heapBytes, int stride) {
    long room = heapBytes / (PartitionedRows.blockBytes(stride) * BLOCKS_PER_PARTITION);
    return (int) Math.max(1, Math.min(Math.min(MAX_WANTED, room), rows / ROWS_PER_PARTITION));
  }

  /**
   * With so many partitions, or about so many, and so much memory for the rows of a thread, however
   * few keys there are.
   */
  static PackedGroups withPartitions(
      GroupPlan plan, AddressNumbers numbers, int wanted, long maxHeapBytes) {
    return withPartitions(plan, numbers, numbers, wanted, maxHeapBytes);
  }

  private static PackedGroups withPartitions(
      GroupPlan plan,
      AddressNumbers firsts,
      AddressNumbers numbers,
      int wanted,
      long maxHeapBytes) {
    PackedKey[] packing = new PackedKey[plan.keys().size()];
    int shift = 0;
    for (int k = packing.length - 1; k >= 0; k--) {
      boolean isAddress = !(plan.keys().get(k) instanceof GroupPlan.NumberKey);
      long ofNull = (k == 0 ? firsts : numbers).ofNull();
      if (plan.keys().get(k) instanceof GroupPlan.NumberKey number) {
        ofNull = 1L << GroupPlan.bits(number.column().type());
      }
      // At least one: where no address is numbered, NULL is 0.
      int bits = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(ofNull));
      packing[k] = new PackedKey(shift, bits, ofNull, isAddress);
      shift += bits;
      if (shift > 62) {
        return null;
      }
    }
    PackedGroups groups = new PackedGroups(plan, firsts, numbers, packing, wanted, maxHeapBytes);
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

  private boolean fitsDense() {
    long heap = Runtime.getRuntime().maxMemory() / DENSE_HEAP_SHARE / Long.BYTES;
    return keyBits <= MAX_DENSE_BITS
        && DenseTable.words(layout, keyBits) <= Math.min(MAX_DENSE_WORDS, heap);
  }

  /** The partition with which a thread is to begin: far from those of others. */
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
      partitions = new Partitions(map, layout);
    }
    return partitions;
  }

  /**
   * Adds keys whose first addresses are evenly apart: rows that follow may be of other hosts, which
   * must not all get into one partition.
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

  /** Whether the answer's order is that of the packed keys: ascending, NULLs last. */
  private boolean isKeyOrder() {
    FlowQuery query = plan.query();
    for (int o = 0; o < query.orderBy().size(); o++) {
      OrderItem item = query.orderBy().get(o);
      boolean same =
          o < query.groupBy().size()
              && query.groupBy().get(o).equals(item.what())
              && !item.descending()
              && !item.nullsFirst();
      if (!same) {
        return false;
      }
    }
    return true;
  }

  /**
   * The answer, as steps that several threads each take part in, one step after the other. All
   * collectors must have ended.
   */
  public Finish finish() {
    if (isDense() && !collectors.isEmpty()) {
      List<DenseTable> dense = collectors.stream().map(PackedCollector::dense).toList();
      collectors.clear();
      return new Finish(1, () -> (part, arena) -> DenseTable.merge(dense, arena), List.of());
    }
    PackedTable[] tables = partitions == null ? new PackedTable[0] : partitions.tables;
    List<CutRows> rests =
        collectors.stream().map(PackedCollector::rest).filter(Objects::nonNull).toList();
    collectors.clear();
    return new Finish(
        tables.length, () -> new RowGroupMaker(tables, rests, layout, keyBits), rests);
  }

  /**
   * As {@link #finish()} of groups of two addresses, where nothing was collected since the rows of
   * each first one are known: {@link GroupPlan#addressPair}.
   *
   * @param keys by number, ascending: those of {@link #ofLists}
   * @param read is told how many rows are going to be read, and may throw to end it
   */
  public Finish finish(List<KeyedRows> keys, IntConsumer read) {
    FlowColumn second = plan.addressPair().get(1);
    return new Finish(
        keys.size(),
        () -> new ListGroupMaker(keys, second, numbers, packing, layout, read),
        List.of());
  }

  /**
   * The numbers of the second keys of rows whose first ones are known, where groups are nothing but
   * counts of rows; to be read by threads before {@link #finish(List, ListedNumbers)}.
   *
   * @return null where there is more in a group, or rows are too many
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
            && bytes <= Runtime.getRuntime().maxMemory() / LISTED_HEAP_SHARE;
    return areCounts && fits
        ? new ListedNumbers(keys, plan.addressPair().get(1), numbers, threads, read)
        : null;
  }

  /** As {@link #finish(List, IntConsumer)}, where numbers were read. */
  public Finish finish(List<KeyedRows> keys, ListedNumbers listed) {
    return new Finish(keys.size(), () -> new CountMaker(keys, listed, packing, layout), List.of());
  }

  private AddressNumbers numbersOf(int key) {
    return key == 0 ? firsts : numbers;
  }

  /** Puts groups in order and writes them. */
  public final class Finish {
    // What is computed from whole groups is computed in tables.
    private final boolean byKey = isKeyOrder() && !plan.query().computesOverGroups();
    private final Supplier<GroupMaker> makers;
    private final List<CutRows> rests;
    private final List<SortedGroups.Arena> arenas = new ArrayList<>();
    // By part, where the answer is in the order of keys.
    private final SortedGroups[] sorted;
    // In other orders.
    private final List<GroupTable> firsts = new ArrayList<>();
    private final boolean[] hasNulls = new boolean[packing.length];
    private int[] firstRows;
    private int rows;

    private Finish(int parts, Supplier<GroupMaker> makers, List<CutRows> rests) {
      this.makers = makers;
      this.rests = rests;
      this.sorted = new SortedGroups[parts];
    }

    /** Pieces that threads share. */
    public int parts() {
      return sorted.length;
    }

    /**
     * The first step; several threads may run it at the same time.
     *
     * @param check runs now and then, and may throw to end it
     */
    public Void order(Runnable check) {
      GroupMaker maker = makers.get();
      SortedGroups.Arena arena = arena();
      GroupTable mine = byKey ? null : new GroupTable(layout);
      GroupTable one = byKey ? null : new GroupTable(layout);
      for (int p = next.getAndIncrement(); p < sorted.length; p = next.getAndIncrement()) {
        check.run();
        SortedGroups groups = maker.make(p, arena);
        if (byKey) {
          sorted[p] = groups;
          inspect(groups);
          continue;
        }
        if (plan.query().limit() < 0 && plan.query().having() == null) {
          append(groups, 0, groups.size(), mine);
        } else {
          append(groups, 0, groups.size(), one);
          mine.append(one, best(one));
          one.clear();
        }
        arena.clear();
      }
      if (mine != null) {
        synchronized (firsts) {
          firsts.add(mine);
        }
      }
      return null;
    }

    /** The groups of a part that may be in the answer. */
    private int[] best(GroupTable part) {
      return plan.query().limit() < 0 ? part.kept(plan.query()) : part.first(plan.query());
    }

    /**
     * The only step where groups are not shown but counted; several threads may run it at the same
     * time.
     *
     * @param grouping the place of this query among those whose groups are counted
     * @param check runs now and then, and may throw to end it
     * @return what this thread counted
     */
    public GroupTable count(DistinctCounts counts, int grouping, Runnable check) {
      GroupMaker maker = makers.get();
      SortedGroups.Arena arena = arena();
      GroupTable some = new GroupTable(layout);
      GroupTable counted = counts.newTable();
      for (int p = next.getAndIncrement(); p < sorted.length; p = next.getAndIncrement()) {
        check.run();
        SortedGroups groups = maker.make(p, arena);
        for (int from = 0; from < groups.size(); from += COUNTED_AT_ONCE) {
          append(groups, from, Math.min(groups.size(), from + COUNTED_AT_ONCE), some);
          counts.count(grouping, some, counted);
          some.clear();
        }
        arena.clear();
      }
      return counted;
    }

    /** Gives working memory away once an answer was made of all groups. */
    public void release() {
      rests.forEach(CutRows::release);
      arenas.forEach(SortedGroups.Arena::release);
    }

    private SortedGroups.Arena arena() {
      SortedGroups.Arena arena = new SortedGroups.Arena();
      synchronized (arenas) {
        arenas.add(arena);
      }
      return arena;
    }

    private void inspect(SortedGroups groups) {
      if (!groups.isPlain()) {
        columns.inspect(groups.words(), groups.stateAt(0), groups.stride(), groups.size());
      }
      for (int k = 0; k < packing.length; k++) {
        boolean any = false;
        for (int i = 0; i < groups.size(); i++) {
          any |= packing[k].number(groups.key(i)) == packing[k].ofNull();
        }
        if (any) {
          synchronized (hasNulls) {
            hasNulls[k] = true;
          }
        }
      }
    }

    private void append(SortedGroups groups, int first, int end, GroupTable to) {
      int[] places = new int[Vector.CAPACITY];
      long[] nulls = new long[Vector.CAPACITY];
      long[][] words = new long[layout.keyWords()][Vector.CAPACITY];
      long[] scratch = new long[Vector.CAPACITY * layout.stateWords()];
      for (int from = first; from < end; from += Vector.CAPACITY) {
        int n = Math.min(Vector.CAPACITY, end - from);
        Arrays.fill(nulls, 0, n, 0);
        for (int i = 0; i < n; i++) {
          for (int k = 0; k < packing.length; k++) {
            unpack(groups.key(from + i), k, words, nulls, i);
          }
        }
        long[] states = groups.states(from, n, places, scratch);
        to.append(nulls, words, states, places, n);
      }
    }

    private void unpack(long packed, int key, long[][] words, long[] nulls, int i) {
      long number = packing[key].number(packed);
      boolean isNull = number == packing[key].ofNull();
      int word = layout.keyWord(key);
      nulls[i] |= (isNull ? 1L : 0) << key;
      if (packing[key].isAddress()) {
        words[word][i] = isNull ? 0 : numbersOf(key).high((int) number);
        words[word + 1][i] = isNull ? 0 : numbersOf(key).low((int) number);
      } else {
        words[word][i] = isNull ? 0 : number;
      }
    }

    /** The second step, by one thread. */
    public void measure() {
      next.set(0);
      if (!byKey) {
        return;
      }
      long limit = plan.query().limit();
      long groups = Arrays.stream(sorted).mapToLong(SortedGroups::size).sum();
      groups = limit < 0 ? groups : Math.min(limit, groups);
      rows = ResultTable.rows(groups);
      columns.setRows(rows);
      firstRows = new int[sorted.length + 1];
      for (int p = 0; p < sorted.length; p++) {
        firstRows[p + 1] = Math.min(rows - firstRows[p], sorted[p].size()) + firstRows[p];
      }
    }

    /** The third step, which several threads may run at the same time: memory is zeroed in it. */
    public Void allocate() {
      for (int c = next.getAndIncrement();
          c < columns.count() && byKey;
          c = next.getAndIncrement()) {
        int key = columns.key(c);
        if (key < 0) {
          columns.allocate(c);
          continue;
        }
        boolean hasHighs = packing[key].isAddress() && !numbersOf(key).areHighsZero();
        boolean[] isNull = hasNulls[key] ? new boolean[rows] : null;
        columns.set(c, new long[rows], hasHighs ? new long[rows] : null, null, isNull);
      }
      return null;
    }

    /** The fourth step, by one thread. */
    public void begin() {
      next.set(0);
    }

    /** The last step; several threads may run it at the same time. */
    public Void write(Runnable check) {
      int[] places = new int[Vector.CAPACITY];
      long[] scratch = new long[Vector.CAPACITY * layout.stateWords()];
      for (int p = next.getAndIncrement(); p < sorted.length && byKey; p = next.getAndIncrement()) {
        check.run();
        SortedGroups groups = sorted[p];
        int n = firstRows[p + 1] - firstRows[p];
        for (int from = 0; from < n; from += Vector.CAPACITY) {
          int some = Math.min(Vector.CAPACITY, n - from);
          long[] states = groups.states(from, some, places, scratch);
          columns.writeAggregates(states, places, some, firstRows[p] + from);
        }
        for (int c = 0; c < columns.count(); c++) {
          if (columns.key(c) >= 0) {
            writeKey(groups, n, c, firstRows[p]);
          }
        }
      }
      return null;
    }

    private void writeKey(SortedGroups groups, int n, int column, int row) {
      PackedKey packed = packing[columns.key(column)];
      AddressNumbers addresses = numbersOf(columns.key(column));
      long[] low = columns.low(column);
      long[] high = columns.high(column);
      boolean[] isNull = columns.isNull(column);
      for (int i = 0; i < n; i++) {
        long number = packed.number(groups.key(i));
        if (isNull != null && number == packed.ofNull()) {
          isNull[row + i] = true;
        } else if (!packed.isAddress()) {
          low[row + i] = number;
        } else {
          low[row + i] = addresses.low((int) number);
          if (high != null) {
            high[row + i] = addresses.high((int) number);
          }
        }
      }
    }

    /** The answer. */
    public ResultTable table() {
      release();
      if (byKey) {
        return columns.build();
      }
      GroupTable all = firsts.get(0);
      for (GroupTable other : firsts.subList(1, firsts.size())) {
        all.append(other);
      }
      return all.finish(plan.query());
    }
  }
}
