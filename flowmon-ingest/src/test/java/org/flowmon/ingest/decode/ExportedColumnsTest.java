package org.flowmon.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.code.Tunnel;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.TemplateScope;
import org.flowmon.ingest.decode.packet.PacketBytes;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.junit.jupiter.api.Test;

/** Which column an element becomes, beyond those of NetFlow v5. */
class ExportedColumnsTest {
  private static final IpAddress EXPORTER = IpAddress.parse("192.0.2.1");
  private static final int VMWARE = 6876;
  private static final int NTOP = 35632;
  private static final int VARIABLE = 0xFFFF;

  private final IngestCounters counters = new IngestCounters();
  private final FlowRecorder recorder = new FlowRecorder(100);
  private ExportDecoder decoder = decoder(TunnelHeaders.INNER);
  private ExportBytes fields = new ExportBytes();
  private ExportBytes values = new ExportBytes();
  private int fieldCount;
  private int setId = 256;

  private ExportDecoder decoder(TunnelHeaders prefer) {
    return new ExportDecoder(
        counters,
        new BadDatagramSamples(1),
        ProtectedNetworks.NONE,
        DecoderLimits.defaults(),
        prefer,
        TemplateScope.SESSION);
  }

  @Test
  void countersAfterTheExporterAreNotTheWayBack() {
    add(0, 1, 4, 100).add(0, 2, 4, 10).add(0, 23, 4, 90).add(0, 24, 4, 9);
    Map<FlowColumn, Object> row = decode();
    assertEquals(90L, row.get(FlowColumn.POST_BYTES));
    assertEquals(9L, row.get(FlowColumn.POST_PACKETS));
    assertNull(row.get(FlowColumn.REVERSE_BYTES));
    assertNull(row.get(FlowColumn.REVERSE_PACKETS));
    assertEquals(100L, row.get(FlowColumn.BYTES));
  }

  @Test
  void countersAfterTheExporterAloneAreNotTheFlows() {
    Map<FlowColumn, Object> row = add(0, 23, 4, 90).decode();
    assertNull(row.get(FlowColumn.BYTES));
    assertEquals(90L, row.get(FlowColumn.POST_BYTES));
  }

  @Test
  void initiatorAndResponderAreTheTwoWays() {
    add(0, 231, 8, 7).add(0, 232, 8, 8).add(0, 298, 8, 1).add(0, 299, 8, 2);
    Map<FlowColumn, Object> row = decode();
    assertEquals(7L, row.get(FlowColumn.BYTES));
    assertEquals(8L, row.get(FlowColumn.REVERSE_BYTES));
    assertEquals(1L, row.get(FlowColumn.PACKETS));
    assertEquals(2L, row.get(FlowColumn.REVERSE_PACKETS));
    assertEquals(7L, row.get(FlowColumn.PAYLOAD_BYTES));
    assertEquals(8L, row.get(FlowColumn.REVERSE_PAYLOAD_BYTES));
    assertEquals(1L, row.get(FlowColumn.COUNT_FLAGS), "its bytes are those of the payload");
  }

  @Test
  void payloadBesideBytesOfLayerThreeIsNoPartOfThem() {
    Map<FlowColumn, Object> row = add(0, 1, 4, 100).add(0, 231, 8, 7).add(0, 232, 8, 8).decode();
    assertEquals(100L, row.get(FlowColumn.BYTES));
    assertNull(row.get(FlowColumn.REVERSE_BYTES));
    assertEquals(7L, row.get(FlowColumn.PAYLOAD_BYTES));
    assertEquals(8L, row.get(FlowColumn.REVERSE_PAYLOAD_BYTES));
    assertNull(row.get(FlowColumn.COUNT_FLAGS));
    row = add(0, 231, 8, 7).add(29305, 1, 8, 80).decode();
    assertNull(row.get(FlowColumn.BYTES));
    assertEquals(80L, row.get(FlowColumn.REVERSE_BYTES));
    assertNull(row.get(FlowColumn.COUNT_FLAGS));
    // A total that nobody can place is no reason to take the payload.
    row = add(0, 231, 8, 7).add(0, 85, 8, 80).decode();
    assertNull(row.get(FlowColumn.BYTES));
    assertEquals(7L, row.get(FlowColumn.PAYLOAD_BYTES));
    row = add(0, 232, 4, 9).decode();
    assertNull(row.get(FlowColumn.BYTES));
    assertEquals(9L, row.get(FlowColumn.REVERSE_BYTES));
    assertEquals(1L, row.get(FlowColumn.COUNT_FLAGS));
  }

