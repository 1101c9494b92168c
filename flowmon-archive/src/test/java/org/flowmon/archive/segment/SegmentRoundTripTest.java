package org.flowmon.archive.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.SegmentVerifier;
import org.flowmon.archive.segment.reader.SelectedRows;
import org.flowmon.archive.segment.writer.EncodingChoice;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.sorted.AddressList;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.flow.Heartbeat;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "{0}")
@ValueSource(
    strings = {
      "lookup",
      "compact",
      "compact codec=zstd:9 page=4096",
      "compact codec=lz4 page=4096 split=true",
      "compact codec=lz4:9",
      "compact codec=none page=4096 split=true"
    })
class SegmentRoundTripTest {
  @Parameter String options;

  private static final int BLOCK = 1024;

  @TempDir Path directory;

  @ParameterizedTest(name = "{0} rows, seed {1}, IPv6 {2}")
  @CsvSource({
    "1, 1, false",
    "1, 2, true",
    "7, 3, true",
    "8, 4, false",
    "9, 5, true",
    "64, 6, false",
    "65, 7, true",
    "513, 8, true",
    "4097, 10, true",
    "20000, 11, false",
    "70001, 13, true"
  })
  void everyValueOfEveryColumnIsReadBackInOrder(int rows, long seed, boolean ipv6)
      throws Exception {
    List<FlowBatch> batches = new RandomFlows(seed, ipv6).batches(rows);
    SealedSegment sealed =
        new SegmentWriter(SegmentOptions.parse(options))
            .seal(directory, batches, Provenance.of("seed", "" + seed));
    List<Object[]> expected = RowsOracle.sorted(batches);
    assertEquals(rows, sealed.rows());
    assertEquals(sealed, SealedSegment.fromBytes(sealed.toBytes()));
    assertEquals(List.of(), SegmentVerifier.verify(directory, sealed));
    try (SegmentReader reader = SegmentReader.open(directory, sealed)) {
      for (FlowColumn column : FlowColumn.all()) {
        String at = column.sqlName() + ", seed " + seed;
        checkSequential(reader, column, expected, at);
        checkGathered(reader, column, expected, new Random(seed), at);
        checkSummary(reader, column, expected, at);
        if (reader.hasDictionary(column)) {
          checkIds(reader, column, expected, at);
        }
      }
    }
    assertEquals(sum(expected, FlowColumn.BYTES), sealed.totalBytes());
    assertEquals(sum(expected, FlowColumn.PACKETS), sealed.totalPackets());
  }

  private static BigInteger sum(List<Object[]> rows, FlowColumn column) {
    return rows.stream()
        .map(r -> r[column.ordinal()])
        .filter(Objects::nonNull)
        .map(v -> BigInteger.valueOf((Long) v))
        .reduce(BigInteger.ZERO, BigInteger::add);
  }

  private static void checkSequential(
      SegmentReader reader, FlowColumn column, List<Object[]> expected, String at) {
    long[] low = new long[BLOCK];
    long[] high = new long[BLOCK];
    long[] valid = new long[BLOCK / 64];
    // An odd step, so that blocks begin at every bit of a byte.
    for (int from = 0; from < expected.size(); from += 1021) {
      int n = Math.min(1021, expected.size() - from);
      reader.readValidity(column, from, n, valid);
      read(reader, column, from, n, high, low);
      for (int i = 0; i < n; i++) {
        Object value = expected.get(from + i)[column.ordinal()];
        int row = from + i;
        assertEquals(value != null, (valid[i >>> 6] >>> i & 1) != 0, () -> at + ", row " + row);
        check(column, value, high[i], low[i], reader, row, at);
      }
    }
  }

  private static void read(
      SegmentReader reader, FlowColumn column, int from, int n, long[] high, long[] low) {
    if (column.type() == ColumnType.ADDRESS) {
      reader.readAddresses(column, from, n, high, low);
    } else if (column.type().isLong()) {
      reader.readLongs(column, from, n, low);
    }
  }

  private static void check(
      FlowColumn column,
      Object value,
      long high,
      long low,
      SegmentReader reader,
      int row,
      String at) {
    Supplier<String> where = () -> at + ", row " + row;
    switch (column.type()) {
      case ADDRESS ->
          assertEquals(
              value == null ? new IpAddress(0, 0) : value, new IpAddress(high, low), where);
      case TEXT -> assertEquals(value, reader.text(column, row), where);
      default -> assertEquals(value == null ? 0L : value, low, where);
    }
  }

