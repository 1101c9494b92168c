package org.flowmon.jobs.report;

import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.group.GroupEstimate;

/**
 * How far a report can be trusted.
 *
 * @param history whether the history was read, and all of it
 * @param asOf the history is that of this time, in microseconds; {@link HistoryAnswer#UNKNOWN}
 *     where none was looked up
 * @param historyFrom where history begins, in microseconds, or unknown
 * @param historyThrough how far the archive reached, in microseconds, or unknown
 * @param arrivedThrough flows of the window that arrived by then are in it and no others, in
 *     microseconds
 * @param finalAt the same of the window's final report
 * @param groupLevel of which of the window's groups the report is ({@link
 *     org.flowmon.jobs.merge.WindowResult#groupLevel})
 * @param groups how many groups the window has, or is estimated to have; −1 where nobody knows
 * @param counts flows that arrived within the window, late ones, ahead of time, and lost ones
 * @param message for people, null where there is nothing to say
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

  /** Of a report on all groups, whose number is not known. */
  public Confidence(
      HistoryStatus history,
      long asOf,
      long historyFrom,
      long historyThrough,
      long arrivedThrough,
      long finalAt,
      ArrivalCounts counts,
      String message) {
    this(
        history,
        asOf,
        historyFrom,
        historyThrough,
        arrivedThrough,
        finalAt,
        0,
        WindowResult.UNKNOWN_GROUPS,
        counts,
        message);
  }

  /** Which part of the groups the report is of: 1, all; 0, none. */
  public double groupSampling() {
    return groupLevel == WindowResult.NO_GROUPS ? 0 : 1.0 / (1 << groupLevel);
  }

  /** How many groups the window has, with bounds where some of them were left out. */
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
