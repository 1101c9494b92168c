package org.flowmon.jobs.site.centre;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.site.StatesMessage;
import org.flowmon.udaf.pane.WindowSpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What sites say, as partial groups of the live queries that run here: each window of a site once,
 * from one of its publications, and time as far as all sites have come. Not thread-safe.
 *
 * <pre>
 *   message ─► SpokenNumbers: is it a repeat, does it go on from the one before
 *           ─► MergedSite: what it publishes, how far it is
 *           ─► SitesTime: is it believed, how far are all
 *           ─► WindowsInParts ─► MergedWindows: which of the MergedQueries a whole window serves
 *           ─► LackingSites, as time goes on: which results lack which site
 * </pre>
 *
 * <p>All is decided by what the topic says, in its order: who reads it again decides the same. But
 * for one thing, where windows in part are more than there is memory for: when something came for
 * one of them last is not in the state, nor how much room arrays have to grow, so that after a
 * restart another may be dropped.
 *
 * <p>Metrics, beside those of the classes above: {@code lost_messages}, {@code repeated_messages},
 * {@code contradicted_messages}, {@code bad_values}, {@code unknown_site_messages}.
 */
final class SiteStates {
  private static final Logger LOG = LoggerFactory.getLogger(SiteStates.class);
  // What was taken is remembered so much longer than windows are open, to tell repeats.
  private static final long REMEMBERED_MICROS = 3_600_000_000L;
  private static final int MAX_LOGGED = 4096;
  // Messages that one number says are lost, at most, as they are counted.
  private static final long MAX_LOST = 1 << 20;

  private final TreeMap<String, MergedSite> sites = new TreeMap<>();
  private final SitesTime time;
  private final IncompleteWindows parts;
  private final MergedQueries queries;
  private final MergedWindows windows;
  private final LackingSites lacking;
  private final Set<String> unknownSites = new HashSet<>(); // that were logged
  // Start of the last window that came: its end is whatever the sender says its width is.
  private long latest = Long.MIN_VALUE;

  private final Counter lost;
  private final Counter repeated;
  private final Counter others;
  private final Counter bad;
  private final Counter unknownSite;

  /**
   * Nothing has been said.
   *
   * @param names of the sites
   * @param timeoutMillis after which a site that comes no further is left out
   * @param aheadMicros how far after the broker's clock may be what a site says
   * @param partsBytes of windows in parts that are in memory, at most: no fewer than one may have
   * @param keyGroups number of key groups of the merge
   * @param out takes what the merge and the windows are to know
   */
  SiteStates(
      List<String> names,
      long timeoutMillis,
      long aheadMicros,
      long partsBytes,
      int keyGroups,
      Consumer<Partial> out,
      MetricGroup metrics) {
    names.forEach(name -> sites.put(name, new MergedSite(name, Long.MIN_VALUE)));
    time = new SitesTime(sites.values(), timeoutMillis, aheadMicros, metrics);
    parts = new IncompleteWindows(sites.values(), partsBytes, metrics);
    queries = new MergedQueries(metrics);
    lacking = new LackingSites(queries.choice(), keyGroups, out);
    windows = new MergedWindows(queries, lacking, keyGroups, out, this::refuse, metrics);
    lost = metrics.counter("lost_messages");
    repeated = metrics.counter("repeated_messages");
    others = metrics.counter("contradicted_messages");
    bad = metrics.counter("bad_values");
    unknownSite = metrics.counter("unknown_site_messages");
    for (String name : names) {
      MetricGroup site = metrics.addGroup("site", name);
      site.gauge("left_out", () -> time.isLeftOut(name) ? 1 : 0);
      site.gauge("complete_through", () -> Math.floorDiv(sites.get(name).through(), 1000));
    }
  }

  /** Restores what the state says of a site; one that is not merged any more is forgotten. */
  void restore(MergedSite site) {
    if (sites.containsKey(site.name())) {
      sites.put(site.name(), site);
      parts.restored();
    }
  }

  /** Restores the times that {@link #times} gave. */
  void restore(long[] times) {
    time.restore(times[0], times[1]);
    latest = Math.max(latest, times[2]);
  }

  /** The broker's clock, what is complete through, the start of the last window: for the state. */
  long[] times() {
    return new long[] {time.clock(), time.through(), latest};
  }

  Iterable<MergedSite> sites() {
    return sites.values();
  }

  /** What all sites that are not left out are complete through, in microseconds. */
  long through() {
    return time.through();
  }

  /**
   * The start of the first window of which nothing has come yet, of those that such a query has.
   */
  long firstWhole(WindowSpec window) {
    return latest == Long.MIN_VALUE ? latest : window.paneStart(latest) + window.slideMicros();
  }