  private static void checkGathered(
      SegmentReader reader, FlowColumn column, List<Object[]> expected, Random random, String at) {
    int[] rows = random.ints(BLOCK, 0, expected.size()).toArray();
    long[] low = new long[BLOCK];
    long[] high = new long[BLOCK];
    long[] valid = new long[BLOCK / 64];
    SelectedRows selected = new SelectedRows(reader).select(rows, rows.length);
    selected.readValidity(column, 0, BLOCK, valid);
    if (column.type() == ColumnType.ADDRESS) {
      selected.readAddresses(column, 0, BLOCK, high, low);
    } else if (column.type().isLong()) {
      selected.readLongs(column, 0, BLOCK, low);
    }
    for (int i = 0; i < BLOCK; i++) {
      Object value = expected.get(rows[i])[column.ordinal()];
      assertEquals(value != null, (valid[i >>> 6] >>> i & 1) != 0, at);
      check(column, value, high[i], low[i], reader, rows[i], at);
    }
  }

  private static void checkSummary(
      SegmentReader reader, FlowColumn column, List<Object[]> expected, String at) {
    List<Object> values =
        expected.stream().map(r -> r[column.ordinal()]).filter(Objects::nonNull).toList();
    assertEquals(expected.size() - values.size(), reader.nullCount(column), at);
    Presence presence = reader.presence(column);
    assertEquals(values.isEmpty(), presence == Presence.ABSENT, at);
    boolean constant =
        values.size() == expected.size() && values.stream().allMatch(values.get(0)::equals);
    assertEquals(constant, presence == Presence.CONSTANT, at);
    assertEquals(
        !values.isEmpty() && values.size() < expected.size(), presence == Presence.NULLABLE, at);
    if (column.type().isLong()) {
      assertEquals(
          values.stream().mapToLong(v -> (Long) v).min().orElse(Long.MAX_VALUE),
          reader.minLong(column),
          at);
      assertEquals(
          values.stream().mapToLong(v -> (Long) v).max().orElse(Long.MIN_VALUE),
          reader.maxLong(column),
          at);
    } else if (column.type() == ColumnType.ADDRESS) {
      assertEquals(!values.isEmpty(), reader.hasDictionary(column), at);
      if (!values.isEmpty()) {
        List<IpAddress> addresses = values.stream().map(v -> (IpAddress) v).toList();
        AddressList stored = reader.addresses(column);
        int last = stored.size() - 1;
        assertEquals(Collections.min(addresses), new IpAddress(stored.high(0), stored.low(0)), at);
        assertEquals(
            Collections.max(addresses), new IpAddress(stored.high(last), stored.low(last)), at);
      }
    }
  }

  private static void checkIds(
      SegmentReader reader, FlowColumn column, List<Object[]> expected, String at) {
    int[] ids = new int[expected.size()];
    reader.readIds(column, 0, ids.length, ids);
    int[] all = java.util.stream.IntStream.range(0, ids.length).toArray();
    int[] gathered = new int[ids.length];
    reader.gatherIds(column, all, ids.length, gathered);
    for (int row = 0; row < ids.length; row++) {
      Object value = expected.get(row)[column.ordinal()];
      boolean isRight =
          ids[row] == gathered[row]
              && (value == null
                  ? ids[row] == -1
                  : ids[row] >= 0 && value.equals(entry(reader, column, ids[row])));
      if (!isRight) {
        fail(at + ", row " + row + ": " + ids[row] + " and " + gathered[row] + " of " + value);
      }
    }
    for (int id = 1; id < reader.dictionarySize(column); id++) {
      if (column.type() != ColumnType.TEXT) {
        assertTrue(
            order(entry(reader, column, id - 1), entry(reader, column, id)) < 0, at + ", id " + id);
      }
    }
  }

  private static int order(Object a, Object b) {
    return a instanceof Long number
        ? number.compareTo((Long) b)
        : ((IpAddress) a).compareTo((IpAddress) b);
  }

  private static Object entry(SegmentReader reader, FlowColumn column, int id) {
    return switch (column.type()) {
      case ADDRESS ->
          new IpAddress(reader.dictionaryHigh(column, id), reader.dictionaryLow(column, id));
      case TEXT -> reader.dictionaryText(column, id);
      default -> reader.dictionaryLong(column, id);
    };
  }

  @Test
  void oneWriterSealsManySegmentsWithoutMixingThem() throws Exception {
    SegmentWriter writer = new SegmentWriter(SegmentOptions.parse(options));
    for (long seed = 100; seed < 112; seed++) {
      List<FlowBatch> batches =
          new RandomFlows(seed, seed % 2 == 0).batches(seed % 3 == 0 ? 3000 : 500);
      SealedSegment sealed = writer.seal(directory, batches, Provenance.NONE);
      List<Object[]> expected = RowsOracle.sorted(batches);
      try (SegmentReader reader = SegmentReader.open(directory, sealed)) {
        for (FlowColumn column : FlowColumn.all()) {
          checkSequential(reader, column, expected, column.sqlName() + ", seed " + seed);
        }
      }
    }
  }

