package org.flowmon.jobs.types;

import org.flowmon.flow.FlowBatch;

/**
 * Converts between watermarks and arrivals. Flows' times are microseconds, watermarks are
 * milliseconds as everywhere in Flink (so that its pages and metrics show real times): a watermark
 * of t means that every flow that arrived before t + 1 ms has been seen.
 */
public final class WatermarkTime {
  private WatermarkTime() {}

  /**
   * Returns the watermark after a batch.
   *
   * @param maxArrival largest {@link FlowBatch#maxArrival} so far, in microseconds
   * @param disorderMicros how far a later flow's arrival may lie below it
   */
  public static long watermark(long maxArrival, long disorderMicros) {
    if (maxArrival < Long.MIN_VALUE + disorderMicros) {
      return Long.MIN_VALUE;
    }
    return Math.floorDiv(maxArrival - disorderMicros, 1000) - 1;
  }

  /**
   * Returns the arrival, in microseconds, up to which (inclusive) all flows have been seen at a
   * watermark.
   */
  public static long completeThrough(long watermark) {
    if (watermark >= Long.MAX_VALUE / 1000 - 1) {
      return Long.MAX_VALUE;
    }
    if (watermark <= Long.MIN_VALUE / 1000) {
      return Long.MIN_VALUE;
    }
    return (watermark + 1) * 1000 - 1;
  }
}
