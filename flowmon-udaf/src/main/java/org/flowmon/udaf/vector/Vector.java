package org.flowmon.udaf.vector;

import java.util.Arrays;
import java.util.Objects;
import org.flowmon.udaf.value.Int128;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * Up to {@link #CAPACITY} values of one kind, reused; a NULL is 0, {@code ::} or a null text. The
 * evaluator into a vector owns it until the next evaluation.
 */
public final class Vector {
  public static final int CAPACITY = 1024;

  public static final int WORDS = CAPACITY / 64;

  private final @Nullable ValueKind kind;
  private final long[] values = new long[CAPACITY];
  private final long @Nullable [] high;
  private final @Nullable String @Nullable [] texts;
  private final long[] validity = new long[WORDS];
  private boolean allValid;
  private long[] upper = {}; // allocated on first use
  private boolean isWide;

  /** Null if every value will be NULL. */
  public Vector(@Nullable ValueKind kind) {
    this.kind = kind;
    this.high = kind == ValueKind.ADDRESS ? new long[CAPACITY] : null;
    this.texts = kind == ValueKind.TEXT ? new String[CAPACITY] : null;
  }

  public @Nullable ValueKind kind() {
    return kind;
  }

  /** Low ones of addresses, bits of doubles. */
  public long[] values() {
    return values;
  }

  /** High longs of addresses; null for other kinds. */
  public long @Nullable [] high() {
    return high;
  }

  public @Nullable String @Nullable [] texts() {
    return texts;
  }

  public long[] requireHigh() {
    return Objects.requireNonNull(high);
  }

  /** {@link #texts} of a vector of texts; that of a NULL is null. */
  public @Nullable String[] requireTexts() {
    return Objects.requireNonNull(texts);
  }

  /** Bit {@code i & 63} of word {@code i >>> 6} is set if value i is not NULL; 0 past the count. */
  public long[] validity() {
    return validity;
  }

  public boolean allValid() {
    return allValid;
  }

  public boolean isValid(int i) {
    return (validity[i >>> 6] >>> i & 1) != 0;
  }

  /** Beyond 64 bits, as sums over groups: {@link #upper} then counts. Values of rows never are. */
  public boolean isWide() {
    return isWide;
  }

  /** The upper 64 of the 128 bits of a whole number whose lower ones are in {@link #values}. */
  public long upper(int i) {
    return isWide ? upper[i] : values[i] >> 63;
  }

  /** Until the vector is filled again; returns the upper longs, to be filled. */
  public long[] widen() {
    upper = upper.length == 0 ? new long[CAPACITY] : upper;
    isWide = true;
    return upper;
  }

  public double asDouble(int i) {
    if (kind == ValueKind.DOUBLE) {
      return Double.longBitsToDouble(values[i]);
    }
    return isWide ? Int128.toDouble(upper[i], values[i]) : (double) values[i];
  }

  public void copy(Vector from, int count) {
    System.arraycopy(from.values, 0, values, 0, count);
    if (high != null) {
      System.arraycopy(from.high, 0, high, 0, count);
    }
    if (texts != null) {
      System.arraycopy(from.texts, 0, texts, 0, count);
    }
    System.arraycopy(from.validity, 0, validity, 0, WORDS);
    allValid = from.allValid;
    isWide = false;
    if (from.isWide) {
      System.arraycopy(from.upper, 0, widen(), 0, count);
    }
  }

  public void setAllValid(int count) {
    fill(validity, count);
    allValid = true;
    isWide = false;
  }

  /** Declares every value NULL and clears the first {@code count}. */
  public void setAllNull(int count) {
    Arrays.fill(validity, 0);
    Arrays.fill(values, 0, count, 0);
    if (high != null) {
      Arrays.fill(high, 0, count, 0);
    }
    if (texts != null) {
      Arrays.fill(texts, 0, count, null);
    }
    allValid = count == 0;
    isWide = false;
  }

  /** Clears the NULLs of {@link #validity}. */
  public void settleValidity(int count) {
    allValid = true;
    isWide = false;
    for (int w = 0; w < words(count); w++) {
      long invalid = ~validity[w] & mask(w, count);
      allValid &= invalid == 0;
      for (; invalid != 0; invalid &= invalid - 1) {
        int i = (w << 6) + Long.numberOfTrailingZeros(invalid);
        values[i] = 0;
        if (high != null) {
          high[i] = 0;
        }
        if (texts != null) {
          texts[i] = null;
        }
      }
    }
  }

  public static int words(int count) {
    return (count + 63) >>> 6;
  }

  public static long mask(int w, int count) {
    int bits = count - (w << 6);
    return bits >= 64 ? -1L : bits <= 0 ? 0 : (1L << bits) - 1;
  }

  /** Sets the first count bits, clears the others. */
  public static void fill(long[] words, int count) {
    for (int w = 0; w < WORDS; w++) {
      words[w] = mask(w, count);
    }
  }
}
