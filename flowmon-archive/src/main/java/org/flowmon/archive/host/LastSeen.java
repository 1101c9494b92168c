package org.flowmon.archive.host;

import org.flowmon.flow.IpAddress;

/**
 * The last time that an address was source or destination: the {@link
 * org.flowmon.archive.segment.TimeKey} (µs) of its newest flow, {@link #NEVER} if there is none.
 */
public record LastSeen(IpAddress address, long micros) {
  public static final long NEVER = Long.MIN_VALUE;

  public boolean isEver() {
    return micros != NEVER;
  }

  /** Whether there is a flow at that time (µs) or later. */
  public boolean isSince(long from) {
    return isEver() && micros >= from;
  }
}
