package org.flowmon.jobs.site.centre;

import java.util.Collection;
import java.util.Optional;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.site.StatesMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the incomplete windows of all sites: above the limit, that whose last part is oldest is
 * dropped, usually one of an ended attempt; of another the next part shows the loss. Not
 * thread-safe. Metrics: {@code incomplete_windows}, {@code dropped_parts}.
 */
final class IncompleteWindows {
  private static final Logger LOG = LoggerFactory.getLogger(IncompleteWindows.class);

  private final Collection<MergedSite> sites;
  private final long maxBytes;
  private final Counter incomplete;
  private final Counter dropped;
  private long bytes;
  // Their sequence number tells which window's last part is oldest.
  private long parts;

  /** {@code sites}: a view of all. {@code maxBytes}: at least the limit of one window. */
  IncompleteWindows(Collection<MergedSite> sites, long maxBytes, MetricGroup metrics) {
    this.sites = sites;
    this.maxBytes = maxBytes;
    incomplete = metrics.counter("incomplete_windows");
    dropped = metrics.counter("dropped_parts");
  }

  void restored() {
    bytes = sites.stream().mapToLong(MergedSite::partsBytes).sum();
  }

  /** Returns the window that a part completes, if it does. */
  Optional<IncompleteWindow> take(MergedSite site, StatesMessage.Part part) {
    long before = site.partsBytes();
    MergedSite.Taken taken = site.take(part, ++parts);
    bytes += site.partsBytes() - before;
    if (taken.isLost()) {
      incomplete.inc();
      site.lose(); // the dropped window may have been sent completely
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
          "site {}: an incomplete window is dropped ({} so far): too many attempts have sent one,"
              + " or those of all sites exceed {} bytes; raise merge.memory",
          site.name(),
          dropped.getCount(),
          maxBytes);
    }
    bytes -= site.dropEldest();
  }
}
