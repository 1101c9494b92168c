package org.flowmon.archive.query.group.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.flowmon.archive.query.group.table.NarrowSorter;
import org.flowmon.archive.query.group.table.PackedTable;
import org.flowmon.archive.query.group.table.RowAdder;
import org.flowmon.archive.query.group.table.RowGroupMaker;
import org.flowmon.archive.query.group.table.SortedGroups;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.junit.jupiter.api.Test;

/** Narrow and wide rows in the same partitions. */
class CutRowsTest {
  private static final String[] AGGREGATES = {
    "SUM(bytes), COUNT(*)",
    "COUNT(*)",
    "AVG(bytes), COUNT(bytes), COUNT(*)",
    "MIN(bytes), MAX(bytes), COUNT(*)",
    "SUM(bytes), MIN(packets)"
  };

  // Shares of rows that are wide.
  private static final double[] SHARES = {0, 0.001, 0.05, 0.9};

  /** All rows of all threads: the values of each key, null for NULL. */
  private final Map<Long, List<Long[]>> expected = new TreeMap<>();

  private long narrowRows;
  private long wideRows;

  @Test
  void groupsAreThoseOfPlainRows() {
    for (int seed = 1; seed <= 150; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      String aggregates = AGGREGATES[seed % AGGREGATES.length];
      GroupLayout layout =
          GroupLayout.of(
              QueryParser.parse(
                  "SELECT src_addr, " + aggregates + " FROM flows GROUP BY src_addr"));
      int keyBits = random.nextInt(1, 61);
      expected.clear();
      check(layout, keyBits, random, "seed " + seed + ", " + aggregates + ", " + keyBits + " bits");
    }
    assertTrue(narrowRows > 100_000 && wideRows > 100_000, narrowRows + " and " + wideRows);
  }

  @Test
  void moreRowsThanAnArrayHoldsAreAllThere() {
    GroupLayout layout =
        GroupLayout.of(
            QueryParser.parse("SELECT src_addr, SUM(bytes) FROM flows GROUP BY src_addr"));
    int keyBits = 17;
    SplittableRandom random = new SplittableRandom(7);
    long[] sample = random.longs(10_000, 0, 1L << keyBits).toArray();
    PartitionMap map = PartitionMap.of(sample, sample.length, keyBits, 100);
    Vector bytes = CompiledExpression.of(layout.arguments().get(0)).newVector();
    CutRows rows = new CutRows(map, layout, keyBits, new ValueKind[] {bytes.kind()}, true, true);
    long[] keys = new long[Vector.CAPACITY];
    int[] all = new int[Vector.CAPACITY];
    Arrays.setAll(all, i -> i);
    long[] sums = new long[1 << keyBits];
    int[] counts = new int[1 << keyBits];
    bytes.setAllValid(Vector.CAPACITY);
    for (int batch = 0; batch < 1200; batch++) { // one array holds 992 of them
      for (int i = 0; i < Vector.CAPACITY; i++) {
        keys[i] = random.nextInt(1 << keyBits);
        bytes.values()[i] = random.nextInt(Integer.MAX_VALUE);
        sums[(int) keys[i]] += bytes.values()[i];
        counts[(int) keys[i]]++;
      }
      rows.add(keys, new Vector[] {bytes}, all, Vector.CAPACITY);
    }
    rows.settle();
    assertTrue(rows.heapBytes() >= 8L * 1200 * Vector.CAPACITY, "bytes " + rows.heapBytes());
    NarrowSorter sorter = new NarrowSorter(layout, keyBits);
    SortedGroups.Arena arena = new SortedGroups.Arena(GroupMemory.unlimited());
    long[] state = new long[layout.stateWords()];
    int[] places = new int[1];
    Accumulator sum = layout.accumulators().get(1);
    int key = 0;
    for (int p = 0; p < map.partitions(); p++) {
      assertTrue(sorter.canSort(List.of(rows), p));
      SortedGroups groups = sorter.group(List.of(rows), p, arena);
      for (int g = 0; g < groups.size(); g++, key++) {
        while (counts[key] == 0) {
          key++;
        }
        groups.states(g, 1, places, state);
        assertEquals(key, groups.key(g));
        assertEquals(counts[key], state[layout.accumulators().get(0).word()], "key " + key);
        assertEquals(BigInteger.valueOf(sums[key]), of(sum, state, 0), "key " + key);
      }
    }
    assertEquals(0, Arrays.stream(counts, Math.min(key, counts.length), counts.length).sum());
    rows.release();
    arena.release();
  }

