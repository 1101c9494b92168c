package org.flowmon.udaf.doubles;

import java.math.BigInteger;
import java.util.Arrays;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;

/**
 * A sum without rounding: a whole number in digits of 32 bits, of which only those are kept that
 * the added numbers can reach. A digit is a long, so that carries wait for 2^30 additions (R. M.
 * Neal, "Fast exact summation using small and large superaccumulators", 2015).
 *
 * <pre>
 *   sum = Σ digits[i] · 2^(32 · (first + i))
 * </pre>
 */
final class ExactSum {
  private static final int DIGIT_BITS = 32;
  private static final long DIGIT = 0xFFFF_FFFFL;
  private static final int MAX_PENDING = 1 << 30;
  private static final int ARRAY_HEADER = 16;

  /** Header, one reference, two ints, and the header of the array. */
  static final int OWN_BYTES = 24 + ARRAY_HEADER;

  private long[] digits = {};
  private int first;
  private int pending;

  static int digits(int lowest, int highest) {
    return highest / DIGIT_BITS - lowest / DIGIT_BITS + 1;
  }

  long memoryBytes() {
    return OWN_BYTES + (long) Long.BYTES * digits.length;
  }

  /** Makes room for bits {@code lowest} … {@code highest}, the sign's. It never shrinks. */
  void cover(int lowest, int highest) {
    int count = digits(lowest, highest);
    if (count > digits.length) {
      long[] wider = new long[count];
      int shift = digits.length == 0 ? 0 : first - lowest / DIGIT_BITS;
      System.arraycopy(digits, 0, wider, shift, digits.length);
      digits = wider;
      first = lowest / DIGIT_BITS;
    }
  }

  /** Adds {@code ± (high · 2^64 + low) · 2^position}, covered; both unsigned, high below 2^63. */
  void add(long high, long low, int position, boolean negative) {
    int at = position / DIGIT_BITS - first;
    int shift = position % DIGIT_BITS;
    long carried = shift == 0 ? 0 : low >>> (64 - shift);
    addWord(at, low << shift, negative);
    addWord(at + 2, high << shift | carried, negative);
    addWord(at + 4, shift == 0 ? 0 : high >>> (64 - shift), negative);
    added();
  }

  private void addWord(int at, long word, boolean negative) {
    long lower = word & DIGIT;
    long upper = word >>> DIGIT_BITS;
    if (lower != 0) {
      digits[at] += negative ? -lower : lower;
    }
    if (upper != 0) {
      digits[at + 1] += negative ? -upper : upper;
    }
  }

  private void added() {
    if (++pending == MAX_PENDING) {
      carry();
    }
  }

  /** Makes all digits but the last 0 … 2^32 − 1. */
  private void carry() {
    for (int i = 0; i + 1 < digits.length; i++) {
      digits[i + 1] += digits[i] >> DIGIT_BITS;
      digits[i] &= DIGIT;
    }
    pending = 0;
  }

  /** The sum divided by 2^{@link #position}. */
  BigInteger value() {
    carry();
    BigInteger value = BigInteger.ZERO;
    for (int i = digits.length - 1; i >= 0; i--) {
      value = value.shiftLeft(DIGIT_BITS).add(BigInteger.valueOf(digits[i]));
    }
    return value;
  }

  /** The place of the lowest digit's first bit. */
  int position() {
    return first * DIGIT_BITS;
  }

  /** Appends the number of digits and the digits, in two's complement, as few as can be. */
  void output(StateSink sink) {
    carry();
    int count = digits.length;
    while (count > 0 && (int) digits[count - 1] == sign(count - 1)) {
      count--;
    }
    sink.putVarint(count);
    for (int i = 0; i < count; i++) {
      sink.putInt((int) digits[i]);
    }
  }

  /** Of the first {@code count} digits: 0 or −1. */
  private int sign(int count) {
    return count == 0 ? 0 : (int) digits[count - 1] >> 31;
  }

  /** Reads digits of {@link #output}, from bit {@code lowest}, below 2^{@code highest}. */
  static int[] read(StateReader bytes, int lowest, int highest) {
    int count = bytes.count("digits", digits(lowest, highest), Integer.BYTES);
    int[] digits = new int[count];
    for (int i = 0; i < count; i++) {
      digits[i] = bytes.getInt();
    }
    if (count > 0) {
      int top = digits[count - 1];
      int bits = DIGIT_BITS - Integer.numberOfLeadingZeros(top < 0 ? ~top : top);
      if (DIGIT_BITS * (lowest / DIGIT_BITS + count - 1) + bits > highest) {
        throw bytes.error("expected a sum below 2^" + highest + " of the least double");
      }
    }
    return digits;
  }

  /** Adds a sum {@link #read} with the same {@code lowest}, which is covered. */
  void add(int[] read, int lowest) {
    int at = lowest / DIGIT_BITS - first;
    for (int i = 0; i < read.length; i++) {
      boolean isTop = i == read.length - 1;
      digits[at + i] += isTop ? read[i] : read[i] & DIGIT;
    }
    added();
  }

  @Override
  public String toString() {
    return Arrays.toString(digits) + " from bit " + position();
  }
}
