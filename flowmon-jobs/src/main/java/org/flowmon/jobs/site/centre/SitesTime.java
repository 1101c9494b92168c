package org.flowmon.jobs.site.centre;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.site.StatesMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Time as far as all sites have come. A site that has come no further for the timeout, by the clock
 * of the broker, or has fallen behind by as much as it comes further too slowly, holds it up no
 * more until it keeps up, whatever else is said in its name; and what is far ahead of that clock is
 * not believed; nor does any message lead a site past when it was sent. Not thread-safe.
 *
 * <p>Metrics: {@code ahead_messages}, {@code bounded_messages}, {@code left_out_sites} and, by
 * site, {@code left_out} and {@code complete_through} (in milliseconds).
 */
final class SitesTime {
  private static final Logger LOG = LoggerFactory.getLogger(SitesTime.class);
  private final Collection<MergedSite> sites;
  private final long timeoutMillis;
  // So much ahead of the broker's clock may be what a site says.
  private final long aheadMicros;
  private final Set<String> leftOut = ConcurrentHashMap.newKeySet();
  private final Counter ahead;
  private final Counter bounded;
  // In milliseconds; the latest that the broker said. MIN_VALUE: it has not.
  private long clock = Long.MIN_VALUE;
  private long through = Long.MIN_VALUE;

  /**
   * No site has come to any time.
   *
   * @param sites a view of all
   * @param timeoutMillis after which a site that comes no further is left out
   * @param aheadMicros how far after the clock may be what a site says
   */
  SitesTime(
      Collection<MergedSite> sites, long timeoutMillis, long aheadMicros, MetricGroup metrics) {
    this.sites = sites;
    this.timeoutMillis = timeoutMillis;
    this.aheadMicros = aheadMicros;
    bounded = metrics.counter("bounded_messages");
    ahead = metrics.counter("ahead_messages");
    metrics.gauge("left_out_sites", leftOut::size);
  }

  /** Goes on from where a state says that it was. */
  void restore(long clock, long through) {
    this.clock = Math.max(this.clock, clock);
    this.through = Math.max(this.through, through);
    // A site that was not merged before is not silent since 1970.
    sites.forEach(site -> site.heard(site.heard() == Long.MIN_VALUE ? this.clock : 0));
  }

  /** The broker's clock, in milliseconds; {@link Long#MIN_VALUE}: it is not known. */
  long clock() {
    return clock;
  }

  /** What all sites that are not left out are complete through, in microseconds. */
  long through() {
    return through;
  }

  boolean isLeftOut(String site) {
    return leftOut.contains(site);
  }

  /** Takes notice of the broker's clock. */
  void tick(long time) {
    if (clock == Long.MIN_VALUE) {
      sites.forEach(site -> site.heard(time));
    }
    clock = Math.max(clock, time);
    sites.forEach(site -> site.follow(nowMicros(), clock));
  }

  /**
   * Whether what a site says can be, by the broker's clock. Else it is as if it were silent, and
   * flows of it lost: they may be of windows that are to come.
   */
  boolean believes(MergedSite site, StatesMessage message) {
    if (!isAhead(message)) {
      return true;
    }
    if (message instanceof StatesMessage.Part) {
      site.lose();
    }
    ahead.inc();
    if (Long.bitCount(ahead.getCount()) == 1) {
      LOG.warn(
          "site {} speaks of a time that is more than {} ms (job.arrival_ahead) ahead of the"
              + " broker's clock, {} ms: its job or its collectors have a clock that is wrong, or"
              + " another speaks in its name. What it says so is left out ({} messages so far)",
          site.name(),
          aheadMicros / 1000,
          clock,
          ahead.getCount());
    }
    return false;
  }

  /**
   * Hears how far a site is; whether what it publishes has changed. It leads nobody past the clock:
   * what it says later would be left out as late. What is further it comes to as the clock does, as
   * where its input has ended, unless it says something else before.
   */
  boolean hear(MergedSite site, StatesMessage.Progress progress) {
    if (progress.through() > nowMicros()) {
      bounded.inc();
      if (Long.bitCount(bounded.getCount()) == 1) {
        LOG.info(
            "site {} says that it is complete through {} us, after the broker's clock, {} ms: its"
                + " input has ended, its job or its collectors have a clock that leads, or another"
                + " speaks in its name. It is believed up to that clock ({} messages so far)",
            site.name(),
            progress.through(),
            clock,
            bounded.getCount());
      }
    }
    return site.take(progress, nowMicros(), clock);
  }

  /** The end of the millisecond that the clock shows. */
  private long nowMicros() {
    return clock * 1000 + 999;
  }

  private boolean isAhead(StatesMessage message) {
    long most = nowMicros() + aheadMicros;
    return message instanceof StatesMessage.Part part
        ? part.windowEnd() - part.publication().widthMicros() > most
        : ((StatesMessage.Progress) message).through() > most;
  }

  /** What all sites that are heard have come to; {@link Long#MIN_VALUE} where none is. */
  long reached() {
    long least = Long.MAX_VALUE;
    boolean isAnyHeard = false; // where what is said is not believed the last may be silent, too
    for (MergedSite site : sites) {
      boolean isHeard = clock - site.heard() <= timeoutMillis;
      if (isHeard) {
        isAnyHeard = true;
        least = Math.min(least, site.through());
      }
      if (isHeard && leftOut.remove(site.name())) {
        LOG.info("site {} comes further again: windows wait for it", site.name());
      } else if (!isHeard && leftOut.add(site.name())) {
        LOG.warn(
            "site {} has come no further for {} ms: windows do not wait for it until it does",
            site.name(),
            clock - site.heard());
      }
    }
    return isAnyHeard ? least : Long.MIN_VALUE;
  }

  /** Lets time go on. */
  void goOn(long next) {
    through = next;
  }
}
