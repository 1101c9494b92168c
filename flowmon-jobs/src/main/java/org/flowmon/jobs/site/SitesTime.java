package org.flowmon.jobs.site;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Time as far as all sites have come. A site that has said nothing for the timeout, by the clock of
 * the broker, holds it up no more until it speaks again, and what is far ahead of that clock is not
 * believed. Not thread-safe.
 *
 * <p>Metrics: {@code ahead_messages}, {@code left_out_sites} and, by site, {@code left_out} and
 * {@code complete_through} (in milliseconds).
 */
final class SitesTime {
  private static final Logger LOG = LoggerFactory.getLogger(SitesTime.class);
  // So much ahead of the broker's clock may be what a site says. What is further would be believed
  // for as long: nothing would wait for the site, and analyses that come would begin behind it.
  private static final long AHEAD_MICROS = 86_400_000_000L;

  private final Collection<MergedSite> sites;
  private final long timeoutMillis;
  private final Set<String> leftOut = ConcurrentHashMap.newKeySet();
  private final Counter ahead;
  // In milliseconds; the latest that the broker said. MIN_VALUE: it has not.
  private long clock = Long.MIN_VALUE;
  private long through = Long.MIN_VALUE;

  /**
   * No site has come to any time.
   *
   * @param sites a view of all
   * @param timeoutMillis after which a silent site is left out
   */
  SitesTime(Collection<MergedSite> sites, long timeoutMillis, MetricGroup metrics) {
    this.sites = sites;
    this.timeoutMillis = timeoutMillis;
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
  }

  /**
   * Hears a site; false where what it says cannot be, by the broker's clock. That is as if it were
   * silent, and flows of it lost: they may be of windows that are to come.
   */
  boolean hear(MergedSite site, StatesMessage message) {
    if (!isAhead(message)) {
      site.heard(clock);
      return true;
    }
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
    return false;
  }

  private boolean isAhead(StatesMessage message) {
    long most = clock * 1000 + AHEAD_MICROS;
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
        LOG.info("site {} speaks again: windows wait for it", site.name());
      } else if (!isHeard && leftOut.add(site.name())) {
        LOG.warn(
            "site {} has said nothing for {} ms: windows do not wait for it until it does",
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
