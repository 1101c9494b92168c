package org.flowmon.deploy.stats;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;

/**
 * Count, sum, extremes, mean and deviation of numbers, and quantiles if the numbers are kept. Sums
 * of whole numbers are exact, so mean and deviation are rounded once. Doubles are added in order,
 * with the error of compensated addition. Not thread-safe.
 */
public final class Statistic {
  private final boolean whole;
  private long count;
  private long smallest = Long.MAX_VALUE;
  private long largest = Long.MIN_VALUE;
  // Exact sums of 128 bits, and of squares of 192. Squares are below 2^126, so 2^65 of them fit.
  private long sumHigh;
  private long sumLow;
  private long squaresTop;
  private long squaresHigh;
  private long squaresLow;
  // For doubles: Welford's recurrence, and Neumaier's sum.
  private double smallestDouble = Double.POSITIVE_INFINITY;
  private double largestDouble = Double.NEGATIVE_INFINITY;
  private double sum;
  private double rest;
  private double mean;
  private double deviations;
  private long[] kept;
  private boolean sorted;

  /**
   * Creates a statistic without numbers.
   *
   * @param whole whether the numbers are whole, else doubles by their bits
   * @param keep whether they are kept for quantiles: 8 bytes each
   */
  public Statistic(boolean whole, boolean keep) {
    this.whole = whole;
    this.kept = keep ? new long[8] : null;
  }

  /** Adds a number: a whole number, or the bits of a double. */
  public void add(long value) {
    if (kept != null) {
      if (count == kept.length) {
        kept = Arrays.copyOf(kept, (int) Math.min(Integer.MAX_VALUE - 8, 2L * kept.length));
      }
      kept[(int) count] = value;
      sorted = false;
    }
    count++;
    if (whole) {
      addWhole(value);
    } else {
      addDouble(Double.longBitsToDouble(value));
    }
  }

  private void addWhole(long value) {
    smallest = Math.min(smallest, value);
    largest = Math.max(largest, value);
    long low = sumLow + value;
    sumHigh += (value >> 63) + (Long.compareUnsigned(low, sumLow) < 0 ? 1 : 0);
    sumLow = low;
    long squareLow = value * value;
    long squareHigh = Math.multiplyHigh(value, value);
    long newLow = squaresLow + squareLow;
    long carry = Long.compareUnsigned(newLow, squareLow) < 0 ? 1 : 0;
    long newHigh = squaresHigh + squareHigh;
    squaresTop += Long.compareUnsigned(newHigh, squareHigh) < 0 ? 1 : 0;
    newHigh += carry;
    squaresTop += carry == 1 && newHigh == 0 ? 1 : 0;
    squaresLow = newLow;
    squaresHigh = newHigh;
  }

  private void addDouble(double value) {
    smallestDouble = Math.min(smallestDouble, value);
    largestDouble = Math.max(largestDouble, value);
    double next = sum + value;
    rest += Math.abs(sum) >= Math.abs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
    double delta = value - mean;
    mean += delta / count;
    deviations += delta * (value - mean);
  }

  /** The number of values. */
  public long count() {
    return count;
  }

  private static BigInteger unsigned(long value) {
    return new BigInteger(Long.toUnsignedString(value));
  }

  private BigInteger wholeSum() {
    return BigInteger.valueOf(sumHigh).shiftLeft(64).add(unsigned(sumLow));
  }

  /** The sum: a BigInteger, or a Double. */
  public Number sum() {
    return whole ? (Number) wholeSum() : (Number) (sum + rest);
  }

  /** The smallest number: a Long, or a Double; null if there was none. */
  public Number min() {
    return count == 0 ? null : whole ? (Number) smallest : (Number) smallestDouble;
  }

  /** The largest number: a Long, or a Double; null if there was none. */
  public Number max() {
    return count == 0 ? null : whole ? (Number) largest : (Number) largestDouble;
  }

  /** The arithmetic mean, null if there was no number. */
  public Double mean() {
    if (count == 0) {
      return null;
    }
    return whole
        ? new BigDecimal(wholeSum())
            .divide(BigDecimal.valueOf(count), MathContext.DECIMAL128)
            .doubleValue()
        : (Double) ((sum + rest) / count);
  }

  /**
   * The standard deviation of a sample, like STDDEV in a query: divided by one less than the count;
   * null for fewer than two numbers.
   */
  public Double stddev() {
    if (count < 2) {
      return null;
    }
    if (!whole) {
      return Math.sqrt(deviations / (count - 1));
    }
    BigInteger squares =
        BigInteger.valueOf(squaresTop)
            .shiftLeft(128)
            .add(unsigned(squaresHigh).shiftLeft(64))
            .add(unsigned(squaresLow));
    BigInteger n = BigInteger.valueOf(count);
    // count · (count − 1) · variance, exactly.
    BigDecimal scaled = new BigDecimal(n.multiply(squares).subtract(wholeSum().pow(2)));
    return scaled
        .divide(new BigDecimal(n.multiply(n.subtract(BigInteger.ONE))), MathContext.DECIMAL128)
        .sqrt(MathContext.DECIMAL128)
        .doubleValue();
  }

  /**
   * The smallest number such that at least a share of the numbers is no larger, exactly.
   *
   * @param share 0 … 1, taken as the decimal that it prints as: 0.55 is 55 of 100 numbers
   * @return a Long or a Double, null if there was no number
   */
  public Number quantile(double share) {
    if (count == 0) {
      return null;
    }
    if (!sorted) {
      sort();
    }
    long value = kept[(int) rank(share) - 1];
    return whole ? (Number) value : (Number) Double.longBitsToDouble(value);
  }

  /** ⌈share · count⌉ in decimals, because 0.55 · 100 is more than 55 in doubles; at least 1. */
  private long rank(double share) {
    return BigDecimal.valueOf(share)
        .multiply(BigDecimal.valueOf(count))
        .setScale(0, RoundingMode.CEILING)
        .max(BigDecimal.ONE)
        .longValueExact();
  }

  private void sort() {
    if (whole) {
      Arrays.sort(kept, 0, (int) count);
    } else {
      double[] doubles = new double[(int) count];
      for (int i = 0; i < doubles.length; i++) {
        doubles[i] = Double.longBitsToDouble(kept[i]);
      }
      Arrays.sort(doubles);
      for (int i = 0; i < doubles.length; i++) {
        kept[i] = Double.doubleToRawLongBits(doubles[i]);
      }
    }
    sorted = true;
  }
}
