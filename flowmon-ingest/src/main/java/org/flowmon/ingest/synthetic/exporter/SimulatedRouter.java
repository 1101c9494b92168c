package org.flowmon.ingest.synthetic.exporter;

import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.synthetic.HistoryGenerator;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * A simulated router that exports flows as NetFlow v5, v9 or IPFIX, or packets of them as sFlow v5.
 *
 * @param observationDomain v9 source id, IPFIX domain, sFlow sub-agent, v5 engine type × 256 + id
 *     (0 … 65,535)
 * @param samplingRate 1 of n packets is seen; at 1 sampling is not exported
 * @param weight share of the inside hosts whose flows it sees, relative to others' weights
 * @param clockSkewMillis how far its clock is ahead
 * @param address of IPv4; the source of its datagrams in a capture
 */
public record SimulatedRouter(
    SourceKind version,
    int observationDomain,
    int samplingRate,
    int weight,
    long clockSkewMillis,
    IpAddress address) {
  public static final int MAX_SAMPLING_RATE = 0x3FFF; // 14 bits in a v5 header

  public SimulatedRouter {
    int largestDomain = version == SourceKind.NETFLOW_V5 ? 0xFFFF : Integer.MAX_VALUE;
    if (observationDomain < 0 || observationDomain > largestDomain) {
      throw new IllegalArgumentException(
          String.format(
              "observation domain %s of %s is outside 0…%s",
              observationDomain, version.label(), largestDomain));
    }
    if (samplingRate < 1 || samplingRate > MAX_SAMPLING_RATE) {
      throw new IllegalArgumentException("sampling rate " + samplingRate + " is outside 1…16383");
    }
    if (!address.isIpv4()) {
      throw new IllegalArgumentException("a router's address is of IPv4, not " + address);
    }
    if (weight < 1 || weight > 1_000) {
      throw new IllegalArgumentException("weight " + weight + " is outside 1…1000");
    }
  }

  /** With an exact clock and a documentation address. */
  public SimulatedRouter(SourceKind version, int observationDomain, int samplingRate, int weight) {
    this(version, observationDomain, samplingRate, weight, 0, HistoryGenerator.EXPORTER);
  }

  /** Whether its protocol can carry the flow. */
  boolean accepts(SyntheticFlow flow) {
    return version != SourceKind.NETFLOW_V5 || flow.isIpv4();
  }

  /** Booted at {@code bootMillis}, its uptime's 0, within 49 days of all flows. */
  ExportEncoder encoder(long bootMillis) {
    return switch (version) {
      case NETFLOW_V5 -> new NetFlowV5Encoder(this, bootMillis);
      case NETFLOW_V9 -> new NetFlowV9Encoder(this, bootMillis);
      case IPFIX -> new IpfixEncoder(this);
      case SFLOW -> new SflowEncoder(this, bootMillis);
      default ->
          throw new IllegalArgumentException(
              "no exporter sends "
                  + version.label()
                  + ": expected netflow_v5, netflow_v9, ipfix or sflow");
    };
  }
}
