package org.flowmon.jobs.report;

import org.flowmon.udaf.function.ErrorBound;

/**
 * That a column of a report is approximate, how far off it may be, and what gives the exact answer.
 *
 * @param column its name
 * @param value the approximate value in it, in the dialect
 * @param bound the largest error of the value in the report's rows, not of what the column makes of
 *     it; null where only each value's own bounds are known, which LOWER and UPPER give
 * @param exact the query of the archive that gives the exact answer over the flows of the window;
 *     null where no query does
 */
public record ReportApproximation(String column, String value, ErrorBound bound, String exact) {
  public ReportApproximation {
    // Numbers of JSON are finite, and an error without a limit bounds nothing.
    bound = bound == null || Double.isInfinite(bound.value()) ? null : bound;
  }

  /** What the bound is counted in, as reports call it; null without one. */
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
