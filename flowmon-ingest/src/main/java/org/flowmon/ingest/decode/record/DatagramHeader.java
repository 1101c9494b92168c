package org.flowmon.ingest.decode.record;

import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;
import org.jspecify.annotations.Nullable;

/** The common properties of all flows of one datagram. Reused from datagram to datagram. */
public final class DatagramHeader {
  public static final int NONE = -1;

  private static final long WRAP = 1L << 32;
  private static final long MAX_AGE = WRAP - 3_600_000;

  public SourceKind kind = SourceKind.NETFLOW_V5;

  public @Nullable IpAddress exporter;

  public int port;

  /** When the collector received it, µs since 1970; its clock is compared with that. */
  public long received;

  /** The column: {@link #received}, or later if a set waited for its template. */
  public long arrival;

  /** µs since 1970, 0 if the exporter's clock is not set. */
  public long exportTime;

  /** ms; the reference for times of the exporter's uptime. */
  public int uptime;

  public boolean hasUptime;

  /** Whether {@link #uptime} was in the header rather than derived. */
  public boolean uptimeIsHeaders;

  /** A flow's start at uptime 0 beside a different end. */
  public boolean zeroStartIsUnknown;

  public long domain;
  public long sequence;
  public int engineType = NONE;
  public int engineId = NONE;
  public Sampling.Rate sampling = Sampling.UNKNOWN;

  /** Rates of the configuration, which replace all others. */
  public Sampling configured = Sampling.NONE;

  public DatagramHeader copy() {
    DatagramHeader copy = new DatagramHeader();
    copy.kind = kind;
    copy.exporter = exporter;
    copy.port = port;
    copy.received = received;
    copy.arrival = arrival;
    copy.exportTime = exportTime;
    copy.uptime = uptime;
    copy.hasUptime = hasUptime;
    copy.uptimeIsHeaders = uptimeIsHeaders;
    copy.zeroStartIsUnknown = zeroStartIsUnknown;
    copy.domain = domain;
    copy.sequence = sequence;
    copy.engineType = engineType;
    copy.engineId = engineId;
    copy.sampling = sampling;
    copy.configured = configured;
    return copy;
  }

  /**
   * Uptime (ms) to µs since 1970, if the header is of {@code now}. It wraps after 49.7 days: a time
   * ahead, apart from an hour for clocks and rounding, was before the wrap.
   */
  long timeOfUptime(long now, long switched) {
    long age = (uptime - switched) & 0xFFFF_FFFFL;
    return now - (age > MAX_AGE ? age - WRAP : age) * 1000;
  }
}
