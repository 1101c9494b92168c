package org.flowmon.jobs.report.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;

final class SimilarityTest {
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
        assertSame(expected, reference.of(first), "seed " + seed);
      }
    }
  }

  @Test
  void aMatrixIsTheSameAsItself() {
    for (int pairs : new int[] {0, 1, 2, 1000}) {
      TrafficMatrix matrix = matrix(new SplittableRandom(pairs), pairs);
      Similarity similarity = new Similarity.Reference(matrix).of(matrix);
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

  /** Of pairs that another one may have, too; their sums differ by up to twelve digits. */
  private static TrafficMatrix matrix(SplittableRandom random, int pairs) {
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
      table.set(1, random.nextInt(10)).set(2, 1 + random.nextLong(1L << random.nextInt(1, 40)));
    }
    return TrafficMatrix.of(table.build(), List.of("host", "port"), "bytes", row -> true);
  }
}
