package org.flowmon.ingest.synthetic.exporter;

import org.flowmon.flow.SourceKind;

/**
 * A simulated router that exports flows as v5, v9 or IPFIX.
 *
 * @param observationDomain v9 source id, IPFIX domain, v5 engine type × 256 + id (0 … 65,535)
 * @param samplingRate 1 of n packets is seen; at 1 sampling is not exported
 * @param weight share of the inside hosts whose flows it sees, relative to others' weights
 */
public record SimulatedRouter(
    SourceKind version, int observationDomain, int samplingRate, int weight) {

  public SimulatedRouter {
    int largestDomain = version == SourceKind.NETFLOW_V5 ? 0xFFFF : Integer.MAX_VALUE;
    if (observationDomain < 0 || observationDomain > largestDomain) {
      throw new IllegalArgumentException(
          String.format(
              "observation domain %s of %s is outside 0…%s",
              observationDomain, version.label(), largestDomain));
    }
    if (samplingRate < 1 || samplingRate > 0x3FFF) { // 14 bits in a v5 header
      throw new IllegalArgumentException("sampling rate " + samplingRate + " is outside 1…16383");
    }
    if (weight < 1 || weight > 1_000) {
      throw new IllegalArgumentException("weight " + weight + " is outside 1…1000");
    }
  }

  /** Booted at {@code bootMillis}, its uptime's 0, within 49 days of all flows. */
  ExportEncoder encoder(long bootMillis) {
    return switch (version) {
      case NETFLOW_V5 -> new NetFlowV5Encoder(this, bootMillis);
      case NETFLOW_V9 -> new NetFlowV9Encoder(this, bootMillis);
      case IPFIX -> new IpfixEncoder(this);
      default ->
          throw new IllegalArgumentException(
              "no exporter sends "
                  + version.label()
                  + ": expected netflow_v5, netflow_v9 or ipfix");
    };
  }
}
