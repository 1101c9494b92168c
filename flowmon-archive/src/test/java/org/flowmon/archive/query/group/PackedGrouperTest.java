package org.flowmon.archive.query.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.flowmon.archive.query.Traffic;
import org.flowmon.archive.query.group.list.KeyedRows;
import org.flowmon.archive.query.group.list.ListGroupMaker;
import org.flowmon.archive.query.group.partition.PartitionMap;
import org.flowmon.archive.query.group.partition.PartitionedRows;
import org.flowmon.archive.query.group.table.PackedTable;
import org.flowmon.archive.query.group.table.RowAdder;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.numbering.AddressNumbering;
import org.flowmon.archive.query.numbering.AddressNumbers;
import org.flowmon.archive.query.plan.NumberedKeys;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.memory.HeapBudget;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackedGrouperTest {
  private static void noCheck() {}

  @TempDir Path directory;

  private static <T> void onThreads(int threads, Callable<T> work) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<T>> futures = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        futures.add(pool.submit(work));
      }
      for (Future<T> future : futures) {
        future.get();
      }
    } finally {
      pool.shutdown();
    }
  }

  private static final String[] QUERIES = {
    "SELECT src_addr, dst_addr, SUM(bytes), COUNT(*) FROM flows GROUP BY src_addr, dst_addr",
    "SELECT protocol, src_addr, MAX(dst_addr), AVG(packets) FROM flows GROUP BY protocol, src_addr"
        + " ORDER BY AVG(packets) DESC, src_addr LIMIT 50",
    "SELECT COUNT(reverse_bytes), MIN(packets), dst_addr FROM flows GROUP BY dst_addr LIMIT 100",
    "SELECT src_addr, STDDEV(packets), STDDEV_POP(bytes) FROM flows GROUP BY src_addr",
    "SELECT DISTINCT dst_addr, protocol FROM flows",
    "SELECT src_port, dst_addr, SUM(packets) FROM flows GROUP BY dst_addr, src_port"
        + " ORDER BY SUM(packets) NULLS FIRST",
  };

  @Test
  void fewOrManyPartitionsAndLittleMemoryGiveTheSameGroups() throws Exception {
    long seed = 31;
    SplittableRandom random = new SplittableRandom(seed);
    Traffic traffic = new Traffic(seed, true, 0.05);
    List<FlowBatch> flows = new ArrayList<>();
    List<SegmentReader> segments = new ArrayList<>();
    try {
      for (int rows : new int[] {30_000, 1, 21_000, 5000}) {
        List<FlowBatch> batches = traffic.batches(rows, 0, 1);
        flows.addAll(batches);
        SealedSegment segment = new SegmentWriter().seal(directory, batches, Provenance.NONE);
        segments.add(SegmentReader.open(directory, segment));
      }
      for (int q = 0; q < 3 * QUERIES.length; q++) {
        FlowQuery query = QueryParser.parse(QUERIES[q % QUERIES.length]);
        int threads = 1 + random.nextInt(4);
        int wanted = random.nextBoolean() ? 1 : 1 + random.nextInt(300);
        long heapBytes = new long[] {1, 100_000, 1 << 26}[random.nextInt(3)];
        NumberedKeys keys = NumberedKeys.of(query).orElseThrow();
        AddressNumbering numbering = new AddressNumbering(segments, keys.addresses());
        onThreads(threads, () -> numbering.run(PackedGrouperTest::noCheck));
        PackedGrouper groups =
            PackedGrouper.withPartitions(
                PackedKeys.of(keys, numbering.finish(() -> {})).orElseThrow(),
                wanted,
                heapBytes,
                GroupMemory.unlimited());
        AtomicInteger next = new AtomicInteger();
        onThreads(threads, () -> collect(segments, groups.collector(), next));
        Deadline deadline =
            new Deadline(Optional.empty(), Long.MAX_VALUE, Long.MAX_VALUE, () -> false);
        ResultTable answer = groups.answer(threads, deadline).rows();
        String context =
            "seed " + seed + ", " + threads + " threads, " + wanted + " partitions: " + query;
        assertEquals(FlowQueries.run(flows, query).toString(), answer.toString(), context);
      }
    } finally {
      segments.forEach(SegmentReader::close);
    }
  }

  private static Void collect(
      List<SegmentReader> segments, PackedCollector collector, AtomicInteger next) {
    int[] all = new int[Vector.CAPACITY];
    Arrays.setAll(all, i -> i);
    for (int s = next.getAndIncrement(); s < segments.size(); s = next.getAndIncrement()) {
      SegmentReader segment = segments.get(s);
      collector.begin(segment);
      for (int from = 0; from < segment.rows(); from += Vector.CAPACITY) {
        collector.add(segment, from, all, Math.min(Vector.CAPACITY, segment.rows() - from));
      }
    }
    collector.end();
    return null;
  }

  @Test
  void addressesAreNumberedInTheirOrder() throws Exception {
    SplittableRandom random = new SplittableRandom(8);
    Traffic traffic = new Traffic(8, true, 0.1);
    List<SegmentReader> segments = new ArrayList<>();
    TreeSet<IpAddress> expected = new TreeSet<>();
    List<FlowColumn> columns = List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR);
    try {
      for (int s = 0; s < 25; s++) {
        List<FlowBatch> batches = traffic.batches(1 + random.nextInt(6000), 0, 1);
        SealedSegment segment = new SegmentWriter().seal(directory, batches, Provenance.NONE);
        segments.add(SegmentReader.open(directory, segment));
      }
      AddressNumbering numbering = new AddressNumbering(segments, columns);
      onThreads(3, () -> numbering.run(PackedGrouperTest::noCheck));
      AddressNumbers numbers = numbering.finish(() -> {});
      for (SegmentReader segment : segments) {
        for (FlowColumn column : columns) {
          for (int id = 0;
              segment.hasDictionary(column) && id < segment.dictionarySize(column);
              id++) {
            IpAddress address =
                new IpAddress(
                    segment.dictionaryHigh(column, id), segment.dictionaryLow(column, id));
            int number = numbers.of(segment.sealed(), column).orElseThrow()[id];
            assertEquals(address, new IpAddress(numbers.high(number), numbers.low(number)));
            expected.add(address);
          }
        }
      }
      assertEquals(expected.size(), numbers.ofNull());
      int number = 0;
      for (IpAddress address : expected) {
        assertEquals(address, new IpAddress(numbers.high(number), numbers.low(number++)));
      }
    } finally {
      segments.forEach(SegmentReader::close);
    }
  }

  /** A batch of rows, some of which have a source; none has a destination. */
  private SegmentReader sealed(IpAddress... sources) throws Exception {
    FlowBatchBuilder builder = new FlowBatchBuilder(10);
    for (IpAddress source : sources) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, 7);
      if (source != null) {
        builder.setAddress(FlowColumn.SRC_ADDR, source);
      }
      builder.endRow();
    }
    FlowBatch batch = FlowBatch.open(builder.build(1, 0, 0, 0));
    return SegmentReader.open(
        directory, new SegmentWriter().seal(directory, List.of(batch), Provenance.NONE));
  }

  @Test
  void dictionariesWithoutAnAddressHaveNoNumberButThatOfNull() throws Exception {
    List<FlowColumn> columns = List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR);
    IpAddress ipv6 = IpAddress.parse("2001:db8::1");
    try (SegmentReader none = sealed((IpAddress) null);
        SegmentReader noneEither = sealed(null, null);
        SegmentReader one = sealed(null, ipv6, null)) {
      for (List<SegmentReader> segments :
          List.of(
              List.<SegmentReader>of(),
              List.of(none),
              List.of(none, noneEither),
              List.of(none, one, noneEither))) {
        AddressNumbering numbering = new AddressNumbering(segments, columns);
        onThreads(3, () -> numbering.run(PackedGrouperTest::noCheck));
        AddressNumbers numbers = numbering.finish(() -> {});
        boolean hasOne = segments.contains(one);
        assertEquals(hasOne ? 1 : 0, numbers.ofNull());
        assertEquals(!hasOne, numbers.areHighsZero());
        for (SegmentReader segment : segments) {
          assertEquals(
              segment == one ? 1 : 0,
              AddressNumbering.entries(List.of(segment), columns),
              segment.sealed().id());
          assertTrue(numbers.of(segment.sealed(), FlowColumn.DST_ADDR).isEmpty());
          Optional<int[]> sources = numbers.of(segment.sealed(), FlowColumn.SRC_ADDR);
          if (segment == one) {
            assertArrayEquals(new int[] {0}, sources.orElseThrow());
            assertEquals(ipv6, new IpAddress(numbers.high(0), numbers.low(0)));
          } else {
            assertTrue(sources.isEmpty());
          }
        }
      }
    }
  }

  @Test
  void partitionsAreRangesInTheOrderOfKeys() {
    for (long seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      int bits = 1 + random.nextInt(62);
      long mask = (1L << bits) - 1;
      // A few leading numbers that are frequent in keys.
      long frequent = random.nextLong() & mask & -1L << Math.max(0, bits - 10);
      long[] sample = new long[random.nextInt(3000)];
      for (int i = 0; i < sample.length; i++) {
        boolean often = random.nextInt(4) > 0;
        sample[i] = often ? frequent | (random.nextLong() & mask >>> 10) : random.nextLong() & mask;
      }
      PartitionMap map =
          PartitionMap.of(sample.clone(), sample.length, bits, 1 + random.nextInt(90));
      long[] keys = Arrays.copyOf(sample, sample.length + 1000);
      for (int i = sample.length; i < keys.length; i++) {
        keys[i] = random.nextLong() & mask;
      }
      Arrays.sort(keys);
      int last = 0;
      for (long key : keys) {
        int partition = map.partition(key);
        assertTrue(
            partition >= last && partition < map.partitions(),
            "seed " + seed + ": partition " + partition + " of " + map.partitions());
        last = partition;
      }
    }
  }

  @Test
  void aFrequentFirstNumberIsCutFurther() {
    Random random = new Random(1);
    long[] sample = new long[10_000];
    for (int i = 0; i < sample.length; i++) {
      sample[i] = 77L << 20 | random.nextInt(1 << 20);
    }
    PartitionMap map = PartitionMap.of(sample, sample.length, 36, 100);
    int[] rows = new int[map.partitions()];
    for (long key : sample) {
      rows[map.partition(key)]++;
    }
    assertTrue(Arrays.stream(rows).max().getAsInt() < 400, Arrays.toString(rows));
  }

  @Test
  void aTableHasEachKeyOnceAndInOrder() {
    GroupLayout layout =
        GroupLayout.of(QueryParser.parse("SELECT src_addr, COUNT(*) FROM flows GROUP BY src_addr"));
    for (int bits : new int[] {1, 12, 33, 50, 62}) {
      Random random = new Random(bits);
      PackedTable table = new PackedTable(layout, GroupMemory.unlimited());
      TreeMap<Long, Long> expected = new TreeMap<>();
      long[] keys = new long[Vector.CAPACITY];
      for (int b = 0; b < 30; b++) {
        int n = random.nextInt(Vector.CAPACITY + 1);
        for (int i = 0; i < n; i++) {
          keys[i] = random.nextLong() & (1L << bits) - 1 & (b % 2 == 0 ? -1L : ~0xFF0L);
          expected.merge(keys[i], 1L, Long::sum);
        }
        table.add(keys, new Vector[0], n, new Accumulation(layout), new int[Vector.CAPACITY]);
      }
      assertEquals(expected.size(), table.size());
      int at = 0;
      int[] order = table.order();
      for (var entry : expected.entrySet()) {
        int group = order[at++];
        assertEquals(entry.getKey(), table.key(group), bits + " bits");
        assertEquals(entry.getValue(), table.states()[table.stateAt(group)], bits + " bits");
      }
    }
  }

  @Test
  void aTableHasRoomForGroupsNotForRows() {
    GroupLayout layout =
        GroupLayout.of(QueryParser.parse("SELECT src_addr, COUNT(*) FROM flows GROUP BY src_addr"));
    RowAdder adder = new RowAdder(layout);
    PackedTable table = new PackedTable(layout, GroupMemory.unlimited());
    adder.add(rowsOf(200_000, 1), 0, table);
    assertEquals(1, table.size());
    assertTrue(table.states().length <= 1024 * layout.stateWords(), "room of one group");
    table.clear();
    // A partition of few groups after one of many frees their memory.
    adder.add(rowsOf(200_000, 200_000), 0, table);
    assertEquals(200_000, table.size());
    table.clear();
    for (int round = 0; round < 2; round++) {
      adder.add(rowsOf(1000, 20), 0, table);
      assertEquals(20, table.size());
      for (int group : table.order()) {
        assertEquals(50, table.states()[table.stateAt(group)], "rows of key " + table.key(group));
      }
      table.clear();
    }
    assertTrue(table.states().length <= 1024 * layout.stateWords(), "room of few groups");
  }

  /** Rows in one partition, with so many keys in turn. */
  private static PartitionedRows rowsOf(int count, int distinct) {
    PartitionedRows rows = new PartitionedRows(1, 20, new ValueKind[0], true);
    int[] all = new int[Vector.CAPACITY];
    Arrays.setAll(all, i -> i);
    long[] keys = new long[Vector.CAPACITY];
    for (int from = 0; from < count; from += Vector.CAPACITY) {
      int first = from;
      Arrays.setAll(keys, i -> (first + i) % distinct);
      rows.add(null, keys, new Vector[0], all, Math.min(Vector.CAPACITY, count - from));
    }
    return rows;
  }

  @Test
  void keysThatDoNotFitALongAreNotPacked() {
    String keys = "src_as, src_addr, outgoing, dst_as";
    FlowQuery query =
        QueryParser.parse("SELECT " + keys + ", SUM(bytes) FROM flows GROUP BY " + keys);
    NumberedKeys numbered = NumberedKeys.of(query).orElseThrow();
    assertTrue(PackedKeys.of(numbered, new AddressNumbers(new long[0], new long[7])).isEmpty());
  }

  @Test
  void eachKeyHasAPlaceWhereMemoryHasOneForEachThreadAndAsMuchForTheAnswer() {
    PackedKeys keys =
        NumberedKeys.of(
                QueryParser.parse("SELECT protocol, SUM(bytes) FROM flows GROUP BY protocol"))
            .flatMap(some -> PackedKeys.of(some, new AddressNumbers(new long[0], new long[0])))
            .orElseThrow();
    int threads = 3;
    // The protocols and NULL, to a power of two: a state each, and whether it was seen.
    long states = (long) keys.layout().stateWords() << 9;
    long bytes = threads * (Long.BYTES * states + (1 << 9));
    GroupMemory enough = new GroupMemory(2 * bytes + 5);
    enough.take(5);
    PackedGrouper dense = PackedGrouper.of(keys, 100_000, 1, threads, enough);
    assertTrue(dense.isDense());
    assertEquals(5 + bytes, enough.taken());
    GroupMemory less = new GroupMemory(2 * bytes - 1);
    PackedGrouper hashed = PackedGrouper.of(keys, 100_000, 1, threads, less);
    assertFalse(hashed.isDense());
    assertEquals(0, less.taken());
    PackedKeys ports =
        NumberedKeys.of(
                QueryParser.parse("SELECT dst_port, SUM(bytes) FROM flows GROUP BY dst_port"))
            .flatMap(some -> PackedKeys.of(some, new AddressNumbers(new long[0], new long[0])))
            .orElseThrow();
    GroupMemory any = GroupMemory.unlimited();
    assertFalse(PackedGrouper.of(ports, 100_000, 1, threads, any).isDense());
  }

  private static final FlowQuery PAIRS =
      QueryParser.parse(
          "SELECT src_addr, dst_addr, COUNT(*) FROM flows GROUP BY src_addr, dst_addr");

  /** Pairs of addresses. */
  private static PackedKeys pairs(AddressNumbers first, AddressNumbers second) {
    return PackedKeys.of(NumberedKeys.of(PAIRS).orElseThrow(), first, second).orElseThrow();
  }

  private static PackedGrouper pairs(int addresses, int wanted, long heapBytes) {
    AddressNumbers numbers = new AddressNumbers(new long[0], new long[addresses]);
    return PackedGrouper.withPartitions(
        pairs(numbers, numbers), wanted, heapBytes, GroupMemory.unlimited());
  }

  @Test
  void hostsThatTheSampleDoesNotHaveAreSpreadOverPartitionsToo() {
    int addresses = 100_000;
    PackedGrouper groups = pairs(addresses, 100, 1 << 20);
    int shift = groups.keyBits() / 2;
    long[] sample = new long[16_384];
    for (int i = 0; i < sample.length; i++) {
      sample[i] = (long) (i % 1000) << shift; // of the first hundredth only
    }
    PartitionMap map = groups.cut(() -> sample).map;
    int[] numbers = new int[map.partitions()];
    for (long number = 1000; number < addresses; number++) {
      numbers[map.partition(number << shift)]++;
    }
    int most = Arrays.stream(numbers).max().getAsInt();
    assertTrue(most < addresses / 10, most + " of " + addresses + " addresses in one partition");
  }

  @Test
  void partitionsAreNoMoreThanMemoryHasBlocksFor() {
    assertEquals(1, PackedGrouper.wanted(1000, 96L << 20, 3));
    assertEquals(2048, PackedGrouper.wanted(100_000_000, 96L << 20, 3));
    // With a heap of 256 MiB, a block of each partition is a part of the rows' memory.
    long share = (256L << 20) / 24;
    int wanted = PackedGrouper.wanted(100_000_000, share, 3);
    assertTrue(
        wanted > 100 && 2L * wanted * PartitionedRows.blockBytes(3) < share,
        wanted + " partitions");
    assertEquals(1, PackedGrouper.wanted(100_000_000, 1, 3));
  }

  @Test
  void listsAreNotGroupedWhereStatesOfAllAddressesTakeTooMuchMemory() {
    AddressNumbers first = new AddressNumbers(new long[0], new long[1]);
    PackedKeys few = pairs(first, new AddressNumbers(new long[0], new long[1000]));
    PackedKeys many = pairs(first, new AddressNumbers(new long[0], new long[1_000_000]));
    // States of the many take 13 MB, a thread may have 11.
    HeapBudget heap = new HeapBudget(256L << 20);
    HeapBudget larger = new HeapBudget(512L << 20);
    assertTrue(ListGrouping.hasRoom(few, 2, heap, GroupMemory.unlimited()));
    assertFalse(ListGrouping.hasRoom(many, 1, heap, GroupMemory.unlimited()));
    assertTrue(ListGrouping.hasRoom(many, 1, larger, GroupMemory.unlimited()));
    // All threads together may take at most an eighth.
    assertFalse(ListGrouping.hasRoom(many, 6, larger, GroupMemory.unlimited()));
    // Nor more than half of the query's remaining memory.
    long most = 2 * 3 * ListGroupMaker.heapBytes(few.numbers(1), few.layout());
    GroupMemory enough = new GroupMemory(most + 5);
    enough.take(5);
    assertTrue(ListGrouping.hasRoom(few, 3, heap, enough));
    enough.take(1);
    assertFalse(ListGrouping.hasRoom(few, 3, heap, enough));
  }

  @Test
  void rowsAreNumberedWhereMemoryHasThatAndAsMuchForTheAnswer() {
    List<KeyedRows> keys = List.of(new KeyedRows(0, List.of(), 4000));
    long bytes = 4 * 4000;
    GroupMemory memory = new GroupMemory(2 * bytes + 5);
    memory.take(5);
    PackedKeys few =
        pairs(
            new AddressNumbers(new long[0], new long[1]),
            new AddressNumbers(new long[0], new long[10]));
    ListGrouping grouping =
        new ListGrouping(few, FlowColumn.DST_ADDR, keys, List.of(), Map.of(), 1, memory);
    assertTrue(grouping.takesNumbers());
    assertEquals(5 + bytes, memory.taken());
    memory.take(1 - bytes);
    assertFalse(grouping.takesNumbers());
    assertEquals(6, memory.taken());
  }
}