  @Test
  void sortingTakesOfTheMemoryOfTheQueryAndATableIsMadeIfThatIsTooLittle() {
    GroupLayout layout =
        GroupLayout.of(
            QueryParser.parse(
                "SELECT src_addr, MIN(bytes), MAX(packets) FROM flows GROUP BY src_addr"));
    int keyBits = 20;
    SplittableRandom random = new SplittableRandom(3);
    long[] known = random.longs(10, 0, 1L << keyBits).toArray();
    Vector[] vectors =
        layout.arguments().stream()
            .map(argument -> CompiledExpression.of(argument).newVector())
            .toArray(Vector[]::new);
    ValueKind[] kinds = Arrays.stream(vectors).map(Vector::kind).toArray(ValueKind[]::new);
    PartitionMap map = PartitionMap.of(known.clone(), known.length, keyBits, 1);
    CutRows rows = new CutRows(map, layout, keyBits, kinds, false, false);
    fill(rows, known, vectors, 1, random);
    long sorting = 8 * rows.wide().rows(0) * (rows.wide().stride() + 2);
    assertTrue(sorting > 300_000, "bytes " + sorting);
    for (long most : new long[] {Long.MAX_VALUE, 8 * sorting}) {
      GroupMemory memory = new GroupMemory(most);
      PackedTable[] none = {new PackedTable(layout, GroupMemory.unlimited())};
      RowGroupMaker maker = new RowGroupMaker(none, List.of(rows), layout, keyBits, memory);
      long before = memory.taken();
      SortedGroups.Arena arena = new SortedGroups.Arena(GroupMemory.unlimited());
      SortedGroups groups = maker.make(0, arena);
      assertEquals(List.copyOf(expected.keySet()), keys(groups), "of " + most);
      assertEquals(most > 8 * sorting, memory.taken() - before >= sorting, "of " + most);
      maker.release();
      assertTrue(memory.taken() - before < sorting, "of " + most);
      arena.release();
    }
    rows.release();
  }

  private static List<Long> keys(SortedGroups groups) {
    return IntStream.range(0, groups.size()).mapToObj(groups::key).toList();
  }

  private void check(GroupLayout layout, int keyBits, SplittableRandom random, String name) {
    Vector[] vectors =
        layout.arguments().stream()
            .map(argument -> CompiledExpression.of(argument).newVector())
            .toArray(Vector[]::new);
    ValueKind[] kinds = Arrays.stream(vectors).map(Vector::kind).toArray(ValueKind[]::new);
    long[] known = random.longs(random.nextInt(1, 3000), 0, 1L << keyBits).toArray();
    PartitionMap map = PartitionMap.of(known.clone(), known.length, keyBits, random.nextInt(1, 50));
    double wide = SHARES[random.nextInt(SHARES.length)];
    PackedTable[] tables = new PackedTable[map.partitions()];
    Arrays.setAll(tables, p -> new PackedTable(layout, GroupMemory.unlimited()));
    List<CutRows> parts = new ArrayList<>();
    for (int thread = random.nextInt(1, 4); thread > 0; thread--) {
      CutRows rows =
          new CutRows(map, layout, keyBits, kinds, random.nextBoolean(), random.nextInt(4) > 0);
      fill(rows, known, vectors, wide, random);
      if (random.nextInt(4) == 0) { // as if the thread had exceeded its memory
        for (int p = 0; p < tables.length; p++) {
          new RowAdder(layout).add(rows, p, tables[p]);
        }
        rows.clear();
        fill(rows, known, vectors, wide, random);
      }
      parts.add(rows);
    }
    RowGroupMaker maker =
        new RowGroupMaker(tables, parts, layout, keyBits, GroupMemory.unlimited());
    SortedGroups.Arena arena = new SortedGroups.Arena(GroupMemory.unlimited());
    var wanted = expected.entrySet().iterator();
    int[] places = new int[1];
    long[] scratch = new long[layout.stateWords()];
    for (int p = 0; p < tables.length; p++) {
      SortedGroups groups = maker.make(p, arena);
      for (int g = 0; g < groups.size(); g++) {
        var group = wanted.next();
        assertEquals(group.getKey(), groups.key(g), name);
        long[] states = groups.states(g, 1, places, scratch);
        for (Accumulator one : layout.accumulators()) {
          String of = name + ": " + one;
          assertEquals(of(one, group.getValue()), of(one, states, places[0]), of);
        }
      }
    }
    assertFalse(wanted.hasNext(), name + ": too few groups");
    parts.forEach(CutRows::release);
    arena.release();
  }

