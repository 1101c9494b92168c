package org.flowmon.udaf.doubles;

import java.math.BigInteger;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SuperState;

/**
 * The high half of DOUBLE_SUMS. A double is m · 2^(p − 1074) with |m| below 2^53 and a position p
 * from 0 to 2045; sums are whole multiples of 2^−1074, sums of squares of 2^−2148. Their room
 * follows from the least and the greatest position alone, so equal rows take equal memory.
 *
 * <pre>
 *   48: u8 form | u64 bits of each value
 *   49: u8 form | u8 not finite | varint count | varint least p + 1, 0 if none
 *       | varint greatest p − least p | sum | sum of squares: varint digits, u32 each
 * </pre>
 */
final class DoubleSumsState implements SuperState {
  static final int VALUES = 48;
  private static final int SUMS = 49;

  private static final long MAX_COUNT = 1L << 62;
  private static final int MAX_POSITION = 2045;
  private static final int SCALE = 1074;
  private static final int FRACTION_BITS = 52;
  private static final long INFINITY = 0x7FFL << FRACTION_BITS;

  // 53 bits of a value, 106 of its square, and 63 for as many as there may be.
  private static final int SUM_BITS = 53 + 63;
  private static final int SQUARE_BITS = 106 + 63;

  private static final int NAN = 1;
  private static final int POSITIVE = 2;
  private static final int NEGATIVE = 4;

  // Header, three references, a long and an int; and the positions.
  private static final int OWN_BYTES = 40 + 24;

  private long count;
  private int notFinite; // NAN | POSITIVE | NEGATIVE
  private Positions positions = Positions.NONE;
  private final ExactSum sum = new ExactSum();
  private final ExactSum squares = new ExactSum();

  /** The least and the greatest position of finite values other than 0; −1 if there are none. */
  private record Positions(int least, int greatest) {
    static final Positions NONE = new Positions(-1, -1);

    static Positions of(int position) {
      return new Positions(position, position);
    }

    boolean isNone() {
      return least < 0;
    }

    boolean has(int position) {
      return least <= position && position <= greatest;
    }

    Positions with(Positions others) {
      if (isNone() || others.isNone()) {
        return isNone() ? others : this;
      }
      return new Positions(Math.min(least, others.least), Math.max(greatest, others.greatest));
    }

    /** The memory of the digits of both sums. */
    long memoryBytes() {
      int digits =
          isNone()
              ? 0
              : ExactSum.digits(least, greatest + SUM_BITS)
                  + ExactSum.digits(2 * least, 2 * greatest + SQUARE_BITS);
      return (long) Long.BYTES * digits;
    }
  }

  @Override
  public void merge(StateReader bytes) {
    if (bytes.remaining() == 0) {
      return;
    }
    int form = bytes.getByte();
    if (form == VALUES) {
      mergeValues(bytes);
    } else if (form == SUMS) {
      mergeSums(bytes);
    } else {
      throw bytes.error("form " + form + ", this reads forms " + VALUES + " and " + SUMS);
    }
  }

  private void mergeValues(StateReader bytes) {
    if (bytes.remaining() == 0 || bytes.remaining() % Long.BYTES != 0) {
      throw bytes.error("expected values of 8 bytes, found " + bytes.remaining() + " bytes");
    }
    requireCount(bytes, bytes.remaining() / Long.BYTES);
    while (bytes.remaining() > 0) {
      add(bytes.getLong());
    }
  }

  private void add(long bits) {
    count++;
    long magnitude = bits & Long.MAX_VALUE;
    boolean negative = bits < 0;
    if (magnitude >= INFINITY) {
      notFinite |= magnitude > INFINITY ? NAN : negative ? NEGATIVE : POSITIVE;
    } else if (magnitude != 0) {
      int position = position(magnitude);
      boolean isSubnormal = magnitude >>> FRACTION_BITS == 0;
      long fraction = magnitude & ((1L << FRACTION_BITS) - 1);
      long mantissa = isSubnormal ? fraction : fraction | 1L << FRACTION_BITS;
      if (!positions.has(position)) {
        cover(Positions.of(position));
      }
      sum.add(0, mantissa, position, negative);
      long high = Math.multiplyHigh(mantissa, mantissa);
      squares.add(high, mantissa * mantissa, 2 * position, false);
    }
  }

  /** The position of a finite value, from its bits without the sign. */
  private static int position(long magnitude) {
    return Math.max(0, (int) (magnitude >>> FRACTION_BITS) - 1);
  }

  private void cover(Positions more) {
    positions = positions.with(more);
    if (!positions.isNone()) {
      sum.cover(positions.least, positions.greatest + SUM_BITS);
      squares.cover(2 * positions.least, 2 * positions.greatest + SQUARE_BITS);
    }
  }

