package org.flowmon.ingest.decode.record;

import org.flowmon.flow.code.Tunnel;
import org.flowmon.ingest.decode.packet.IpHeader;
import org.flowmon.ingest.decode.packet.PacketHeaders;
import org.flowmon.ingest.decode.packet.PacketParser;
import org.flowmon.ingest.decode.packet.TunnelHeaders;

/**
 * Records that carry the first bytes of a packet (elements 313, 315, 104) instead of addresses: its
 * headers fill the slots that the record leaves empty.
 */
final class Sections {
  private static final int CLASS_AND_TTL_BITS = 8; // below a stack entry's TTL stands its label
  private static final int SEGMENT_BYTES = 16;
  private static final long VXLAN = 1L << 56;
  private static final int ICMP = 1;

  private final PacketParser parser;
  private final PacketHeaders headers = new PacketHeaders();

  Sections(TunnelHeaders prefer) {
    parser = new PacketParser(prefer);
  }

  /** Outer headers go to {@code outer}. */
  void fill(RecordBlock block, InnerHeaders outer) {
    if ((block.set(Slot.IP_SECTION) | block.set(Slot.FRAME_SECTION)) == 0) {
      return;
    }
    for (int i = 0; i < block.rows(); i++) {
      if (!InnerHeaders.isFour(block, i) && !InnerHeaders.isSix(block, i) && parse(block, i)) {
        fillFrame(block, i);
        if (headers.hasIp()) {
          fillIp(block, i, outer);
        }
      }
    }
  }

  private boolean parse(RecordBlock block, int row) {
    boolean frame = block.isSet(Slot.FRAME_SECTION, row);
    if (!frame && !block.isSet(Slot.IP_SECTION, row)) {
      return false;
    }
    long place = block.values(frame ? Slot.FRAME_SECTION : Slot.IP_SECTION)[row];
    int at = RecordBlock.position(place);
    int length = RecordBlock.length(place);
    if (frame) {
      parser.parseFrame(block.source(), at, length, headers);
    } else {
      parser.parseIp(block.source(), at, length, headers);
    }
    return true;
  }

  private void fillFrame(RecordBlock block, int row) {
    if (headers.hasMacs) {
      fill(block, Slot.SRC_MAC, row, headers.srcMac, headers.srcMac != 0);
      fill(block, Slot.DST_MAC, row, headers.dstMac, headers.dstMac != 0);
    }
    fill(block, Slot.ETHERTYPE, row, headers.etherType);
    fill(block, Slot.VLAN, row, headers.vlan);
    for (int l = 0; l < headers.labels; l++) {
      Slot slot = Slot.ALL[Slot.MPLS1.ordinal() + l];
      fill(block, slot, row, headers.mpls[l] >>> CLASS_AND_TTL_BITS);
    }
    fill(block, Slot.LAYER2_SEGMENT, row, VXLAN | headers.vni, headers.vni >= 0);
  }

  private void fillIp(RecordBlock block, int row, InnerHeaders outer) {
    IpHeader ip = headers.ip();
    boolean six = ip.version == 6;
    setAddress(block, six ? Slot.SRC6 : Slot.SRC4, row, ip.srcHi, ip.srcLo);
    setAddress(block, six ? Slot.DST6 : Slot.DST4, row, ip.dstHi, ip.dstLo);
    fill(block, Slot.PROTOCOL, row, ip.protocol);
    fill(block, Slot.SRC_PORT, row, ip.srcPort);
    fill(block, Slot.DST_PORT, row, ip.dstPort);
    fill(block, Slot.TCP_FLAGS, row, ip.tcpFlags);
    fill(block, ip.protocol == ICMP ? Slot.ICMP4 : Slot.ICMP6, row, ip.icmpTypeCode);
    fill(block, Slot.TOS, row, ip.tos);
    fill(block, Slot.MIN_TTL, row, ip.ttl);
    fill(block, Slot.MAX_TTL, row, ip.ttl);
    fill(block, Slot.IPV6_FLOW_LABEL, row, ip.flowLabel);
    fill(
        block, Slot.FRAGMENT_ID, row, ip.fragmentId & 0xFFFF_FFFFL, ip.fragmentId != IpHeader.NONE);
    if (!six || ip.fragmentId != IpHeader.NONE) {
      fill(block, Slot.FRAGMENT_FLAGS, row, ip.fragmentFlags);
    }
    // A record of one packet need not count it.
    boolean isOne =
        !block.isSet(Slot.PACKETS, row)
            && !block.isSet(Slot.BYTES, row)
            && !block.program().hasTotals();
    fill(block, Slot.PACKETS, row, 1, isOne);
    fill(block, Slot.BYTES, row, ip.length, isOne && ip.length > 0);
    IpHeader routed = headers.outer().segments > 0 ? headers.outer() : ip;
    if (routed.segments > 0) {
      long place = (long) routed.segmentsAt << 16 | (long) routed.segments * SEGMENT_BYTES;
      fill(block, Slot.SRV6_SECTION, row, place);
    }
    if (headers.hasOuter()) {
      IpHeader other = headers.outer();
      outer.add(row, other.srcHi, other.srcLo, other.dstHi, other.dstLo);
    }
    if (headers.tunnel != Tunnel.NONE) {
      outer.setTunnel(row, headers.tunnel);
    }
  }

  private static void setAddress(RecordBlock block, Slot slot, int row, long high, long low) {
    if (slot.isAddress6()) {
      block.high(slot)[row] = high;
    }
    block.set(slot, row, low);
  }

  /** Not if it is negative, which is none, or if the record tells itself. */
  private static void fill(RecordBlock block, Slot slot, int row, long value) {
    fill(block, slot, row, value, value >= 0);
  }

  private static void fill(RecordBlock block, Slot slot, int row, long value, boolean isThere) {
    if (isThere && !block.isSet(slot, row)) {
      block.set(slot, row, value);
    }
  }
}
