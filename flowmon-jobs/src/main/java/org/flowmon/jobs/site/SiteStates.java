package org.flowmon.jobs.site;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.table.LiveGroupings;
import org.flowmon.udaf.table.PublishedGroups;
import org.flowmon.udaf.table.WindowSpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What sites say, as partial groups of the live queries that run here: each window of a site once,
 * from one of its publications, and time as far as all sites have come. Not thread-safe.
 *
 * <p>A site that has said nothing for the timeout, by the clock of the broker, holds time up no
 * more until it speaks again. All is decided by what the topic says, in its order: who reads it
 * again decides the same. But for one thing, where windows in part are more than there is memory
 * for: when something came for one of them last is not in the state, nor how much room arrays have
 * to grow, so that after a restart another may be dropped.
 */
final class SiteStates {
  private static final Logger LOG = LoggerFactory.getLogger(SiteStates.class);
  // What was taken is remembered so much longer than windows are open, to tell repeats.
  private static final long REMEMBERED_MICROS = 3_600_000_000L;
  private static final int MAX_LOGGED = 4096;
  // So much ahead of the broker's clock may be what a site says. What is further would be believed
  // for as long: nothing would wait for the site, and analyses that come would begin behind it.
  private static final long AHEAD_MICROS = 86_400_000_000L;

  private final TreeMap<String, MergedSite> sites = new TreeMap<>();
  private final long timeoutMillis;
  private final long partsBytes;
  private final int keyGroups;
  private final Consumer<Partial> out;
  private final Matching matching = new Matching();
  private final Choice choice = new Choice(matching);
  private final LackingSites lacking;
  private final Map<Long, LiveQuery> queries = new TreeMap<>();
  private final Map<Long, Integer> groupings = new HashMap<>();
  private final Set<String> leftOut = ConcurrentHashMap.newKeySet();
  private final Set<String> logged = new HashSet<>();
  // In milliseconds; the latest that the broker said. MIN_VALUE: it has not.
  private long clock = Long.MIN_VALUE;
  private long through = Long.MIN_VALUE;
  private long latest = Long.MIN_VALUE;
  // That have come since the start: by these is known of which window nothing came for longest.
  private long parts;

  private final Counter merged;
  private final Counter groups;
  private final Counter repeated;
  private final Counter overlapping;
  private final Counter late;
  private final Counter unmatched;
  private final Counter unserved;
  private final Counter lost;
  private final Counter ahead;
  private final Counter incomplete;
  private final Counter dropped;
  private final Counter withoutStates;
  private final Counter bad;
  private final Counter unknownSite;

  /**
   * Nothing has been said.
   *
   * @param names of the sites
   * @param timeoutMillis after which a silent site is left out
   * @param partsBytes of windows in parts that are in memory, at most: no fewer than one may have
   * @param keyGroups number of key groups of the merge
   * @param out takes what the merge and the windows are to know
   */
  SiteStates(
      List<String> names,
      long timeoutMillis,
      long partsBytes,
      int keyGroups,
      Consumer<Partial> out,
      MetricGroup metrics) {
    this.timeoutMillis = timeoutMillis;
    this.partsBytes = partsBytes;
    this.keyGroups = keyGroups;
    this.out = out;
    this.lacking = new LackingSites(choice, keyGroups, out);
    names.forEach(name -> sites.put(name, new MergedSite(name, Long.MIN_VALUE)));
    merged = metrics.counter("merged_windows");
    groups = metrics.counter("merged_groups");
    repeated = metrics.counter("repeated_windows");
    overlapping = metrics.counter("overlapping_windows");
    late = metrics.counter("late_windows");
    unmatched = metrics.counter("unmatched_windows");
    unserved = metrics.counter("unserved_queries");
    lost = metrics.counter("lost_messages");
    ahead = metrics.counter("ahead_messages");
    incomplete = metrics.counter("incomplete_windows");
    dropped = metrics.counter("dropped_parts");
    withoutStates = metrics.counter("windows_without_states");
    bad = metrics.counter("bad_values");
    unknownSite = metrics.counter("unknown_site_messages");
    metrics.gauge("left_out_sites", leftOut::size);
    for (String name : names) {
      MetricGroup site = metrics.addGroup("site", name);
      site.gauge("left_out", () -> leftOut.contains(name) ? 1 : 0);
      site.gauge("complete_through", () -> Math.floorDiv(sites.get(name).through(), 1000));
    }
  }

  /** Restores what the state says of a site; one that is not merged any more is forgotten. */
  void restore(MergedSite site) {
    if (sites.containsKey(site.name())) {
      sites.put(site.name(), site);
    }
  }

