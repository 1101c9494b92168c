package org.flowmon.ingest.meter;

/**
 * When flows that are made of packets end.
 *
 * @param activeMicros a flow that lasts as long is cut, and goes on as the next one
 * @param inactiveMicros a flow without a packet for longer has ended
 * @param maxFlows beyond it the flow ends that has been without a packet for longest
 */
public record MeterOptions(long activeMicros, long inactiveMicros, int maxFlows) {
  /** About 100 bytes each. */
  public static final int MOST_FLOWS = 1 << 22;

  public static final MeterOptions DEFAULTS = new MeterOptions(60_000_000, 15_000_000, 1 << 18);

  public MeterOptions {
    if (activeMicros < 1 || inactiveMicros < 1) {
      throw new IllegalArgumentException(
          "expected timeouts above 0, found " + activeMicros + " and " + inactiveMicros + " µs");
    }
    if (maxFlows < 1 || maxFlows > MOST_FLOWS) {
      throw new IllegalArgumentException(
          "expected 1 to " + MOST_FLOWS + " flows at a time, found " + maxFlows);
    }
  }
}
