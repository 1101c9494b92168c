package org.flowmon.ingest.synthetic;

import java.util.List;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;

/**
 * The addresses, unused on the Internet. Inside: 10.0.0.0/16 (RFC 1918) and 2001:db8:1::/48 (RFC
 * 3849). Outside: 198.18.0.0/15 (RFC 2544) and 2001:db8:8000::/33. Incidents alone: 192.0.2.0/24,
 * 198.51.100.0/24, 203.0.113.0/24 (RFC 5737).
 */
public final class Hosts {
  static final List<IpPrefix> PROTECTED =
      List.of(IpPrefix.parse("10.0.0.0/16"), IpPrefix.parse("2001:db8:1::/48"));

  private static final int INSIDE_V4 = 0x0A00_0000;
  private static final int OUTSIDE_V4 = 0xC612_0000;
  private static final long INSIDE_V6 = 0x2001_0DB8_0001_0000L;
  private static final long OUTSIDE_V6 = 0x2001_0DB8_8000_0000L;
  private static final int INSIDE_GATEWAY = 0x0A00_FFFE; // 10.0.255.254
  private static final int OUTSIDE_GATEWAY = 0xC000_02FE; // 192.0.2.254

  private Hosts() {}

  /** The low long; an odd factor spreads the hosts over all subnets. */
  public static long insideV4(int i) {
    return IpAddress.ipv4Low(INSIDE_V4 | ((i * 40_503 + 257) & 0xFFFF));
  }

  public static long outsideV4(int i) {
    return IpAddress.ipv4Low(OUTSIDE_V4 | ((i * 48_271 + 7_919) & 0x1_FFFF));
  }

  public static long insideV6High(int i) {
    return INSIDE_V6 | (i & 0x1F);
  }

  public static long outsideV6High(int i) {
    return OUTSIDE_V6 | (i * 48_271L & 0x7FFF_FFFF);
  }

  public static long v6Low(int i) {
    return 0x0200_00FF_FE00_0000L | i;
  }

  /** Whether the address is of a protected network. */
  public static boolean isInside(long hi, long lo) {
    return hi == 0
        ? (int) lo >>> 16 == INSIDE_V4 >>> 16 && IpAddress.isIpv4(hi, lo)
        : hi >>> 16 == INSIDE_V6 >>> 16;
  }

  /** The provider's router on the way out, the own one on the way in. */
  static int nextHop(boolean outgoing) {
    return outgoing ? OUTSIDE_GATEWAY : INSIDE_GATEWAY;
  }

  /** A private AS number (RFC 6996) for an outside host. */
  public static int outsideAs(int i) {
    return 64_600 + i % 200;
  }

  public static int insideAs() {
    return 64_512;
  }
}
