package org.flowmon.jobs.report;

import org.flowmon.udaf.function.ErrorBound;

/**
 * An approximate column of a report, its error bound, and the query for the exact answer.
 *
 * @param column its name
 * @param value the approximate value in it, in the dialect
 * @param bound the largest error of the value in the report's rows, not of the column computed from
 *     it; null if only each value's own bounds are known, which LOWER and UPPER give
 * @param exact the archive query that gives the exact answer over the flows of the window; null if
 *     no query does
 */
public record ReportApproximation(String column, String value, ErrorBound bound, String exact) {
  public ReportApproximation {
    // Numbers of JSON are finite, and an infinite error bounds nothing.
    bound = bound == null || Double.isInfinite(bound.value()) ? null : bound;
  }

  /** Returns the unit of the bound, as reports name it; null without one. */
  public String boundOf() {
    return bound == null
        ? null
        : switch (bound.kind()) {
          case RANK -> "ranks";
          case ADDITIVE -> "units";
          case RELATIVE -> "share";
        };
  }
}
