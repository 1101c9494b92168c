package org.flowmon.jobs.source;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.flowmon.jobs.types.WatermarkTime;

/**
 * A partition's watermark: the largest arrival that its messages have reached, less the disorder
 * bound. Flows' own times move nothing; silent partitions are not guessed about: each gets a
 * heartbeat batch every second. No message leads past the time at which it was sent ({@link
 * PositionedBatch#reached}).
 *
 * <p>The mark of an input's end lies after its last flow, perhaps after the clock, so that windows
 * close without further flows. It leads at once up to the time at which it was sent, then no faster
 * than time goes by, while no messages come; flows and heartbeats take time back over. So a
 * collector whose clock trails, or that lost its connection, is late no further than when the mark
 * comes. Only a next message shows whether a sender is at work, so the mark waits for one: {@link
 * #PAUSE_NANOS} after few messages, so that no single one holds up windows for long; {@link
 * #OUTAGE_NANOS} after messages kept coming.
 *
 * <p>The largest mark counts. Marks are in no checkpoint: a restart goes on with the partition's
 * next message.
 */
final class ArrivalWatermarks implements WatermarkGenerator<PositionedBatch> {
  /** Messages within this keep coming; heartbeats come every second. */
  static final long PAUSE_NANOS = 10_000_000_000L;

  /** How long a sender that kept sending may be away. */
  static final long OUTAGE_NANOS = 600_000_000_000L;

  private final long disorderMicros;
  private final LongSupplier nanos;
  private final long openedNanos;
  private long maxArrival = Long.MIN_VALUE;
  // The largest mark. It leads on from an arrival (from), with time since fromNanos since the
  // opening.
  private long end = Long.MIN_VALUE;
  private long from;
  private long fromNanos;
  // The first and last in a row that keeps coming, without marks.
  private long firstNanos;
  private long lastNanos = -PAUSE_NANOS - 1;

  /** {@code nanos}: a clock whose differences alone count. */
  ArrivalWatermarks(long disorderMicros, LongSupplier nanos) {
    this.disorderMicros = disorderMicros;
    this.nanos = nanos;
    openedNanos = nanos.getAsLong();
  }

  /**
   * A clock stands still while the task is held up: what it could not read is not late. Timestamps
   * are the largest arrival of a batch, in milliseconds.
   */
  static WatermarkStrategy<PositionedBatch> strategy(Duration disorderBound) {
    long disorderMicros = disorderBound.toNanos() / 1000;
    return WatermarkStrategy.<PositionedBatch>forGenerator(
            context ->
                new ArrivalWatermarks(
                    disorderMicros, context.getInputActivityClock()::relativeTimeNanos))
        .withTimestampAssigner((record, kafka) -> Math.floorDiv(record.batch().maxArrival(), 1000));
  }

  @Override
  public void onEvent(PositionedBatch event, long timestamp, WatermarkOutput output) {
    if (event.refused().isPresent()) {
      return; // tells nothing of any producer
    }
    maxArrival = Math.max(maxArrival, event.reached());
    if (event.batch().isEndOfInput()) {
      end = Math.max(end, event.batch().maxArrival());
      from = maxArrival;
      fromNanos = sinceOpened();
    } else if (end > maxArrival) {
      awaitNext();
    }
  }

  private void awaitNext() {
    long now = sinceOpened();
    if (now - lastNanos > PAUSE_NANOS) {
      firstNanos = now;
    }
    lastNanos = now;
    boolean keepComing = now - firstNanos >= PAUSE_NANOS;
    from = maxArrival;
    fromNanos = Math.max(fromNanos, now + (keepComing ? OUTAGE_NANOS : PAUSE_NANOS));
  }

  private long sinceOpened() {
    return nanos.getAsLong() - openedNanos;
  }

  @Override
  public void onPeriodicEmit(WatermarkOutput output) {
    if (end > maxArrival) {
      long gone = Math.max(0, (sinceOpened() - fromNanos) / 1000);
      maxArrival = Math.max(maxArrival, Math.min(end, from + gone));
    }
    if (maxArrival != Long.MIN_VALUE) {
      output.emitWatermark(new Watermark(WatermarkTime.watermark(maxArrival, disorderMicros)));
    }
  }
}
