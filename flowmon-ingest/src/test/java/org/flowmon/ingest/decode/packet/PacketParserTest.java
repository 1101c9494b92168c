package org.flowmon.ingest.decode.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.flowmon.flow.IpAddress;
import org.flowmon.flow.code.Tunnel;
import org.junit.jupiter.api.Test;

class PacketParserTest {
  private static final byte[] NOTHING = {};

  private final PacketHeaders found = new PacketHeaders();

  private void frame(byte[] bytes) {
    new PacketParser(TunnelHeaders.INNER).parseFrame(bytes, 0, bytes.length, found);
  }

  private static byte[] innerTcp() {
    return new PacketBytes()
        .ipv4("10.1.0.1", "10.1.0.2", 6, PacketBytes.tcp(1024, 443, 0x1B))
        .toBytes();
  }

  private static String src(IpHeader ip) {
    return IpAddress.format(ip.srcHi, ip.srcLo);
  }

  private static String dst(IpHeader ip) {
    return IpAddress.format(ip.dstHi, ip.dstLo);
  }

  private void assertInnerTcp(String outerSource) {
    assertEquals("10.1.0.1", src(found.ip()));
    assertEquals("10.1.0.2", dst(found.ip()));
    assertEquals(6, found.ip().protocol);
    assertEquals(1024, found.ip().srcPort);
    assertEquals(443, found.ip().dstPort);
    assertEquals(0x1B, found.ip().tcpFlags);
    assertEquals(40, found.ip().length);
    assertTrue(found.hasOuter());
    assertEquals(outerSource, src(found.outer()));
  }

  @Test
  void aTaggedFrameHasMacsBothVlansAndTheTypeBehindThem() {
    frame(
        new PacketBytes()
            .macs()
            .u16(0x88A8)
            .tag(100, 0x8100)
            .tag(7, 0x0800)
            .ipv4("192.0.2.1", "192.0.2.2", 17, PacketBytes.udp(53, 4000, NOTHING))
            .hex("0000 0000 0000")
            .toBytes());
    assertTrue(found.hasMacs);
    assertEquals(0x0200_0000_0001L, found.srcMac);
    assertEquals(0x0200_0000_0002L, found.dstMac);
    assertEquals(0x0800, found.etherType);
    assertEquals(100, found.vlan);
    assertEquals(7, found.innerVlan);
    assertEquals("192.0.2.1", src(found.ip()));
    assertEquals(53, found.ip().srcPort);
    assertEquals(61, found.ip().ttl);
    assertEquals(0x2E, found.ip().tos);
    assertEquals(28, found.ip().length, "padding does not count");
    assertEquals(0x40, found.ip().fragmentFlags);
    assertFalse(found.hasOuter());
    assertEquals(Tunnel.NONE, found.tunnel);
  }

  @Test
  void anMplsStackIsKeptAndReadThrough() {
    frame(
        new PacketBytes()
            .ethernet(0x8847)
            .label(16001, false)
            .label(24005, true)
            .ipv6("2001:db8::1", "2001:db8::2", 58, new PacketBytes().u16(0x8000).toBytes())
            .toBytes());
    assertEquals(2, found.labels);
    assertEquals(16001, found.mpls[0] >>> 12);
    assertEquals(24005, found.mpls[1] >>> 12);
    assertEquals("2001:db8::1", src(found.ip()));
    assertEquals(58, found.ip().protocol);
    assertEquals(0x8000, found.ip().icmpTypeCode);
    assertEquals(0xABCDE, found.ip().flowLabel);
    assertEquals(0x5C, found.ip().tos);
    assertEquals(IpHeader.NONE, found.ip().srcPort);
  }

  @Test
  void aFrameInAPseudowireIsReadThrough() {
    frame(
        new PacketBytes()
            .ethernet(0x8847)
            .label(16, true)
            .u32(0)
            .hex("060000000002 060000000001 0800")
            .bytes(innerTcp())
            .toBytes());
    assertEquals(0x0200_0000_0001L, found.srcMac, "of the outer frame");
    assertEquals("10.1.0.1", src(found.ip()));
    assertFalse(found.hasOuter());
  }

  @Test
  void aPppoeSessionIsReadThrough() {
    frame(new PacketBytes().ethernet(0x8864).pppoe(0x21, innerTcp()).toBytes());
    assertEquals("10.1.0.1", src(found.ip()));
    assertEquals(0x8864, found.etherType);
  }

