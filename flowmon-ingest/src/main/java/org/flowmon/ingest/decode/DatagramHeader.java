package org.flowmon.ingest.decode;

import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;

/** What all flows of one datagram have in common. Reused from datagram to datagram. */
final class DatagramHeader {
  /** Stands for what the header does not say. */
  static final int NONE = -1;

  SourceKind kind = SourceKind.NETFLOW_V5;

  /** Null where it is not known. */
  IpAddress exporter;

  int port;
  long arrival;

  /** µs since 1970, 0 where the exporter's clock is not set. */
  long exportTime;

  /** ms; with it times of the exporter's uptime can be told. */
  int uptime;

  boolean hasUptime;

  /** Whether {@link #uptime} stood in the header, and was not worked out. */
  boolean uptimeIsHeaders;

  /** Whether a flow's start at uptime 0 beside another end is no start. */
  boolean zeroStartIsUnknown;

  long domain;
  long sequence;
  int engineType = NONE;
  int engineId = NONE;
  Sampling.Rate sampling;

  /** When the exporter's uptime was this, µs since 1970; also right where 32 bits wrapped. */
  long timeOfUptime(long switched) {
    return exportTime - (int) (uptime - switched) * 1000L;
  }
}
