package org.flowmon.udaf.quantile;

import java.math.BigDecimal;
import org.flowmon.udaf.value.ValueKind;

/**
 * The parameters of a call of QUANTILES.
 *
 * @param kind of the values
 * @param millionths ε in millionths, so that limits are exact: the sum over parts of a stream never
 *     exceeds that of the whole
 * @param words of a scratchpad; {@link #OWN_WORDS}: the default of each strategy
 */
record QuantileParameters(ValueKind kind, int millionths, Strategy strategy, int words) {
  /** Marks {@link Strategy#AUTO} without a number of words in the call. */
  static final int OWN_WORDS = 0;

  private static final int MILLION = 1_000_000;

  /** The method of the low half, and the summary of the high half. */
  enum Strategy {
    /** One of the next three, in turns: all have the same high half. */
    AUTO("auto"),
    LITE("lite"),
    MEDIUM("medium"),
    HEAVY("heavy"),
    KLL("kll");

    private final String word;

    Strategy(String word) {
      this.word = word;
    }

    /** The word in a call. */
    String word() {
      return word;
    }

    /** Whether the low half keeps a summary instead of values. */
    boolean summarizesLow() {
      return this == MEDIUM || this == HEAVY;
    }

    static Strategy of(String word) {
      for (Strategy strategy : values()) {
        if (strategy.word.equals(word)) {
          return strategy;
        }
      }
      throw new IllegalArgumentException("no strategy " + word);
    }
  }

  /** An ε in whole millionths, the rest cut off. */
  static int millionths(double epsilon) {
    return BigDecimal.valueOf(epsilon).movePointRight(6).intValue();
  }

  /** Whether all different values are kept. */
  boolean isExact() {
    return millionths == 0;
  }

  BigDecimal epsilon() {
    return BigDecimal.valueOf(millionths, 6).stripTrailingZeros();
  }

  /** The largest gap that a summary of n values may have: {@code 2 · ⌊ε · n⌋}. */
  long limit(long n) {
    return limit(millionths, n);
  }

  /**
   * The limit for half of ε, for summaries of the low half. The rest of the error is for the high
   * half, whose summary could not be compressed otherwise.
   */
  long lowLimit(long n) {
    return limit(millionths / 2, n);
  }

  private static long limit(int millionths, long n) {
    return 2 * (n / MILLION * millionths + n % MILLION * millionths / MILLION);
  }

  /**
   * The default words of a scratchpad. A summary gets enough to compress to less than half when it
   * is first full.
   */
  static int defaultWords(Strategy strategy, int millionths) {
    return strategy.summarizesLow()
        ? Math.min(4096, Math.max(64, 2 + 5 * MILLION / millionths))
        : 64;
  }

  /** The most values of the high half's summary before it is compressed. */
  int mostKept() {
    if (strategy == Strategy.AUTO) {
      return with(Strategy.HEAVY).mostKept();
    }
    return Math.max(3 * target(), strategy.summarizesLow() ? words / 2 : 0);
  }

  /** The same parameters with a low half that {@link Strategy#AUTO} may stand for. */
  QuantileParameters with(Strategy low) {
    int own = words == OWN_WORDS ? defaultWords(low, millionths) : words;
    return new QuantileParameters(kind, millionths, low, own);
  }

  /** The number of different values after compressing a summary: {@code 2 / ε}. */
  int target() {
    return Math.max(8, 2 * MILLION / millionths);
  }
}
