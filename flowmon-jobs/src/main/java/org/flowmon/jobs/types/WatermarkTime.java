package org.flowmon.jobs.types;

/**
 * Converts between watermarks, in milliseconds as everywhere in Flink, whose pages then show real
 * times, and arrivals, in microseconds. At watermark t every flow that arrived before t + 1 ms has
 * been seen.
 */
public final class WatermarkTime {
  private WatermarkTime() {}

  /** In microseconds: the largest arrival so far, and how far later ones may lie below. */
  public static long watermark(long maxArrival, long disorderMicros) {
    if (maxArrival < Long.MIN_VALUE + disorderMicros) {
      return Long.MIN_VALUE;
    }
    return Math.floorDiv(maxArrival - disorderMicros, 1000) - 1;
  }

  /** The arrival, in microseconds, up to which (inclusive) all flows have been seen. */
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
