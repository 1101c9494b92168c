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
 * the disorder bound. Flows' own times move nothing, and nothing is guessed about silent
 * partitions: each gets a heartbeat batch every second. No message leads it past the time at which
 * it was sent ({@link PositionedBatch#reached}).
 *
 * <p>The mark of an input's end lies after its last flow, and may be after the clock, so that
 * windows close when no flow comes any more. It leads the watermark up to when it was sent at once,
 * and from then on no faster than time goes by: flows of others that are still to come are in time.
 */
final class ArrivalWatermarks implements WatermarkGenerator<PositionedBatch> {
  private final long disorderMicros;
  private final LongSupplier nanos;
  private long maxArrival = Long.MIN_VALUE;
  // The last mark of an end: how far it leads, from where, since when.
  private long end = Long.MIN_VALUE;
  private long endReached;
  private long endNanos;

  /**
   * No message was read.
   *
   * @param nanos a clock that only the differences of count
   */
  ArrivalWatermarks(long disorderMicros, LongSupplier nanos) {
    this.disorderMicros = disorderMicros;
    this.nanos = nanos;
  }

  /** Records get the largest arrival of their batch, in milliseconds, as their timestamp. */
  static WatermarkStrategy<PositionedBatch> strategy(Duration disorderBound) {
    long disorderMicros = disorderBound.toNanos() / 1000;
    return WatermarkStrategy.<PositionedBatch>forGenerator(
            context -> new ArrivalWatermarks(disorderMicros, System::nanoTime))
        .withTimestampAssigner((record, kafka) -> Math.floorDiv(record.batch().maxArrival(), 1000));
  }

  @Override
  public void onEvent(PositionedBatch event, long timestamp, WatermarkOutput output) {
    if (event.refused().isPresent()) {
      return; // says nothing of any producer
    }
    maxArrival = Math.max(maxArrival, event.reached());
    if (event.batch().isEndOfInput()) {
      end = event.batch().maxArrival();
      endReached = event.reached();
      endNanos = nanos.getAsLong();
    }
  }

  @Override
  public void onPeriodicEmit(WatermarkOutput output) {
    if (end > maxArrival) {
      long gone = (nanos.getAsLong() - endNanos) / 1000;
      maxArrival = Math.max(maxArrival, Math.min(end, endReached + gone));
    }
    if (maxArrival != Long.MIN_VALUE) {
      output.emitWatermark(new Watermark(WatermarkTime.watermark(maxArrival, disorderMicros)));
    }
  }
}
