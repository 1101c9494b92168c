package org.flowmon.jobs.report;

import java.util.List;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.group.GroupEstimate;
import org.jspecify.annotations.Nullable;

/**
 * The reliability of a report. Times in microseconds, {@link HistoryAnswer#UNKNOWN} if unknown.
 *
 * @param history whether the history was read, and all of it
 * @param asOf the history is that of this time; unknown without a lookup
 * @param historyThrough the last arrival reached by the archive
 * @param arrivedThrough the report has exactly the window's flows that arrived by then
 * @param finalAt the {@code arrivedThrough} of the window's final report
 * @param groupLevel sampling of groups ({@link org.flowmon.jobs.merge.WindowResult#groupLevel})
 * @param groups of the window, exact or estimated; −1 if unknown
 * @param counts flows that arrived within the window, late, ahead of time, and lost
 * @param message for people
 * @param enrichment the versions of the files that were joined: of one that changed since the
 *     window's start more than one
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
    @Nullable String message,
    List<String> enrichment) {
  public Confidence {
    enrichment = List.copyOf(enrichment);
  }

  /** Without enriched columns. */
  public Confidence(
      HistoryStatus history,
      long asOf,
      long historyFrom,
      long historyThrough,
      long arrivedThrough,
      long finalAt,
      int groupLevel,
      long groups,
      ArrivalCounts counts,
      @Nullable String message) {
    this(
        history,
        asOf,
        historyFrom,
        historyThrough,
        arrivedThrough,
        finalAt,
        groupLevel,
        groups,
        counts,
        message,
        List.of());
  }

  Confidence withEnrichment(List<String> versions) {
    return new Confidence(
        history,
        asOf,
        historyFrom,
        historyThrough,
        arrivedThrough,
        finalAt,
        groupLevel,
        groups,
        counts,
        message,
        versions);
  }

  /** The share of groups in the report: 1, all; 0, none. */
  public double groupSampling() {
    return groupLevel == WindowResult.NO_GROUPS ? 0 : 1.0 / (1 << groupLevel);
  }

  /** The window's groups, with bounds if some were left out. */
  public GroupEstimate groupEstimate() {
    return GroupEstimate.of(groups, groupLevel);
  }

  static Confidence of(WindowHistory window, List<String> enrichment) {
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
        message(window.window(), history),
        enrichment);
  }

  private static @Nullable String message(WindowResult window, HistoryAnswer history) {
    if (window.missingSites().isEmpty()) {
      return history.message();
    }
    String sites = "sites missing: " + String.join(", ", window.missingSites());
    return history.message() == null ? sites : sites + "; " + history.message();
  }
}
