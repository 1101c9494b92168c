package org.flowmon.ingest.decode.packet;

import static org.flowmon.flow.bytes.BigEndian.getInt;
import static org.flowmon.flow.bytes.BigEndian.getLong;
import static org.flowmon.flow.bytes.BigEndian.getU16;
import static org.flowmon.flow.bytes.BigEndian.getU8;

import org.flowmon.flow.IpAddress;
import org.flowmon.flow.code.Tunnel;

/** Reads one IP header with what follows it, and says which packet it carries. Reused. */
final class IpParser {
  private static final int IPV4_BYTES = 20;
  private static final int IPV6_BYTES = 40;
  private static final int MAX_EXTENSIONS = 16;
  private static final int EXTENSION_BYTES = 8;
  private static final int SEGMENT_BYTES = 16;
  private static final int SEGMENT_ROUTING = 4;
  private static final int VXLAN_PORT = 4789;
  private static final int VXLAN_OLD_PORT = 8472;
  private static final int GENEVE_PORT = 6081;
  private static final int GRE_CHECKSUM = 0x8000;
  private static final int GRE_ROUTING = 0x4000;
  private static final int GRE_KEY = 0x2000;
  private static final int GRE_SEQUENCE = 0x1000;
  private static final int GRE_VERSION = 7;

  private byte[] bytes = {};
  private int at;
  private int end;
  private Layer payload = Layer.END;
  private Tunnel tunnel = Tunnel.NONE;
  private int vni;

  /** The packet or frame that it carries; END if it carries none. */
  Layer payload() {
    return payload;
  }

  int payloadAt() {
    return at;
  }

  /** Padding of the frame is behind it. */
  int payloadEnd() {
    return end;
  }

  Tunnel tunnel() {
    return tunnel;
  }

  int vni() {
    return vni;
  }

  /** False if there is no whole IP header without its options. */
  boolean parse(byte[] section, int from, int to, IpHeader into) {
    bytes = section;
    at = from;
    end = to;
    payload = Layer.END;
    tunnel = Tunnel.NONE;
    vni = PacketHeaders.NONE;
    if (left() < IPV4_BYTES) {
      return false;
    }
    return switch (getU8(bytes, at) >>> 4) {
      case 4 -> ipv4(into);
      case 6 -> ipv6(into);
      default -> false;
    };
  }

  /** Whether an IP header begins here and is not whole. */
  static boolean isCutOff(byte[] section, int from, int to) {
    int version = to > from ? getU8(section, from) >>> 4 : 0;
    return (version == 4 && to - from < IPV4_BYTES) || (version == 6 && to - from < IPV6_BYTES);
  }

  private int left() {
    return end - at;
  }

  private boolean ipv4(IpHeader ip) {
    int headerBytes = 4 * (getU8(bytes, at) & 0xF);
    if (headerBytes < IPV4_BYTES) {
      return false;
    }
    int total = getU16(bytes, at + 2);
    int fragment = getU16(bytes, at + 6);
    ip.version = 4;
    ip.tos = getU8(bytes, at + 1);
    ip.fragmentId = getU16(bytes, at + 4);
    ip.fragmentOffset = (fragment & 0x1FFF) * 8;
    ip.fragmentFlags = fragment >>> 8 & 0xE0;
    ip.ttl = getU8(bytes, at + 8);
    ip.protocol = getU8(bytes, at + 9);
    ip.srcLo = IpAddress.ipv4Low(getInt(bytes, at + 12));
    ip.dstLo = IpAddress.ipv4Low(getInt(bytes, at + 16));
    if (total >= headerBytes) {
      ip.length = total;
      end = Math.min(end, at + total);
    }
    at += headerBytes;
    transport(ip);
    return true;
  }

  private boolean ipv6(IpHeader ip) {
    if (left() < IPV6_BYTES) {
      return false;
    }
    int first = getInt(bytes, at);
    int payloadBytes = getU16(bytes, at + 4);
    int next = getU8(bytes, at + 6);
    ip.version = 6;
    ip.tos = first >>> 20 & 0xFF;
    ip.flowLabel = first & 0xFFFFF;
    ip.ttl = getU8(bytes, at + 7);
    ip.srcHi = getLong(bytes, at + 8);
    ip.srcLo = getLong(bytes, at + 16);
    ip.dstHi = getLong(bytes, at + 24);
    ip.dstLo = getLong(bytes, at + 32);
    if (payloadBytes > 0) {
      ip.length = IPV6_BYTES + payloadBytes; // 0 also stands for more than 65,535 (RFC 2675)
      end = Math.min(end, at + ip.length);
    }
    at += IPV6_BYTES;
    if (extensions(ip, next)) {
      transport(ip);
    }
    return true;
  }

