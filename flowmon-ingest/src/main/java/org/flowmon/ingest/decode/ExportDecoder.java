package org.flowmon.ingest.decode;

import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;

/**
 * Decodes NetFlow v5, v9 (RFC 3954) and IPFIX (RFC 7011) export datagrams straight into the columns
 * of a {@link FlowSink}.
 *
 * <p>Holds the templates, sampling and sequence numbers of its exporters: one decoder for each
 * input (collector thread, file), not thread-safe. No bytes make it throw; what is wrong is counted
 * and a sample is kept.
 */
public final class ExportDecoder {

  /**
   * @param networks what decides {@code outgoing}; null leaves it NULL
   */
  public ExportDecoder(
      IngestCounters counters,
      BadDatagramSamples samples,
      ProtectedNetworks networks,
      DecoderLimits limits) {}

  /**
   * Decodes one datagram.
   *
   * @param datagram its bytes, only read and only until this returns
   * @param exporter who sent it
   * @param port the UDP port that it was sent from
   * @param arrivalMicros when it was received, µs since 1970; becomes {@code arrival}
   */
  public void decode(
      byte[] datagram,
      int offset,
      int length,
      IpAddress exporter,
      int port,
      long arrivalMicros,
      FlowSink out) {}
}
