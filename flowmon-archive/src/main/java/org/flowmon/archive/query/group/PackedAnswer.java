package org.flowmon.archive.query.group;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.flowmon.archive.query.group.partition.CutRows;
import org.flowmon.archive.query.group.table.GroupMaker;
import org.flowmon.archive.query.group.table.PackedKey;
import org.flowmon.archive.query.group.table.SortedGroups;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.limit.Threads;
import org.flowmon.archive.query.numbering.AddressNumbers;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.result.AnswerColumns;
import org.flowmon.udaf.result.DistinctCounts;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.vector.Vector;

/**
 * Makes all groups of {@link PackedGrouper}, part by part, orders and writes them, step by step.
 *
 * <pre>
 *   order (threads) ─► measure (one) ─► allocate (threads) ─► write (threads) ─► table
 *   count (threads) ─► release             if groups are counted and not shown
 *   each (one) ─► release                  if they go elsewhere
 * </pre>
 */
final class PackedAnswer {
  private static final int AT_ONCE = 1 << 12;

  private final PackedKeys keys;
  private final FlowQuery query;
  private final GroupLayout layout;
  private final PackedKey[] packing;
  private final AnswerColumns columns;
  // Values computed from whole groups are computed in tables.
  private final boolean byKey;
  private final Supplier<GroupMaker> makers;
  private final List<CutRows> rests;
  private final AtomicInteger next = new AtomicInteger();
  private final List<SortedGroups.Arena> arenas = new ArrayList<>();
  // By part, for an answer in key order.
  private final SortedGroups[] sorted;
  private final GroupMemory memory;
  private final boolean[] hasNulls;
  private int[] firstRows = {}; // of parts, and the end, once they are measured
  private int rows;

  /** {@code makers} give each thread its own; {@code rests}' memory is released at the end. */
  PackedAnswer(
      PackedKeys keys,
      int parts,
      Supplier<GroupMaker> makers,
      List<CutRows> rests,
      GroupMemory memory) {
    this.memory = memory;
    this.keys = keys;
    this.query = keys.query();
    this.layout = keys.layout();
    this.packing = keys.packing();
    this.columns = new AnswerColumns(query, layout);
    this.byKey = isKeyOrder(query) && !query.computesOverGroups() && query.limitBy() == null;
    this.makers = makers;
    this.rests = rests;
    this.sorted = new SortedGroups[parts];
    this.hasNulls = new boolean[packing.length];
  }

  /** Whether the answer's order is that of the packed keys: ascending, NULLs last. */
  private static boolean isKeyOrder(FlowQuery query) {
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

  GroupAnswer.WithBounds answer(int threads, Deadline deadline) throws IOException {
    int useful = useful(threads);
    if (!byKey) {
      return answer(Threads.run(useful, deadline, () -> group(deadline::check)));
    }
    Threads.run(useful, deadline, () -> order(deadline::check));
    measure();
    Threads.run(useful, deadline, this::allocate);
    next.set(0);
    Threads.run(useful, deadline, () -> write(deadline::check));
    release();
    return new GroupAnswer.WithBounds(columns.build(), List.of());
  }

  private GroupAnswer.WithBounds answer(List<GroupTable> tables) {
    release();
    GroupTable all = tables.get(0);
    for (GroupTable other : tables.subList(1, tables.size())) {
      all.append(other);
    }
    return new GroupAnswer.WithBounds(new GroupAnswer(all, query).finish(), List.of());
  }

  void count(DistinctCounts counts, int grouping, GroupTable into, int threads, Deadline deadline)
      throws IOException {
    List<GroupTable> counted =
        Threads.run(useful(threads), deadline, () -> count(counts, grouping, deadline::check));
    release();
    counted.forEach(into::merge);
  }

  private int useful(int threads) {
    return Math.max(1, Math.min(threads, sorted.length));
  }

  /** Makes and keeps the groups of parts, which are in the order of the answer. */
  private Void order(Runnable check) {
    GroupMaker maker = makers.get();
    SortedGroups.Arena arena = arena();
    for (int p = next.getAndIncrement(); p < sorted.length; p = next.getAndIncrement()) {
      check.run();
      sorted[p] = maker.make(p, arena);
      inspect(sorted[p]);
    }
    maker.release();
    return null;
  }

  /** Makes the groups of parts, and puts those that may be in the answer into a table. */
  private GroupTable group(Runnable check) {
    GroupMaker maker = makers.get();
    SortedGroups.Arena arena = arena();
    GroupTable mine = new GroupTable(layout, memory);
    GroupTable one = new GroupTable(layout, memory);
    for (int p = next.getAndIncrement(); p < sorted.length; p = next.getAndIncrement()) {
      check.run();
      SortedGroups groups = maker.make(p, arena);
      if (query.keepsAllGroups()) {
        append(groups, 0, groups.size(), mine);
      } else {
        append(groups, 0, groups.size(), one);
        mine.append(one, best(one));
        one.clear();
      }
      arena.clear();
    }
    maker.release();
    return mine;
  }

  private int[] best(GroupTable part) {
    boolean isCut = query.limit() >= 0 || query.limitBy() != null;
    GroupAnswer answer = new GroupAnswer(part, query);
    return isCut ? answer.first() : answer.kept();
  }

  /** Counts groups that are not shown, for one thread: the only step then. */
  private GroupTable count(DistinctCounts counts, int grouping, Runnable check) {
    GroupTable counted = counts.newTable(memory);
    someAtOnce(some -> counts.count(grouping, some, counted), check);
    return counted;
  }

  /** Hands all groups out, some at a time, in one table that is used again. */
  void each(Consumer<GroupTable> to, Runnable check) {
    someAtOnce(to, check);
    release();
  }

  private void someAtOnce(Consumer<GroupTable> to, Runnable check) {
    GroupMaker maker = makers.get();
    SortedGroups.Arena arena = arena();
    GroupTable some = new GroupTable(layout);
    for (int p = next.getAndIncrement(); p < sorted.length; p = next.getAndIncrement()) {
      check.run();
      SortedGroups groups = maker.make(p, arena);
      for (int from = 0; from < groups.size(); from += AT_ONCE) {
        check.run();
        append(groups, from, Math.min(groups.size(), from + AT_ONCE), some);
        to.accept(some);
        some.clear();
      }
      arena.clear();
    }
    maker.release();
  }

  private void release() {
    rests.forEach(CutRows::release);
    arenas.forEach(SortedGroups.Arena::release);
  }

  private SortedGroups.Arena arena() {
    SortedGroups.Arena arena = new SortedGroups.Arena(memory);
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
      memory.check();
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
      words[word][i] = isNull ? 0 : keys.numbers(key).high((int) number);
      words[word + 1][i] = isNull ? 0 : keys.numbers(key).low((int) number);
    } else {
      words[word][i] = isNull ? 0 : number;
    }
  }

