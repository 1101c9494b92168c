package org.flowmon.ingest.collect;

import org.flowmon.ingest.FlowSink;

/**
 * The sink of a {@link UdpCollector}. The collector's thread calls all methods; an exception ends
 * the collector.
 */
public interface CollectorSink extends FlowSink {
  /**
   * Called about every {@link UdpCollector#TICK_MILLIS}, with or without flows, and once after the
   * last flow. Closes batches that have waited long enough.
   *
   * @param nowMicros the collector's clock, µs since 1970: no later flow has an earlier arrival
   */
  void tick(long nowMicros);

  /**
   * Called when flows are known to be lost on the way here, by the exporters' sequence numbers or
   * because their template was unknown. The call comes about a second after the loss was noticed,
   * so that a late datagram is no loss, and once more at the end.
   *
   * @param flows how many more, above 0
   */
  void lost(long flows);
}
