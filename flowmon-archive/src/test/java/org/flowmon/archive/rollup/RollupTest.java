package org.flowmon.archive.rollup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RollupTest {
  @TempDir Path directory;

  /** Rows, and for each measure the values that are not NULL and their sum. */
  private record Sums(long rows, List<Long> values, List<BigInteger> sums) {}

  /** A cell's place: hour, outgoing, then the address, NULL last. */
  private record Cell(long hour, int outgoing, IpAddress address) implements Comparable<Cell> {
    @Override
    public int compareTo(Cell other) {
      int order = Long.compare(hour, other.hour);
      order = order != 0 ? order : Integer.compare(outgoing, other.outgoing);
      if (order != 0 || address == null || other.address == null) {
        return order != 0 ? order : Boolean.compare(address == null, other.address == null);
      }
      return address.compareTo(other.address);
    }
  }

  private static Map<Cell, Sums> expected(
      List<FlowBatch> flows, FlowColumn column, boolean byHour) {
    Map<Cell, Sums> cells = new TreeMap<>();
    List<Measure> measures = measures(flows);
    for (FlowBatch batch : flows) {
      for (int row = 0; row < batch.rows(); row++) {
        Long end = DenseTraffic.number(batch, FlowColumn.END_TIME, row);
        Long outgoing = DenseTraffic.number(batch, FlowColumn.OUTGOING, row);
        long hour = end == null ? Long.MAX_VALUE : Math.floorDiv(end, 3_600_000_000L);
        Cell cell =
            new Cell(
                byHour ? hour : 0,
                outgoing == null ? 2 : outgoing.intValue(),
                DenseTraffic.address(batch, column, row));
        List<Long> values = new ArrayList<>();
        List<BigInteger> sums = new ArrayList<>();
        Long rate = DenseTraffic.number(batch, FlowColumn.SAMPLING_RATE, row);
        for (Measure measure : measures) {
          Long value = DenseTraffic.number(batch, measure.column(), row);
          BigInteger factor = BigInteger.valueOf(measure.isEstimate() && rate != null ? rate : 1);
          values.add(value == null ? 0L : 1L);
          sums.add(BigInteger.valueOf(value == null ? 0 : value).multiply(factor));
        }
        cells.merge(cell, new Sums(1, values, sums), RollupTest::plus);
      }
    }
    return cells;
  }

  /** The measures that rollups have of these rows: estimates if one differs and all fit. */
  private static List<Measure> measures(List<FlowBatch> flows) {
    List<Measure> measures = new ArrayList<>();
    for (FlowColumn column : RollupFormat.MEASURES) {
      boolean isSampled = false;
      boolean fits = true;
      boolean hasValues = false;
      for (FlowBatch batch : flows) {
        for (int row = 0; row < batch.rows(); row++) {
          Long rate = DenseTraffic.number(batch, FlowColumn.SAMPLING_RATE, row);
          Long value = DenseTraffic.number(batch, column, row);
          isSampled |= rate != null && rate != 1;
          hasValues |= value != null;
          BigInteger product =
              BigInteger.valueOf(value == null ? 0 : value)
                  .multiply(BigInteger.valueOf(rate == null ? 1 : rate));
          fits &= product.bitLength() < 64;
        }
      }
      if (hasValues) {
        measures.add(Measure.of(column));
      }
      if (hasValues && isSampled && fits) {
        measures.add(Measure.estimateOf(column));
      }
    }
    return measures;
  }

  private static List<Measure> measures(Rollup rollup) {
    return RollupFormat.MEASURES.stream()
        .flatMap(column -> Stream.of(Measure.of(column), Measure.estimateOf(column)))
        .filter(rollup::has)
        .toList();
  }

  private static Sums plus(Sums a, Sums b) {
    List<Long> values = new ArrayList<>();
    List<BigInteger> sums = new ArrayList<>();
    for (int m = 0; m < a.values.size(); m++) {
      values.add(a.values.get(m) + b.values.get(m));
      sums.add(a.sums.get(m).add(b.sums.get(m)));
    }
    return new Sums(a.rows + b.rows, values, sums);
  }

  private static Map<Cell, Sums> read(SegmentIndex index, FlowColumn column, Rollup rollup) {
    Map<Cell, Sums> cells = new TreeMap<>();
    CellReader reader = new CellReader();
    int[] ids = new int[RollupFormat.BLOCK];
    for (int s = 0; s < rollup.slices(); s++) {
      reader.open(rollup, s);
      for (int b = 0; b < reader.blocks(); b++) {
        reader.readIds(b, ids);
        assertEquals(reader.firstId(b), ids[0]);
        assertEquals(b, reader.blockOf(ids[reader.cells(b) - 1]));
        for (int c = 0; c < reader.cells(b); c++) {
          IpAddress address = ids[c] == rollup.nullId() ? null : index.address(column, ids[c]);
          cells.put(
              new Cell(rollup.hour(s), rollup.outgoing(s), address), sums(rollup, reader, b, c));
        }
      }
    }
    return cells;
  }

  private static long word(CellReader reader, int stream, int block, int cell) {
    long[] words = new long[RollupFormat.BLOCK];
    reader.read(stream, block, words);
    return words[cell];
  }

  private static Sums sums(Rollup rollup, CellReader reader, int b, int c) {
    List<Long> values = new ArrayList<>();
    List<BigInteger> sums = new ArrayList<>();
    for (Measure measure : measures(rollup)) {
      values.add(word(reader, rollup.valuesStream(measure), b, c));
      int high = rollup.highStream(measure);
      sums.add(
          new BigInteger(Long.toUnsignedString(word(reader, rollup.sumStream(measure), b, c)))
              .add(
                  high < 0
                      ? BigInteger.ZERO
                      : BigInteger.valueOf(word(reader, high, b, c)).shiftLeft(64)));
    }
    return new Sums(word(reader, rollup.rowsStream(), b, c), values, sums);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void cellsAreTheSumsOfTheirRows(long seed) throws Exception {
    List<FlowBatch> flows = new DenseTraffic(seed).batches(6000);
    SealedSegment sealed = new SegmentWriter().seal(directory, flows, Provenance.NONE);
    boolean hasEstimates = measures(flows).stream().anyMatch(Measure::isEstimate);
    estimated += hasEstimates ? 1 : 0;
    String footer =
        Files.readString(directory.resolve(sealed.indexFileName()), StandardCharsets.ISO_8859_1);
    assertEquals(hasEstimates, footer.contains("-v2\"") && !footer.contains("totals-v1"));
    int found = 0;
    try (SegmentIndex index = sealed.openIndex(directory, true)) {
      for (FlowColumn column : RollupFormat.DIMENSIONS) {
        if (index.hours(column) != null) {
          found++;
          assertEquals(
              expected(flows, column, true), read(index, column, index.hours(column)), "" + seed);
        }
        if (index.totals(column) != null) {
          found++;
          assertEquals(
              expected(flows, column, false), read(index, column, index.totals(column)), "" + seed);
        }
      }
    }
    assertTrue(found > 0, "no rollup with seed " + seed);
  }

  private static int estimated;

  @AfterAll
  static void someHadEstimatesAndSomeHadNone() {
    assertTrue(estimated > 2 && estimated < 10, estimated + " of 12 with estimates");
  }

  @Test
  void aWriterGoesFromSegmentToSegment() throws Exception {
    SegmentWriter writer = new SegmentWriter();
    for (long seed = 20; seed < 40; seed++) {
      List<FlowBatch> flows = new DenseTraffic(seed).batches(500 + (int) (seed * 131 % 5000));
      SealedSegment sealed = writer.seal(directory, flows, Provenance.NONE);
      try (SegmentIndex index = sealed.openIndex(directory, true)) {
        for (FlowColumn column : RollupFormat.DIMENSIONS) {
          Rollup hours = index.hours(column);
          if (hours != null) {
            assertEquals(expected(flows, column, true), read(index, column, hours), "" + seed);
          }
        }
      }
    }
  }

  @Test
  void manyAddressesWithFewRowsEachHaveNoRollup() throws Exception {
    List<FlowBatch> flows = DenseTraffic.ofDistinctAddresses(3000);
    SealedSegment sealed = new SegmentWriter().seal(directory, flows, Provenance.NONE);
    try (SegmentIndex index = sealed.openIndex(directory, true)) {
      assertNull(index.hours(FlowColumn.SRC_ADDR));
      assertNull(index.totals(FlowColumn.SRC_ADDR));
      assertNotNull(index.hours(FlowColumn.DST_ADDR));
    }
  }

  /** Writes one byte in place: rewriting a whole file would flush it each time. */
  private static void put(Path path, int at, int value) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(at);
      file.write(value);
    }
  }

  /** If any single byte is changed, the blob that contains it is not read. */
  @Test
  void everyFlippedByteOfABlobIsFound() throws Exception {
    List<FlowBatch> flows = new DenseTraffic(7).batches(3000);
    SealedSegment sealed = new SegmentWriter().seal(directory, flows, Provenance.NONE);
    Path file = directory.resolve(sealed.indexFileName());
    byte[] bytes = Files.readAllBytes(file);
    String footer = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
    int found = 0;
    for (String type : List.of(RollupFormat.TOTALS_2, RollupFormat.HOURS_2)) {
      int entry = footer.indexOf(type);
      assertTrue(entry >= 0, "the footer names " + type);
      int offset = number(footer, "\"offset\":", entry);
      int length = number(footer, "\"length\":", entry);
      FlowColumn column = FlowColumn.byId(number(footer, "\"fields\":[", entry));
      Random random = new Random(9);
      for (int at = offset; at < offset + length; at++) {
        put(file, at, bytes[at] ^ (1 + random.nextInt(255)));
        try (SegmentIndex index = sealed.openIndex(directory, true)) {
          assertThrows(
              SegmentCorruptException.class,
              () ->
                  read(
                      index,
                      column,
                      type.equals(RollupFormat.TOTALS_2)
                          ? index.totals(column)
                          : index.hours(column)),
              type + " at " + (at - offset));
          found++;
        }
        put(file, at, bytes[at]);
      }
    }
    assertTrue(found > 2000, found + " bytes");
  }

  /** Without checksums a changed byte may change sums, but nothing is read out of bounds. */
  @Test
  void withoutChecksumsFlippedBytesAreReadWithinBounds() throws Exception {
    List<FlowBatch> flows = new DenseTraffic(7).batches(2500);
    SealedSegment sealed = new SegmentWriter().seal(directory, flows, Provenance.NONE);
    Path file = directory.resolve(sealed.indexFileName());
    byte[] bytes = Files.readAllBytes(file);
    String footer = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
    int entry = footer.indexOf(RollupFormat.HOURS_2);
    int offset = number(footer, "\"offset\":", entry);
    int length = number(footer, "\"length\":", entry);
    FlowColumn column = FlowColumn.byId(number(footer, "\"fields\":[", entry));
    Random random = new Random(10);
    int refused = 0;
    for (int at = offset; at < offset + length; at++) {
      put(file, at, bytes[at] ^ (1 + random.nextInt(255)));
      try (SegmentIndex index = sealed.openIndex(directory, false)) {
        read(index, column, index.hours(column));
      } catch (SegmentCorruptException e) {
        refused++;
      }
      put(file, at, bytes[at]);
    }
    assertTrue(refused > 100 && refused < length, refused + " of " + length);
  }

  /** Not only within a block: a lookup uses the first id of each. */
  @Test
  void idsThatDoNotAscendFromBlockToBlockAreRefusedWithoutChecksumsToo() throws Exception {
    FlowBatchBuilder builder = new FlowBatchBuilder(6000);
    for (int row = 0; row < 6000; row++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, DenseTraffic.BEGIN + row);
      builder.set(FlowColumn.END_TIME, DenseTraffic.BEGIN + row);
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.ofIpv4(0x0A00_0000 + row % 700));
      builder.endRow();
    }
    List<FlowBatch> flows = List.of(FlowBatch.open(builder.build(1, 0, 0, 0)));
    SealedSegment sealed = new SegmentWriter().seal(directory, flows, Provenance.NONE);
    Path file = directory.resolve(sealed.indexFileName());
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer blob = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    String footer = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
    int entry = footer.indexOf(RollupFormat.HOURS);
    int offset = number(footer, "\"offset\":", entry);
    FlowColumn column = FlowColumn.byId(number(footer, "\"fields\":[", entry));
    int tested = 0;
    int slices = blob.getInt(offset + 4);
    int directoryAt = offset + 12 + 4 * blob.getInt(offset + 8);
    for (int s = 0; s < slices; s++) {
      int blocks = (blob.getInt(directoryAt + 24 * s + 12) + 255) / 256;
      int firstIds = offset + blob.getInt(directoryAt + 24 * s + 16);
      for (int b = 1; b < blocks; b++) {
        int id = blob.getInt(firstIds + 4 * b);
        int before = blob.getInt(firstIds + 4 * (b - 1));
        for (int wrong : new int[] {before, id - 1, before - 1, -1, 700}) {
          blob.putInt(firstIds + 4 * b, wrong);
          Files.write(file, bytes);
          try (SegmentIndex index = sealed.openIndex(directory, false)) {
            assertThrows(
                SegmentCorruptException.class,
                () -> read(index, column, index.hours(column)),
                "slice " + s + ", block " + b + ": " + wrong);
            tested++;
          }
        }
        blob.putInt(firstIds + 4 * b, id);
      }
    }
    assertEquals(10, tested, "three blocks");
  }

  private static int number(String text, String key, int from) {
    int at = text.indexOf(key, from) + key.length();
    int end = at;
    while (Character.isDigit(text.charAt(end))) {
      end++;
    }
    return Integer.parseInt(text.substring(at, end));
  }
}