  @Test
  void ofSixInFourAllComesFromTheInnerHeader() {
    byte[] inner =
        new PacketBytes()
            .ipv6("2001:db8::1", "2001:db8::2", 6, PacketBytes.tcp(5000, 80, 2))
            .toBytes();
    frame(new PacketBytes().ethernet(0x0800).ipv4("192.0.2.1", "192.0.2.2", 41, inner).toBytes());
    assertEquals("2001:db8::1", src(found.ip()));
    assertEquals("2001:db8::2", dst(found.ip()));
    assertEquals(5000, found.ip().srcPort);
    assertEquals(60, found.ip().length);
    assertEquals("192.0.2.1", src(found.outer()));
    assertEquals("192.0.2.2", dst(found.outer()));
    assertEquals(41, found.outer().protocol);
    assertEquals(Tunnel.IP_IN_IP, found.tunnel);
  }

  @Test
  void theOuterHeaderIsTakenIfAskedFor() {
    byte[] packet = new PacketBytes().ipv4("192.0.2.1", "192.0.2.2", 4, innerTcp()).toBytes();
    new PacketParser(TunnelHeaders.OUTER).parseIp(packet, 0, packet.length, found);
    assertEquals("192.0.2.1", src(found.ip()));
    assertEquals(4, found.ip().protocol);
    assertEquals(IpHeader.NONE, found.ip().srcPort);
    assertFalse(found.hasOuter());
    assertEquals(Tunnel.IP_IN_IP, found.tunnel);
  }

  @Test
  void ifTheInnerPortsAreCutOffAllComesFromTheOuterHeader() {
    byte[] packet = new PacketBytes().ipv4("192.0.2.1", "192.0.2.2", 4, innerTcp()).toBytes();
    PacketParser parser = new PacketParser(TunnelHeaders.INNER);
    parser.parseIp(packet, 0, 20 + 20 + 4, found);
    assertEquals("10.1.0.1", src(found.ip()));
    assertEquals(443, found.ip().dstPort);
    assertEquals(IpHeader.NONE, found.ip().tcpFlags);
    parser.parseIp(packet, 0, 20 + 20 + 3, found);
    assertEquals("192.0.2.1", src(found.ip()));
    assertEquals(4, found.ip().protocol);
    assertEquals(60, found.ip().length);
    assertFalse(found.hasOuter());
  }

  @Test
  void greWithKeyAndAFrameInsideIsReadThrough() {
    byte[] gre =
        new PacketBytes()
            .u16(0x2000)
            .u16(0x6558)
            .u32(77)
            .hex("060000000002 060000000001 0800")
            .bytes(innerTcp())
            .toBytes();
    frame(new PacketBytes().ethernet(0x0800).ipv4("192.0.2.1", "192.0.2.2", 47, gre).toBytes());
    assertInnerTcp("192.0.2.1");
    assertEquals(Tunnel.GRE, found.tunnel);
    assertEquals(0x0200_0000_0001L, found.srcMac);
  }

  @Test
  void greWithChecksumKeyAndSequenceIsReadThrough() {
    byte[] gre =
        new PacketBytes().u16(0xB000).u16(0x0800).u32(0).u32(1).u32(2).bytes(innerTcp()).toBytes();
    frame(new PacketBytes().ethernet(0x86DD).ipv6("fd00::1", "fd00::2", 47, gre).toBytes());
    assertInnerTcp("fd00::1");
  }

  @Test
  void vxlanGivesItsNetworkAndTheInnerPacket() {
    byte[] vxlan =
        new PacketBytes()
            .u32(0x0800_0000L)
            .u32(5001 << 8)
            .hex("060000000002 060000000001 8100")
            .tag(9, 0x0800)
            .bytes(innerTcp())
            .toBytes();
    frame(
        new PacketBytes()
            .ethernet(0x0800)
            .ipv4("192.0.2.1", "192.0.2.2", 17, PacketBytes.udp(40_000, 4789, vxlan))
            .toBytes());
    assertInnerTcp("192.0.2.1");
    assertEquals(Tunnel.VXLAN, found.tunnel);
    assertEquals(5001, found.vni);
    assertEquals(PacketHeaders.NONE, found.vlan, "the inner frame's tag is not the outer one's");
    assertEquals(4789, found.outer().dstPort);
  }

  @Test
  void otherUdpOnVxlansPortIsNoTunnel() {
    frame(
        new PacketBytes()
            .ethernet(0x0800)
            .ipv4("192.0.2.1", "192.0.2.2", 17, PacketBytes.udp(4789, 4789, new byte[40]))
            .toBytes());
    assertEquals(Tunnel.NONE, found.tunnel);
    assertEquals("192.0.2.1", src(found.ip()));
  }

