package org.flowmon.jobs.site.centre;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
 * Converts the messages of sites to partial groups of the live queries: each window of a site once,
 * from one of its publications. Time advances as far as all sites have come. Not thread-safe.
 *
 * <pre>
 *   message ─► MessageNumbers: is it a repeat, does it continue the one before
 *           ─► MergedSite: its publications and its time
 *           ─► SitesTime: is it believed, how far are all
 *           ─► IncompleteWindows ─► MergedWindows: which of the MergedQueries a whole window serves
 *           ─► LackingSites, as time goes on: which results lack which site
 * </pre>
 *
 * <p>The topic's messages and their order decide everything, so a second reader decides the same;
 * except, when incomplete windows exceed the memory, after a restart: the time of their last parts
 * and arrays' reserved room are not in the state, so another may be dropped.
 *
 * <p>Metrics, beside those of the classes above: {@code lost_messages}, {@code repeated_messages},
 * {@code contradicted_messages}, {@code bad_values}, {@code unknown_site_messages}.
 */
final class SiteStates {
  private static final Logger LOG = LoggerFactory.getLogger(SiteStates.class);
  // Taken windows are remembered so much longer than they are open, to recognize repeats.
  private static final long REMEMBERED_MICROS = 3_600_000_000L;
  private static final int MAX_LOGGED = 4096;
  // Counted for one number.
  private static final long MAX_LOST = 1 << 20;

  private final TreeMap<String, MergedSite> sites = new TreeMap<>();
  private final SitesTime time;
  private final IncompleteWindows parts;
  private final MergedQueries queries;
  private final MergedWindows windows;
  private final LackingSites lacking;
  private final Set<String> unknownSites = new HashSet<>(); // that were logged
  // Start of the last window: its end depends on the sender's width.
  private long latest = Long.MIN_VALUE;

  private final Counter lost;
  private final Counter repeated;
  private final Counter others;
  private final Counter bad;
  private final Counter unknownSite;

  /** Without messages; {@code partsBytes}: of all incomplete windows, at least the limit of one. */
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
    lacking = new LackingSites(queries, keyGroups, out);
    windows = new MergedWindows(queries, lacking, keyGroups, out, this::refuse, metrics);
    lost = metrics.counter("lost_messages");
    repeated = metrics.counter("repeated_messages");
    others = metrics.counter("contradicted_messages");
    bad = metrics.counter("bad_values");
    unknownSite = metrics.counter("unknown_site_messages");
    for (String name : names) {
      MetricGroup site = metrics.addGroup("site", name);
      site.gauge("left_out", () -> time.isLeftOut(name) ? 1 : 0);
      site.gauge("complete_through", () -> Math.floorDiv(site(name).through(), 1000));
    }
  }

  private MergedSite site(String name) {
    return Objects.requireNonNull(sites.get(name), name);
  }

  /** Restores a site; one that is no longer merged is forgotten. */
  void restore(MergedSite site) {
    if (sites.containsKey(site.name())) {
      sites.put(site.name(), site);
      parts.restored();
    }
  }

  void restore(long[] times) {
    time.restore(times[0], times[1]);
    latest = Math.max(latest, times[2]);
  }

  /** For the state: broker's clock, time of completeness, start of the last window. */
  long[] times() {
    return new long[] {time.clock(), time.through(), latest};
  }

  Iterable<MergedSite> sites() {
    return sites.values();
  }

  long through() {
    return time.through();
  }

  /** The start of the first window of which nothing has come yet. */
  long firstWhole(WindowSpec window) {
    return latest == Long.MIN_VALUE ? latest : window.paneStart(latest) + window.slideMicros();
  }

  void queries(List<LiveQuery> all) {
    for (long gone : queries.change(all)) {
      sites.values().forEach(site -> site.taken().forget(gone));
    }
  }

  /** Taken by the broker at {@code millis}; returns whether time has advanced. */
  boolean take(long millis, byte[] bytes) {
    StatesMessage message;
    try {
      message = StatesMessage.open(bytes);
    } catch (RuntimeException e) {
      refuse(String.valueOf(e.getMessage()));
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
    Optional<IncompleteWindow> complete = parts.take(site, part);
    if (complete.isEmpty()) {
      return;
    }
    IncompleteWindow window = complete.get();
    latest = Math.max(latest, window.windowStart());
    if (!windows.take(site, window, time.through())) {
      site.lose(); // as if it had not come: it may be sent again
      lost.inc();
    }
  }

  private void refuse(String why) {
    bad.inc();
    // The first few and then ever fewer, so that a broken producer does not fill the log.
    if (Long.bitCount(bad.getCount()) == 1) {
      LOG.warn(
          "a message is not one of states and is left out ({} so far): {}", bad.getCount(), why);
    }
  }

  private void refuseSite(String name) {
    unknownSite.inc();
    if (unknownSites.size() < MAX_LOGGED && unknownSites.add(name)) {
      LOG.warn(
          "site {}: it is not one of {}, and its states are left out: add it to merge.sites if it"
              + " is yours",
          name,
          sites.keySet());
    }
  }

  private boolean isRepeat(MergedSite site, StatesMessage message, byte[] bytes) {
    MessageNumbers.Heard heard = site.count(message, MessageNumbers.fingerprint(bytes));
    repeated.inc(heard.isRepeat() ? 1 : 0);
    if (heard.lost() > 0) {
      lost.inc(Math.min(heard.lost(), MAX_LOST)); // anyone may send a large number
      LOG.warn(
          "site {}: {} messages before number {} are not in the topic; reports show the site as"
              + " missing",
          site.name(),
          heard.lost(),
          message.number());
    }
    if (heard.isOther()) {
      others.inc();
      if (Long.bitCount(others.getCount()) == 1) {
        LOG.warn(
            "site {}: message {} of its attempt {} does not continue the one before it ({} so far);"
                + " reports show the site as missing until it has advanced twice: check whether two"
                + " of its jobs run, or another sender uses its name",
            site.name(),
            message.number(),
            Long.toHexString(message.attempt()),
            others.getCount());
      }
    }
    return heard.isRepeat();
  }

  /** Advances time as far as all sites that count have come. */
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

  /** Tells the windows which sites they lack, at the end of input. */
  void end() {
    tellMissing(Long.MAX_VALUE);
  }

  private void tellMissing(long next) {
    for (LiveQuery live : queries.all()) {
      for (MergedSite site : sites.values()) {
        lacking.tellProgress(live, site, time.through(), next);
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
