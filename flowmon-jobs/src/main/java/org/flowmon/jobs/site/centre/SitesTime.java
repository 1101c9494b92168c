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
 * The time that all sites have reached. A site holds it up no more after one of these: it has not
 * advanced for the timeout, by the broker's clock, or it has advanced too slowly and fallen behind
 * by as much. It counts again once it keeps up, whatever else is sent in its name. Messages far
 * ahead of that clock are not believed, and no message leads a site past the time at which it was
 * sent. Not thread-safe.
 *
 * <p>Metrics: {@code ahead_messages}, {@code bounded_messages}, {@code left_out_sites} and, by
 * site, {@code left_out} and {@code complete_through} (in milliseconds).
 */
final class SitesTime {
  private static final Logger LOG = LoggerFactory.getLogger(SitesTime.class);
  private final Collection<MergedSite> sites;
  private final long timeoutMillis;
  // How far a site's time may be ahead of the broker's clock.
  private final long aheadMicros;
  private final Set<String> leftOut = ConcurrentHashMap.newKeySet();
  private final Counter ahead;
  private final Counter bounded;
  // In milliseconds; the latest of the broker. MIN_VALUE: unknown.
  private long clock = Long.MIN_VALUE;
  private long through = Long.MIN_VALUE;

  /**
   * Creates the time of sites without messages.
   *
   * @param sites a view of all
   * @param timeoutMillis after which a site that does not advance is left out
   * @param aheadMicros how far a site's time may be after the clock
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

  /** Restores the times of a state. */
  void restore(long clock, long through) {
    this.clock = Math.max(this.clock, clock);
    this.through = Math.max(this.through, through);
    // A newly merged site is silent from now on, not since 1970.
    sites.forEach(site -> site.heard(site.heard() == Long.MIN_VALUE ? this.clock : 0));
  }

  /** The broker's clock, in milliseconds; {@link Long#MIN_VALUE}: unknown. */
  long clock() {
    return clock;
  }

  /** The time through which all sites that are not left out are complete, in microseconds. */
  long through() {
    return through;
  }

  boolean isLeftOut(String site) {
    return leftOut.contains(site);
  }

  /** Takes the broker's clock. */
  void tick(long time) {
    if (clock == Long.MIN_VALUE) {
      sites.forEach(site -> site.heard(time));
    }
    clock = Math.max(clock, time);
    sites.forEach(site -> site.follow(nowMicros(), clock));
  }

  /**
   * Whether a site's message is possible by the broker's clock. An impossible message is ignored,
   * and counts as a loss of flows, as they may belong to future windows.
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
   * Takes a site's progress; returns whether its publications have changed. The progress never
   * leads past the clock, since later messages would be left out as late. A time beyond the clock
   * is reached as the clock advances, as after the end of the site's input, unless the site sends
   * another progress before.
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

  /** The end of the clock's millisecond. */
  private long nowMicros() {
    return clock * 1000 + 999;
  }

  private boolean isAhead(StatesMessage message) {
    long most = nowMicros() + aheadMicros;
    return message instanceof StatesMessage.Part part
        ? part.windowEnd() - part.publication().widthMicros() > most
        : ((StatesMessage.Progress) message).through() > most;
  }

  /** The time that all counted sites have reached; {@link Long#MIN_VALUE} if none counts. */
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

  /** Advances time. */
  void goOn(long next) {
    through = next;
  }
}
