package org.flowmon.udaf.function;

import org.jspecify.annotations.Nullable;

/**
 * The error bound of an answer.
 *
 * @param kind the unit of the error
 * @param value the largest error, 0 if the answer is exact
 * @param probability the probability that an answer keeps to it; 1 if it always does
 */
public record ErrorBound(Kind kind, double value, double probability) {
  /** No error. */
  public static final ErrorBound EXACT = new ErrorBound(Kind.ADDITIVE, 0, 1);

  /** The unit of an error. */
  public enum Kind {
    /**
     * Places in the sorted order of the values: the answer is the true one of a rank at most this
     * far away.
     */
    RANK(1),
    /** Units of the answer. */
    ADDITIVE(2),
    /** A share of the true answer. */
    RELATIVE(3);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    /** The stable code in bytes. */
    public int code() {
      return code;
    }

    /** The kind of this code, null if this version does not know it. */
    public static @Nullable Kind byCode(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      return null;
    }
  }

  public ErrorBound {
    if (!(value >= 0) || !(probability > 0 && probability <= 1)) {
      throw new IllegalArgumentException(
          "an error of " + value + " with probability " + probability);
    }
  }

  public static ErrorBound ofRank(double ranks, double probability) {
    return new ErrorBound(Kind.RANK, ranks, probability);
  }

  public static ErrorBound additive(double units, double probability) {
    return new ErrorBound(Kind.ADDITIVE, units, probability);
  }

  public static ErrorBound relative(double share, double probability) {
    return new ErrorBound(Kind.RELATIVE, share, probability);
  }

  public boolean isExact() {
    return value == 0 && probability == 1;
  }
}
