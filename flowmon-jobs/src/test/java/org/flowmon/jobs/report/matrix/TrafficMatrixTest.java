package org.flowmon.jobs.report.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;

final class TrafficMatrixTest {
  private static final double ROUNDING = 1e-14;

  @Test
  void manyMatricesAreAsSimilarToOneAsEachByItself() {
    for (long seed = 1; seed <= 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TrafficMatrix second = matrix(random, random.nextInt(0, 300));
      Similarity.Reference reference = new Similarity.Reference(second);
      for (int i = 0; i < 5; i++) {
        TrafficMatrix first = matrix(random, random.nextInt(0, i == 0 ? 300 : 20));
        Similarity expected = Similarity.of(first, second, (mine, other) -> {});
        assertSame(expected, reference.of(first, (mine, other) -> {}), "seed " + seed);
      }
    }
  }

  @Test
  void aMatrixIsTheSameAsItself() {
    for (int pairs : new int[] {0, 1, 2, 1000}) {
      TrafficMatrix matrix = matrix(new SplittableRandom(pairs), pairs);
      Similarity similarity = new Similarity.Reference(matrix).of(matrix, (mine, other) -> {});
      long both = matrix.size();
      assertTrue(pairs == 0 || both > 0);
      assertSame(new Similarity(1, 0, 0, both, 0, 0), similarity, pairs + " pairs");
    }
  }

  private static void assertSame(Similarity expected, Similarity found, String said) {
    assertEquals(expected.cosine(), found.cosine(), ROUNDING, said);
    assertEquals(expected.l1(), found.l1(), ROUNDING, said);
    assertEquals(expected.jensenShannon(), found.jensenShannon(), ROUNDING, said);
    assertEquals(expected.both(), found.both(), said);
    assertEquals(expected.onlyFirst(), found.onlyFirst(), said);
    assertEquals(expected.onlySecond(), found.onlySecond(), said);
  }

  @Test
  void partsAreTheMatricesOfTheirRows() {
    for (long seed = 1; seed <= 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      ResultTable table = table(random, random.nextInt(0, 200));
      int port = table.column("port");
      TrafficMatrix all = TrafficMatrix.of(table, List.of("host"), "bytes", row -> row % 5 > 0);
      List<TrafficMatrix> parts = all.parts(table, "bytes", "port", row -> row % 5 > 0);
      Similarity.Reference reference = new Similarity.Reference(all);
      long[] ports =
          IntStream.range(0, table.rowCount())
              .filter(row -> row % 5 > 0 && !table.isNull(row, port))
              .mapToLong(row -> table.longValue(row, port))
              .sorted()
              .distinct()
              .toArray();
      assertEquals(ports.length, parts.size(), "seed " + seed);
      for (int i = 0; i < ports.length; i++) {
        long one = ports[i];
        TrafficMatrix expected =
            TrafficMatrix.of(
                table,
                List.of("host"),
                "bytes",
                row ->
                    row % 5 > 0 && !table.isNull(row, port) && table.longValue(row, port) == one);
        String said = "seed " + seed + ", port " + one;
        assertSame(expected, parts.get(i), said);
        assertSame(
            Similarity.of(expected, all, (mine, other) -> {}),
            reference.of(parts.get(i), (mine, other) -> {}),
            said);
      }
    }
  }

  private static void assertSame(TrafficMatrix expected, TrafficMatrix found, String said) {
    assertEquals(expected.size(), found.size(), said);
    assertEquals(expected.totalLow(), found.totalLow(), said);
    assertEquals(expected.totalHigh(), found.totalHigh(), said);
    for (int pair = 0; pair < expected.size(); pair++) {
      assertEquals(expected.row(pair), found.row(pair), said);
      assertEquals(expected.low(pair), found.low(pair), said);
      assertEquals(expected.high(pair), found.high(pair), said);
    }
  }

  private static TrafficMatrix matrix(SplittableRandom random, int pairs) {
    return TrafficMatrix.of(table(random, pairs), List.of("host", "port"), "bytes", row -> true);
  }

  /** Of pairs that another one may have, too; their sums differ by up to twelve digits. */
  private static ResultTable table(SplittableRandom random, int pairs) {
    ResultTable.Builder table =
        new ResultTable.Builder()
            .column("host", ValueKind.ADDRESS)
            .column("port", ValueKind.LONG)
            .column("bytes", ValueKind.LONG);
    for (int i = 0; i < pairs; i++) {
      table.row();
      if (random.nextInt(20) > 0) {
        table.set(0, 0, random.nextInt(30));
      }
      if (random.nextInt(20) > 0) {
        table.set(1, random.nextInt(-4, 10));
      }
      if (random.nextInt(20) > 0) {
        table.set(2, random.nextLong(1L << random.nextInt(1, 40)));
      }
    }
    return table.build();
  }
}
