package org.flowmon.ingest.decode.packet;

import java.util.Locale;

/** Which IP header of a packet with several describes its flow. */
public enum TunnelHeaders {
  /** The innermost one that is complete with its ports. */
  INNER,
  OUTER;

  /** The name in options, for example {@code inner}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
