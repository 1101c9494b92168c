package org.flowmon.jobs.report;

import org.flowmon.udaf.Approximation;
import org.flowmon.udaf.function.ErrorBound;
import org.jspecify.annotations.Nullable;

/**
 * An approximate column of a report, its error bound, and the query for the exact answer.
 *
 * @param value the approximate value in it, in the dialect
 * @param bound the largest error of this value in the rows, not of the column computed from it;
 *     null if only each value's own bounds, LOWER and UPPER, are known
 * @param computed whether the column is computed from the value rather than the value itself
 * @param exact the archive query for the window's flows; null if none gives it
 */
public record ReportApproximation(
    String column,
    String value,
    boolean computed,
    @Nullable ErrorBound bound,
    @Nullable String exact) {
  public ReportApproximation {
    // Numbers of JSON are finite, and an infinite error bounds nothing.
    bound = bound == null || Double.isInfinite(bound.value()) ? null : bound;
  }

  /** {@code exact}: its query if there is one; {@code bound}: null if unknown. */
  public static ReportApproximation of(
      Approximation one, @Nullable ErrorBound bound, @Nullable String exact) {
    return new ReportApproximation(
        one.column(), one.what().toString(), !one.isWhole(), bound, exact);
  }

  /** The bound's unit, as reports name it; null without one. */
  public @Nullable String boundOf() {
    return bound == null
        ? null
        : switch (bound.kind()) {
          case RANK -> "ranks";
          case ADDITIVE -> "units";
          case RELATIVE -> "share";
        };
  }
}
