package org.flowmon.udaf.function;

import org.jspecify.annotations.Nullable;

/**
 * The largest error of an answer, 0 if exact, in a unit.
 *
 * @param probability that an answer keeps to it; 1 if it always does
 */
public record ErrorBound(Kind kind, double value, double probability) {
  public static final ErrorBound EXACT = new ErrorBound(Kind.ADDITIVE, 0, 1);

  /** The unit of an error. */
  public enum Kind {
    /** Places in the values' order: the answer is the true one of a rank at most so far away. */
    RANK(1),
    ADDITIVE(2),
    RELATIVE(3);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    public int code() {
      return code;
    }

    /** Null if this version does not know it. */
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
