package org.flowmon.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FlowBatchTest {
  private static final long SEED = 20261121;

  @Test
  void everyValueComesBackAsItWasSet() {
    for (int round = 0; round < 200; round++) {
      Random random = new Random(SEED + round);
      List<Map<FlowColumn, Object>> rows = RandomFlows.rows(random, 1 + random.nextInt(200));
      FlowBatch batch = FlowBatch.open(build(rows, new FlowBatchBuilder(200)));
      assertEquals(rows.size(), batch.rows());
      for (FlowColumn column : FlowColumn.all()) {
        for (int i = 0; i < rows.size(); i++) {
          String where = "seed " + (SEED + round) + ", " + column + " of row " + i;
          assertEquals(rows.get(i).get(column), RandomFlows.read(batch, column, i), where);
        }
      }
    }
  }

  @Test
  void readsOfRangesEqualReadsOfRows() {
    for (int round = 0; round < 200; round++) {
      Random random = new Random(SEED + round);
      List<Map<FlowColumn, Object>> rows = RandomFlows.rows(random, 1 + random.nextInt(300));
      FlowBatch batch = FlowBatch.open(build(rows, new FlowBatchBuilder(300)));
      int from = random.nextInt(rows.size());
      int count = random.nextInt(rows.size() - from + 1);
      long[] a = new long[count];
      long[] b = new long[count];
      long[] words = new long[(count + 63) / 64];
      for (FlowColumn column : FlowColumn.all()) {
        batch.readValidity(column, from, count, words);
        if (column.type() == ColumnType.ADDRESS) {
          batch.readAddresses(column, from, count, a, b);
        } else if (column.type() != ColumnType.TEXT) {
          batch.readLongs(column, from, count, a);
        }
        for (int i = 0; i < count; i++) {
          String where = "seed " + (SEED + round) + ", " + column + " of row " + (from + i);
          Object expected = rows.get(from + i).get(column);
          assertEquals(expected != null, (words[i >>> 6] >>> i & 1) != 0, where);
          if (column.type() == ColumnType.ADDRESS) {
            IpAddress address = expected == null ? new IpAddress(0, 0) : (IpAddress) expected;
            assertEquals(address, new IpAddress(a[i], b[i]), where);
          } else if (column.type() != ColumnType.TEXT) {
            assertEquals(expected == null ? 0L : expected, a[i], where);
          }
        }
      }
    }
  }

  @Test
  void blocksOfColumnsEqualTheSameRowsOneByOne() {
    for (int round = 0; round < 200; round++) {
      Random random = new Random(SEED + round);
      List<Map<FlowColumn, Object>> rows = RandomFlows.rows(random, 1 + random.nextInt(300));
      for (Map<FlowColumn, Object> row : rows) {
        FlowColumn.all().stream().filter(c -> c.type() == ColumnType.TEXT).forEach(row::remove);
      }
      FlowBatchBuilder builder = new FlowBatchBuilder(300);
      for (int from = 0; from < rows.size(); ) {
        int count = 1 + random.nextInt(rows.size() - from);
        if (random.nextInt(4) == 0) {
          builder.beginRows(count); // begun, filled and dropped: leaves no trace
          builder.setAll(FlowColumn.BYTES, 7);
          builder.setAllAddress(FlowColumn.SRC_ADDR, 1, 2);
        }
        RandomFlows.appendBlock(builder, rows.subList(from, from + count), random);
        from += count;
      }
      assertEquals(rows.size(), builder.rows());
      assertArrayEquals(
          build(rows, new FlowBatchBuilder(300)),
          builder.build(1, 2, rows.size(), 0),
          "seed " + (SEED + round));
    }
  }

  @Test
  void aReusedBuilderForgetsEarlierRows() {
    Random random = new Random(SEED);
    FlowBatchBuilder builder = new FlowBatchBuilder(64);
    for (int round = 0; round < 50; round++) {
      List<Map<FlowColumn, Object>> rows = RandomFlows.rows(random, 1 + random.nextInt(64));
      byte[] reused = build(rows, builder);
      builder.clear();
      assertEquals(
          java.util.Arrays.hashCode(build(rows, new FlowBatchBuilder(64))),
          java.util.Arrays.hashCode(reused),
          "seed " + SEED + " round " + round);
    }
  }

  @Test
  void aDiscardedRowLeavesNoTrace() {
    Random random = new Random(SEED);
    List<Map<FlowColumn, Object>> rows = RandomFlows.rows(random, 20);
    FlowBatchBuilder builder = new FlowBatchBuilder(32);
    for (Map<FlowColumn, Object> row : rows) {
      builder.beginRow();
      RandomFlows.set(builder, RandomFlows.rows(random, 1).get(0));
      builder.discardRow();
      RandomFlows.append(builder, row);
    }
    builder.beginRow();
    RandomFlows.set(builder, RandomFlows.rows(random, 1).get(0));
    FlowBatch batch = FlowBatch.open(builder.build(7, 1, 20, 0));
    assertEquals(20, batch.rows());
    for (FlowColumn column : FlowColumn.all()) {
      for (int i = 0; i < 20; i++) {
        assertEquals(
            rows.get(i).get(column), RandomFlows.read(batch, column, i), column + " of row " + i);
      }
    }
  }

  @Test
  void theHeaderHoldsProducerCountsAndRanges() {
    FlowBatchBuilder builder = new FlowBatchBuilder(4);
    for (long end : new long[] {500, -3, 90}) {
      builder.beginRow();
      builder.set(FlowColumn.END_TIME, end);
      builder.set(FlowColumn.ARRIVAL, 1000 - end);
      builder.endRow();
    }
    FlowBatch batch = FlowBatch.open(builder.build(0xCAFE, 9, 1234, 5));
    assertEquals(0xCAFE, batch.producerId());
    assertEquals(9, batch.sequence());
    assertEquals(1234, batch.cumulativeFlows());
    assertEquals(5, batch.cumulativeLosses());
    assertEquals(-3, batch.minEndTime());
    assertEquals(500, batch.maxEndTime());
    assertEquals(500, batch.minArrival());
    assertEquals(1003, batch.maxArrival());
  }

  @Test
  void aHeartbeatHasNoRowsAndATime() {
    FlowBatch batch = FlowBatch.open(Heartbeat.of(1, 2, 3, 4, 5_000_000));
    assertEquals(0, batch.rows());
    assertEquals(5_000_000, batch.maxArrival());
    assertEquals(Long.MIN_VALUE, batch.maxEndTime());
    assertEquals(4, batch.cumulativeLosses());
  }

  @Test
  void onlyAHeartbeatMayEndTheInputAndOtherFlagsAreRefused() {
    byte[] mark = Heartbeat.endOfInput(1, 2, 3, 4, 5_000_000);
    assertTrue(FlowBatch.open(mark).isEndOfInput());
    assertEquals(5_000_000, FlowBatch.open(mark).maxArrival());
    byte[] heartbeat = Heartbeat.of(1, 2, 3, 4, 5_000_000);
    assertFalse(FlowBatch.open(heartbeat).isEndOfInput());
    for (int bit = 1; bit < 16; bit++) {
      byte[] bytes = heartbeat.clone();
      bytes[6 + bit / 8] = (byte) (1 << bit % 8);
      Exception e = assertThrows(FlowFormatException.class, () -> FlowBatch.open(bytes));
      assertTrue(e.getMessage().contains("flags"), e.getMessage());
    }
    byte[] rows = build(RandomFlows.rows(new Random(SEED), 3), new FlowBatchBuilder(3));
    rows[6] = 1;
    Exception e = assertThrows(FlowFormatException.class, () -> FlowBatch.open(rows));
    assertTrue(e.getMessage().contains("3 rows"), e.getMessage());
  }

  @Test
  void valuesThatDoNotFitAreRefusedByName() {
    FlowBatchBuilder builder = new FlowBatchBuilder(1);
    builder.beginRow();
    Exception tooLarge =
        assertThrows(
            IllegalArgumentException.class, () -> builder.set(FlowColumn.SRC_PORT, 65_536));
    assertTrue(tooLarge.getMessage().contains("src_port"), tooLarge.getMessage());
    assertThrows(IllegalArgumentException.class, () -> builder.set(FlowColumn.BYTES, -1));
    assertThrows(IllegalArgumentException.class, () -> builder.set(FlowColumn.SRC_ADDR, 1));
    assertThrows(
        IllegalArgumentException.class, () -> builder.setText(FlowColumn.UID, "x".repeat(1025)));
  }

  @Test
  void aRowWithoutArrivalIsRefused() {
    FlowBatchBuilder builder = new FlowBatchBuilder(1);
    builder.beginRow();
    builder.set(FlowColumn.BYTES, 1);
    builder.endRow();
    assertThrows(IllegalStateException.class, () -> builder.build(0, 0, 0, 0));
  }

  @Test
  void truncatedBytesAreRefused() {
    byte[] bytes = build(RandomFlows.rows(new Random(SEED), 30), new FlowBatchBuilder(30));
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(bytes, length);
      assertThrows(FlowFormatException.class, () -> FlowBatch.open(cut), "cut to " + length);
    }
  }

  @Test
  void mutatedBytesAreRefusedOrReadWithoutHarm() {
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      Random random = new Random(SEED + round);
      byte[] bytes =
          build(RandomFlows.rows(new Random(SEED + round % 50), 40), new FlowBatchBuilder(40));
      for (int flips = 1 + random.nextInt(8); flips > 0; flips--) {
        // Mostly in header and directory, where a byte affects others.
        int at =
            random.nextInt(random.nextInt(4) == 0 ? bytes.length : Math.min(bytes.length, 640));
        bytes[at] = (byte) (random.nextBoolean() ? random.nextInt() : random.nextInt(4));
      }
      try {
        readAll(FlowBatch.open(bytes));
      } catch (FlowFormatException expected) {
        refused++;
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + (SEED + round), e);
      }
    }
    assertTrue(
        refused > 10_000,
        "only " + refused + " of 20000 were refused: the mutations miss the checks");
  }

  @Test
  void textsThatAreNotUtf8AreRefusedExactlyWhereADecoderRefusesThem() {
    Random random = new Random(SEED);
    byte[][] pieces = {
      {'d'},
      {'n', 's'},
      "\u00e9".getBytes(StandardCharsets.UTF_8),
      {(byte) 0xC3},
      {(byte) 0xA9},
      "\u20ac".getBytes(StandardCharsets.UTF_8),
      "\ud83d\ude00".getBytes(StandardCharsets.UTF_8),
      {(byte) 0xF0, (byte) 0x9F},
      {(byte) 0xED, (byte) 0xA0, (byte) 0x80},
      {(byte) 0xC0, (byte) 0x80},
      {(byte) 0xFF},
      {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80},
      "aaaaaaaa".getBytes(StandardCharsets.UTF_8)
    };
    int refused = 0;
    for (int round = 0; round < 4000; round++) {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      int parts = 1 + random.nextInt(5);
      for (int i = 0; i < parts; i++) {
        text.writeBytes(pieces[random.nextInt(random.nextInt(4) == 0 ? pieces.length : 3)]);
      }
      byte[] utf8 = text.toByteArray();
      byte[] batch = withTexts(new byte[][] {{'x'}, utf8, {'y', 'z'}});
      boolean valid = isUtf8(utf8);
      String where = "seed " + SEED + ", round " + round + ", " + HexFormat.of().formatHex(utf8);
      if (valid) {
        assertEquals(
            new String(utf8, StandardCharsets.UTF_8),
            FlowBatch.open(batch).text(FlowColumn.SERVICE, 1),
            where);
      } else {
        refused++;
        FlowFormatException e =
            assertThrows(FlowFormatException.class, () -> FlowBatch.open(batch), where);
        assertEquals("column service: the text of row 1 is not UTF-8", e.getMessage(), where);
      }
    }
    assertTrue(refused > 500 && refused < 3500, refused + " of 4000 were refused");
  }

  @Test
  void aCharacterThatIsCutInTwoTextsIsRefused() {
    byte[] batch = withTexts(new byte[][] {{(byte) 0xC3}, {(byte) 0xA9}});
    assertThrows(FlowFormatException.class, () -> FlowBatch.open(batch));
  }

  /** A batch with these bytes as the texts of {@code service}. */
  private static byte[] withTexts(byte[][] texts) {
    FlowBatchBuilder builder = new FlowBatchBuilder(texts.length);
    ByteArrayOutputStream placeholder = new ByteArrayOutputStream();
    ByteArrayOutputStream wanted = new ByteArrayOutputStream();
    for (int i = 0; i < texts.length; i++) {
      byte[] ascii = new byte[texts[i].length];
      Arrays.fill(ascii, (byte) ('A' + i));
      placeholder.writeBytes(ascii);
      wanted.writeBytes(texts[i]);
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, 1);
      builder.setText(FlowColumn.SERVICE, ascii);
      builder.endRow();
    }
    byte[] batch = builder.build(1, 0, texts.length, 0);
    byte[] find = placeholder.toByteArray();
    for (int at = batch.length - find.length; ; at--) {
      if (Arrays.equals(batch, at, at + find.length, find, 0, find.length)) {
        System.arraycopy(wanted.toByteArray(), 0, batch, at, find.length);
        return batch;
      }
    }
  }

  private static boolean isUtf8(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  @Test
  void anotherVersionIsNamed() {
    byte[] bytes = Heartbeat.of(1, 2, 3, 4, 5);
    bytes[4] = 7;
    Exception e = assertThrows(FlowFormatException.class, () -> FlowBatch.open(bytes));
    assertTrue(
        e.getMessage().contains("version 7") && e.getMessage().contains("version 1"),
        e.getMessage());
  }

  @Test
  void theFormatPageListsExactlyTheseColumns() throws Exception {
    Path page = projectRoot().resolve("docs/format/flow.md");
    String text = Files.readString(page, StandardCharsets.UTF_8);
    for (FlowColumn column : FlowColumn.all()) {
      String row =
          "| "
              + column.id()
              + " | `"
              + column.sqlName()
              + "` | "
              + column.type().name().toLowerCase(java.util.Locale.ROOT)
              + " |";
      assertTrue(text.contains(row), page + " has no row that begins with: " + row);
    }
    long rows = text.lines().filter(line -> line.matches("\\| \\d+ \\| `.*")).count();
    assertEquals(FlowColumn.all().size(), rows, "columns in " + page);
  }

  private static Path projectRoot() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(folder.resolve("docs/format"))) {
      folder = folder.getParent();
    }
    return folder;
  }

  private static byte[] build(List<Map<FlowColumn, Object>> rows, FlowBatchBuilder builder) {
    rows.forEach(row -> RandomFlows.append(builder, row));
    return builder.build(1, 2, rows.size(), 0);
  }

  private static void readAll(FlowBatch batch) {
    int rows = batch.rows();
    long[] a = new long[rows];
    long[] b = new long[rows];
    long[] words = new long[(rows + 63) / 64];
    for (FlowColumn column : FlowColumn.all()) {
      batch.readValidity(column, 0, rows, words);
      switch (column.type()) {
        case ADDRESS -> batch.readAddresses(column, 0, rows, a, b);
        case TEXT -> {
          for (int i = 0; i < rows; i++) {
            batch.text(column, i);
          }
        }
        default -> batch.readLongs(column, 0, rows, a);
      }
    }
  }
}