  @Test
  void addressesAfterTranslationHaveTheirColumns() {
    add(0, 225, 4, 0xCB00_7101L).add6(282, 0x2001_0db8_0000_0000L, 5);
    add(0, 227, 2, 4000).add(0, 228, 2, 0).add(0, 230, 1, 4).add(0, 233, 1, 2);
    Map<FlowColumn, Object> row = decode();
    assertEquals(IpAddress.parse("203.0.113.1"), row.get(FlowColumn.POST_NAT_SRC_ADDR));
    assertEquals(IpAddress.parse("2001:db8::5"), row.get(FlowColumn.POST_NAT_DST_ADDR));
    assertEquals(4000L, row.get(FlowColumn.POST_NAT_SRC_PORT));
    assertNull(row.get(FlowColumn.POST_NAT_DST_PORT));
    assertEquals("nat44_session_create", named(row, FlowColumn.NAT_EVENT));
    assertEquals("deleted", named(row, FlowColumn.FIREWALL_EVENT));
  }

  @Test
  void aZeroAddressAfterTranslationIsNone() {
    assertNull(add(0, 225, 4, 0).decode().get(FlowColumn.POST_NAT_SRC_ADDR));
  }

  @Test
  void labelsAreListedAsFarAsTheBottomOfTheStack() {
    add(0, 70, 3, 16001 << 4).add(0, 71, 3, 24005 << 4 | 5 << 1 | 1).add(0, 72, 3, 99 << 4);
    Map<FlowColumn, Object> row = decode();
    assertEquals(16001L, row.get(FlowColumn.MPLS_TOP_LABEL));
    assertEquals("16001,24005", row.get(FlowColumn.MPLS_LABELS));
  }

  @Test
  void aStackOfZerosIsNone() {
    Map<FlowColumn, Object> row = add(0, 70, 3, 0).add(0, 71, 3, 0).decode();
    assertNull(row.get(FlowColumn.MPLS_TOP_LABEL));
    assertNull(row.get(FlowColumn.MPLS_LABELS));
  }

  @Test
  void theBgpNextHopIsNotTheNextHop() {
    add(0, 15, 4, 0).add(0, 18, 4, 0x0A00_0001);
    Map<FlowColumn, Object> row = decode();
    assertNull(row.get(FlowColumn.NEXT_HOP));
    assertEquals(IpAddress.parse("10.0.0.1"), row.get(FlowColumn.BGP_NEXT_HOP));
  }

  @Test
  void numbersHaveTheirColumns() {
    add(0, 56, 6, 0x001B_213C_9DF8L).add(0, 80, 6, 0).add(0, 256, 2, 0x86DD);
    add(0, 59, 2, 7).add(0, 31, 3, 0xABCDE).add(0, 192, 1, 64).add(0, 197, 1, 0x40);
    add(0, 54, 4, 77).add(0, 89, 1, 66).add(0, 148, 8, 1L << 40).add(0, 48, 1, 3);
    add(0, 351, 8, 1L << 56 | 5001).add(NTOP, 109, 4, 12);
    add(NTOP, 123, 4, 3).add(NTOP, 124, 4, 4);
    Map<FlowColumn, Object> row = decode();
    assertEquals("00:1b:21:3c:9d:f8", row.get(FlowColumn.SRC_MAC));
    assertNull(row.get(FlowColumn.DST_MAC));
    assertEquals(0x86DDL, row.get(FlowColumn.ETHERTYPE));
    assertEquals(7L, row.get(FlowColumn.POST_VLAN));
    assertEquals(0xABCDEL, row.get(FlowColumn.IPV6_FLOW_LABEL));
    assertEquals(64L, row.get(FlowColumn.MIN_TTL));
    assertEquals(64L, row.get(FlowColumn.MAX_TTL));
    assertEquals(0x40L, row.get(FlowColumn.FRAGMENT_FLAGS));
    assertEquals(77L, row.get(FlowColumn.FRAGMENT_ID));
    assertEquals("forwarded_not_fragmented", named(row, FlowColumn.FORWARDING_STATUS));
    assertEquals(1L << 40, row.get(FlowColumn.FLOW_ID));
    assertEquals(3L, row.get(FlowColumn.SAMPLER_ID));
    assertEquals(5001L, row.get(FlowColumn.VXLAN_ID));
    assertEquals(12L, row.get(FlowColumn.TCP_RETRANSMITS));
    assertEquals(14_000L, row.get(FlowColumn.TCP_LATENCY));
  }