  /** Restores the times that {@link #times} gave. */
  void restore(long[] times) {
    clock = Math.max(clock, times[0]);
    through = Math.max(through, times[1]);
    latest = Math.max(latest, times[2]);
    // A site that was not merged before is not silent since 1970.
    sites.values().forEach(site -> site.heard(site.heard() == Long.MIN_VALUE ? clock : 0));
  }

  /** The broker's clock, what is complete through, the end of the last window: for the state. */
  long[] times() {
    return new long[] {clock, through, latest};
  }

  Iterable<MergedSite> sites() {
    return sites.values();
  }

  /** What all sites that are not left out are complete through, in microseconds. */
  long through() {
    return through;
  }

  /**
   * The start of the first window of which nothing has come yet, of those that such a query has.
   */
  long firstWhole(WindowSpec window) {
    return latest == Long.MIN_VALUE ? latest : window.paneStart(latest - 1) + window.slideMicros();
  }

  /** Says which live queries run from now on. */
  void queries(List<LiveQuery> all) {
    List<Long> gone = new ArrayList<>(queries.keySet());
    queries.clear();
    groupings.clear();
    all.forEach(live -> queries.put(live.id(), live));
    all.forEach(live -> groupings.put(live.id(), LiveGroupings.of(live.query()).tables()));
    gone.removeAll(queries.keySet());
    matching.queriesChanged(gone);
    gone.forEach(id -> sites.values().forEach(site -> site.forget(id)));
    logged.clear(); // what fitted none may fit now, and the other way round
  }

  /**
   * Takes a message.
   *
   * @param time when the broker took it, in milliseconds
   * @return whether time has gone on
   */
  boolean take(long time, byte[] bytes) {
    StatesMessage message;
    try {
      message = StatesMessage.open(bytes);
    } catch (RuntimeException e) {
      refuse(e.getMessage());
      return false;
    }
    MergedSite site = sites.get(message.site());
    if (site == null) {
      unknownSite.inc();
      logOnce(
          "site " + message.site(),
          "site {} is none of {}: its states are left out",
          message.site(),
          sites.keySet());
      return false;
    }
    tick(time);
    noteLost(site, message);
    if (isAhead(message)) {
      sayAhead(site, message);
      return goOn();
    }
    site.heard(clock);
    if (message instanceof StatesMessage.Progress progress) {
      var unused = site.take(progress);
      sayWhatFitsNot(site);
    } else if (message instanceof StatesMessage.Part part) {
      MergedSite.Taken taken = site.take(part, ++parts);
      if (taken.lost() != null) {
        incomplete.inc();
        site.lose(); // what was dropped of it may have been said to its end
      }
      makeRoom(site);
      if (taken.window() != null) {
        take(site, taken.window());
      }
    }
    return goOn();
  }

  /**
   * Drops windows in parts, that of which nothing came for longest first: of an attempt that is
   * over, if any. What is dropped of another is noticed when its next part comes.
   */
  private void makeRoom(MergedSite last) {
    while (last.hasTooManyParts()) {
      drop(last);
    }
    long bytes = 0;
    for (MergedSite site : sites.values()) {
      bytes += site.partsBytes();
    }
    while (bytes > partsBytes) {
      MergedSite eldest = last;
      for (MergedSite site : sites.values()) {
        eldest = site.eldestPart() < eldest.eldestPart() ? site : eldest;
      }
      bytes -= drop(eldest);
    }
  }

  private long drop(MergedSite site) {
    dropped.inc();
    if (Long.bitCount(dropped.getCount()) == 1) {
      LOG.warn(
          "site {}: a window that has come in part is dropped ({} so far): it was begun by too many"
              + " attempts, or those of all sites have more than {} bytes (merge.memory)",
          site.name(),
          dropped.getCount(),
          partsBytes);
    }
    return site.dropEldest();
  }

  private void noteLost(MergedSite site, StatesMessage message) {
    long gap = site.count(message);
    if (gap > 0) {
      lost.inc(gap);
      LOG.warn(
          "site {}: {} messages before number {} are not in the topic: reports say that it is"
              + " missing",
          site.name(),
          gap,
          message.number());
    }
  }

  /** Whether a message is of times that cannot be, by the broker's clock. */
  private boolean isAhead(StatesMessage message) {
    long most = clock * 1000 + AHEAD_MICROS;
    return message instanceof StatesMessage.Part part
        ? part.windowEnd() - part.publication().widthMicros() > most
        : ((StatesMessage.Progress) message).through() > most;
  }

