package org.flowmon.jobs.report.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.flowmon.udaf.value.Int128;
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
      ResultTable table = table(random, random.nextInt(0, 200), true);
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
        IntPredicate isOfPort =
            row -> row % 5 > 0 && !table.isNull(row, port) && table.longValue(row, port) == one;
        String said = "seed " + seed + ", port " + one;
        TrafficMatrix part = parts.get(i);
        assertEquals(sums(table, isOfPort), sums(table, part), said);
        TrafficMatrix alone = TrafficMatrix.of(table, List.of("host"), "bytes", isOfPort);
        assertSame(alone, part, said);
        assertSame(
            Similarity.of(alone, all, (mine, other) -> {}),
            reference.of(part, (mine, other) -> {}),
            said);
      }
    }
  }

  /** The sum of each host, and under "all" that of them all. */
  private static Map<String, BigInteger> sums(ResultTable table, IntPredicate counts) {
    Map<String, BigInteger> sums = new TreeMap<>();
    for (int row = 0; row < table.rowCount(); row++) {
      if (counts.test(row) && !table.isNull(row, 2)) {
        BigInteger bytes = Int128.toBigInteger(table.high(row, 2), table.low(row, 2));
        sums.merge(host(table, row), bytes, BigInteger::add);
        sums.merge("all", bytes, BigInteger::add);
      }
    }
    sums.values().removeIf(sum -> sum.signum() == 0); // no pair of a matrix
    return sums;
  }

  private static Map<String, BigInteger> sums(ResultTable table, TrafficMatrix matrix) {
    Map<String, BigInteger> sums = new TreeMap<>();
    for (int pair = 0; pair < matrix.size(); pair++) {
      BigInteger bytes = Int128.toBigInteger(matrix.high(pair), matrix.low(pair));
      assertNull(sums.put(host(table, matrix.row(pair)), bytes), "a host twice");
    }
    if (matrix.size() > 0) {
      sums.put("all", Int128.toBigInteger(matrix.totalHigh(), matrix.totalLow()));
    }
    return sums;
  }

  private static String host(ResultTable table, int row) {
    return table.isNull(row, 0) ? "NULL" : table.formatted(row, 0);
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
    return TrafficMatrix.of(
        table(random, pairs, false), List.of("host", "port"), "bytes", row -> true);
  }

  /**
   * Of pairs that another one may have, too; their sums differ by up to twelve digits.
   *
   * @param isWide some numbers are beyond 64 bits
   */
  private static ResultTable table(SplittableRandom random, int pairs, boolean isWide) {
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
      if (isWide && random.nextInt(4) == 0) {
        table.set(2, random.nextInt(9), random.nextLong());
      } else if (random.nextInt(20) > 0) {
        table.set(2, random.nextLong(1L << random.nextInt(1, 40)));
      }
    }
    return table.build();
  }
}
