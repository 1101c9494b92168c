package org.flowmon.jobs.report;

import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.group.GroupEstimate;

/**
 * The reliability of a report.
 *
 * @param history whether the history was read, and all of it
 * @param asOf the history is that of this time, in microseconds; {@link HistoryAnswer#UNKNOWN}
 *     without a lookup
 * @param historyFrom start of history, in microseconds, or unknown
 * @param historyThrough the last arrival reached by the archive, in microseconds, or unknown
 * @param arrivedThrough the report has exactly the flows of the window that arrived by then, in
 *     microseconds
 * @param finalAt the {@code arrivedThrough} of the window's final report
 * @param groupLevel the sampling of the window's groups ({@link
 *     org.flowmon.jobs.merge.WindowResult#groupLevel})
 * @param groups number of the window's groups, exact or estimated; −1 if it is unknown
 * @param counts flows that arrived within the window, late ones, ahead of time, and lost ones
 * @param message for people, null without one
 */
public record Confidence(
    HistoryStatus history,
    long asOf,
    long historyFrom,
    long historyThrough,
    long arrivedThrough,
    long finalAt,
    int groupLevel,
    long groups,
    ArrivalCounts counts,
    String message) {

  /** Returns the share of groups in the report: 1, all; 0, none. */
  public double groupSampling() {
    return groupLevel == WindowResult.NO_GROUPS ? 0 : 1.0 / (1 << groupLevel);
  }

  /** Returns the number of the window's groups, with bounds if some of them were left out. */
  public GroupEstimate groupEstimate() {
    return GroupEstimate.of(groups, groupLevel);
  }

  static Confidence of(WindowHistory window) {
    HistoryAnswer history = window.history();
    return new Confidence(
        history.status(),
        history.asOf(),
        history.from(),
        history.through(),
        window.window().arrivedThrough(),
        window.window().finalAt(),
        window.window().groupLevel(),
        window.window().groups(),
        window.window().counts(),
        message(window.window(), history));
  }

  private static String message(WindowResult window, HistoryAnswer history) {
    if (window.missingSites().isEmpty()) {
      return history.message();
    }
    String sites = "sites missing: " + String.join(", ", window.missingSites());
    return history.message() == null ? sites : sites + "; " + history.message();
  }
}
