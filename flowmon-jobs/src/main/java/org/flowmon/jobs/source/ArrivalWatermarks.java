package org.flowmon.jobs.source;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.flowmon.jobs.types.WatermarkTime;

/**
 * The watermark of one Kafka partition: the largest arrival that its messages have reached, less
 * the disorder bound. Flows' own times move nothing, and silent partitions are not guessed about:
 * each gets a heartbeat batch every second. No message leads the watermark past the time at which
 * it was sent ({@link PositionedBatch#reached}).
 *
 * <p>The mark of an input's end lies after its last flow, and may be after the clock, so that
 * windows close without further flows. It leads the watermark at once up to the time at which it
 * was sent, and from then on no faster than time goes by, while no messages come. As soon as flows
 * or heartbeats come, time follows these again. So a collector whose clock trails, or that lost its
 * connection to Kafka, is late no further than it is when the mark comes. Only its next message
 * shows whether a sender is still at work, so the mark waits for one: {@link #PAUSE_NANOS} if there
 * were few messages, so that no single message holds up windows for long; {@link #OUTAGE_NANOS}
 * after messages have kept coming.
 *
 * <p>Of several marks the largest counts. They are in no checkpoint: after a restart time goes on
 * with the next message of the partition.
 */
final class ArrivalWatermarks implements WatermarkGenerator<PositionedBatch> {
  /** Messages that follow each other within this keep coming; heartbeats do so every second. */
  static final long PAUSE_NANOS = 10_000_000_000L;

  /** How long a sender that kept sending may be away. */
  static final long OUTAGE_NANOS = 600_000_000_000L;

  private final long disorderMicros;
  private final LongSupplier nanos;
  private final long openedNanos;
  private long maxArrival = Long.MIN_VALUE;
  // The largest mark. It leads on from an arrival (from), as time goes by since fromNanos, in
  // nanoseconds since the opening.
  private long end = Long.MIN_VALUE;
  private long from;
  private long fromNanos;
  // The first and the last message in a row that keeps coming, without marks.
  private long firstNanos;
  private long lastNanos = -PAUSE_NANOS - 1;

  /**
   * Creates the generator before any message.
   *
   * @param nanos a clock whose differences alone count
   */
  ArrivalWatermarks(long disorderMicros, LongSupplier nanos) {
    this.disorderMicros = disorderMicros;
    this.nanos = nanos;
    openedNanos = nanos.getAsLong();
  }

  /**
   * Returns the strategy of a source, with a clock that stands still while the task is held up:
   * messages that it could not read are not late. Records get the largest arrival of their batch,
   * in milliseconds, as their timestamp.
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

  /** Holds marks back while a sender seems to be at work. */
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
