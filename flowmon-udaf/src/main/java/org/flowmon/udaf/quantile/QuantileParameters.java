package org.flowmon.udaf.quantile;

import java.math.BigDecimal;
import org.flowmon.udaf.value.ValueKind;

/**
 * The parameters of a call of QUANTILES.
 *
 * @param millionths of ε: limits are exact, their sum over parts never exceeds the whole's
 * @param words of a scratchpad; {@link #OWN_WORDS}: the default of each strategy
 */
record QuantileParameters(ValueKind kind, int millionths, Strategy strategy, int words) {
  /** {@link Strategy#AUTO} without a number of words in the call. */
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

    String word() {
      return word;
    }

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

  boolean isExact() {
    return millionths == 0;
  }

  BigDecimal epsilon() {
    return BigDecimal.valueOf(millionths, 6).stripTrailingZeros();
  }

  /** The largest gap of n values: {@code 2 · ⌊ε · n⌋}. */
  long limit(long n) {
    return limit(millionths, n);
  }

  /** For half of ε: the rest is the high half's, which could not compress otherwise. */
  long lowLimit(long n) {
    return limit(millionths / 2, n);
  }

  private static long limit(int millionths, long n) {
    return 2 * (n / MILLION * millionths + n % MILLION * millionths / MILLION);
  }

  /** A summary can compress to less than half when it is first full. */
  static int defaultWords(Strategy strategy, int millionths) {
    return strategy.summarizesLow()
        ? Math.min(4096, Math.max(64, 2 + 5 * MILLION / millionths))
        : 64;
  }

  /** The high half's summary is compressed beyond. */
  int mostKept() {
    if (strategy == Strategy.AUTO) {
      return with(Strategy.HEAVY).mostKept();
    }
    return Math.max(3 * target(), strategy.summarizesLow() ? words / 2 : 0);
  }

  /** {@link Strategy#AUTO} may stand for this low half. */
  QuantileParameters with(Strategy low) {
    int own = words == OWN_WORDS ? defaultWords(low, millionths) : words;
    return new QuantileParameters(kind, millionths, low, own);
  }

  /** Different values after compressing: {@code 2 / ε}. */
  int target() {
    return Math.max(8, 2 * MILLION / millionths);
  }
}
