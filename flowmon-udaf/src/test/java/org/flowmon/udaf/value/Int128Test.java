package org.flowmon.udaf.value;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class Int128Test {
  private static final long[] EDGES = {
    0, 1, -1, 2, -2, 1L << 53, (1L << 53) + 1, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1
  };

  private static void check(long high, long low) {
    double expected = Int128.toBigInteger(high, low).doubleValue();
    assertEquals(expected, Int128.toDouble(high, low), high + ", " + Long.toUnsignedString(low));
  }

  @Test
  void theNearestDoubleIsThatOfBigInteger() {
    for (long high : EDGES) {
      for (long low : EDGES) {
        check(high, low);
      }
    }
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 200_000; i++) {
      long high = random.nextLong() >> random.nextInt(64);
      // Many trailing zeros, so that ties between two doubles occur.
      long low = random.nextLong() << random.nextInt(64);
      check(high, low);
      check(high, low + random.nextInt(-1, 2));
      check(random.nextInt(-2, 3), low);
    }
  }
}
