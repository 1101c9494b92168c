package org.flowmon.ingest.decode.record;

import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;

/** What all flows of one datagram have in common. Reused from datagram to datagram. */
public final class DatagramHeader {
  /** Stands for what the header does not say. */
  public static final int NONE = -1;

  private static final long WRAP = 1L << 32;
  private static final long MAX_AGE = WRAP - 3_600_000;

  public SourceKind kind = SourceKind.NETFLOW_V5;

  /** Null where it is not known. */
  public IpAddress exporter;

  public int port;
  public long arrival;

  /** µs since 1970, 0 where the exporter's clock is not set. */
  public long exportTime;

  /** ms; with it times of the exporter's uptime can be told. */
  public int uptime;

  public boolean hasUptime;

  /** Whether {@link #uptime} stood in the header, and was not worked out. */
  public boolean uptimeIsHeaders;

  /** Whether a flow's start at uptime 0 beside another end is no start. */
  public boolean zeroStartIsUnknown;

  public long domain;
  public long sequence;
  public int engineType = NONE;
  public int engineId = NONE;
  public Sampling.Rate sampling;

  /**
   * When the exporter's uptime was this (ms), µs since 1970. The uptime wraps after 49.7 days: what
   * seems to lie ahead was before the wrap, but for an hour that is left to clocks and roundings.
   */
  long timeOfUptime(long switched) {
    long age = (uptime - switched) & 0xFFFF_FFFFL;
    return exportTime - (age > MAX_AGE ? age - WRAP : age) * 1000;
  }
}
