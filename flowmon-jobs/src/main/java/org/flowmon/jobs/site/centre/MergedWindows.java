package org.flowmon.jobs.site.centre;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.window.PublishedGroups;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes whole windows of sites to partial groups of live queries: each time of a site once per
 * grouping. Not thread-safe. Metrics: {@code merged_windows}, {@code merged_groups}, {@code
 * repeated_windows}, {@code overlapping_windows}, {@code contradicted_windows}, {@code
 * late_windows}, {@code windows_without_states}.
 */
final class MergedWindows {
  private static final Logger LOG = LoggerFactory.getLogger(MergedWindows.class);

  private final MergedQueries queries;
  private final LackingSites lacking;
  private final int keyGroups;
  private final Consumer<Partial> out;
  private final Consumer<String> damaged;

  private final Counter merged;
  private final Counter groups;
  private final Counter repeated;
  private final Counter overlapping;
  private final Counter contradicted;
  private final Counter late;
  private final Counter withoutStates;

  /** The outcome of a window for one grouping. */
  private enum Outcome {
    REPEATED,
    OVERLAPPING,
    CONTRADICTED,
    LATE,
    ONE_TOO_MANY,
    SENT
  }

  /** {@code keyGroups} of the merge; {@code damaged} takes errors of unreadable states. */
  MergedWindows(
      MergedQueries queries,
      LackingSites lacking,
      int keyGroups,
      Consumer<Partial> out,
      Consumer<String> damaged,
      MetricGroup metrics) {
    this.queries = queries;
    this.lacking = lacking;
    this.keyGroups = keyGroups;
    this.out = out;
    this.damaged = damaged;
    merged = metrics.counter("merged_windows");
    groups = metrics.counter("merged_groups");
    repeated = metrics.counter("repeated_windows");
    contradicted = metrics.counter("contradicted_windows");
    overlapping = metrics.counter("overlapping_windows");
    late = metrics.counter("late_windows");
    withoutStates = metrics.counter("windows_without_states");
  }

  /** All sites are complete by {@code through}. False, ignored: states damaged or too many. */
  boolean take(MergedSite site, IncompleteWindow window, long through) {
    List<MergedQueries.Grouping> served =
        queries.servedBy(site, window.publication, window.windowStart());
    if (served.isEmpty()) {
      // Unopened: it may hold functions unknown here, and its damage affects no merged window.
      queries.sayUnmatched(site, window.publication);
      return true;
    }
    Optional<PublishedGroups> states = Optional.empty();
    if (window.states().length > 0) {
      states = open(site, window);
      if (states.isEmpty()) {
        return false;
      }
    }
    TakenWindows.Window said =
        new TakenWindows.Window(
            window.publication.widthMicros(),
            window.counts.flows(),
            states.map(PublishedGroups::digest).orElse(null));
    int[] outcomes = new int[Outcome.values().length];
    for (MergedQueries.Grouping grouping : served) {
      outcomes[take(site, grouping, window, said, states, through).ordinal()]++;
    }
    repeated.inc(outcomes[Outcome.REPEATED.ordinal()] == served.size() ? 1 : 0);
    overlapping.inc(outcomes[Outcome.OVERLAPPING.ordinal()] > 0 ? 1 : 0);
    if (outcomes[Outcome.CONTRADICTED.ordinal()] > 0) {
      sayContradicted(site, window);
    }
    late.inc(outcomes[Outcome.LATE.ordinal()] > 0 ? 1 : 0);
    if (outcomes[Outcome.SENT.ordinal()] > 0) {
      merged.inc();
      groups.inc(states.map(PublishedGroups::size).orElse(0));
      withoutStates.inc(states.isPresent() ? 0 : 1);
    }
    if (outcomes[Outcome.ONE_TOO_MANY.ordinal()] > 0) {
      damaged.accept(
          "site %s, %s: it has told more windows than can be open"
              .formatted(site.name(), window.publication.analysis()));
      return false;
    }
    return true;
  }

