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
 * windows close where no flow will come any more. It is followed at once where nobody else sends to
 * the partition, as no flow of others can come too late for it then; else no faster than time goes
 * by from when it was sent, until nobody else has sent for {@link #QUIET_NANOS}.
 */
final class ArrivalWatermarks implements WatermarkGenerator<PositionedBatch> {
  /** A producer at work sends something each second. */
  static final long QUIET_NANOS = 5_000_000_000L;

  private final long disorderMicros;
  private final LongSupplier nanos;
  private long maxArrival = Long.MIN_VALUE;
  // The last mark of an end: how far it leads, from where, since when.
  private long end = Long.MIN_VALUE;
  private long endReached;
  private long endNanos;
  private long endProducer;
  // Who sent last, and who before that: when.
  private boolean any;
  private boolean anyOther;
  private long producer;
  private long producerNanos;
  private long otherNanos;

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
    long now = nanos.getAsLong();
    long sender = event.batch().producerId();
    if (any && sender != producer) {
      anyOther = true;
      otherNanos = producerNanos;
    }
    any = true;
    producer = sender;
    producerNanos = now;
    if (event.batch().isEndOfInput()) {
      end = event.batch().maxArrival();
      endReached = event.reached();
      endNanos = now;
      endProducer = sender;
    }
  }

  @Override
  public void onPeriodicEmit(WatermarkOutput output) {
    long reached = maxArrival;
    if (end > reached) {
      long now = nanos.getAsLong();
      long gone = (now - endNanos) / 1000;
      reached = Math.max(reached, isAlone(now) ? end : Math.min(end, endReached + gone));
      maxArrival = reached;
    }
    if (reached != Long.MIN_VALUE) {
      output.emitWatermark(new Watermark(WatermarkTime.watermark(reached, disorderMicros)));
    }
  }

  /** Whether nobody but the producer of the last mark has sent anything of late. */
  private boolean isAlone(long now) {
    if (producer != endProducer) {
      return now - producerNanos > QUIET_NANOS;
    }
    return !anyOther || now - otherNanos > QUIET_NANOS;
  }
}