  private void measure() {
    next.set(0);
    long limit = query.limit();
    long groups = Arrays.stream(sorted).mapToLong(SortedGroups::size).sum();
    groups = limit < 0 ? groups : Math.min(limit, groups);
    rows = ResultTable.rows(groups);
    columns.setRows(rows);
    firstRows = new int[sorted.length + 1];
    memory.take(rows * bytesPerRow());
    for (int p = 0; p < sorted.length; p++) {
      firstRows[p + 1] = Math.min(rows - firstRows[p], sorted[p].size()) + firstRows[p];
    }
  }

  private long bytesPerRow() {
    long bytes = 0;
    for (int c = 0; c < columns.count(); c++) {
      int key = columns.key(c);
      bytes += key < 0 ? columns.bytesPerRow(c) : Long.BYTES;
      bytes += key >= 0 && hasHighs(key) ? Long.BYTES : 0;
      bytes += key >= 0 && hasNulls[key] ? 1 : 0;
    }
    return bytes;
  }

  private boolean hasHighs(int key) {
    return packing[key].isAddress() && !keys.numbers(key).areHighsZero();
  }

  private Void allocate() {
    for (int c = next.getAndIncrement(); c < columns.count(); c = next.getAndIncrement()) {
      memory.check();
      int key = columns.key(c);
      if (key < 0) {
        columns.allocate(c);
        continue;
      }
      boolean[] isNull = new boolean[hasNulls[key] ? rows : 0];
      columns.set(c, new long[rows], new long[hasHighs(key) ? rows : 0], isNull);
    }
    return null;
  }

  private Void write(Runnable check) {
    int[] places = new int[Vector.CAPACITY];
    long[] scratch = new long[Vector.CAPACITY * layout.stateWords()];
    for (int p = next.getAndIncrement(); p < sorted.length; p = next.getAndIncrement()) {
      SortedGroups groups = sorted[p];
      int n = firstRows[p + 1] - firstRows[p];
      for (int from = 0; from < n; from += Vector.CAPACITY) {
        check.run();
        int some = Math.min(Vector.CAPACITY, n - from);
        long[] states = groups.states(from, some, places, scratch);
        columns.writeAggregates(states, places, some, firstRows[p] + from);
      }
      for (int c = 0; c < columns.count(); c++) {
        if (columns.key(c) >= 0) {
          check.run();
          writeKey(groups, n, c, firstRows[p]);
        }
      }
    }
    return null;
  }

  private void writeKey(SortedGroups groups, int n, int column, int row) {
    PackedKey packed = packing[columns.key(column)];
    AddressNumbers addresses = keys.numbers(columns.key(column));
    long[] low = columns.low(column);
    long[] high = columns.high(column);
    boolean[] isNull = columns.isNull(column);
    if (packed.isAddress() && high.length == 0 && isNull.length == 0) {
      groups.writeAddresses(packed, addresses, n, low, row);
      return;
    }
    for (int i = 0; i < n; i++) {
      long number = packed.number(groups.key(i));
      if (isNull.length > 0 && number == packed.ofNull()) {
        isNull[row + i] = true;
      } else if (!packed.isAddress()) {
        low[row + i] = number;
      } else {
        low[row + i] = addresses.low((int) number);
        if (high.length > 0) {
          high[row + i] = addresses.high((int) number);
        }
      }
    }
  }
}