  private void fill(
      CutRows rows, long[] known, Vector[] vectors, double wide, SplittableRandom random) {
    long[] keys = new long[Vector.CAPACITY];
    int[] selection = new int[Vector.CAPACITY];
    for (int batches = random.nextInt(60); batches > 0; batches--) {
      int count = random.nextInt(1, Vector.CAPACITY + 1);
      Arrays.setAll(keys, i -> known[random.nextInt(known.length)]);
      Long[][] values = new Long[count][vectors.length];
      for (int a = 0; a < vectors.length; a++) {
        vectors[a].setAllValid(count);
        for (int i = 0; i < count; i++) {
          boolean isWide = random.nextDouble() < wide;
          long value = isWide ? random.nextLong() >>> random.nextInt(64) : random.nextInt(1 << 14);
          boolean isNull = isWide && random.nextBoolean();
          values[i][a] = isNull ? null : value;
          vectors[a].values()[i] = isNull ? 0 : value;
          vectors[a].validity()[i >>> 6] &= ~((isNull ? 1L : 0) << i);
        }
        vectors[a].settleValidity(count);
      }
      int n = 0;
      for (int i = 0; i < count; i++) {
        if (random.nextInt(10) > 0) {
          selection[n++] = i;
          expected.computeIfAbsent(keys[i], key -> new ArrayList<>()).add(values[i]);
        }
      }
      rows.add(keys, vectors, selection, n);
    }
    rows.settle();
    for (int p = 0; p < rows.wide().partitions(); p++) {
      narrowRows += rows.narrowRows(p);
      wideRows += rows.wide().rows(p);
    }
  }

  private static BigInteger of(Accumulator accumulator, List<Long[]> rows) {
    if (accumulator.argument() < 0) {
      return BigInteger.valueOf(rows.size());
    }
    List<Long> values =
        rows.stream()
            .map(row -> row[accumulator.argument()])
            .filter(value -> value != null)
            .toList();
    return switch (accumulator.operation()) {
      case COUNT_VALUES -> BigInteger.valueOf(values.size());
      case SUM -> values.stream().map(BigInteger::valueOf).reduce(BigInteger.ZERO, BigInteger::add);
      case MIN ->
          BigInteger.valueOf(values.stream().mapToLong(v -> v).min().orElse(Long.MAX_VALUE));
      case MAX ->
          BigInteger.valueOf(values.stream().mapToLong(v -> v).max().orElse(Long.MIN_VALUE));
      default -> throw new AssertionError(accumulator);
    };
  }

  private static BigInteger of(Accumulator accumulator, long[] states, int at) {
    long word = states[at + accumulator.word()];
    if (accumulator.operation() != Accumulator.Operation.SUM) {
      return BigInteger.valueOf(word);
    }
    long wraps = states[at + accumulator.word() + 1];
    return BigInteger.valueOf(wraps).shiftLeft(64).add(BigInteger.valueOf(word));
  }
}
