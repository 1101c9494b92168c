package org.flowmon.jobs.replay;

import java.util.Locale;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.flow.time.FlowTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metrics of a replay in group {@code flowmon} and, now and then, the log: {@code replayed_flows},
 * since the task began; {@code replayed_flows_per_second}, of some ten seconds; {@code
 * replayed_through}, ms since 1970; {@code replayed_percent} of the time.
 */
final class ReplayProgress {
  private static final Logger LOG = LoggerFactory.getLogger(ReplayProgress.class);
  private static final long PERIOD_NANOS = 10_000_000_000L;

  private final ReplaySpec spec;
  private final Counter flows;
  private volatile long position;
  private volatile double rate;
  private long since = System.nanoTime();
  private long flowsBefore;

  ReplayProgress(ReplaySpec spec, MetricGroup group) {
    this.spec = spec;
    this.position = spec.firstWindow();
    this.flows = group.counter("replayed_flows");
    group.gauge("replayed_flows_per_second", () -> rate);
    group.gauge("replayed_through", () -> position / 1000);
    group.gauge("replayed_percent", this::percent);
  }

  void flows(long more) {
    flows.inc(more);
  }

  /** All was read up to this time, in microseconds. */
  void through(long micros) {
    position = micros;
    long now = System.nanoTime();
    boolean ends = micros >= spec.readTo();
    if (now - since >= PERIOD_NANOS || ends) {
      rate = (flows.getCount() - flowsBefore) * 1e9 / Math.max(1, now - since);
      flowsBefore = flows.getCount();
      since = now;
      LOG.info(
          "replay of {}: {} %, through {}, {} flows, {} flows/s",
          spec.analysis().name(),
          String.format(Locale.ROOT, "%.1f", percent()),
          FlowTime.instant(micros),
          flows.getCount(),
          Math.round(rate));
    }
  }

  private double percent() {
    long all = spec.readTo() - spec.firstWindow();
    return Math.min(100, Math.max(0, 100.0 * (position - spec.firstWindow()) / all));
  }
}