  @Test
  void aSegmentOfAnotherTypeIsNoVxlan() {
    assertNull(add(0, 351, 8, 2L << 56 | 5001).decode().get(FlowColumn.VXLAN_ID));
  }

  @Test
  void namesOfFixedAndOfVariableLengthAreReadWithoutPadding() {
    text(0, 371, 12, "alice").text(0, 96, VARIABLE, "ssl ").add(0, 1, 4, 5);
    Map<FlowColumn, Object> row = decode();
    assertEquals("alice", row.get(FlowColumn.USER_NAME));
    assertEquals("ssl", row.get(FlowColumn.APPLICATION_NAME));
    assertEquals(5L, row.get(FlowColumn.BYTES));
    assertNull(text(0, 371, 4, "").decode().get(FlowColumn.USER_NAME));
  }

  @Test
  void aLongNameIsCutBetweenCharacters() {
    Map<FlowColumn, Object> row = text(0, 371, VARIABLE, "x" + "é".repeat(200)).decode();
    assertEquals("x" + "é".repeat(63), row.get(FlowColumn.USER_NAME));
  }

  @Test
  void anInvalidNameIsStillText() {
    values.u8(0xC3).u8(0x28);
    field(0, 371, 2);
    assertEquals("\uFFFD(", decode().get(FlowColumn.USER_NAME));
  }

  @Test
  void applicationsAreNamedByOptionsData() {
    options(95, 4, 96, 8);
    ExportBytes names = new ExportBytes().u32(13L << 24 | 453).bytes(padded("ms-teams", 8));
    send(new ExportBytes().set(300, names.toBytes()));
    Map<FlowColumn, Object> row = add(0, 95, 4, 13L << 24 | 453).decode();
    assertEquals("13:453", row.get(FlowColumn.APPLICATION_ID));
    assertEquals("ms-teams", row.get(FlowColumn.APPLICATION_NAME));
    row = add(0, 95, 4, 13L << 24 | 454).decode();
    assertEquals("13:454", row.get(FlowColumn.APPLICATION_ID));
    assertNull(row.get(FlowColumn.APPLICATION_NAME));
    assertNull(add(0, 95, 4, 0).decode().get(FlowColumn.APPLICATION_ID));
    values.u8(20).u32(12356).u32(40568);
    assertEquals("20:12356:40568", field(0, 95, 9).decode().get(FlowColumn.APPLICATION_ID));
  }

  @Test
  void vrfsAreNamedByOptionsData() {
    options(234, 4, 236, 6);
    ExportBytes names =
        new ExportBytes().u32(1).bytes(padded("red", 6)).u32(2).bytes(padded("blue", 6));
    send(new ExportBytes().set(300, names.toBytes()));
    Map<FlowColumn, Object> row = add(0, 234, 4, 1).add(0, 235, 4, 2).decode();
    assertEquals("red", row.get(FlowColumn.INGRESS_VRF_NAME));
    assertEquals("blue", row.get(FlowColumn.EGRESS_VRF_NAME));
    assertEquals(1L, row.get(FlowColumn.INGRESS_VRF));
  }

  /** Each change was charged as if the longer name stayed. */
  @Test
  void aNameThatIsShortAgainGivesItsBytesBack() {
    options(10, 4, 82, 100);
    for (int i = 0; i < 50; i++) {
      long before = decoder.exporters().bytes();
      for (String name : List.of("x", "x".repeat(100), "x")) {
        send(
            new ExportBytes()
                .set(300, new ExportBytes().u32(1).bytes(padded(name, 100)).toBytes()));
      }
      assertTrue(i == 0 || decoder.exporters().bytes() == before, "it grows in round " + i);
    }
  }

