package org.flowmon.ingest.collect;

import org.flowmon.ingest.FlowSink;

/**
 * Where a {@link UdpCollector} puts flows. All methods are called by the collector's thread; what
 * they throw ends the collector.
 */
public interface CollectorSink extends FlowSink {
  /**
   * Called every {@link UdpCollector#TICK_MILLIS} or so, whether flows come or not, and once when
   * all flows have been handed over: time to close batches that have waited long enough.
   *
   * @param nowMicros the collector's clock, µs since 1970: no later flow has an earlier arrival
   */
  void tick(long nowMicros);

  /**
   * Called where flows are known to have been lost on the way here: by the exporters' sequence
   * numbers, or as their template was not known. About a second after it was known, so that a
   * datagram that was only late is no loss, and once more at the end.
   *
   * @param flows how many more, above 0
   */
  void lost(long flows);
}