  /** Says which live queries run from now on. */
  void queries(List<LiveQuery> all) {
    for (long gone : queries.change(all)) {
      sites.values().forEach(site -> site.taken().forget(gone));
    }
  }

  /**
   * Takes a message.
   *
   * @param millis when the broker took it
   * @return whether time has gone on
   */
  boolean take(long millis, byte[] bytes) {
    StatesMessage message;
    try {
      message = StatesMessage.open(bytes);
    } catch (RuntimeException e) {
      refuse(e.getMessage());
      return false;
    }
    MergedSite site = sites.get(message.site());
    if (site == null) {
      refuseSite(message.site());
      return false;
    }
    time.tick(millis);
    if (!isRepeat(site, message, bytes) && time.believes(site, message)) {
      if (message instanceof StatesMessage.Progress progress) {
        queries.publishes(site, time.hear(site, progress));
      } else if (message instanceof StatesMessage.Part part) {
        take(site, part);
      }
    }
    return goOn();
  }

  private void take(MergedSite site, StatesMessage.Part part) {
    IncompleteWindow window = parts.take(site, part);
    if (window == null) {
      return;
    }
    latest = Math.max(latest, window.windowStart());
    if (!windows.take(site, window, time.through())) {
      site.lose(); // as if it had not come: it may be said again
      lost.inc();
    }
  }

  private void refuse(String why) {
    bad.inc();
    // The first few and then ever fewer, so that a broken producer does not fill the log.
    if (Long.bitCount(bad.getCount()) == 1) {
      LOG.warn("a message is none of states and is left out ({} so far): {}", bad.getCount(), why);
    }
  }

  private void refuseSite(String name) {
    unknownSite.inc();
    if (unknownSites.size() < MAX_LOGGED && unknownSites.add(name)) {
      LOG.warn("site {} is none of {}: its states are left out", name, sites.keySet());
    }
  }

  /** Notes what the number of a message tells; whether it came before as it is. */
  private boolean isRepeat(MergedSite site, StatesMessage message, byte[] bytes) {
    MessageNumbers.Heard heard = site.count(message, MessageNumbers.fingerprint(bytes));
    repeated.inc(heard.isRepeat() ? 1 : 0);
    if (heard.lost() > 0) {
      lost.inc(Math.min(heard.lost(), MAX_LOST)); // it may be anybody who says so many
      LOG.warn(
          "site {}: {} messages before number {} are not in the topic: reports say that it is"
              + " missing",
          site.name(),
          heard.lost(),
          message.number());
    }
    if (heard.isOther()) {
      others.inc();
      if (Long.bitCount(others.getCount()) == 1) {
        LOG.warn(
            "site {}: message {} of its attempt {} does not go on from what was said before it ({}"
                + " so far): two of its jobs run, or another speaks in its name. Reports say that"
                + " it is missing until it has twice said that it is further",
            site.name(),
            message.number(),
            Long.toHexString(message.attempt()),
            others.getCount());
      }
    }
    return heard.isRepeat();
  }

  /** Lets time go on as far as all sites have come that are heard. */
  private boolean goOn() {
    long reached = time.reached();
    if (reached <= time.through()) {
      return false;
    }
    tellMissing(reached);
    time.goOn(reached);
    forgetLost();
    forgetTaken();
    return true;
  }

  /** Tells the windows which sites they lack, as no more input comes. */
  void end() {
    tellMissing(Long.MAX_VALUE);
  }

  private void tellMissing(long next) {
    for (LiveQuery live : queries.all()) {
      for (MergedSite site : sites.values()) {
        lacking.tell(live, queries.groupings(live), site, time.through(), next);
      }
    }
  }

  private void forgetLost() {
    for (MergedSite site : sites.values()) {
      long until = site.lostUntil();
      boolean isPast = until != Long.MAX_VALUE;
      for (LiveQuery live : queries.all()) {
        WindowSpec window = live.window();
        isPast &= until + window.widthMicros() + window.latenessMicros() <= time.through();
      }
      if (isPast) {
        site.forgetLost();
      }
    }
  }

  private void forgetTaken() {
    for (LiveQuery live : queries.all()) {
      WindowSpec window = live.window();
      long closed =
          time.through() - window.latenessMicros() - window.widthMicros() - REMEMBERED_MICROS;
      for (MergedSite site : sites.values()) {
        for (int grouping = 0; grouping < queries.groupings(live); grouping++) {
          site.taken().forget(new TakenWindows.Use(live.id(), grouping), closed);
        }
      }
    }
  }
}
