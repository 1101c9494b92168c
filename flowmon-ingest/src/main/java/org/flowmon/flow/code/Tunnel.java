package org.flowmon.flow.code;

import java.util.Locale;

/** What carries a packet within another one: column {@code tunnel}. */
public enum Tunnel {
  NONE(0),
  /** IPv4 or IPv6 in either. */
  IP_IN_IP(1),
  GRE(2),
  VXLAN(3),
  GENEVE(4),
  SRV6(5),
  MPLS_IN_IP(6),
  ETHERNET_IN_IP(7);

  public static final CodeNames NAMES = CodeNames.of(values(), Tunnel::code, Tunnel::label);

  private final int code;

  Tunnel(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  /** The text shown to people, for example {@code ip_in_ip}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