  @Test
  void geneveWithOptionsIsReadThrough() {
    byte[] geneve =
        new PacketBytes()
            .u16(0x0200)
            .u16(0x6558)
            .u32(42 << 8)
            .u32(0)
            .u32(0)
            .ethernet(0x0800)
            .bytes(innerTcp())
            .toBytes();
    frame(
        new PacketBytes()
            .ethernet(0x0800)
            .ipv4("192.0.2.1", "192.0.2.2", 17, PacketBytes.udp(40_000, 6081, geneve))
            .toBytes());
    assertInnerTcp("192.0.2.1");
    assertEquals(Tunnel.GENEVE, found.tunnel);
    assertEquals(42, found.vni);
  }

  @Test
  void segmentRoutingGivesItsSegmentsAndTheInnerPacket() {
    byte[] routed =
        new PacketBytes()
            .u8(4)
            .u8(4)
            .u8(4)
            .u8(1)
            .u8(1)
            .u8(0)
            .u16(0)
            .address("fc00::2")
            .address("fc00::1")
            .bytes(innerTcp())
            .toBytes();
    byte[] packet =
        new PacketBytes().ethernet(0x86DD).ipv6("fd00::1", "fc00::1", 43, routed).toBytes();
    frame(packet);
    assertInnerTcp("fd00::1");
    assertEquals(Tunnel.SRV6, found.tunnel);
    IpHeader outer = found.outer();
    assertEquals(2, outer.segments);
    assertEquals(1, outer.segmentsLeft);
    assertEquals(0xFC00, (packet[outer.segmentsAt] & 0xFF) << 8 | packet[outer.segmentsAt + 1]);
    assertEquals(2, packet[outer.segmentsAt + 15]);
  }

  @Test
  void laterFragmentsHaveNoPorts() {
    byte[] packet = new PacketBytes().ipv4("192.0.2.1", "192.0.2.2", 17, new byte[30]).toBytes();
    packet[6] = 0x20;
    packet[7] = 5;
    new PacketParser(TunnelHeaders.INNER).parseIp(packet, 0, packet.length, found);
    assertEquals(40, found.ip().fragmentOffset);
    assertEquals(0x20, found.ip().fragmentFlags);
    assertEquals(7, found.ip().fragmentId);
    assertTrue(found.ip().isFragment());
    assertEquals(IpHeader.NONE, found.ip().srcPort);
  }

  @Test
  void extensionHeadersOfIpv6AreSkipped() {
    byte[] rest =
        new PacketBytes()
            .hex("2c00 0000 0000 0000") // hop by hop, then a fragment header
            .hex("1100 0001 0000 beef")
            .bytes(PacketBytes.udp(1, 2, NOTHING))
            .toBytes();
    byte[] packet = new PacketBytes().ipv6("fd00::1", "fd00::2", 0, rest).toBytes();
    new PacketParser(TunnelHeaders.INNER).parseIp(packet, 0, packet.length, found);
    assertEquals(17, found.ip().protocol);
    assertEquals(2, found.ip().dstPort);
    assertEquals(0xBEEF, found.ip().fragmentId);
    assertTrue(found.ip().isFragment());
    new PacketParser(TunnelHeaders.INNER).parseIp(packet, 0, 44, found);
    assertEquals(IpHeader.NONE, found.ip().protocol);
    assertEquals("fd00::1", src(found.ip()));
    assertTrue(found.isIpCutOff());
  }

  @Test
  void ipv4OptionsAreSkipped() {
    byte[] packet =
        new PacketBytes()
            .hex("4600 0020 0000 0000 4011 0000")
            .address("192.0.2.1")
            .address("192.0.2.2")
            .u32(0x0101_0101)
            .bytes(PacketBytes.udp(11, 12, NOTHING))
            .toBytes();
    new PacketParser(TunnelHeaders.INNER).parseIp(packet, 0, packet.length, found);
    assertEquals(11, found.ip().srcPort);
    assertEquals(32, found.ip().length);
  }

  @Test
  void aFrameOfAnotherProtocolHasMacsOnly() {
    frame(new PacketBytes().ethernet(0x0806).bytes(new byte[28]).toBytes());
    assertTrue(found.hasMacs);
    assertEquals(0x0806, found.etherType);
    assertFalse(found.hasIp());
    assertFalse(found.isIpCutOff());
  }

  @Test
  void nothingOfThePacketBeforeIsLeft() {
    frame(
        new PacketBytes().ethernet(0x0800).ipv4("192.0.2.1", "192.0.2.2", 4, innerTcp()).toBytes());
    frame(new byte[5]);
    assertFalse(found.hasMacs);
    assertFalse(found.hasIp());
    assertFalse(found.hasOuter());
    assertEquals(0, found.ip().version);
    assertEquals(Tunnel.NONE, found.tunnel);
  }
}
