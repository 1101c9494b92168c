package org.flowmon.udaf.quantile;

import java.math.BigDecimal;
import org.flowmon.udaf.value.ValueKind;

/**
 * What a call of QUANTILES says.
 *
 * @param kind of the values
 * @param millionths ε in millionths, so that limits are exact: those of the parts of a stream
 *     together are never above that of the whole
 * @param words of a scratchpad; {@link #OWN_WORDS}: what each strategy has of itself
 */
record QuantileParameters(ValueKind kind, int millionths, Strategy strategy, int words) {
  /** Of {@link Strategy#AUTO} where the call does not say how many. */
  static final int OWN_WORDS = 0;

  private static final int MILLION = 1_000_000;

  /** What the low half does, and which summary the high half keeps. */
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

    /** As it is written in a call. */
    String word() {
      return word;
    }

    /** Whether the low half keeps a summary, not values. */
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
   * The same of half of ε, for summaries of the low half: what is left of the error is the high
   * half's, whose summary could not be compressed otherwise.
   */
  long lowLimit(long n) {
    return limit(millionths / 2, n);
  }

  private static long limit(int millionths, long n) {
    return 2 * (n / MILLION * millionths + n % MILLION * millionths / MILLION);
  }

  /**
   * Words of a scratchpad where a call does not say: of a summary, so many that it can be
   * compressed to less than half when it is full for the first time.
   */
  static int defaultWords(Strategy strategy, int millionths) {
    return strategy.summarizesLow()
        ? Math.min(4096, Math.max(64, 2 + 5 * MILLION / millionths))
        : 64;
  }

  /** Values that a summary of the high half keeps, at most, before it is compressed. */
  int mostKept() {
    if (strategy == Strategy.AUTO) {
      return with(Strategy.HEAVY).mostKept();
    }
    return Math.max(3 * target(), strategy.summarizesLow() ? words / 2 : 0);
  }

  /** The same with a low half that {@link Strategy#AUTO} may stand for. */
  QuantileParameters with(Strategy low) {
    int own = words == OWN_WORDS ? defaultWords(low, millionths) : words;
    return new QuantileParameters(kind, millionths, low, own);
  }

  /** Different values that a summary is compressed to: {@code 2 / ε}. */
  int target() {
    return Math.max(8, 2 * MILLION / millionths);
  }
}
