package org.flowmon.jobs.site.centre;

import java.util.Collection;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.site.StatesMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the windows of which only some parts have come, of all sites together. Where there are too
 * many, that of which nothing came for longest is dropped: of an attempt that is over, if any. What
 * is dropped of another is noticed when its next part comes. Not thread-safe.
 *
 * <p>Metrics: {@code incomplete_windows}, {@code dropped_parts}.
 */
final class IncompleteWindows {
  private static final Logger LOG = LoggerFactory.getLogger(IncompleteWindows.class);

  private final Collection<MergedSite> sites;
  private final long maxBytes;
  private final Counter incomplete;
  private final Counter dropped;
  // Of those of all sites.
  private long bytes;
  // Parts that have come since the start: by these is known of which nothing came for longest.
  private long parts;

  /**
   * Those that sites have begun.
   *
   * @param sites a view of all
   * @param maxBytes of the windows, at most: no fewer than one may have
   */
  IncompleteWindows(Collection<MergedSite> sites, long maxBytes, MetricGroup metrics) {
    this.sites = sites;
    this.maxBytes = maxBytes;
    incomplete = metrics.counter("incomplete_windows");
    dropped = metrics.counter("dropped_parts");
  }

  /** Notes that sites have other windows in parts than what came here. */
  void restored() {
    bytes = sites.stream().mapToLong(MergedSite::partsBytes).sum();
  }

  /** Takes a part; the window that it completes, null where it completes none. */
  IncompleteWindow take(MergedSite site, StatesMessage.Part part) {
    long before = site.partsBytes();
    MergedSite.Taken taken = site.take(part, ++parts);
    bytes += site.partsBytes() - before;
    if (taken.lost() != null) {
      incomplete.inc();
      site.lose(); // what was dropped of it may have been said to its end
    }
    makeRoom(site);
    return taken.window();
  }

  private void makeRoom(MergedSite last) {
    while (last.hasTooManyParts()) {
      drop(last);
    }
    while (bytes > maxBytes) {
      MergedSite eldest = last;
      for (MergedSite site : sites) {
        eldest = site.eldestPart() < eldest.eldestPart() ? site : eldest;
      }
      drop(eldest);
    }
  }

  private void drop(MergedSite site) {
    dropped.inc();
    if (Long.bitCount(dropped.getCount()) == 1) {
      LOG.warn(
          "site {}: a window that has come in part is dropped ({} so far): it was begun by too many"
              + " attempts, or those of all sites have more than {} bytes (merge.memory)",
          site.name(),
          dropped.getCount(),
          maxBytes);
    }
    bytes -= site.dropEldest();
  }
}