  @Test
  void archivedRowsAreSealedAgainAsTheyWere() throws Exception {
    List<FlowBatch> batches = new RandomFlows(5, true).batches(5000);
    SegmentWriter writer = new SegmentWriter(SegmentOptions.parse(options));
    SealedSegment first = writer.seal(directory, batches, Provenance.NONE);
    try (SegmentReader reader = SegmentReader.open(directory, first)) {
      SealedSegment second = writer.seal(directory, List.of(reader), Provenance.NONE);
      try (SegmentReader again = SegmentReader.open(directory, second)) {
        List<Object[]> expected = RowsOracle.sorted(batches);
        for (FlowColumn column : FlowColumn.all()) {
          checkSequential(again, column, expected, column.sqlName());
        }
      }
    }
  }

  @Test
  void flowsWithoutEndTimeAreSortedByArrival() throws Exception {
    FlowBatchBuilder builder = new FlowBatchBuilder(10);
    long[][] endAndArrival = {{50, 9}, {-1, 40}, {30, 9}, {-1, 20}};
    for (long[] times : endAndArrival) {
      builder.beginRow();
      if (times[0] >= 0) {
        builder.set(FlowColumn.END_TIME, times[0]);
      }
      builder.set(FlowColumn.ARRIVAL, times[1]);
      builder.endRow();
    }
    FlowBatch batch = FlowBatch.open(builder.build(1, 0, 4, 0));
    SealedSegment sealed =
        new SegmentWriter(SegmentOptions.parse(options))
            .seal(directory, List.of(batch), Provenance.NONE);
    assertEquals(new TimeRange(30, 50), sealed.endTime());
    assertEquals(new TimeRange(9, 40), sealed.arrival());
    assertEquals(TimeRange.NONE, sealed.startTime());
    try (SegmentReader reader = SegmentReader.open(directory, sealed)) {
      long[] ends = new long[4];
      reader.readLongs(FlowColumn.END_TIME, 0, 4, ends);
      assertEquals(List.of(0L, 30L, 0L, 50L), java.util.Arrays.stream(ends).boxed().toList());
    }
  }

  @Test
  void sumsAreExactBeyond64Bits() throws Exception {
    FlowBatchBuilder builder = new FlowBatchBuilder(10);
    for (int i = 0; i < 5; i++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, i);
      builder.set(FlowColumn.BYTES, Long.MAX_VALUE);
      builder.endRow();
    }
    FlowBatch batch = FlowBatch.open(builder.build(1, 0, 5, 0));
    SealedSegment sealed =
        new SegmentWriter(SegmentOptions.parse(options))
            .seal(directory, List.of(batch), Provenance.NONE);
    BigInteger expected = BigInteger.valueOf(Long.MAX_VALUE).multiply(BigInteger.valueOf(5));
    assertEquals(expected, sealed.totalBytes());
    assertEquals(expected, SealedSegment.fromBytes(sealed.toBytes()).totalBytes());
  }

  @Test
  void nothingIsLeftUnderAFinalNameWhereSealingFails() throws Exception {
    FlowBatch heartbeat = FlowBatch.open(Heartbeat.of(1, 0, 0, 0, 5));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new SegmentWriter(SegmentOptions.parse(options))
                .seal(directory, List.of(heartbeat), Provenance.NONE));
    List<FlowBatch> batches = new RandomFlows(1, false).batches(10);
    assertThrows(
        java.io.IOException.class,
        () ->
            new SegmentWriter(SegmentOptions.parse(options))
                .seal(directory.resolve("missing"), batches, Provenance.NONE));
    try (Stream<Path> files = Files.list(directory)) {
      assertEquals(0, files.count());
    }
  }

  @Test
  void aSegmentIsUnmappedAfterItsLastReferenceOnly() throws Exception {
    List<FlowBatch> batches = new RandomFlows(1, false).batches(10);
    SealedSegment sealed =
        new SegmentWriter(SegmentOptions.parse(options)).seal(directory, batches, Provenance.NONE);
    SegmentReader reader = SegmentReader.open(directory, sealed);
    long[] out = new long[10];
    reader.acquire().release();
    reader.readLongs(FlowColumn.ARRIVAL, 0, 10, out);
    reader.release();
    assertThrows(
        IllegalStateException.class, () -> reader.readLongs(FlowColumn.ARRIVAL, 0, 10, out));
    assertThrows(IllegalStateException.class, reader::acquire);
    assertThrows(IllegalStateException.class, reader::release);
    try (SegmentIndex index = sealed.openIndex(directory, true)) {
      assertEquals(10, index.rows());
    }
  }

  @Test
  void aSegmentWhoseFolderCannotBeSyncedLeavesNothingBehind() throws Exception {
    List<FlowBatch> batches = new RandomFlows(21, true).batches(100);
    IOException failure = new IOException("the folder cannot be synced");
    SegmentWriter writer =
        new SegmentWriter(
            SegmentOptions.parse(options),
            folder -> {
              throw failure;
            },
            new EncodingChoice());
    assertSame(
        failure,
        assertThrows(IOException.class, () -> writer.seal(directory, batches, Provenance.NONE)));
    try (Stream<Path> files = Files.list(directory)) {
      assertEquals(List.of(), files.toList());
    }
  }
}
