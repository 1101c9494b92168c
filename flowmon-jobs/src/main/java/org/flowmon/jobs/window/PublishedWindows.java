package org.flowmon.jobs.window;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.merge.LiveQueries;
import org.flowmon.jobs.merge.StoppedQueries;
import org.flowmon.jobs.site.SitePublisher;
import org.flowmon.jobs.site.StatesMessage;
import org.flowmon.jobs.site.StatesRecord;
import org.flowmon.udaf.pane.WindowSpec;
import org.jspecify.annotations.Nullable;

/**
 * The final windows that a site's job publishes: those with all their flows. Used by the task of
 * all windows, which owns these queries.
 */
final class PublishedWindows {
  private final SitePublisher publisher;
  private final LiveQueries queries;
  private final Map<Long, WholeWindows> whole;
  private final StoppedQueries stopped;
  private final Counter notWhole;
  private final long disorderMicros; // -1 if the first flow read is the first of all
  private boolean hasBegun;

  /**
   * Creates an attempt without messages; {@code disorder} as {@link WindowOperator} has it.
   *
   * @param closedThrough the progress of earlier attempts; {@link Long#MIN_VALUE}: there were none
   * @param whole by query: the first window with all flows, as it changes
   * @param notWhole counts unpublished windows, which may lack flows
   */
  PublishedWindows(
      String site,
      @Nullable Duration disorder,
      long closedThrough,
      LiveQueries queries,
      Map<Long, WholeWindows> whole,
      StoppedQueries stopped,
      Counter notWhole,
      Consumer<StatesRecord> out,
      MetricGroup metrics) {
    this.queries = queries;
    this.whole = whole;
    this.stopped = stopped;
    this.notWhole = notWhole;
    this.disorderMicros = disorder == null ? -1 : disorder.toNanos() / 1000;
    this.hasBegun = disorder == null || closedThrough != Long.MIN_VALUE;
    this.publisher = new SitePublisher(site, closedThrough, this::published, out, metrics);
  }

  /** Without those that have not begun or were stopped. */
  private List<StatesMessage.Published> published() {
    List<StatesMessage.Published> all = new ArrayList<>();
    whole.forEach(
        (id, from) -> {
          LiveQuery live = queries.get(id).orElseThrow();
          if (live.analysis().publishesStates() && from.isKnown() && !stopped.contains(id)) {
            all.add(SitePublisher.published(live, from.first()));
          }
        });
    return all;
  }

  /** The first complete time, before its windows are published, sets the first whole window. */
  void begin(long completeThrough) {
    boolean isTime = completeThrough != Long.MIN_VALUE && completeThrough != Long.MAX_VALUE;
    if (hasBegun || !isTime) {
      return;
    }
    hasBegun = true;
    // The watermark is the disorder behind what was read; unread messages may be as far ahead of
    // that.
    long unread = completeThrough + 2 * disorderMicros;
    whole.replaceAll(
        (id, from) -> {
          LiveQuery live = queries.get(id).orElseThrow();
          if (!live.analysis().publishesStates() || !from.isKnown()) {
            return from;
          }
          WindowSpec window = live.window();
          long first = window.paneStart(unread) + window.slideMicros();
          return WholeWindows.from(Math.max(first, from.first()));
        });
  }

  void publish(PublishedWindow states) {
    long start = states.windowEnd() - states.live().window().widthMicros();
    WholeWindows from =
        Objects.requireNonNull(whole.get(states.live().id()), "a query without windows");
    if (from.isWhole(start)) {
      publisher.window(states.live(), states.windowEnd(), states.counts(), states.bytes());
    } else {
      notWhole.inc();
    }
  }

  void reached(long completeThrough) {
    publisher.reached(completeThrough);
  }
}