  private void mergeSums(StateReader bytes) {
    int more = notFinite(bytes);
    long added = bytes.getVarint();
    requireCount(bytes, added);
    Positions others = positions(bytes);
    int[] addedSum = {};
    int[] addedSquares = {};
    if (!others.isNone()) {
      int bits = Long.SIZE - Long.numberOfLeadingZeros(added);
      addedSum = ExactSum.read(bytes, others.least, others.greatest + 53 + bits);
      addedSquares = ExactSum.read(bytes, 2 * others.least, 2 * others.greatest + 106 + bits);
      if (addedSquares.length == 0 || addedSquares[addedSquares.length - 1] < 0) {
        throw bytes.error("expected a sum of squares above 0");
      }
    }
    bytes.end();
    cover(others);
    count += added;
    notFinite |= more;
    if (!others.isNone()) {
      sum.add(addedSum, others.least);
      squares.add(addedSquares, 2 * others.least);
    }
  }

  private static int notFinite(StateReader bytes) {
    int flags = bytes.getByte();
    if (flags > (NAN | POSITIVE | NEGATIVE)) {
      throw bytes.error("expected 0 … 7 for values that are not finite, found " + flags);
    }
    return flags;
  }

  private static Positions positions(StateReader bytes) {
    int least = bytes.count("positions", MAX_POSITION + 1, 0) - 1;
    return least < 0
        ? Positions.NONE
        : new Positions(least, least + bytes.count("positions", MAX_POSITION - least, 0));
  }

  private void requireCount(StateReader bytes, long more) {
    if (more < 1 || more > MAX_COUNT - count) {
      throw bytes.error("expected 1 … " + (MAX_COUNT - count) + " values, found " + more);
    }
  }

  @Override
  public void output(StateSink sink) {
    if (count == 0) {
      return;
    }
    sink.putByte(SUMS);
    sink.putByte(notFinite);
    sink.putVarint(count);
    sink.putVarint(positions.least + 1L);
    if (!positions.isNone()) {
      sink.putVarint(positions.greatest - positions.least);
      sum.output(sink);
      squares.output(sink);
    }
  }

  @Override
  public long memoryBytes() {
    return OWN_BYTES + sum.memoryBytes() + squares.memoryBytes();
  }

  /** The room for the positions of both, beside the present one. */
  @Override
  public long growth(StateReader bytes) {
    Positions after = positions;
    try {
      StateReader copy =
          new StateReader(
              bytes.array(),
              bytes.position(),
              bytes.position() + bytes.remaining(),
              "a state of DOUBLE_SUMS");
      int form = copy.remaining() == 0 ? 0 : copy.getByte();
      if (form == VALUES) {
        while (copy.remaining() >= Long.BYTES) {
          long magnitude = copy.getLong() & Long.MAX_VALUE;
          if (magnitude != 0 && magnitude < INFINITY && !after.has(position(magnitude))) {
            after = after.with(Positions.of(position(magnitude)));
          }
        }
      } else if (form == SUMS) {
        notFinite(copy);
        copy.getVarint();
        after = after.with(positions(copy));
      }
    } catch (StateFormatException e) {
      return 0; // the merge will refuse them
    }
    return after.memoryBytes() + bytes.remaining();
  }

  long count() {
    return count;
  }

  /** Rounded once; of no values 0. */
  double sum() {
    return notFinite != 0 ? ofNotFinite() : mean(BigInteger.ONE);
  }

  /** The arithmetic mean of at least one value, rounded once. */
  double mean() {
    return notFinite != 0 ? ofNotFinite() : mean(BigInteger.valueOf(count));
  }

  private double mean(BigInteger divisor) {
    return Rounding.nearest(sum.value(), divisor, sum.position() - SCALE);
  }

  private double ofNotFinite() {
    return notFinite == POSITIVE
        ? Double.POSITIVE_INFINITY
        : notFinite == NEGATIVE ? Double.NEGATIVE_INFINITY : Double.NaN;
  }

  /** √((n · Σx² − (Σx)²) / (n · (n − less))), rounded once, less 1 for a sample or 0, below n. */
  double deviation(int less) {
    if (notFinite != 0) {
      return Double.NaN;
    }
    BigInteger n = BigInteger.valueOf(count);
    BigInteger all = sum.value();
    BigInteger numerator =
        n.multiply(squares.value().shiftLeft(squares.position() - 2 * sum.position()))
            .subtract(all.multiply(all));
    // Only bytes from elsewhere can have sums of no values at all.
    return Rounding.nearestRoot(
        numerator.max(BigInteger.ZERO),
        n.multiply(BigInteger.valueOf(count - less)),
        2 * (sum.position() - SCALE));
  }
}
