package org.flowmon.ingest.decode.packet;

import java.util.Locale;

/** What carries a packet within another one. */
public enum Tunnel {
  NONE(0),
  /** IP in IP, 6in4 and the like (RFC 2003, 2473, 4213). */
  IP_IN_IP(1),
  /** RFC 2784, 2890. */
  GRE(2),
  /** RFC 7348. */
  VXLAN(3),
  /** RFC 8926. */
  GENEVE(4),
  /** A packet or frame behind a segment routing header (RFC 8986). */
  SRV6(5),
  /** MPLS directly in IP (RFC 4023). */
  MPLS_IN_IP(6),
  /** A frame directly in IP (RFC 8986). */
  ETHERNET_IN_IP(7);

  private final int code;

  Tunnel(int code) {
    this.code = code;
  }

  /** The value in columns; 0 for {@link #NONE}. */
  public int code() {
    return code;
  }

  /** The text shown to people, for example {@code ip_in_ip}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