  /** False if they are cut off before the protocol is known. */
  private boolean extensions(IpHeader ip, int first) {
    int next = first;
    for (int i = 0; i < MAX_EXTENSIONS; i++) {
      boolean isExtension = next == 0 || next == 43 || next == 44 || next == 51 || next == 60;
      if (!isExtension) {
        ip.protocol = next;
        return true;
      }
      if (left() < EXTENSION_BYTES) {
        return false;
      }
      int here = next;
      int units = getU8(bytes, at + 1);
      next = getU8(bytes, at);
      switch (here) {
        case 44 -> {
          fragment(ip);
          at += EXTENSION_BYTES;
          if (ip.fragmentOffset > 0) {
            ip.protocol = next; // the rest of the chain is in the first fragment
            return true;
          }
        }
        case 51 -> at += 4 * (units + 2);
        default -> {
          if (here == 43) {
            segments(ip, EXTENSION_BYTES * (units + 1));
          }
          at += EXTENSION_BYTES * (units + 1);
        }
      }
    }
    return false;
  }

  private void fragment(IpHeader ip) {
    int word = getU16(bytes, at + 2);
    ip.fragmentOffset = word & 0xFFF8;
    ip.fragmentFlags = (word & 1) != 0 ? 0x20 : 0;
    ip.fragmentId = getInt(bytes, at + 4);
  }

  private void segments(IpHeader ip, int headerBytes) {
    if (getU8(bytes, at + 2) != SEGMENT_ROUTING || ip.segments > 0) {
      return;
    }
    int space = Math.min(headerBytes, left()) - EXTENSION_BYTES;
    ip.segmentsLeft = getU8(bytes, at + 3);
    ip.segments = Math.min(getU8(bytes, at + 4) + 1, space / SEGMENT_BYTES);
    ip.segmentsAt = at + EXTENSION_BYTES;
  }

  private void transport(IpHeader ip) {
    ip.transportAt = at;
    ip.end = end;
    if (ip.fragmentOffset > 0) {
      ip.complete = true; // its ports are in the first fragment
      return;
    }
    switch (ip.protocol) {
      case 6 -> {
        ports(ip);
        if (left() >= 14) {
          ip.tcpFlags = getU16(bytes, at + 12) & 0xFFF;
        }
      }
      case 17 -> {
        ports(ip);
        if (left() >= 16) {
          udpTunnel(ip.dstPort);
        }
      }
      case 33, 132, 136 -> ports(ip); // DCCP, SCTP, UDP-Lite
      case 1, 58 -> {
        if (left() >= 2) {
          ip.icmpTypeCode = getU16(bytes, at);
          ip.complete = true;
        }
      }
      default -> {
        ip.complete = true;
        carried(ip);
      }
    }
  }

  private void ports(IpHeader ip) {
    if (left() >= 4) {
      ip.srcPort = getU16(bytes, at);
      ip.dstPort = getU16(bytes, at + 2);
      ip.complete = true;
    }
  }

  private void carried(IpHeader ip) {
    switch (ip.protocol) {
      case 4, 41 -> carries(Layer.IP, ip.segments > 0 ? Tunnel.SRV6 : Tunnel.IP_IN_IP);
      case 47 -> gre();
      case 137 -> carries(Layer.MPLS, Tunnel.MPLS_IN_IP);
      case 143 -> carries(Layer.FRAME, ip.segments > 0 ? Tunnel.SRV6 : Tunnel.ETHERNET_IN_IP);
      default -> {}
    }
  }

  private void carries(Layer what, Tunnel by) {
    payload = what;
    tunnel = by;
  }

  private void gre() {
    tunnel = Tunnel.GRE;
    if (left() < 4) {
      return;
    }
    int flags = getU16(bytes, at);
    int type = getU16(bytes, at + 2);
    if ((flags & (GRE_VERSION | GRE_ROUTING)) != 0) {
      return;
    }
    at += 4 + 4 * Integer.bitCount(flags & (GRE_CHECKSUM | GRE_KEY | GRE_SEQUENCE));
    payload = Layer.of(type);
  }

  private void udpTunnel(int port) {
    int word = getInt(bytes, at + 8);
    int id = getInt(bytes, at + 12);
    if (port == VXLAN_PORT || port == VXLAN_OLD_PORT) {
      // The network id is valid; of the other flags only group policy's may be set.
      boolean isVxlan = (word >>> 24 & ~0x80) == 0x08 && (id & 0xFF) == 0;
      if (isVxlan) {
        carries(Layer.FRAME, Tunnel.VXLAN);
        vni = id >>> 8;
        at += 16;
      }
    } else if (port == GENEVE_PORT && word >>> 30 == 0) {
      carries(Layer.of(word & 0xFFFF), Tunnel.GENEVE);
      vni = id >>> 8;
      at += 16 + 4 * (word >>> 24 & 0x3F);
    }
  }
}
