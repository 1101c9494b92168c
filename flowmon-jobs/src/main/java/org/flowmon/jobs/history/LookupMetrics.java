package org.flowmon.jobs.history;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.ToLongFunction;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.archive.Archives;
import org.flowmon.archive.store.FetchCounts;

/**
 * Lookups of an analysis: {@code exact}, {@code partial}, {@code refused}, {@code timeout}, {@code
 * failed}; {@code last_wait_ms} and {@code last_run_ms} of the last; {@code waited_ms} and {@code
 * ran_ms} of all. They serve all analyses of a name, as Flink cannot remove a metric. Thread-safe.
 */
final class LookupMetrics {
  private final AtomicLongArray answers = new AtomicLongArray(HistoryStatus.values().length);
  private final AtomicLong lastWaited = new AtomicLong();
  private final AtomicLong lastRan = new AtomicLong();
  private final AtomicLong waited = new AtomicLong();
  private final AtomicLong ran = new AtomicLong();

  LookupMetrics(MetricGroup group) {
    for (HistoryStatus status : HistoryStatus.values()) {
      group.gauge(status.text(), (Gauge<Long>) () -> answers.get(status.ordinal()));
    }
    registerMillis(group, "last_wait_ms", lastWaited);
    registerMillis(group, "last_run_ms", lastRan);
    registerMillis(group, "waited_ms", waited);
    registerMillis(group, "ran_ms", ran);
  }

  private static void registerMillis(MetricGroup group, String name, AtomicLong nanos) {
    group.gauge(name, (Gauge<Long>) () -> nanos.get() / 1_000_000);
  }

  void count(HistoryStatus status, long waitedNanos, long ranNanos) {
    answers.incrementAndGet(status.ordinal());
    lastWaited.set(waitedNanos);
    lastRan.set(ranNanos);
    waited.addAndGet(waitedNanos);
    ran.addAndGet(ranNanos);
  }

  static void registerFetches(MetricGroup group, Archives archives) {
    Map<String, ToLongFunction<FetchCounts>> all =
        Map.of(
            "store_fetches", FetchCounts::fetches,
            "store_fetched_bytes", FetchCounts::bytes,
            "store_cache_hits", FetchCounts::hits,
            "store_cache_damaged", FetchCounts::damaged,
            "store_cache_evicted", FetchCounts::evicted);
    all.forEach(
        (name, count) ->
            group.gauge(name, (Gauge<Long>) () -> count.applyAsLong(archives.fetched())));
  }
}
