package org.flowmon.archive.query.group.list;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import org.flowmon.archive.index.RowCursor;
import org.flowmon.archive.query.group.partition.LongArrayPool;
import org.flowmon.archive.query.group.table.GroupMaker;
import org.flowmon.archive.query.group.table.PackedKey;
import org.flowmon.archive.query.group.table.SortedGroups;
import org.flowmon.archive.query.numbering.AddressNumbers;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.SelectedRows;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.vector.Vector;

/**
 * Makes the groups of two keys if the rows of each first key are listed. It takes one first key
 * after the other, so the second key's number is the place of the state. Rows are neither cut nor
 * sorted, and their first keys are not read. Not thread-safe.
 */
public final class ListGroupMaker implements GroupMaker {
  // If one number of so many was seen, scanning all is faster than sorting them.
  private static final int SPARSE = 32;
  private static final int[] NONE = {};
  private static final int[] IDENTITY = new int[Vector.CAPACITY];

  static {
    Arrays.setAll(IDENTITY, i -> i);
  }

  private final List<KeyedRows> keys;
  private final FlowColumn second;
  private final AddressNumbers numbers;
  private final PackedKey[] packing;
  private final GroupLayout layout;
  private final IntConsumer read;
  private final Accumulation accumulation;
  private final CompiledExpression[] arguments;
  private final Vector[] vectors;
  private final int[] rows = new int[Vector.CAPACITY];
  private final int[] ids = new int[Vector.CAPACITY];
  private final int[] places = new int[Vector.CAPACITY];
  // By number of the second key.
  private final long[] states;
  private final boolean[] seen;
  private final int[] found;
  private int size;

  /** {@code read} gets the number of rows about to be read, and may throw to end the work. */
  public ListGroupMaker(
      List<KeyedRows> keys,
      FlowColumn second,
      AddressNumbers numbers,
      PackedKey[] packing,
      GroupLayout layout,
      IntConsumer read) {
    this.keys = keys;
    this.second = second;
    this.numbers = numbers;
    this.packing = packing;
    this.layout = layout;
    this.read = read;
    this.accumulation = new Accumulation(layout);
    this.arguments =
        layout.arguments().stream().map(CompiledExpression::of).toArray(CompiledExpression[]::new);
    this.vectors =
        Arrays.stream(arguments).map(CompiledExpression::newVector).toArray(Vector[]::new);
    int all = numbers.ofNull() + 1;
    this.states = new long[LongArrayPool.words(all, layout.stateWords())];
    this.seen = new boolean[all];
    this.found = new int[all + 1]; // the last element is a dummy
    for (int number = 0; number < all && !layout.startsWithZeros(); number++) {
      layout.reset(states, number * layout.stateWords());
    }
  }

  public static long heapBytes(AddressNumbers numbers, GroupLayout layout) {
    return (numbers.ofNull() + 1L) * (8L * layout.stateWords() + Integer.BYTES + 1);
  }

  @Override
  public SortedGroups make(int part, SortedGroups.Arena arena) {
    KeyedRows key = keys.get(part);
    size = 0;
    for (KeyedRows.OfSegment list : key.lists()) {
      add(list);
    }
    return take(key.number(), arena);
  }

  private void add(KeyedRows.OfSegment list) {
    SegmentReader segment = list.segment();
    Optional<int[]> numberOf = numbers.of(segment.sealed(), second);
    SelectedRows selected = new SelectedRows(segment);
    RowCursor cursor = list.rows().get();
    for (int n = cursor.next(rows); n > 0; n = cursor.next(rows)) {
      read.accept(n);
      selected.select(rows, n);
      find(selected, numberOf, n);
      for (int a = 0; a < arguments.length; a++) {
        arguments[a].evaluate(selected, 0, n, vectors[a]);
      }
      accumulation.add(vectors, IDENTITY, 0, n, states, places);
    }
  }

  private void find(SelectedRows selected, Optional<int[]> numbered, int n) {
    int words = layout.stateWords();
    int ofNull = numbers.ofNull();
    int[] numberOf = numbered.orElse(NONE);
    if (numbered.isEmpty()) {
      Arrays.fill(ids, 0, n, -1);
    } else {
      selected.readIds(second, 0, n, ids);
    }
    int next = size;
    for (int i = 0; i < n; i++) {
      int number = ids[i] < 0 ? ofNull : numberOf[ids[i]];
      found[next] = number;
      next += seen[number] ? 0 : 1;
      seen[number] = true;
      places[i] = number * words;
    }
    size = next;
  }

  private SortedGroups take(int number, SortedGroups.Arena arena) {
    int words = layout.stateWords();
    SortedGroups groups = arena.reserve(size, 1 + words);
    order();
    long first = (long) number << packing[0].shift();
    long[] out = groups.words();
    for (int i = 0; i < size; i++) {
      int at = groups.stateAt(i);
      int from = found[i] * words;
      out[at - 1] = first | (long) found[i] << packing[1].shift();
      System.arraycopy(states, from, out, at, words);
      layout.reset(states, from);
      seen[found[i]] = false;
    }
    return groups;
  }

  private void order() {
    if (size < seen.length / SPARSE) {
      Arrays.sort(found, 0, size);
      return;
    }
    int n = 0;
    for (int number = 0; number < seen.length; number++) {
      found[n] = number;
      n += seen[number] ? 1 : 0;
    }
  }
}
