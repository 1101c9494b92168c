package org.flowmon.udaf.doubles;

import java.math.BigInteger;

/** Rounds exact numbers to the nearest double, ties to even. */
final class Rounding {
  private static final int MANTISSA_BITS = 53;
  private static final int LEAST_EXPONENT = -1074;

  /** Bits of a root: more than twice those of a double. */
  private static final int ROOT_BITS = 128;

  private Rounding() {}

  /** {@code numerator / denominator · 2^exponent}; infinite if it is beyond all doubles. */
  static double nearest(BigInteger numerator, BigInteger denominator, int exponent) {
    BigInteger magnitude = numerator.abs();
    int bits = magnitude.bitLength() - denominator.bitLength() + exponent;
    // Of the last bit of the result. The quotient has as many bits or one more.
    int unit = Math.max(bits - MANTISSA_BITS, LEAST_EXPONENT);
    BigInteger[] parts = scaled(magnitude, denominator, exponent - unit);
    if (parts[0].bitLength() > MANTISSA_BITS) {
      unit++;
      parts = scaled(magnitude, denominator, exponent - unit);
    }
    long quotient = parts[0].longValueExact();
    int half = parts[1].shiftLeft(1).compareTo(parts[2]);
    if (half > 0 || (half == 0 && (quotient & 1) == 1)) {
      quotient++;
    }
    double result = Math.scalb((double) quotient, unit);
    return numerator.signum() < 0 ? -result : result;
  }

  /** Quotient, remainder and divisor of {@code numerator · 2^shift / denominator}. */
  private static BigInteger[] scaled(BigInteger numerator, BigInteger denominator, int shift) {
    BigInteger dividend = shift > 0 ? numerator.shiftLeft(shift) : numerator;
    BigInteger divisor = shift < 0 ? denominator.shiftLeft(-shift) : denominator;
    BigInteger[] parts = dividend.divideAndRemainder(divisor);
    return new BigInteger[] {parts[0], parts[1], divisor};
  }

  /** {@code √(numerator / denominator · 2^exponent)}, numerator at least 0, exponent even. */
  static double nearestRoot(BigInteger numerator, BigInteger denominator, int exponent) {
    int bits = numerator.bitLength() - denominator.bitLength();
    int shift = Math.max(0, 2 * ROOT_BITS - bits);
    shift += shift & 1;
    BigInteger[] square = scaled(numerator, denominator, shift);
    BigInteger[] root = square[0].sqrtAndRemainder();
    boolean exact = square[1].signum() == 0 && root[1].signum() == 0;
    // One bit more says whether anything was cut off.
    BigInteger withRest = root[0].shiftLeft(1).add(exact ? BigInteger.ZERO : BigInteger.ONE);
    return nearest(withRest, BigInteger.ONE, (exponent - shift) / 2 - 1);
  }
}
