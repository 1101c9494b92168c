package org.flowmon.ingest.file.capture;

import java.util.Optional;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.decode.packet.IpHeader;
import org.flowmon.ingest.decode.packet.PacketHeaders;
import org.flowmon.ingest.decode.packet.PacketParser;
import org.flowmon.ingest.decode.packet.TunnelHeaders;

/** Finds the UDP datagram in a captured packet. Reused from packet to packet. */
final class UdpPacket {
  private static final Optional<IngestCounter> NOT_UDP =
      Optional.of(IngestCounter.PACKETS_SKIPPED_NOT_UDP);
  private static final Optional<IngestCounter> TRUNCATED =
      Optional.of(IngestCounter.PACKETS_SKIPPED_TRUNCATED);
  private static final Optional<IngestCounter> FRAGMENT =
      Optional.of(IngestCounter.PACKETS_SKIPPED_FRAGMENT);
  private static final int UDP = 17;
  private static final int UDP_BYTES = 8;

  private final PacketParser parser = new PacketParser(TunnelHeaders.OUTER);
  private final PacketHeaders headers = new PacketHeaders();
  private IpAddress source = IpAddress.ofIpv4(0);
  private int payloadAt;
  private int payloadLength;

  IpAddress source() {
    return source;
  }

  int sourcePort() {
    return headers.ip().srcPort;
  }

  int payloadAt() {
    return payloadAt;
  }

  int payloadLength() {
    return payloadLength;
  }

  /** Why it is left out; empty for a UDP datagram. */
  Optional<IngestCounter> parse(byte[] packet, int length, int linkType) {
    LinkLayer.parse(parser, linkType, packet, 0, length, headers);
    IpHeader ip = headers.ip();
    if (headers.isIpCutOff()) {
      return TRUNCATED;
    }
    if (ip.protocol != UDP) {
      return NOT_UDP;
    }
    if (ip.isFragment()) {
      return FRAGMENT;
    }
    payloadAt = ip.transportAt + UDP_BYTES;
    payloadLength =
        payloadAt > ip.end ? -1 : BigEndian.getU16(packet, ip.transportAt + 4) - UDP_BYTES;
    if (payloadLength < 0 || payloadLength > ip.end - payloadAt) {
      return TRUNCATED;
    }
    source = new IpAddress(ip.srcHi, ip.srcLo);
    return Optional.empty();
  }
}
