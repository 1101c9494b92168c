package org.flowmon.ingest.file.capture;

import java.util.Optional;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.ingest.IngestCounter;

/** Finds the UDP datagram in a captured packet. Reused from packet to packet. */
final class UdpPacket {
  private static final int LINK_NULL = 0;
  private static final int LINK_ETHERNET = 1;
  private static final int LINK_RAW_BSD = 12;
  private static final int LINK_RAW_OPENBSD = 14;
  private static final int LINK_RAW = 101;
  private static final int LINK_LOOP = 108;
  private static final int LINK_LINUX_SLL = 113;
  private static final int LINK_IPV4 = 228;
  private static final int LINK_IPV6 = 229;
  private static final int LINK_LINUX_SLL2 = 276;

  private static final int UDP = 17;
  private static final int MAX_TAGS = 4;
  private static final int MAX_EXTENSIONS = 8;

  private static final Optional<IngestCounter> NOT_UDP =
      Optional.of(IngestCounter.PACKETS_SKIPPED_NOT_UDP);
  private static final Optional<IngestCounter> TRUNCATED =
      Optional.of(IngestCounter.PACKETS_SKIPPED_TRUNCATED);
  private static final Optional<IngestCounter> FRAGMENT =
      Optional.of(IngestCounter.PACKETS_SKIPPED_FRAGMENT);

  private byte[] bytes = {};
  private int length;
  private IpAddress source = IpAddress.ofIpv4(0);
  private int sourcePort;
  private int destinationPort;
  private int payloadAt;
  private int payloadLength;

  IpAddress source() {
    return source;
  }

  int sourcePort() {
    return sourcePort;
  }

  int destinationPort() {
    return destinationPort;
  }

  int payloadAt() {
    return payloadAt;
  }

  int payloadLength() {
    return payloadLength;
  }

  /** Why it is left out; empty for a UDP datagram. */
  Optional<IngestCounter> parse(byte[] packet, int packetLength, int linkType) {
    bytes = packet;
    length = packetLength;
    int ip = networkLayer(linkType);
    if (ip < 0 || ip >= length) {
      return NOT_UDP;
    }
    return switch (u8(ip) >>> 4) {
      case 4 -> parseIpv4(ip);
      case 6 -> parseIpv6(ip);
      default -> NOT_UDP;
    };
  }

  /** Where IP, which tells its version itself, begins; −1 if there is none. */
  private int networkLayer(int linkType) {
    return switch (linkType) {
      case LINK_ETHERNET -> behindEthernet(12);
      case LINK_RAW_BSD, LINK_RAW_OPENBSD, LINK_RAW, LINK_IPV4, LINK_IPV6 -> 0;
      case LINK_NULL, LINK_LOOP -> 4;
      case LINK_LINUX_SLL -> behindEthernet(14);
      case LINK_LINUX_SLL2 -> length >= 20 && isIp(u16(0)) ? 20 : -1;
      default -> -1;
    };
  }

  private int behindEthernet(int typeAt) {
    int at = typeAt;
    for (int tags = 0; tags <= MAX_TAGS && at + 2 <= length; tags++) {
      int type = u16(at);
      if (isIp(type)) {
        return at + 2;
      }
      if (type != 0x8100 && type != 0x88A8 && type != 0x9100) {
        return -1;
      }
      at += 4; // a VLAN tag
    }
    return -1;
  }

  private static boolean isIp(int etherType) {
    return etherType == 0x0800 || etherType == 0x86DD;
  }

  private Optional<IngestCounter> parseIpv4(int ip) {
    if (length - ip < 20) {
      return TRUNCATED;
    }
    if (u8(ip + 9) != UDP) {
      return NOT_UDP;
    }
    if ((u16(ip + 6) & 0x3FFF) != 0) {
      return FRAGMENT;
    }
    source = IpAddress.ofIpv4(BigEndian.getInt(bytes, ip + 12));
    return parseUdp(ip + 4 * (u8(ip) & 0xF));
  }

  private Optional<IngestCounter> parseIpv6(int ip) {
    if (length - ip < 40) {
      return TRUNCATED;
    }
    source = new IpAddress(BigEndian.getLong(bytes, ip + 8), BigEndian.getLong(bytes, ip + 16));
    int next = u8(ip + 6);
    int at = ip + 40;
    for (int i = 0; i < MAX_EXTENSIONS && next != UDP; i++) {
      if (length - at < 8) {
        return NOT_UDP;
      }
      int here = next;
      next = u8(at);
      switch (here) {
        case 0, 43, 60 -> at += 8 * (u8(at + 1) + 1); // hop-by-hop, routing, destination
        case 51 -> at += 4 * (u8(at + 1) + 2); // authentication
        case 44 -> {
          if ((u16(at + 2) & 0xFFF9) != 0) {
            return FRAGMENT;
          }
          at += 8;
        }
        default -> {
          return NOT_UDP;
        }
      }
    }
    return next == UDP ? parseUdp(at) : NOT_UDP;
  }

  private Optional<IngestCounter> parseUdp(int udp) {
    if (length - udp < 8) {
      return TRUNCATED;
    }
    sourcePort = u16(udp);
    destinationPort = u16(udp + 2);
    payloadAt = udp + 8;
    payloadLength = u16(udp + 4) - 8;
    return payloadLength < 0 || payloadLength > length - payloadAt ? TRUNCATED : Optional.empty();
  }

  private int u8(int at) {
    return BigEndian.getU8(bytes, at);
  }

  private int u16(int at) {
    return BigEndian.getU16(bytes, at);
  }
}
