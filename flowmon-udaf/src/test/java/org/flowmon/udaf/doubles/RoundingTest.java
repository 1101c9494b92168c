package org.flowmon.udaf.doubles;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RoundingTest {
  @Test
  void anyWholeNumberTimesAPowerOfTwoIsRoundedAsBigDecimalRoundsIt() {
    for (long seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      BigInteger whole = new BigInteger(1 + random.nextInt(200), random);
      whole = random.nextBoolean() ? whole : whole.negate();
      // Ties: one bit behind those of a double.
      whole =
          random.nextInt(4) == 0 ? BigInteger.valueOf(random.nextLong() >> 10).or(one()) : whole;
      int exponent = random.nextInt(2300) - 1250;
      BigDecimal exact =
          exponent >= 0
              ? new BigDecimal(whole.shiftLeft(exponent))
              : new BigDecimal(whole).divide(new BigDecimal(one().shiftLeft(-exponent)));
      assertEquals(
          exact.doubleValue() + 0.0,
          Rounding.nearest(whole, one(), exponent) + 0.0,
          whole + " · 2^" + exponent + ", seed " + seed);
    }
  }

  private static BigInteger one() {
    return BigInteger.ONE;
  }

  @Test
  void theRootOfASquareIsExact() {
    for (long seed = 0; seed < 5_000; seed++) {
      Random random = new Random(seed);
      BigInteger root = BigInteger.valueOf(random.nextLong() >>> (11 + random.nextInt(50)));
      BigInteger square = root.multiply(root);
      BigInteger divisor = BigInteger.valueOf(1 + random.nextInt(1000));
      int exponent = 2 * (random.nextInt(1800) - 950);
      double expected = Math.scalb(root.doubleValue(), exponent / 2);
      double found = Rounding.nearestRoot(square.multiply(divisor), divisor, exponent);
      assertEquals(expected, found, "seed " + seed);
    }
  }
}
