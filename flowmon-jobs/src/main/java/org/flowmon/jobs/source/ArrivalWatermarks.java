package org.flowmon.jobs.source;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.flowmon.jobs.types.WatermarkTime;

/**
 * The watermark of one Kafka partition: the largest arrival in its batches' headers, less the
 * disorder bound. Flows' own times move nothing, and nothing is guessed about silent partitions:
 * each gets a heartbeat batch every second.
 */
final class ArrivalWatermarks implements WatermarkGenerator<PositionedBatch> {
  private final long disorderMicros;
  private long maxArrival = Long.MIN_VALUE;

  private ArrivalWatermarks(long disorderMicros) {
    this.disorderMicros = disorderMicros;
  }

  /** Records get the largest arrival of their batch, in milliseconds, as their timestamp. */
  static WatermarkStrategy<PositionedBatch> strategy(Duration disorderBound) {
    long disorderMicros = disorderBound.toNanos() / 1000;
    return WatermarkStrategy.<PositionedBatch>forGenerator(
            context -> new ArrivalWatermarks(disorderMicros))
        .withTimestampAssigner((record, kafka) -> Math.floorDiv(record.batch().maxArrival(), 1000));
  }

  @Override
  public void onEvent(PositionedBatch event, long timestamp, WatermarkOutput output) {
    maxArrival = Math.max(maxArrival, event.batch().maxArrival());
  }

  @Override
  public void onPeriodicEmit(WatermarkOutput output) {
    if (maxArrival != Long.MIN_VALUE) {
      output.emitWatermark(new Watermark(WatermarkTime.watermark(maxArrival, disorderMicros)));
    }
  }
}