  @Test
  void interfacesAreNamedByOptionsData() {
    options(10, 4, 82, 8, 83, 10);
    ExportBytes names = new ExportBytes();
    names.u32(1).bytes(padded("xe-0", 8)).bytes(padded("Transit: A", 10));
    names.u32(2).bytes(padded("xe-1", 8)).bytes(padded("", 10));
    send(new ExportBytes().set(300, names.toBytes()));
    Map<FlowColumn, Object> row = add(0, 10, 4, 1).add(0, 14, 4, 2).decode();
    assertEquals("xe-0", row.get(FlowColumn.IN_IF_NAME));
    assertEquals("xe-1", row.get(FlowColumn.OUT_IF_NAME));
    assertEquals("Transit: A", row.get(FlowColumn.IN_IF_DESCRIPTION));
    assertNull(row.get(FlowColumn.OUT_IF_DESCRIPTION));
    row = add(0, 10, 4, 3).add(0, 253, 4, 1).decode();
    assertNull(row.get(FlowColumn.IN_IF_NAME));
    assertEquals("xe-0", row.get(FlowColumn.OUT_IF_NAME));
    // A name in a flow's own record belongs to no direction.
    row = text(0, 82, 4, "own").add(0, 10, 4, 3).decode();
    assertNull(row.get(FlowColumn.IN_IF_NAME));
  }

  @Test
  void namesOfInterfacesAreBounded() {
    options(10, 4, 82, 8);
    for (int index = 1; index <= 4100; index += 100) {
      ExportBytes names = new ExportBytes();
      for (int i = index; i < index + 100; i++) {
        names.u32(i).bytes(padded("if" + i, 8));
      }
      send(new ExportBytes().set(300, names.toBytes()));
    }
    assertEquals(4, counters.get(IngestCounter.NAMES_DROPPED));
    Map<FlowColumn, Object> row = add(0, 10, 4, 4096).add(0, 14, 4, 4097).decode();
    assertEquals("if4096", row.get(FlowColumn.IN_IF_NAME));
    assertNull(row.get(FlowColumn.OUT_IF_NAME));
  }

  @Test
  void segmentsAreReadFromListAndHeader() {
    ExportBytes two = new ExportBytes();
    for (int s = 1; s <= 2; s++) {
      two.u64(0xFC00_0000_0000_0000L).u64(s);
    }
    ExportBytes list = new ExportBytes().u8(4).u16(494).u16(16).bytes(two.toBytes());
    values.u8(list.toBytes().length).bytes(list.toBytes());
    assertEquals("fc00::1,fc00::2", field(0, 496, VARIABLE).decode().get(FlowColumn.SRV6_SEGMENTS));
    ExportBytes header =
        new ExportBytes().u8(41).u8(4).u8(4).u8(0).u8(1).u8(0).u16(0).bytes(two.toBytes());
    values.u8(header.toBytes().length).bytes(header.toBytes());
    assertEquals("fc00::1,fc00::2", field(0, 499, VARIABLE).decode().get(FlowColumn.SRV6_SEGMENTS));
    values.u8(3).u8(1).u16(2);
    assertNull(field(0, 496, VARIABLE).decode().get(FlowColumn.SRV6_SEGMENTS));
  }

  @Test
  void portsBelongToTheAddressesOfTheTenantsPacket() {
    add(0, 8, 4, 0x0A00_0001).add(0, 12, 4, 0x0A00_0002).add(0, 7, 2, 50000).add(0, 11, 2, 4789);
    add(0, 4, 1, 17).add(0, 351, 8, 1L << 56 | 5001);
    add(VMWARE, 881, 4, 0xC0A8_0001L).add(VMWARE, 882, 4, 0xC0A8_0002L);
    add(VMWARE, 886, 2, 33000).add(VMWARE, 887, 2, 443).add(VMWARE, 880, 1, 6);
    Map<FlowColumn, Object> row = decode();
    assertEquals(IpAddress.parse("192.168.0.1"), row.get(FlowColumn.SRC_ADDR));
    assertEquals(IpAddress.parse("192.168.0.2"), row.get(FlowColumn.DST_ADDR));
    assertEquals(33000L, row.get(FlowColumn.SRC_PORT));
    assertEquals(443L, row.get(FlowColumn.DST_PORT));
    assertEquals(6L, row.get(FlowColumn.PROTOCOL));
    assertEquals(IpAddress.parse("10.0.0.1"), row.get(FlowColumn.OUTER_SRC_ADDR));
    assertEquals(IpAddress.parse("10.0.0.2"), row.get(FlowColumn.OUTER_DST_ADDR));
    assertEquals((long) Tunnel.VXLAN.code(), row.get(FlowColumn.TUNNEL));
  }

