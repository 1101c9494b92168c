package org.flowmon.archive.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SegmentIndexTest {
  @TempDir Path directory;

  /** Every kind of list: one row, few, half of all rows, all rows, with nulls and without. */
  private static List<FlowBatch> flows(int rows, long seed, boolean ipv6) {
    Random random = new Random(seed);
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(1000);
    for (int i = 0; i < rows; i++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, i);
      builder.setIpv4(
          FlowColumn.SRC_ADDR, 0x0A00_0000 + (int) (300 * Math.pow(random.nextDouble(), 3)));
      if (random.nextInt(5) > 0) {
        if (ipv6 && random.nextBoolean()) {
          builder.setAddress(FlowColumn.DST_ADDR, 0x2001_0db8L << 32, random.nextInt(500));
        } else {
          builder.setIpv4(FlowColumn.DST_ADDR, random.nextInt());
        }
      }
      builder.set(FlowColumn.SRC_PORT, random.nextInt(65_536));
      builder.set(FlowColumn.DST_PORT, random.nextInt(3) > 0 ? 443 : random.nextInt(1024));
      builder.set(FlowColumn.PROTOCOL, random.nextBoolean() ? 6 : 17);
      if (random.nextInt(3) > 0) {
        builder.set(FlowColumn.SRC_AS, 0xFFFF_FF00L + random.nextInt(200));
      }
      builder.setIpv4(FlowColumn.EXPORTER, 0x0A02_0001);
      builder.endRow();
      if (builder.isFull() || i == rows - 1) {
        batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
        builder.clear();
      }
    }
    return batches;
  }

  @ParameterizedTest(name = "{0} rows, seed {1}, IPv6 {2}")
  @CsvSource({
    "1, 1, false",
    "2, 2, true",
    "100, 3, true",
    "5000, 4, false",
    "70001, 5, true",
    "140000, 6, false"
  })
  void lookupsFindWhatAScanFinds(int rows, long seed, boolean ipv6) throws Exception {
    SealedSegment sealed =
        new SegmentWriter().seal(directory, flows(rows, seed, ipv6), Provenance.NONE);
    try (SegmentReader reader = SegmentReader.open(directory, sealed);
        SegmentIndex index = sealed.openIndex(directory, true)) {
      Random random = new Random(seed);
      for (FlowColumn column : SegmentIndex.DEFAULT_INDEXED) {
        IpAddress[] scanned = scan(reader, column);
        if (!index.isIndexed(column)) {
          assertEquals(rows, reader.nullCount(column));
          continue;
        }
        TreeSet<IpAddress> distinct = new TreeSet<>();
        IntStream.range(0, rows)
            .filter(r -> scanned[r] != null)
            .forEach(r -> distinct.add(scanned[r]));
        IpAddress[] sorted = distinct.toArray(IpAddress[]::new);
        String at = column.sqlName() + ", seed " + seed;
        assertEquals(sorted.length, index.dictionarySize(column), at);
        for (int id = 0; id < sorted.length; id += 1 + random.nextInt(1 + sorted.length / 20)) {
          checkValue(index, column, id, sorted[id], scanned, at);
          checkRange(index, column, sorted[id], sorted[random.nextInt(sorted.length)], scanned, at);
        }
        checkRange(index, column, sorted[0], sorted[sorted.length - 1], scanned, at);
        checkIds(reader, index, column, at);
      }
    }
  }

  /** Values as addresses, numbers in the low long. */
  private static IpAddress[] scan(SegmentReader reader, FlowColumn column) {
    int rows = reader.rows();
    long[] high = new long[rows];
    long[] low = new long[rows];
    long[] valid = new long[(rows + 63) >>> 6];
    if (column.type() == ColumnType.ADDRESS) {
      reader.readAddresses(column, 0, rows, high, low);
    } else {
      reader.readLongs(column, 0, rows, low);
    }
    reader.readValidity(column, 0, rows, valid);
    return IntStream.range(0, rows)
        .mapToObj(r -> (valid[r >>> 6] >>> r & 1) == 0 ? null : new IpAddress(high[r], low[r]))
        .toArray(IpAddress[]::new);
  }

  private static int[] matching(IpAddress[] scanned, Predicate<IpAddress> wanted) {
    return IntStream.range(0, scanned.length)
        .filter(r -> scanned[r] != null && wanted.test(scanned[r]))
        .toArray();
  }

  /** Checks all rows, and those in some range, in blocks of some size. */
  private static void checkCursor(
      SegmentIndex index, FlowColumn column, int id, int[] expected, int rows, String at) {
    Random random = new Random(id);
    int some = random.nextInt(rows);
    for (int from : new int[] {0, some}) {
      for (int to : new int[] {rows, some + 1, some + 1 + random.nextInt(rows - some)}) {
        List<Integer> found = new ArrayList<>();
        int[] block = new int[1 + random.nextInt(700)];
        RowCursor cursor = index.cursor(column, id, from, to);
        for (int n = cursor.next(block); n > 0; n = cursor.next(block)) {
          IntStream.range(0, n).forEach(i -> found.add(block[i]));
        }
        List<Integer> within =
            Arrays.stream(expected).filter(row -> row >= from && row < to).boxed().toList();
        assertEquals(within, found, at + ", id " + id + ", rows " + from + " to " + to);
      }
    }
  }

  private static void checkValue(
      SegmentIndex index,
      FlowColumn column,
      int id,
      IpAddress value,
      IpAddress[] scanned,
      String at) {
    int[] expected = matching(scanned, value::equals);
    assertArrayEquals(expected, index.rows(column, id).toArray(), at);
    assertEquals(expected.length, index.count(column, id), at);
    checkCursor(index, column, id, expected, scanned.length, at);
    if (column.type() == ColumnType.ADDRESS) {
      assertEquals(value, index.address(column, id), at);
      assertEquals(id, index.lowerBound(column, value.hi(), value.lo()), at);
      assertArrayEquals(expected, index.lookup(column, value).toArray(), at);
      IpAddress next = new IpAddress(value.hi(), value.lo() + 1);
      assertArrayEquals(matching(scanned, next::equals), index.lookup(column, next).toArray(), at);
    } else {
      assertEquals(value.lo(), index.value(column, id), at);
      assertEquals(id, index.lowerBound(column, value.lo()), at);
      assertArrayEquals(expected, index.lookup(column, value.lo()).toArray(), at);
      assertArrayEquals(
          matching(scanned, v -> v.lo() == value.lo() + 1),
          index.lookup(column, value.lo() + 1).toArray(),
          at);
    }
  }

  private static void checkRange(
      SegmentIndex index,
      FlowColumn column,
      IpAddress low,
      IpAddress high,
      IpAddress[] scanned,
      String at) {
    int[] expected = matching(scanned, v -> v.compareTo(low) >= 0 && v.compareTo(high) <= 0);
    boolean isAddress = column.type() == ColumnType.ADDRESS;
    RowSet found = RowSet.none();
    int id =
        isAddress
            ? index.lowerBound(column, low.hi(), low.lo())
            : index.lowerBound(column, low.lo());
    for (; id < index.dictionarySize(column); id++) {
      IpAddress value =
          isAddress ? index.address(column, id) : new IpAddress(0, index.value(column, id));
      if (value.compareTo(high) > 0) {
        break;
      }
      found = found.or(index.rows(column, id));
    }
    assertArrayEquals(expected, found.toArray(), at + ", " + low + "…" + high);
  }

  private static void checkIds(
      SegmentReader reader, SegmentIndex index, FlowColumn column, String at) {
    if (!reader.hasDictionary(column)) {
      return; // a dictionary larger than its values is in the sidecar only
    }
    assertEquals(reader.dictionarySize(column), index.dictionarySize(column), at);
    for (int id = 0; id < index.dictionarySize(column); id += 17) {
      if (column.type() == ColumnType.ADDRESS) {
        assertEquals(
            new IpAddress(reader.dictionaryHigh(column, id), reader.dictionaryLow(column, id)),
            index.address(column, id),
            at);
      } else {
        assertEquals(reader.dictionaryLong(column, id), index.value(column, id), at);
      }
    }
  }

  @Test
  void numbersOutsideOfTheTypeAreNowhere() throws Exception {
    SealedSegment sealed =
        new SegmentWriter().seal(directory, flows(100, 1, false), Provenance.NONE);
    try (SegmentIndex index = sealed.openIndex(directory, true)) {
      FlowColumn port = FlowColumn.SRC_PORT;
      assertEquals(0, index.lookup(port, -1).size());
      assertEquals(0, index.lookup(port, Long.MAX_VALUE).size());
      assertEquals(0, index.lowerBound(port, Long.MIN_VALUE));
      int ports = index.dictionarySize(port);
      assertEquals(ports, index.lowerBound(port, Long.MAX_VALUE));
      assertEquals(100, IntStream.range(0, ports).map(id -> index.count(port, id)).sum());
      assertTrue(index.lowerBound(port, 4) <= index.lowerBound(port, 5)); // 5 … 4 holds none
      assertFalse(index.isIndexed(FlowColumn.BYTES));
      assertThrows(IllegalArgumentException.class, () -> index.lookup(FlowColumn.BYTES, 1));
      assertThrows(IllegalArgumentException.class, () -> index.lookup(FlowColumn.SRC_ADDR, 1));
      assertThrows(IndexOutOfBoundsException.class, () -> index.rows(port, 100_000));
    }
  }
}
