package org.flowmon.ingest.decode.sflow;

import org.flowmon.flow.IpAddress;
import org.jspecify.annotations.Nullable;

/** What all samples of a datagram share. Reused from datagram to datagram. */
final class SflowHeader {
  /** Who sampled: the agent, else the sender; null if neither is known. */
  @Nullable IpAddress agent;

  /** µs since 1970. */
  long arrival;

  long subAgent;
  int sequence;

  /** ms. */
  int uptime;
}