  @Test
  void aTenantOfZerosIsNoTunnel() {
    add(0, 8, 4, 0x0A00_0001).add(0, 12, 4, 0x0A00_0002).add(0, 7, 2, 50000);
    add(VMWARE, 881, 4, 0).add(VMWARE, 882, 4, 0).add(VMWARE, 886, 2, 0);
    Map<FlowColumn, Object> row = decode();
    assertEquals(IpAddress.parse("10.0.0.1"), row.get(FlowColumn.SRC_ADDR));
    assertEquals(50000L, row.get(FlowColumn.SRC_PORT));
    assertNull(row.get(FlowColumn.OUTER_SRC_ADDR));
  }

  @Test
  void addressesOfTwoFamiliesAreOfTwoHeaders() {
    Map<FlowColumn, Object> row = bothFamilies(6);
    assertEquals(IpAddress.parse("2001:db8::1"), row.get(FlowColumn.SRC_ADDR));
    assertEquals(IpAddress.parse("2001:db8::2"), row.get(FlowColumn.DST_ADDR));
    assertEquals(IpAddress.parse("10.0.0.1"), row.get(FlowColumn.OUTER_SRC_ADDR));
    assertEquals(IpAddress.parse("10.0.0.2"), row.get(FlowColumn.OUTER_DST_ADDR));
    assertEquals("ip_in_ip", named(row, FlowColumn.TUNNEL));
    assertEquals(6L, row.get(FlowColumn.PROTOCOL));
    row = bothFamilies(41);
    assertEquals(IpAddress.parse("2001:db8::1"), row.get(FlowColumn.SRC_ADDR));
    assertNull(row.get(FlowColumn.PROTOCOL), "41 is the outer header's");
    row = bothFamilies(4);
    assertEquals(IpAddress.parse("10.0.0.1"), row.get(FlowColumn.SRC_ADDR));
    assertEquals(IpAddress.parse("2001:db8::2"), row.get(FlowColumn.OUTER_DST_ADDR));
  }

  private Map<FlowColumn, Object> bothFamilies(int protocol) {
    add(0, 8, 4, 0x0A00_0001).add(0, 12, 4, 0x0A00_0002).add(0, 4, 1, protocol);
    add6(27, 0x2001_0db8_0000_0000L, 1).add6(28, 0x2001_0db8_0000_0000L, 2);
    return decode();
  }

  @Test
  void sourceAndDestinationAreOfOneFamily() {
    add(0, 8, 4, 0).add(0, 12, 4, 0).add6(27, 0, 0).add6(28, 0x2001_0db8_0000_0000L, 2);
    Map<FlowColumn, Object> row = decode();
    assertEquals(IpAddress.parse("::"), row.get(FlowColumn.SRC_ADDR));
    assertEquals(IpAddress.parse("2001:db8::2"), row.get(FlowColumn.DST_ADDR));
  }

  @Test
  void aRecordWithoutAddressesHasThoseOfItsFrame() {
    byte[] frame = frame(0x8847, label(16001, false), label(24005, true), ipv4(6, tcp()));
    Map<FlowColumn, Object> row = section(315, frame).decode();
    assertEquals(IpAddress.parse("10.0.0.1"), row.get(FlowColumn.SRC_ADDR));
    assertEquals(IpAddress.parse("10.0.0.2"), row.get(FlowColumn.DST_ADDR));
    assertEquals(6L, row.get(FlowColumn.PROTOCOL));
    assertEquals(33000L, row.get(FlowColumn.SRC_PORT));
    assertEquals(443L, row.get(FlowColumn.DST_PORT));
    assertEquals(0x12L, row.get(FlowColumn.TCP_FLAGS));
    assertEquals(0xB8L, row.get(FlowColumn.TOS));
    assertEquals(61L, row.get(FlowColumn.MAX_TTL));
    assertEquals("00:1b:21:3c:9d:f8", row.get(FlowColumn.SRC_MAC));
    assertEquals("00:1b:21:3c:9d:f7", row.get(FlowColumn.DST_MAC));
    assertEquals("16001,24005", row.get(FlowColumn.MPLS_LABELS));
    assertEquals(1L, row.get(FlowColumn.PACKETS));
    assertEquals(40L, row.get(FlowColumn.BYTES));
  }

