package org.flowmon.ingest.publish;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs when Kafka is away and back, the queue full and not, and the lost flows: a line for each
 * change, for losses at most one in ten seconds, none for each batch. Not thread-safe.
 */
final class PublisherLog {
  private static final Logger LOG = LoggerFactory.getLogger(FlowPublisher.class);
  private static final long LOSSES_NANOS = 10_000_000_000L;

  private final PublisherOptions options;
  private boolean away;
  private Instant since = Instant.EPOCH;
  private boolean full;
  private boolean spools;
  private Instant spoolsSince = Instant.EPOCH;
  private PublisherStats said;
  private long saidNanos;

  PublisherLog(PublisherOptions options, PublisherStats start) {
    this.options = options;
    this.said = start;
    this.saidNanos = System.nanoTime() - LOSSES_NANOS;
  }

  /** Logs changes since the last call; {@code trouble} is the last error, empty without. */
  void look(PublisherStats now, String partitions, String trouble) {
    PublisherStats.Queue queue = now.queue();
    if (queue.isKafkaAway() != away) {
      away = queue.isKafkaAway();
      if (away) {
        since = Instant.now().minus(queue.waitedMicros(), ChronoUnit.MICROS);
        LOG.warn(
            "Kafka takes nothing of topic {} at {} (partitions {}) since {}{}; {}",
            options.topic(),
            options.bootstrap(),
            partitions,
            since.truncatedTo(ChronoUnit.SECONDS),
            trouble.isEmpty() ? "" : ": " + trouble,
            load(now));
      } else {
        LOG.warn(
            "Kafka takes topic {} again after {} s; {}",
            options.topic(),
            since.until(Instant.now(), ChronoUnit.SECONDS),
            load(now));
      }
    }
    spool(now);
    // Full until half is free: near the bound the load fluctuates.
    boolean isFull = queue.bytes() >= (full ? queue.capacityBytes() / 2 : queue.capacityBytes());
    if (isFull != full) {
      full = isFull;
      boolean drops = options.whenFull() == PublisherOptions.WhenFull.DROP;
      if (drops && full) {
        LOG.warn(
            "no room for topic {}: the newest flows are dropped; {}", options.topic(), load(now));
      } else if (drops) {
        LOG.warn("there is room again for topic {}: {}", options.topic(), load(now));
      }
    }
    losses(now, false);
  }

  private void spool(PublisherStats now) {
    PublisherStats.Disk disk = now.disk();
    if (disk.active() == spools) {
      return;
    }
    spools = disk.active();
    if (spools) {
      spoolsSince = Instant.now();
      LOG.warn(
          "flows for topic {} go through the spool, which has {} flows in {} of {} MiB",
          options.topic(),
          disk.load().flows(),
          disk.load().bytes() >> 20,
          disk.load().capacityBytes() >> 20);
    } else {
      LOG.warn(
          "the spool of topic {} is sent after {} s; {}",
          options.topic(),
          spoolsSince.until(Instant.now(), ChronoUnit.SECONDS),
          load(now));
    }
  }

  void end(PublisherStats now) {
    losses(now, true);
  }

  private void losses(PublisherStats now, boolean atOnce) {
    long more = now.flowsFailed() - said.flowsFailed();
    long nanos = System.nanoTime();
    if (more == 0 || (!atOnce && nanos - saidNanos < LOSSES_NANOS)) {
      return;
    }
    Map<String, Long> reasons = new TreeMap<>(now.failedByReason());
    said.failedByReason().forEach((reason, flows) -> reasons.merge(reason, -flows, Long::sum));
    reasons.values().removeIf(flows -> flows == 0);
    LOG.warn(
        "{} more flows for topic {} are lost: {}; {} in all",
        more,
        options.topic(),
        reasons,
        now.flowsFailed());
    said = now;
    saidNanos = nanos;
  }

  private static String load(PublisherStats now) {
    PublisherStats.Queue queue = now.queue();
    return String.format(
        "%,d flows wait, the queue has %d of %d MiB (%d%%)",
        now.flowsUnderWay(),
        queue.bytes() >> 20,
        queue.capacityBytes() >> 20,
        100 * queue.bytes() / queue.capacityBytes());
  }
}