  private void sayContradicted(MergedSite site, IncompleteWindow window) {
    contradicted.inc();
    if (Long.bitCount(contradicted.getCount()) == 1) {
      LOG.warn(
          "site {}: the window of {} that ends at {} µs came before with other groups or flows ({}"
              + " so far); reports show the site as missing: check whether two of its jobs run, or"
              + " another sender uses its name",
          site.name(),
          window.publication.analysis(),
          window.windowEnd,
          contradicted.getCount());
    }
  }

  private Outcome take(
      MergedSite site,
      MergedQueries.Grouping grouping,
      IncompleteWindow window,
      TakenWindows.Window said,
      Optional<PublishedGroups> states,
      long through) {
    LiveQuery live = grouping.live();
    long width = window.publication.widthMicros();
    List<long[]> rest = site.taken().notTaken(grouping.use(), window.windowEnd, width);
    if (rest.isEmpty()) {
      if (!site.taken().contradicts(grouping.use(), window.windowEnd, said)) {
        return Outcome.REPEATED;
      }
      lacking.tellSpan(live, site, through, window.windowStart(), window.windowEnd);
      return Outcome.CONTRADICTED;
    }
    if (rest.size() > 1 || rest.get(0)[1] - rest.get(0)[0] < width) {
      rest.forEach(span -> lacking.tellSpan(live, site, through, span[0], span[1]));
      return Outcome.OVERLAPPING;
    }
    long pane = live.window().paneStart(window.windowStart());
    if (live.window().isClosed(live.window().lastWindowEnd(pane), through)) {
      return Outcome.LATE; // not remembered: past windows are without number
    }
    if (!site.taken()
        .take(grouping.use(), window.windowEnd, said, closedBy(live.window(), through))) {
      return Outcome.ONE_TOO_MANY;
    }
    send(site, grouping, pane, window, states, through);
    return Outcome.SENT;
  }

  /** By when sites' windows ended that are in no future result. */
  private static long closedBy(WindowSpec window, long through) {
    return through == Long.MIN_VALUE
        ? through
        : through - window.latenessMicros() - window.widthMicros();
  }

  /** Empty if the states are damaged. */
  private Optional<PublishedGroups> open(MergedSite site, IncompleteWindow window) {
    try {
      PublishedGroups states =
          PublishedGroups.open(window.states(), queries.query(window.publication).orElseThrow());
      if (states.windowEnd() == window.windowEnd) {
        return Optional.of(states);
      }
      damaged.accept(
          "site %s: states of the window that ends at %s us, expected %s"
              .formatted(site.name(), states.windowEnd(), window.windowEnd));
    } catch (RuntimeException e) {
      damaged.accept(
          "site " + site.name() + ", " + window.publication.analysis() + ": " + e.getMessage());
    }
    return Optional.empty();
  }

  private void send(
      MergedSite site,
      MergedQueries.Grouping grouping,
      long pane,
      IncompleteWindow window,
      Optional<PublishedGroups> states,
      long through) {
    LiveQuery live = grouping.live();
    WindowSpec spec = live.window();
    long from = spec.firstWindowEnd(pane);
    while (spec.isClosed(from, through)) {
      from += spec.slideMicros();
    }
    long due = spec.due(from, window.windowEnd + window.publication.latenessMicros(), through);
    if (states.isPresent()) {
      states
          .get()
          .send(
              live.id(),
              live.query(),
              grouping.number(),
              pane,
              from,
              due,
              keyGroups,
              (keyGroup, bytes) -> out.accept(new Partial.Groups(keyGroup, bytes)));
    }
    ArrivalCounts counts = window.counts;
    if (states.isEmpty()) {
      counts = counts.plus(new ArrivalCounts(0, 0, 0, counts.flows()));
    }
    if (grouping.number() == 0) { // the other groupings are of the same flows
      if (counts.equals(ArrivalCounts.NONE)) {
        return; // a window that no flow is in has no result
      }
      out.accept(new Partial.Counts(live.keyGroup(keyGroups), live.id(), pane, counts));
    } else if (states.isEmpty()) { // its flows are counted with the first grouping, whole there
      long last = spec.lastWindowEnd(pane) + spec.latenessMicros();
      lacking.tell(live, site, Math.max(through, spec.firstResultAt(from) - 1), last);
    }
  }
}
