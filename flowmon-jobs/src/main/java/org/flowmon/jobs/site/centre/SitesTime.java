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
 * The time that all sites have reached. One is left out when by the broker's clock it has not
 * advanced for the timeout, or too slowly and fell behind by as much, until it keeps up, whatever
 * else is sent in its name. Messages far ahead of that clock are not believed; none leads past the
 * time at which it was sent. Not thread-safe. Metrics: {@code ahead_messages}, {@code
 * bounded_messages}, {@code left_out_sites}; by site {@code left_out}, {@code complete_through}
 * (ms).
 */
final class SitesTime {
  private static final Logger LOG = LoggerFactory.getLogger(SitesTime.class);
  private final Collection<MergedSite> sites;
  private final long timeoutMillis;
  // A site's time may be so far ahead of the broker's clock.
  private final long aheadMicros;
  private final Set<String> leftOut = ConcurrentHashMap.newKeySet();
  private final Counter ahead;
  private final Counter bounded;
  // The broker's latest, in milliseconds. MIN_VALUE: unknown.
  private long clock = Long.MIN_VALUE;
  private long through = Long.MIN_VALUE;

  /** {@code sites}: a view. One that does not advance for {@code timeoutMillis} is left out. */
  SitesTime(
      Collection<MergedSite> sites, long timeoutMillis, long aheadMicros, MetricGroup metrics) {
    this.sites = sites;
    this.timeoutMillis = timeoutMillis;
    this.aheadMicros = aheadMicros;
    bounded = metrics.counter("bounded_messages");
    ahead = metrics.counter("ahead_messages");
    metrics.gauge("left_out_sites", leftOut::size);
  }

  void restore(long clock, long through) {
    this.clock = Math.max(this.clock, clock);
    this.through = Math.max(this.through, through);
    // A newly merged site is silent from now on, not since 1970.
    sites.forEach(site -> site.heard(site.heard() == Long.MIN_VALUE ? this.clock : 0));
  }

  /** In milliseconds; {@link Long#MIN_VALUE}: unknown. */
  long clock() {
    return clock;
  }

  /** Through which all sites not left out are complete, in microseconds. */
  long through() {
    return through;
  }

  boolean isLeftOut(String site) {
    return leftOut.contains(site);
  }

  void tick(long time) {
    if (clock == Long.MIN_VALUE) {
      sites.forEach(site -> site.heard(time));
    }
    clock = Math.max(clock, time);
    sites.forEach(site -> site.follow(nowMicros(), clock));
  }

  /**
   * Whether a message is possible by the broker's clock. Else it is ignored and a loss of flows,
   * perhaps of future windows.
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
          "site {}: a message is ignored, as its time is more than {} ms (job.arrival_ahead) after"
              + " the clock of the broker, {} ms ({} so far): check the clocks of its job and"
              + " collectors, and whether another sender uses its name",
          site.name(),
          aheadMicros / 1000,
          clock,
          ahead.getCount());
    }
    return false;
  }

  /**
   * Returns whether publications have changed. Progress never leads past the clock, as later
   * messages would be late. A time beyond is reached as the clock advances, as after the end of the
   * site's input, unless another progress comes before.
   */
  boolean hear(MergedSite site, StatesMessage.Progress progress) {
    if (progress.through() > nowMicros()) {
      bounded.inc();
      if (Long.bitCount(bounded.getCount()) == 1) {
        LOG.info(
            "site {}: it is complete through {} µs, which is after the clock of the broker, {} ms,"
                + " and counts up to that clock ({} so far): its input has ended, a clock there is"
                + " fast, or another sender uses its name",
            site.name(),
            progress.through(),
            clock,
            bounded.getCount());
      }
    }
    return site.take(progress, nowMicros(), clock);
  }

  private long nowMicros() {
    return clock * 1000 + 999;
  }

  private boolean isAhead(StatesMessage message) {
    long most = nowMicros() + aheadMicros;
    return message instanceof StatesMessage.Part part
        ? part.windowEnd() - part.publication().widthMicros() > most
        : ((StatesMessage.Progress) message).through() > most;
  }

  /** {@link Long#MIN_VALUE} if no site counts. */
  long reached() {
    long least = Long.MAX_VALUE;
    boolean isAnyHeard = false; // if messages are not believed, the last site may be silent, too
    for (MergedSite site : sites) {
      boolean isHeard = clock - site.heard() <= timeoutMillis;
      if (isHeard) {
        isAnyHeard = true;
        least = Math.min(least, site.through());
      }
      if (isHeard && leftOut.remove(site.name())) {
        LOG.info("site {}: it advances again; windows wait for it", site.name());
      } else if (!isHeard && leftOut.add(site.name())) {
        LOG.warn(
            "site {}: it has not advanced for {} ms; windows do not wait for it until it does",
            site.name(),
            clock - site.heard());
      }
    }
    return isAnyHeard ? least : Long.MIN_VALUE;
  }

  void goOn(long next) {
    through = next;
  }
}
