package org.flowmon.ingest.decode.sflow;

import static org.flowmon.flow.bytes.BigEndian.getInt;
import static org.flowmon.flow.bytes.BigEndian.getLong;
import static org.flowmon.flow.bytes.BigEndian.getU16;
import static org.flowmon.flow.bytes.BigEndian.getU32;

import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.decode.packet.IpHeader;
import org.flowmon.ingest.decode.packet.PacketHeaders;
import org.flowmon.ingest.decode.packet.PacketParser;
import org.flowmon.ingest.decode.packet.TunnelHeaders;

/**
 * What a sample's records say of the packet itself: its first bytes, or what the agent read in
 * them. Reused from sample to sample.
 *
 * <pre>
 * 1 header:          protocol 4 | frame length 4 | stripped 4 | bytes 4 | the first bytes of it
 * 2 Ethernet frame:  length 4 | source MAC 8 | destination MAC 8 | type 4 (a MAC and 2 bytes of 0)
 * 3 IPv4:            length 4 | protocol 4 | source 4 | destination 4 | ports 8 | flags 4 | ToS 4
 * 4 IPv6:            as IPv4, with addresses of 16 bytes
 * </pre>
 */
final class PacketRecords {
  static final int UNKNOWN = -1;

  private static final int HEADER_BYTES = 16;
  private static final int ETHERNET_BYTES = 24;
  private static final int IPV4_BYTES = 32;
  private static final int IPV6_BYTES = 56;

  // MACs, type and frame check sequence, as Akvorado counts them.
  private static final int FRAME_OVERHEAD = 16;

  private final PacketParser parser;
  private final PacketHeaders headers = new PacketHeaders();
  private final IpHeader told = new IpHeader();
  private boolean hasHeaders;
  private long headerBytes;
  private long frameBytes;
  private boolean hasMacs;
  private long srcMac;
  private long dstMac;
  private int etherType;

  PacketRecords(TunnelHeaders prefer) {
    parser = new PacketParser(prefer);
  }

  void clear() {
    hasHeaders = false;
    headerBytes = UNKNOWN;
    frameBytes = UNKNOWN;
    hasMacs = false;
    told.clear();
  }

  /** The headers of the sampled bytes; meaningless unless {@link #hasHeaders}. */
  PacketHeaders headers() {
    return headers;
  }

  boolean hasHeaders() {
    return hasHeaders;
  }

  /** What the agent said of the packet; version 0 if it said nothing. */
  IpHeader told() {
    return told;
  }

  /** Of layer 3, {@link #UNKNOWN} if no record tells. */
  long bytes() {
    if (headerBytes != UNKNOWN) {
      return headerBytes;
    }
    return told.version != 0 ? told.length : frameBytes;
  }

  /** Whether an Ethernet record gave MACs and type, and no header did. */
  boolean hasMacs() {
    return hasMacs && !(hasHeaders && headers.hasMacs);
  }

  long srcMac() {
    return srcMac;
  }

  long dstMac() {
    return dstMac;
  }

  int etherType() {
    return etherType;
  }

  /** False if the record is too short. */
  boolean readHeader(byte[] bytes, int at, int length) {
    if (length < HEADER_BYTES) {
      return false;
    }
    int size = getInt(bytes, at + 12);
    if (size < 0 || size > length - HEADER_BYTES) {
      return false;
    }
    int from = at + HEADER_BYTES;
    boolean frame = false;
    switch (getInt(bytes, at)) {
      case 1 -> {
        parser.parseFrame(bytes, from, size, headers);
        frame = true;
      }
      case 7, 14 -> parser.parsePpp(bytes, from, size, headers);
      case 11, 12 -> parser.parseIp(bytes, from, size, headers);
      case 13 -> parser.parseMpls(bytes, from, size, headers);
      default -> parser.parseIp(bytes, from, 0, headers);
    }
    hasHeaders = true;
    long whole = getU32(bytes, at + 4);
    headerBytes = headers.ip().length > 0 ? headers.ip().length : UNKNOWN;
    frameBytes = layer3(whole, frame);
    return true;
  }

  private static long layer3(long whole, boolean frame) {
    return frame ? Math.max(0, whole - FRAME_OVERHEAD) : whole;
  }

  boolean readEthernet(byte[] bytes, int at, int length) {
    if (length < ETHERNET_BYTES) {
      return false;
    }
    frameBytes = hasHeaders ? frameBytes : layer3(getU32(bytes, at), true);
    hasMacs = true;
    srcMac = mac(bytes, at + 4);
    dstMac = mac(bytes, at + 12);
    etherType = getInt(bytes, at + 20) & 0xFFFF;
    return true;
  }

  private static long mac(byte[] bytes, int at) {
    return (long) getU16(bytes, at) << 32 | getU32(bytes, at + 2);
  }

  boolean readIpv4(byte[] bytes, int at, int length) {
    if (length < IPV4_BYTES) {
      return false;
    }
    told.clear();
    told.version = 4;
    told.srcLo = IpAddress.ipv4Low(getInt(bytes, at + 8));
    told.dstLo = IpAddress.ipv4Low(getInt(bytes, at + 12));
    readRest(bytes, at, at + 16);
    return true;
  }

  boolean readIpv6(byte[] bytes, int at, int length) {
    if (length < IPV6_BYTES) {
      return false;
    }
    told.clear();
    told.version = 6;
    told.srcHi = getLong(bytes, at + 8);
    told.srcLo = getLong(bytes, at + 16);
    told.dstHi = getLong(bytes, at + 24);
    told.dstLo = getLong(bytes, at + 32);
    readRest(bytes, at, at + 40);
    return true;
  }

  private void readRest(byte[] bytes, int at, int ports) {
    told.length = getInt(bytes, at) & Integer.MAX_VALUE;
    told.protocol = getInt(bytes, at + 4) & 0xFF;
    boolean hasPorts = told.protocol != 1 && told.protocol != 58;
    told.srcPort = hasPorts ? getInt(bytes, ports) & 0xFFFF : IpHeader.NONE;
    told.dstPort = hasPorts ? getInt(bytes, ports + 4) & 0xFFFF : IpHeader.NONE;
    told.tcpFlags = told.protocol == 6 ? getInt(bytes, ports + 8) & 0xFFFF : IpHeader.NONE;
    told.tos = getInt(bytes, ports + 12) & 0xFF;
  }
}