  @Test
  void theRecordsOwnValuesComeBeforeThoseOfItsSection() {
    section(313, ipv4(6, tcp())).add(0, 1, 4, 9000).add(0, 2, 4, 10).add(0, 7, 2, 5);
    Map<FlowColumn, Object> row = decode();
    assertEquals(IpAddress.parse("10.0.0.1"), row.get(FlowColumn.SRC_ADDR));
    assertEquals(9000L, row.get(FlowColumn.BYTES));
    assertEquals(10L, row.get(FlowColumn.PACKETS));
    assertEquals(5L, row.get(FlowColumn.SRC_PORT));
    section(313, ipv4(6, tcp())).add(0, 8, 4, 0xC0A8_0001L).add(0, 12, 4, 0xC0A8_0002L);
    row = decode();
    assertEquals(IpAddress.parse("192.168.0.1"), row.get(FlowColumn.SRC_ADDR));
    assertNull(row.get(FlowColumn.DST_PORT), "it is of another header");
  }

  @Test
  void thePacketInAPacketIsTheFlow() {
    byte[] inner = ipv4(6, tcp());
    byte[] outer = new ExportBytes().bytes(ipv4(4, inner)).toBytes();
    outer[12] = (byte) 172; // its source
    Map<FlowColumn, Object> row = section(313, outer).decode();
    assertEquals(IpAddress.parse("10.0.0.1"), row.get(FlowColumn.SRC_ADDR));
    assertEquals(IpAddress.parse("172.0.0.1"), row.get(FlowColumn.OUTER_SRC_ADDR));
    assertEquals("ip_in_ip", named(row, FlowColumn.TUNNEL));
    assertEquals(443L, row.get(FlowColumn.DST_PORT));
  }

  @Test
  void aTunnelIsToldIfItsOuterHeaderIsTheFlow() {
    decoder = decoder(TunnelHeaders.OUTER);
    Map<FlowColumn, Object> row = section(313, ipv4(4, ipv4(6, tcp()))).decode();
    assertEquals(4L, row.get(FlowColumn.PROTOCOL));
    assertEquals("ip_in_ip", named(row, FlowColumn.TUNNEL));
    assertNull(row.get(FlowColumn.OUTER_SRC_ADDR));
  }

  @Test
  void theSegmentsOfATunnelStandInItsOuterHeader() {
    byte[] routing =
        new PacketBytes()
            .hex("0404040101000000")
            .address("fc00::2")
            .address("fc00::1")
            .bytes(ipv4(6, tcp()))
            .toBytes();
    byte[] packet = new PacketBytes().ipv6("fd00::1", "fc00::1", 43, routing).toBytes();
    Map<FlowColumn, Object> row = section(313, packet).decode();
    assertEquals(IpAddress.parse("10.0.0.1"), row.get(FlowColumn.SRC_ADDR));
    assertEquals("srv6", named(row, FlowColumn.TUNNEL));
    assertEquals("fc00::2,fc00::1", row.get(FlowColumn.SRV6_SEGMENTS));
  }

  @Test
  void theNetworkOfGeneveIsThatOfItsHeader() {
    byte[] geneve =
        new PacketBytes().u16(0).u16(0x0800).u32(77 << 8).bytes(ipv4(6, tcp())).toBytes();
    Map<FlowColumn, Object> row = section(313, ipv4(17, PacketBytes.udp(9, 6081, geneve))).decode();
    assertEquals("geneve", named(row, FlowColumn.TUNNEL));
    assertEquals(77L, row.get(FlowColumn.VXLAN_ID));
  }

  @Test
  void aMacOfZeroInASectionIsNone() {
    byte[] frame = frame(0x0800, ipv4(6, tcp()));
    Arrays.fill(frame, 0, 12, (byte) 0);
    Map<FlowColumn, Object> row = section(315, frame).decode();
    assertEquals(443L, row.get(FlowColumn.DST_PORT));
    assertNull(row.get(FlowColumn.SRC_MAC));
    assertNull(row.get(FlowColumn.DST_MAC));
  }