  /** As if the site were silent, and flows of it lost: they may be of windows that are to come. */
  private void sayAhead(MergedSite site, StatesMessage message) {
    if (message instanceof StatesMessage.Part) {
      site.lose();
    }
    ahead.inc();
    if (Long.bitCount(ahead.getCount()) == 1) {
      LOG.warn(
          "site {} speaks of a time that is more than a day ahead of the broker's clock, {} ms: its"
              + " job or its collectors have a clock that is wrong. What it says so is left out ({}"
              + " messages so far)",
          site.name(),
          clock,
          ahead.getCount());
    }
  }

  private void tick(long time) {
    if (clock == Long.MIN_VALUE) {
      sites.values().forEach(site -> site.heard(time));
    }
    clock = Math.max(clock, time);
  }

  private void refuse(String why) {
    bad.inc();
    // The first few and then ever fewer, so that a broken producer does not fill the log.
    if (Long.bitCount(bad.getCount()) == 1) {
      LOG.warn("a message is none of states and is left out ({} so far): {}", bad.getCount(), why);
    }
  }

  private void logOnce(String what, String message, Object... arguments) {
    if (logged.size() < MAX_LOGGED && logged.add(what)) {
      LOG.warn(message, arguments);
    }
  }

  /** Says once for each analysis that a site publishes nothing that has its groups. */
  private void sayWhatFitsNot(MergedSite site) {
    for (LiveQuery live : queries.values()) {
      for (int grouping = 0; grouping < groupings.get(live.id()); grouping++) {
        String what = "needs " + site.name() + " " + live.id() + " " + grouping;
        boolean isNew = logged.size() < MAX_LOGGED && !logged.contains(what);
        if (isNew && choice.of(site, live, grouping, null) == null) {
          unserved.inc();
          logOnce(
              what,
              "analysis {} finds no groups at site {}, which is missing in its reports (where no"
                  + " site has any there are no reports): {}",
              live.analysis().name(),
              site.name(),
              matching.lacks(site.published().keySet(), live));
        }
      }
    }
  }

  private void take(MergedSite site, Assembly window) {
    Publication publication = window.publication;
    latest = Math.max(latest, window.windowEnd);
    // What is of no use here is not opened: it may hold functions that are not known here, and its
    // damage is none of what is merged.
    boolean isUsed = isUsed(site, window);
    PublishedGroups states = isUsed ? open(site, window) : null;
    if (isUsed && states == null && window.states().length > 0) {
      site.lose(); // as if it had not come: it may be said again
      lost.inc();
      return;
    }
    int uses = 0;
    int repeats = 0;
    int lates = 0;
    int overlaps = 0;
    for (LiveQuery live : queries.values()) {
      for (int grouping = 0; grouping < groupings.get(live.id()); grouping++) {
        long begins = window.windowEnd - publication.widthMicros();
        if (!publication.equals(choice.of(site, live, grouping, publication, begins))) {
          continue;
        }
        uses++;
        MergedSite.Use use = new MergedSite.Use(live.id(), grouping);
        List<long[]> rest = site.notTaken(use, window.windowEnd, publication.widthMicros());
        if (rest.isEmpty()) {
          repeats++;
          continue;
        }
        if (isPartly(rest, window)) {
          overlaps++;
          rest.forEach(span -> lacking.tellSpan(live, site, through, span[0], span[1]));
          continue;
        }
        site.taken(use, window.windowEnd, publication.widthMicros());
        long start = window.windowEnd - publication.widthMicros();
        long pane = live.window().paneStart(start);
        if (live.window().isClosed(live.window().lastWindowEnd(pane), through)) {
          lates++;
          continue;
        }
        send(site, live, grouping, pane, window, states);
      }
    }
    repeated.inc(uses > 0 && repeats == uses ? 1 : 0);
    overlapping.inc(overlaps > 0 ? 1 : 0);
    late.inc(lates > 0 ? 1 : 0);
    if (uses == 0) {
      unmatched.inc();
      logOnce(
          site.name() + " " + publication.analysis() + " " + publication.hashCode(),
          "site {} publishes {}, which is merged into nothing here: {}: {}",
          site.name(),
          publication.analysis(),
          matching.why(publication, queries.values()),
          publication.query());
    } else if (uses > repeats + overlaps + lates) {
      merged.inc();
      groups.inc(states == null ? 0 : states.size());
      withoutStates.inc(states == null ? 1 : 0);
    }
  }

