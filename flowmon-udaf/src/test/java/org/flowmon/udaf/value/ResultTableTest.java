package org.flowmon.udaf.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class ResultTableTest {
  /** Filled by cell, and by array: those may be longer than the rows and have numbers at NULLs. */
  @Test
  void arraysOfAColumnHaveWhatItsRowsHave() {
    for (long seed = 1; seed <= 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      assertArrays(byCell(random), "seed " + seed);
      assertArrays(byArray(random), "seed " + seed);
    }
  }

  private static ResultTable.Builder columns() {
    return new ResultTable.Builder()
        .column("address", ValueKind.ADDRESS)
        .column("number", ValueKind.LONG)
        .column("share", ValueKind.DOUBLE);
  }

  private static ResultTable byCell(SplittableRandom random) {
    int nulls = random.nextInt(3); // of ten rows; 0: none
    int wide = random.nextInt(3);
    ResultTable.Builder builder = columns();
    for (int row = random.nextInt(50); row > 0; row--) {
      builder.row();
      if (random.nextInt(10) >= nulls) {
        builder.set(0, random.nextLong(), random.nextLong());
      }
      if (random.nextInt(10) >= nulls) {
        long low = random.nextLong();
        builder.set(1, random.nextInt(10) < wide ? random.nextLong() : low >> 63, low);
      }
      if (random.nextInt(10) >= nulls) {
        builder.set(2, Double.doubleToLongBits(random.nextDouble()));
      }
    }
    return builder.build();
  }

  private static ResultTable byArray(SplittableRandom random) {
    int rows = random.nextInt(50);
    ResultTable.Builder builder = columns().rows(rows);
    for (int column = 0; column < 3; column++) {
      boolean[] isNull = new boolean[rows];
      for (int row = 0; row < rows; row++) {
        isNull[row] = random.nextInt(10) == 0;
      }
      boolean hasHighs = column == 0 || (column == 1 && random.nextBoolean());
      builder.fill(
          column,
          random.longs(rows + 3).toArray(),
          hasHighs ? random.longs(rows + 3).toArray() : null,
          null,
          random.nextBoolean() ? isNull : null);
    }
    return builder.build();
  }

  private static void assertArrays(ResultTable table, String seed) {
    for (int column = 0; column < 3; column++) {
      long[] lows = table.lows(column);
      long[] highs = table.highs(column);
      assertTrue(Math.min(lows.length, highs.length) >= table.rowCount());
      for (int row = 0; row < table.rowCount(); row++) {
        String said = seed + ", row " + row + ", column " + column;
        assertEquals(table.low(row, column), lows[row], said);
        assertEquals(table.high(row, column), highs[row], said);
      }
    }
  }
}