  @Test
  void aSectionThatIsNoPacketLeavesTheFlowWithoutAddresses() {
    Map<FlowColumn, Object> row = section(313, new byte[] {1, 2, 3}).decode();
    assertNull(row.get(FlowColumn.SRC_ADDR));
    row = section(315, new byte[0]).decode();
    assertNull(row.get(FlowColumn.SRC_ADDR));
  }

  private ExportedColumnsTest section(int element, byte[] packet) {
    values.u8(255).u16(packet.length).bytes(packet);
    return field(0, element, VARIABLE);
  }

  private static byte[] frame(int type, byte[]... parts) {
    ExportBytes frame = new ExportBytes().number(0x001B_213C_9DF7L, 6);
    frame.number(0x001B_213C_9DF8L, 6).u16(type);
    for (byte[] part : parts) {
      frame.bytes(part);
    }
    return frame.toBytes();
  }

  private static byte[] label(int label, boolean bottom) {
    return new ExportBytes().u32((long) label << 12 | (bottom ? 256 : 0) | 64).toBytes();
  }

  private static byte[] ipv4(int protocol, byte[] payload) {
    ExportBytes packet = new ExportBytes().u8(0x45).u8(0xB8).u16(20 + payload.length).u32(7 << 16);
    packet.u8(61).u8(protocol).u16(0).u32(0x0A00_0001).u32(0x0A00_0002);
    return packet.bytes(payload).toBytes();
  }

  private static byte[] tcp() {
    return new ExportBytes().u16(33000).u16(443).u64(0).u16(0x5012).u16(0).u32(0).toBytes();
  }

  private static String named(Map<FlowColumn, Object> row, FlowColumn column) {
    return column.codeNames().name((Long) row.get(column));
  }

  private static byte[] padded(String text, int length) {
    return Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), length);
  }

  private ExportedColumnsTest field(int enterprise, int element, int length) {
    fields.u16(element | (enterprise == 0 ? 0 : 0x8000)).u16(length);
    if (enterprise != 0) {
      fields.u32(enterprise);
    }
    fieldCount++;
    return this;
  }

  private ExportedColumnsTest add(int enterprise, int element, int length, long value) {
    values.number(value, length);
    return field(enterprise, element, length);
  }

  private ExportedColumnsTest add6(int element, long high, long low) {
    values.u64(high).u64(low);
    return field(0, element, 16);
  }

  private ExportedColumnsTest text(int enterprise, int element, int length, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    if (length == VARIABLE) {
      values.u8(255).u16(utf8.length).bytes(utf8);
    } else {
      values.bytes(Arrays.copyOf(utf8, length));
    }
    return field(enterprise, element, length);
  }

  private void options(int scope, int scopeLength, int... optionsAndLengths) {
    ExportBytes template = new ExportBytes().u16(300).u16(1 + optionsAndLengths.length / 2).u16(1);
    template.u16(scope).u16(scopeLength);
    for (int value : optionsAndLengths) {
      template.u16(value);
    }
    send(new ExportBytes().set(3, template.toBytes()));
  }

  private void send(ExportBytes sets) {
    byte[] datagram = ExportBytes.ipfix(1_750_000_000L, 0, 0, sets.toBytes());
    decoder.decode(datagram, 0, datagram.length, EXPORTER, 2055, 1, recorder);
  }

  /** The row of one record of the fields added since the last call. */
  private Map<FlowColumn, Object> decode() {
    ExportBytes template = new ExportBytes().u16(setId).u16(fieldCount).bytes(fields.toBytes());
    ExportBytes sets = new ExportBytes().set(2, template.toBytes());
    sets.set(setId++, values.toBytes());
    fields = new ExportBytes();
    values = new ExportBytes();
    fieldCount = 0;
    List<Map<FlowColumn, Object>> before = new ArrayList<>(recorder.rows());
    send(sets);
    assertEquals(before.size() + 1, recorder.rows().size(), counters.toString());
    assertEquals(0, counters.get(IngestCounter.DATAGRAMS_DAMAGED), counters.toString());
    return recorder.rows().get(before.size());
  }
}