  private static boolean isPartly(List<long[]> rest, Assembly window) {
    long[] first = rest.get(0);
    return rest.size() > 1 || first[1] - first[0] < window.publication.widthMicros();
  }

  /** Whether some analysis here takes the windows of a publication. */
  private boolean isUsed(MergedSite site, Assembly window) {
    long begins = window.windowEnd - window.publication.widthMicros();
    for (LiveQuery live : queries.values()) {
      for (int grouping = 0; grouping < groupings.get(live.id()); grouping++) {
        if (window.publication.equals(
            choice.of(site, live, grouping, window.publication, begins))) {
          return true;
        }
      }
    }
    return false;
  }

  /** The states of a window; null where it has none, or they are damaged. */
  private PublishedGroups open(MergedSite site, Assembly window) {
    FlowQuery query = matching.query(window.publication);
    if (query == null || window.states().length == 0) {
      return null;
    }
    try {
      PublishedGroups states = PublishedGroups.open(window.states(), query);
      if (states.windowEnd() == window.windowEnd) {
        return states;
      }
      refuse(
          "site "
              + site.name()
              + ": states of the window that ends at "
              + states.windowEnd()
              + " us, expected "
              + window.windowEnd);
    } catch (RuntimeException e) {
      refuse("site " + site.name() + ", " + window.publication.analysis() + ": " + e.getMessage());
    }
    return null;
  }

  private void send(
      MergedSite site,
      LiveQuery live,
      int grouping,
      long pane,
      Assembly window,
      PublishedGroups states) {
    WindowSpec spec = live.window();
    long from = spec.firstWindowEnd(pane);
    while (spec.isClosed(from, through)) {
      from += spec.slideMicros();
    }
    long due = spec.due(from, window.windowEnd + window.publication.latenessMicros(), through);
    if (states != null) {
      states.send(
          live.id(),
          live.query(),
          grouping,
          pane,
          from,
          due,
          keyGroups,
          (keyGroup, bytes) -> out.accept(new Partial.Groups(keyGroup, bytes)));
    }
    ArrivalCounts counts = window.counts;
    if (states == null) {
      counts = counts.plus(new ArrivalCounts(0, 0, 0, counts.flows()));
    }
    if (grouping == 0) { // those of the others are of the same flows
      out.accept(new Partial.Counts(live.keyGroup(keyGroups), live.id(), pane, counts));
    } else if (states == null) { // its flows are counted with the first grouping, whole there
      long last = spec.lastWindowEnd(pane) + spec.latenessMicros();
      lacking.tell(live, site, Math.max(through, spec.firstResultAt(from) - 1), last);
    }
  }

  /** Lets time go on as far as all sites have come that are heard. */
  private boolean goOn() {
    long least = Long.MAX_VALUE;
    for (MergedSite site : sites.values()) {
      boolean isHeard = clock - site.heard() <= timeoutMillis;
      if (isHeard) {
        least = Math.min(least, site.through());
      }
      if (isHeard && leftOut.remove(site.name())) {
        LOG.info("site {} speaks again: windows wait for it", site.name());
      } else if (!isHeard && leftOut.add(site.name())) {
        LOG.warn(
            "site {} has said nothing for {} ms: windows do not wait for it until it does",
            site.name(),
            clock - site.heard());
      }
    }
    if (least <= through) {
      return false;
    }
    tellMissing(least);
    through = least;
    forgetLost();
    forget();
    return true;
  }

  /** Tells the windows which sites they lack, as no more input comes. */
  void end() {
    tellMissing(Long.MAX_VALUE);
  }

  private void tellMissing(long next) {
    for (LiveQuery live : queries.values()) {
      for (MergedSite site : sites.values()) {
        lacking.tell(live, groupings.get(live.id()), site, through, next);
      }
    }
  }

  private void forgetLost() {
    for (MergedSite site : sites.values()) {
      long until = site.lostUntil();
      boolean isPast = until != Long.MAX_VALUE;
      for (LiveQuery live : queries.values()) {
        WindowSpec window = live.window();
        isPast &= until + window.widthMicros() + window.latenessMicros() <= through;
      }
      if (isPast) {
        site.forgetLost();
      }
    }
  }

  private void forget() {
    for (LiveQuery live : queries.values()) {
      WindowSpec window = live.window();
      long closed = through - window.latenessMicros() - window.widthMicros() - REMEMBERED_MICROS;
      for (int grouping = 0; grouping < groupings.get(live.id()); grouping++) {
        MergedSite.Use use = new MergedSite.Use(live.id(), grouping);
        sites.values().forEach(site -> site.forget(use, closed));
      }
    }
  }
}
