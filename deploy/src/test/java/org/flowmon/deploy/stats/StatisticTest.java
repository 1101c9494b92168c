package org.flowmon.deploy.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class StatisticTest {
  @Test
  void aQuantileIsTheSmallestValueThatAtLeastTheShareDoesNotExceed() {
    for (int count = 1; count <= 200; count++) {
      long seed = count;
      SplittableRandom random = new SplittableRandom(seed);
      Statistic statistic = new Statistic(true, true);
      long[] values = new long[count];
      for (int i = 0; i < count; i++) {
        values[i] = random.nextInt(-count, count);
        statistic.add(values[i]);
      }
      for (int thousandths = 0; thousandths <= 1000; thousandths += 5) {
        double share = Double.parseDouble(thousandths + "e-3");
        assertEquals(
            byDefinition(values, thousandths),
            statistic.quantile(share),
            "seed " + seed + ", share " + share);
      }
    }
  }

  /** Computes the quantile from whole numbers only, without an order. */
  private static long byDefinition(long[] values, long thousandths) {
    long smallest = Long.MAX_VALUE;
    for (long candidate : values) {
      long notAbove = 0;
      for (long value : values) {
        notAbove += value <= candidate ? 1 : 0;
      }
      if (notAbove * 1000 >= thousandths * values.length) {
        smallest = Math.min(smallest, candidate);
      }
    }
    return smallest;
  }

  @Test
  void ofNothingThereIsNoQuantile() {
    assertNull(new Statistic(true, true).quantile(0.5));
  }
}
