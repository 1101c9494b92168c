package org.flowmon.archive.host;

import org.flowmon.flow.IpAddress;

/**
 * The last time that an address was source or destination of a flow.
 *
 * @param micros the {@link org.flowmon.archive.segment.TimeKey} of its newest flow (µs), {@link
 *     #NEVER} if there is none
 */
public record LastSeen(IpAddress address, long micros) {
  /** The time of an address without any flow. */
  public static final long NEVER = Long.MIN_VALUE;

  /** Whether there is a flow at all. */
  public boolean isEver() {
    return micros != NEVER;
  }

  /** Whether there is a flow at that time (µs) or later. */
  public boolean isSince(long from) {
    return isEver() && micros >= from;
  }
}
