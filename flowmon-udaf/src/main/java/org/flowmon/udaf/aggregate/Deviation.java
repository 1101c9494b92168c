package org.flowmon.udaf.aggregate;

import java.math.BigInteger;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.value.Int128;

/**
 * Standard deviation from exact sums: √((n · Σx² − (Σx)²) / (n · m)), m = n − 1 for a sample and n
 * for the population. The numerator is exact: nothing cancels, and the order of adding and merging
 * does not matter. Quotient and root are rounded, by a few units of the last place at most.
 */
public final class Deviation {
  private static final long SMALL = 1L << 31;

  private final int sum;
  private final int squares;
  private final int count;
  private final boolean ofSample;

  /** The deviation of a STDDEV or STDDEV_POP call, from states of a layout that has it. */
  public Deviation(GroupLayout layout, AggregateCall call) {
    this.sum = layout.sum(call).word();
    this.squares = layout.value(call).word();
    this.count = layout.values(call).word();
    this.ofSample = call.function() == AggregateFunction.STDDEV;
  }

  public static boolean is(AggregateCall call) {
    return call.function() == AggregateFunction.STDDEV
        || call.function() == AggregateFunction.STDDEV_POP;
  }

  /** Whether the state has too few values for a deviation. */
  public boolean isNull(long[] state, int at) {
    return state[at + count] < (ofSample ? 2 : 1);
  }

  /** Computes the deviation of the state at {@code at}, which is not NULL. */
  public double of(long[] state, int at) {
    long values = state[at + count];
    boolean small =
        values < SMALL
            && state[at + sum + 1] == 0
            && state[at + squares + 2] == 0
            && state[at + squares + 1] >>> 31 == 0;
    return small ? ofSmall(values, state[at + sum], state, at + squares) : ofAny(state, at);
  }

  /** For a sum in 64 bits and a sum of squares (first word {@code at}) times n in 126 bits. */
  private double ofSmall(long n, long total, long[] state, int at) {
    long low = n * state[at];
    long high =
        n * state[at + 1] + Math.multiplyHigh(n, state[at]) + ((state[at] >> 63) & n); // unsigned
    long squareLow = total * total;
    long differenceHigh =
        high - Math.multiplyHigh(total, total) - (Long.compareUnsigned(low, squareLow) < 0 ? 1 : 0);
    double numerator = Int128.toDouble(differenceHigh, low - squareLow);
    return Math.sqrt(numerator / (double) (n * (ofSample ? n - 1 : n)));
  }

  private double ofAny(long[] state, int at) {
    BigInteger n = BigInteger.valueOf(state[at + count]);
    long low = state[at + sum];
    BigInteger total = Int128.toBigInteger(state[at + sum + 1] + (low >> 63), low);
    BigInteger ofSquares =
        unsigned(state[at + squares + 2])
            .shiftLeft(64)
            .or(unsigned(state[at + squares + 1]))
            .shiftLeft(64)
            .or(unsigned(state[at + squares]));
    BigInteger numerator = n.multiply(ofSquares).subtract(total.multiply(total));
    BigInteger denominator = n.multiply(ofSample ? n.subtract(BigInteger.ONE) : n);
    return Math.sqrt(numerator.doubleValue() / denominator.doubleValue());
  }

  private static BigInteger unsigned(long word) {
    return Int128.toBigInteger(0, word);
  }
}
