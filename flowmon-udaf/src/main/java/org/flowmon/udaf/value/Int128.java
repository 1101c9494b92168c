package org.flowmon.udaf.value;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;

/** Signed 128-bit whole numbers as two longs, high and low, two's complement. */
public final class Int128 {
  private static final long EXACT_DOUBLE = 1L << 53;

  private Int128() {}

  /** The high long of the sum of two numbers whose low longs add up to {@code low} (wrapped). */
  public static long addHigh(long highA, long lowA, long highB, long low) {
    return highA + highB + (Long.compareUnsigned(low, lowA) < 0 ? 1 : 0);
  }

  public static int compare(long highA, long lowA, long highB, long lowB) {
    int high = Long.compare(highA, highB);
    return high != 0 ? high : Long.compareUnsigned(lowA, lowB);
  }

  public static BigInteger toBigInteger(long high, long low) {
    if (high == low >> 63) {
      return BigInteger.valueOf(low);
    }
    BigInteger unsignedLow =
        BigInteger.valueOf(low >>> 1).shiftLeft(1).or(BigInteger.valueOf(low & 1));
    return BigInteger.valueOf(high).shiftLeft(64).add(unsignedLow);
  }

  /** The nearest double, the even one on a tie. */
  public static double toDouble(long high, long low) {
    if (high == low >> 63) {
      return (double) low;
    }
    boolean isNegative = high < 0;
    long lowest = isNegative ? -low : low;
    long highest = isNegative ? ~high + (low == 0 ? 1 : 0) : high;
    // The leading 64 bits with a sticky last bit, set by any lower bit: it decides the rounding.
    int zeros = Long.numberOfLeadingZeros(highest);
    long leading =
        zeros == 0
            ? highest
            : zeros == 64 ? lowest : (highest << zeros) | (lowest >>> (64 - zeros));
    boolean isRest = zeros < 64 && lowest << zeros != 0;
    long halved = (leading >>> 1) | (leading & 1) | (isRest ? 1 : 0);
    double size = Math.scalb((double) halved, 65 - zeros);
    return isNegative ? -size : size;
  }

  /** Rounded to a double; the same in any order of summation. */
  public static double divide(long high, long low, long count) {
    if (high == low >> 63
        && Math.abs(low) <= EXACT_DOUBLE
        && Math.abs(low) >= 0
        && count <= EXACT_DOUBLE) {
      return (double) low / count;
    }
    return new BigDecimal(toBigInteger(high, low))
        .divide(BigDecimal.valueOf(count), MathContext.DECIMAL128)
        .doubleValue();
  }
}
