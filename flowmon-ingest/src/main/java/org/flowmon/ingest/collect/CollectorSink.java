package org.flowmon.ingest.collect;

import org.flowmon.ingest.FlowSink;

/** The sink of a {@link UdpCollector}, on its thread; an exception ends the collector. */
public interface CollectorSink extends FlowSink {
  /**
   * Called about every {@link UdpCollector#TICK_MILLIS} and after the last flow, to close batches
   * that have waited; no later flow arrives before {@code nowMicros}, µs since 1970.
   */
  void tick(long nowMicros);

  /**
   * More flows ({@code > 0}) are lost, by sequence numbers or unknown templates. It is called about
   * a second later, so that a late datagram is no loss, and once more at the end.
   */
  void lost(long flows);
}
