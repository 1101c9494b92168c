package org.flowmon.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.flowmon.flow.bytes.LittleEndian;
import org.junit.jupiter.api.Test;

/** Opening refuses a batch with a value that no writer writes. */
class FlowBatchValuesTest {
  private static final long SEED = 20261123;
  private static final int ROWS = 70;

  /** Rows with {@code outgoing} and {@code bytes} as given; the third of each is unknown. */
  private static byte[] batch(boolean constant, boolean nulls) {
    FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
    for (int row = 0; row < ROWS; row++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, 1_000_000 + row);
      builder.set(FlowColumn.END_TIME, 900_000 - row);
      if (!nulls || row != 2) {
        builder.set(FlowColumn.OUTGOING, constant ? 1 : row & 1);
        builder.set(FlowColumn.BYTES, constant ? 7 : row);
        builder.set(FlowColumn.SRC_PORT, row);
        builder.set(FlowColumn.INPUT_IF, row);
        builder.setIpv4(FlowColumn.SRC_ADDR, row);
        builder.setAddress(FlowColumn.DST_ADDR, row, row);
        builder.setText(FlowColumn.SERVICE, "s" + row);
      }
      builder.endRow();
    }
    return builder.build(1, 5, 1000, 3);
  }

  private static void assertRefused(byte[] bytes, String... says) {
    FlowFormatException e =
        assertThrows(
            FlowFormatException.class, () -> FlowBatch.open(bytes), String.join(", ", says));
    for (String part : says) {
      assertTrue(e.getMessage().contains(part), e.getMessage());
    }
  }

  @Test
  void aBooleanThatIsNeitherTrueNorFalseIsRefusedWithItsRow() {
    for (int value : new int[] {2, 5, 0x80, 0xFF}) {
      for (boolean nulls : new boolean[] {false, true}) {
        for (int row : new int[] {0, 7, 63, ROWS - 1}) {
          byte[] bytes = batch(false, nulls);
          bytes[new PlainBatch(bytes).slot(FlowColumn.OUTGOING, row)] = (byte) value;
          assertRefused(bytes, "column outgoing", "row " + row + " has " + value, "0 or 1");
        }
      }
      byte[] bytes = batch(true, false);
      bytes[new PlainBatch(bytes).place(FlowColumn.OUTGOING)] = (byte) value;
      assertRefused(bytes, "column outgoing", "row 0 has " + value);
    }
  }

  @Test
  void aCountBelowZeroIsRefusedWithItsRow() {
    for (boolean constant : new boolean[] {false, true}) {
      byte[] bytes = batch(constant, false);
      int row = constant ? 0 : ROWS - 1;
      LittleEndian.putLong(bytes, new PlainBatch(bytes).slot(FlowColumn.BYTES, row), -1);
      assertRefused(bytes, "column bytes", "row " + row + " has -1");
    }
  }

  @Test
  void rowsWithoutAnArrivalAreRefused() {
    byte[] absent = batch(false, false);
    absent[new PlainBatch(absent).entry(FlowColumn.ARRIVAL)] = (byte) 250; // a newer column
    assertRefused(absent, "column arrival is ABSENT");
    byte[] nullable = batch(false, false);
    PlainBatch plain = new PlainBatch(nullable);
    nullable[plain.entry(FlowColumn.ARRIVAL) + 2] = 3;
    int wide = plain.place(FlowColumn.BYTES) + 8 * ROWS - plain.place(FlowColumn.ARRIVAL);
    LittleEndian.putInt(nullable, plain.entry(FlowColumn.ARRIVAL) + 8, wide);
    FlowFormatException e = assertThrows(FlowFormatException.class, () -> FlowBatch.open(nullable));
    assertTrue(e.getMessage().contains("column arrival"), e.getMessage());
  }

  @Test
  void aHeaderWhoseTimesAreNotThoseOfItsRowsIsRefused() {
    for (int at :
        new int[] {
          FlowBatchLayout.MIN_ARRIVAL_AT,
          FlowBatchLayout.MAX_ARRIVAL_AT,
          FlowBatchLayout.MIN_END_AT,
          FlowBatchLayout.MAX_END_AT
        }) {
      for (long by : new long[] {-1, 1, 1L << 55}) {
        byte[] bytes = batch(false, false);
        LittleEndian.putLong(bytes, at, LittleEndian.getLong(bytes, at) + by);
        assertRefused(bytes, "the header says that");
      }
    }
    byte[] beat = Heartbeat.of(1, 0, 0, 0, 5);
    LittleEndian.putLong(beat, FlowBatchLayout.MAX_ARRIVAL_AT, 6);
    assertRefused(beat, "heartbeat", "5 … 6");
  }

  @Test
  void aValueBesideItsNullIsRefused() {
    for (FlowColumn column :
        List.of(
            FlowColumn.OUTGOING,
            FlowColumn.BYTES,
            FlowColumn.SRC_PORT,
            FlowColumn.INPUT_IF,
            FlowColumn.SRC_ADDR,
            FlowColumn.DST_ADDR)) {
      byte[] bytes = batch(false, true);
      bytes[new PlainBatch(bytes).slot(column, 2)] = 1;
      assertRefused(bytes, "column " + column.sqlName(), "row 2 has a value beside its null");
    }
    byte[] text = batch(false, true);
    int offsets = new PlainBatch(text).place(FlowColumn.SERVICE) + 16;
    LittleEndian.putInt(text, offsets + 12, LittleEndian.getInt(text, offsets + 8) + 1);
    assertRefused(text, "column service", "row 2 has a value beside its null");
  }

  @Test
  void aValueBesideItsNullIsFoundInWhateverRow() {
    List<FlowColumn> columns =
        List.of(
            FlowColumn.TCP_FLAGS,
            FlowColumn.SRC_PORT,
            FlowColumn.INPUT_IF,
            FlowColumn.BYTES,
            FlowColumn.SRC_ADDR,
            FlowColumn.DST_ADDR);
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(SEED + seed);
      FlowColumn column = columns.get(random.nextInt(columns.size()));
      int rows = 2 + random.nextInt(200);
      int nullsOfTen = 1 + random.nextInt(9);
      int hurt = random.nextInt(rows);
      FlowBatchBuilder builder = new FlowBatchBuilder(rows);
      boolean isNullable = false;
      for (int row = 0; row < rows; row++) {
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, row);
        if (row != hurt && random.nextInt(10) >= nullsOfTen) {
          isNullable = true;
          if (column == FlowColumn.SRC_ADDR) {
            builder.setIpv4(column, -1);
          } else if (column == FlowColumn.DST_ADDR) {
            builder.setAddress(column, -1, -2);
          } else {
            builder.set(column, column.type().maxValue());
          }
        }
        builder.endRow();
      }
      if (!isNullable) {
        continue;
      }
      byte[] bytes = builder.build(1, 0, rows, 0);
      assertEquals(rows, FlowBatch.open(bytes.clone()).rows(), "seed " + seed);
      int width = column == FlowColumn.SRC_ADDR ? 4 : column.type().width();
      bytes[new PlainBatch(bytes).slot(column, hurt) + random.nextInt(width)] |=
          (byte) (1 << random.nextInt(7)); // a negative count is refused itself
      assertRefused(bytes, "row " + hurt + " has a value beside its null");
    }
  }

  @Test
  void aBitOfTheValidityPastTheRowsIsRefused() {
    byte[] bytes = batch(false, true);
    bytes[new PlainBatch(bytes).place(FlowColumn.BYTES) + 15] = (byte) 0x80;
    assertRefused(bytes, "column bytes", "past row 69");
  }

  @Test
  void countsOfTheHeaderThatNoProducerReachesAreRefused() {
    int[] places = {
      FlowBatchLayout.SEQUENCE_AT,
      FlowBatchLayout.CUMULATIVE_FLOWS_AT,
      FlowBatchLayout.CUMULATIVE_LOSSES_AT
    };
    for (int at : places) {
      for (long value : new long[] {-1, Long.MAX_VALUE, FlowBatch.MAX_COUNT + 1}) {
        byte[] bytes = batch(false, false);
        LittleEndian.putLong(bytes, at, value);
        assertRefused(bytes, "the header's", Long.toString(value));
      }
      byte[] bytes = batch(false, false);
      LittleEndian.putLong(bytes, at, FlowBatch.MAX_COUNT);
      assertNotNull(FlowBatch.open(bytes));
    }
  }

  @Test
  void codesThatThisVersionDoesNotKnowStayWhatTheyAre() {
    FlowBatchBuilder builder = new FlowBatchBuilder(1);
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, 1);
    builder.set(FlowColumn.STATE, 200);
    builder.set(FlowColumn.SOURCE_KIND, 0);
    builder.endRow();
    FlowBatch batch = FlowBatch.open(builder.build(1, 0, 1, 0));
    assertEquals(200, batch.getLong(FlowColumn.STATE, 0));
    assertEquals(0, batch.getLong(FlowColumn.SOURCE_KIND, 0));
  }

  @Test
  void changedBytesAreRefusedOrReadAsTheyStand() {
    int taken = 0;
    int rounds = 8_000 * Integer.getInteger("flowmon.test.times", 1);
    for (int round = 0; round < rounds; round++) {
      Random random = new Random(SEED + round);
      byte[] bytes = bytes(SEED + round % 100);
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      FlowBatch batch;
      try {
        batch = FlowBatch.open(bytes);
      } catch (FlowFormatException refused) {
        continue;
      }
      taken++;
      assertReadsAsItStands(batch, new PlainBatch(bytes), "seed " + (SEED + round));
    }
    assertTrue(taken > rounds / 10, "only " + taken + " of " + rounds + " were taken");
  }

  private static byte[] bytes(long seed) {
    FlowBatchBuilder builder = new FlowBatchBuilder(100);
    List<Map<FlowColumn, Object>> rows = RandomFlows.rows(new Random(seed), 1 + (int) (seed % 100));
    rows.forEach(row -> RandomFlows.append(builder, row));
    return builder.build(1, 2, rows.size(), 0);
  }

  /** Every way to read a value returns it, and every value conforms to its column. */
  private static void assertReadsAsItStands(FlowBatch batch, PlainBatch plain, String seed) {
    int rows = plain.rows();
    assertEquals(rows, batch.rows(), seed);
    long[] low = new long[rows];
    long[] high = new long[rows];
    long[] valid = new long[(rows + 63) / 64];
    for (FlowColumn column : FlowColumn.all()) {
      batch.readValidity(column, 0, rows, valid);
      if (column.type() == ColumnType.ADDRESS) {
        batch.readAddresses(column, 0, rows, high, low);
      } else if (column.type() != ColumnType.TEXT) {
        batch.readLongs(column, 0, rows, low);
      }
      for (int row = 0; row < rows; row++) {
        String where = seed + ", " + column + " of row " + row;
        Object expected = plain.value(column, row);
        assertEquals(expected, RandomFlows.read(batch, column, row), where);
        assertEquals(expected != null, (valid[row >>> 6] >>> row & 1) != 0, where);
        if (column.type() == ColumnType.ADDRESS) {
          IpAddress read = new IpAddress(high[row], low[row]);
          assertEquals(expected == null ? new IpAddress(0, 0) : expected, read, where);
        } else if (column.type() != ColumnType.TEXT) {
          assertEquals(expected == null ? 0L : expected, low[row], where);
          assertTrue(low[row] >= column.type().minValue(), where);
          assertTrue(low[row] <= column.type().maxValue(), where);
        }
      }
    }
    assertRange(plain, FlowColumn.ARRIVAL, batch.minArrival(), batch.maxArrival(), seed);
    assertRange(plain, FlowColumn.END_TIME, batch.minEndTime(), batch.maxEndTime(), seed);
  }

  private static void assertRange(
      PlainBatch plain, FlowColumn column, long min, long max, String seed) {
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (int row = 0; row < plain.rows(); row++) {
      if (plain.value(column, row) instanceof Long value) {
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    }
    assertEquals(least, min, seed + ", " + column);
    assertEquals(most, max, seed + ", " + column);
  }
}
