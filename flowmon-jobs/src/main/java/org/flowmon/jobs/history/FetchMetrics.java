package org.flowmon.jobs.history;

import java.util.function.ToLongFunction;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.archive.Archive;
import org.flowmon.archive.store.FetchCounts;

/** Metrics of a process's fetches from a remote archive. */
final class FetchMetrics {
  private FetchMetrics() {}

  static void register(MetricGroup group, Archive archive) {
    register(group, "store_fetches", archive, FetchCounts::fetches);
    register(group, "store_fetched_bytes", archive, FetchCounts::bytes);
    register(group, "store_cache_hits", archive, FetchCounts::hits);
    register(group, "store_cache_damaged", archive, FetchCounts::damaged);
    register(group, "store_cache_evicted", archive, FetchCounts::evicted);
  }

  private static void register(
      MetricGroup group, String name, Archive archive, ToLongFunction<FetchCounts> count) {
    group.gauge(name, (Gauge<Long>) () -> count.applyAsLong(archive.fetched()));
  }
}
