package org.flowmon.ingest.decode.sflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.flowmon.ingest.decode.exporter.InterfaceCounters;
import org.flowmon.ingest.decode.exporter.TemplateScope;
import org.flowmon.ingest.decode.packet.PacketBytes;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.junit.jupiter.api.Test;

class SflowDecoderTest {
  private static final long SEED = 20261125;
  private static final IpAddress SENDER = IpAddress.parse("192.0.2.1");
  private static final IpAddress AGENT = IpAddress.parse("192.0.2.99");
  private static final long SECOND = 1_000_000;

  private final IngestCounters counters = new IngestCounters();
  private final FlowRecorder recorder = new FlowRecorder(3);
  private final BadDatagramSamples bad = new BadDatagramSamples(2);
  private final ExportDecoder decoder =
      new ExportDecoder(
          counters, bad, ProtectedNetworks.parse(List.of("10.1.0.0/24")), DecoderLimits.defaults());
  private long arrival = 1_700_000_000 * SECOND;

  private void decode(byte[] datagram) {
    decoder.decode(datagram, 0, datagram.length, SENDER, 6343, arrival, recorder);
  }

  private Map<FlowColumn, Object> only() {
    assertEquals(1, recorder.rows().size(), counters.toString());
    assertEquals(1, counters.get(IngestCounter.DATAGRAMS_DECODED), counters.toString());
    return recorder.rows().get(0);
  }

  private static byte[] tcpFrame() {
    return new PacketBytes()
        .ethernet(0x8100)
        .tag(12, 0x0800)
        .ipv4("10.1.0.1", "10.9.0.2", 6, PacketBytes.tcp(1024, 443, 0x12))
        .toBytes();
  }

  @Test
  void aSampledHeaderIsAFlowOfOnePacket() {
    decode(
        SflowBytes.datagram(
            77, SflowBytes.flow(1, 512, 5120, 0, SflowBytes.header(1518, tcpFrame()))));
    Map<FlowColumn, Object> row = only();
    assertEquals(IpAddress.parse("10.1.0.1"), row.get(FlowColumn.SRC_ADDR));
    assertEquals(IpAddress.parse("10.9.0.2"), row.get(FlowColumn.DST_ADDR));
    assertEquals(1024L, row.get(FlowColumn.SRC_PORT));
    assertEquals(443L, row.get(FlowColumn.DST_PORT));
    assertEquals(6L, row.get(FlowColumn.PROTOCOL));
    assertEquals(0x12L, row.get(FlowColumn.TCP_FLAGS));
    assertEquals(0x2EL, row.get(FlowColumn.TOS));
    assertEquals(1L, row.get(FlowColumn.PACKETS));
    assertEquals(40L, row.get(FlowColumn.BYTES), "the IP header's length");
    assertEquals(512L, row.get(FlowColumn.SAMPLING_RATE));
    assertEquals(2L, row.get(FlowColumn.SAMPLING_MODE));
    assertEquals(7L, row.get(FlowColumn.INPUT_IF));
    assertEquals(8L, row.get(FlowColumn.OUTPUT_IF));
    assertEquals(0L, row.get(FlowColumn.FLOW_DIRECTION));
    assertEquals(12L, row.get(FlowColumn.VLAN));
    assertEquals(1L, row.get(FlowColumn.OUTGOING));
    assertEquals("02:00:00:00:00:01", row.get(FlowColumn.SRC_MAC));
    assertEquals("02:00:00:00:00:02", row.get(FlowColumn.DST_MAC));
    assertEquals(0x0800L, row.get(FlowColumn.ETHERTYPE));
    assertEquals(61L, row.get(FlowColumn.MIN_TTL));
    assertEquals(AGENT, row.get(FlowColumn.EXPORTER));
    assertEquals(3L, row.get(FlowColumn.OBSERVATION_DOMAIN));
    assertEquals(77L, row.get(FlowColumn.FLOW_SEQUENCE));
    assertEquals(60_000L, row.get(FlowColumn.SYS_UPTIME));
    assertEquals((long) SourceKind.SFLOW.code(), row.get(FlowColumn.SOURCE_KIND));
    assertEquals(arrival, row.get(FlowColumn.START_TIME));
    assertEquals(arrival, row.get(FlowColumn.END_TIME));
    assertEquals(0L, row.get(FlowColumn.DURATION));
    assertNull(row.get(FlowColumn.EXPORT_TIME));
  }

  @Test
  void configuredRatesReplaceThoseOfAnAgentsSamplesAlone() {
    ExportDecoder configured =
        new ExportDecoder(
            counters,
            bad,
            ProtectedNetworks.NONE,
            DecoderLimits.defaults(),
            TunnelHeaders.INNER,
            TemplateScope.SESSION,
            ExporterRules.parse(List.of(), List.of(AGENT + "@7=100", SENDER + "=5")));
    byte[] frame = SflowBytes.header(1518, tcpFrame());
    byte[] datagram =
        SflowBytes.datagram(
            1, SflowBytes.flow(1, 512, 5120, 0, frame), SflowBytes.discarded(1, 258, frame));
    configured.decode(datagram, 0, datagram.length, SENDER, 6343, arrival, recorder);
    assertEquals(100L, recorder.rows().get(0).get(FlowColumn.SAMPLING_RATE));
    assertEquals(1L, recorder.rows().get(1).get(FlowColumn.SAMPLING_RATE));
  }

  @Test
  void whatTheAgentReadInThePacketIsTakenWithoutAHeader() {
    byte[] four =
        new PacketBytes()
            .u32(1500)
            .u32(17)
            .address("10.0.0.1")
            .address("10.0.0.2")
            .u32(53)
            .u32(5353)
            .u32(0)
            .u32(8)
            .toBytes();
    byte[] six =
        new PacketBytes()
            .u32(900)
            .u32(6)
            .address("fd00::1")
            .address("fd00::2")
            .u32(80)
            .u32(8080)
            .u32(0x18)
            .u32(4)
            .toBytes();
    decode(
        SflowBytes.datagram(
            1,
            SflowBytes.flow(1, 1, 1, 0, SflowBytes.framed(3, four)),
            SflowBytes.flow(2, 1, 2, 0, SflowBytes.framed(4, six))));
    List<Map<FlowColumn, Object>> rows = recorder.rows();
    assertEquals(IpAddress.parse("10.0.0.1"), rows.get(0).get(FlowColumn.SRC_ADDR));
    assertEquals(53L, rows.get(0).get(FlowColumn.SRC_PORT));
    assertEquals(1500L, rows.get(0).get(FlowColumn.BYTES));
    assertEquals(8L, rows.get(0).get(FlowColumn.TOS));
    assertNull(rows.get(0).get(FlowColumn.TCP_FLAGS));
    assertEquals(IpAddress.parse("fd00::2"), rows.get(1).get(FlowColumn.DST_ADDR));
    assertEquals(8080L, rows.get(1).get(FlowColumn.DST_PORT));
    assertEquals(0x18L, rows.get(1).get(FlowColumn.TCP_FLAGS));
    assertEquals(900L, rows.get(1).get(FlowColumn.BYTES));
  }

  @Test
  void theAgentsLengthComesBeforeThatOfAFrameWhoseHeaderIsCutOff() {
    byte[] cut = new PacketBytes().ethernet(0x0800).toBytes();
    byte[] four =
        new PacketBytes()
            .u32(40)
            .u32(17)
            .address("10.0.0.1")
            .address("10.0.0.2")
            .u32(53)
            .u32(5353)
            .u32(0)
            .u32(8)
            .toBytes();
    decode(
        SflowBytes.datagram(
            1,
            SflowBytes.flow(1, 1, 1, 0, SflowBytes.header(64, cut), SflowBytes.framed(3, four))));
    assertEquals(53L, recorder.rows().get(0).get(FlowColumn.SRC_PORT));
    assertEquals(40L, recorder.rows().get(0).get(FlowColumn.BYTES), "the frame is padded");
  }

  @Test
  void aFrameWithoutIpHasItsLengthWithoutFraming() {
    byte[] arp = new PacketBytes().ethernet(0x0806).bytes(new byte[28]).toBytes();
    byte[] ethernet =
        new PacketBytes()
            .u32(1016)
            .hex("020000000002 0000 020000000001 0000")
            .u32(0x0806)
            .toBytes();
    decode(
        SflowBytes.datagram(
            1,
            SflowBytes.flow(1, 1, 1, 0, SflowBytes.header(64, arp)),
            SflowBytes.flow(2, 1, 2, 0, SflowBytes.framed(2, ethernet))));
    assertEquals(48L, recorder.rows().get(0).get(FlowColumn.BYTES));
    assertEquals(1000L, recorder.rows().get(1).get(FlowColumn.BYTES));
    assertNull(recorder.rows().get(1).get(FlowColumn.SRC_ADDR));
  }

  @Test
  void routerGatewayAndSwitchTellOfTheWay() {
    byte[] router =
        new PacketBytes().bytes(SflowBytes.address("203.0.113.1")).u32(24).u32(16).toBytes();
    byte[] gateway =
        new PacketBytes()
            .bytes(SflowBytes.address("2001:db8::9"))
            .u32(64500)
            .u32(64501)
            .u32(64502)
            .u32(2)
            .u32(2)
            .u32(2)
            .u32(64510)
            .u32(64511)
            .u32(1)
            .u32(1)
            .u32(64512)
            .u32(1)
            .u32(0xFFFF_0001L)
            .u32(100)
            .toBytes();
    byte[] vlans = new PacketBytes().u32(21).u32(0).u32(22).u32(0).toBytes();
    decode(
        SflowBytes.datagram(
            1,
            SflowBytes.flow(
                1,
                1,
                1,
                0,
                SflowBytes.header(100, tcpFrame()),
                SflowBytes.framed(1001, vlans),
                SflowBytes.framed(1002, router),
                SflowBytes.framed(1003, gateway),
                SflowBytes.framed(1012, new byte[] {1, 2, 3, 4}))));
    Map<FlowColumn, Object> row = only();
    assertEquals(IpAddress.parse("203.0.113.1"), row.get(FlowColumn.NEXT_HOP));
    assertEquals(IpAddress.parse("2001:db8::9"), row.get(FlowColumn.BGP_NEXT_HOP));
    assertEquals(22L, row.get(FlowColumn.POST_VLAN));
    assertEquals(24L, row.get(FlowColumn.SRC_MASK));
    assertEquals(16L, row.get(FlowColumn.DST_MASK));
    assertEquals(64501L, row.get(FlowColumn.SRC_AS));
    assertEquals(64512L, row.get(FlowColumn.DST_AS), "the path's last AS");
    assertEquals(21L, row.get(FlowColumn.VLAN));
  }

  @Test
  void labelsAndTranslatedAddressesAreThoseOfTheirRecords() {
    byte[] mpls =
        new PacketBytes().u32(0).u32(2).label(16001, false).label(24005, true).u32(0).toBytes();
    byte[] nat =
        new PacketBytes()
            .bytes(SflowBytes.address("203.0.113.7"))
            .bytes(SflowBytes.address("203.0.113.8"))
            .toBytes();
    decode(
        SflowBytes.datagram(
            1,
            SflowBytes.flow(
                1,
                1,
                1,
                0,
                SflowBytes.header(100, tcpFrame()),
                SflowBytes.framed(1006, mpls),
                SflowBytes.framed(1007, nat),
                SflowBytes.framed(1020, new PacketBytes().u32(4000).u32(80).toBytes()))));
    Map<FlowColumn, Object> row = only();
    assertEquals(16001L, row.get(FlowColumn.MPLS_TOP_LABEL));
    assertEquals("16001,24005", row.get(FlowColumn.MPLS_LABELS));
    assertEquals(IpAddress.parse("203.0.113.7"), row.get(FlowColumn.POST_NAT_SRC_ADDR));
    assertEquals(IpAddress.parse("203.0.113.8"), row.get(FlowColumn.POST_NAT_DST_ADDR));
    assertEquals(4000L, row.get(FlowColumn.POST_NAT_SRC_PORT));
    assertEquals(80L, row.get(FlowColumn.POST_NAT_DST_PORT));
  }

  @Test
  void ofTunnelsTheFlowIsTheInnerOne() {
    byte[] vxlan = new PacketBytes().u32(0x0800_0000L).u32(5001 << 8).bytes(tcpFrame()).toBytes();
    byte[] frame =
        new PacketBytes()
            .ethernet(0x0800)
            .ipv4("192.0.2.7", "192.0.2.8", 17, PacketBytes.udp(40_000, 4789, vxlan))
            .toBytes();
    decode(SflowBytes.datagram(1, SflowBytes.flow(1, 1, 1, 0, SflowBytes.header(200, frame))));
    Map<FlowColumn, Object> row = only();
    assertEquals(IpAddress.parse("10.1.0.1"), row.get(FlowColumn.SRC_ADDR));
    assertEquals(443L, row.get(FlowColumn.DST_PORT));
    assertEquals(40L, row.get(FlowColumn.BYTES));
    assertEquals(IpAddress.parse("192.0.2.7"), row.get(FlowColumn.OUTER_SRC_ADDR));
    assertEquals(IpAddress.parse("192.0.2.8"), row.get(FlowColumn.OUTER_DST_ADDR));
    assertEquals(3L, row.get(FlowColumn.TUNNEL));
    assertEquals(5001L, row.get(FlowColumn.VXLAN_ID));
    assertNull(row.get(FlowColumn.VLAN), "the inner frame's tag");
  }

  @Test
  void interfacesHaveFormats() {
    decode(
        SflowBytes.datagram(
            1,
            SflowBytes.flow(1, 1, 1, 0, 0x3FFF_FFFF, 0x8000_0003L),
            SflowBytes.flow(2, 1, 1, 0, 0, 0x4000_0000L | 258),
            SflowBytes.expanded(1, 0, 70_000_000, 0, 80_000_000),
            SflowBytes.expanded(2, 0, 0x3FFF_FFFF, 1, 257)));
    List<Map<FlowColumn, Object>> rows = recorder.rows();
    assertEquals(0L, rows.get(0).get(FlowColumn.INPUT_IF), "the router itself");
    assertNull(rows.get(0).get(FlowColumn.OUTPUT_IF), "several");
    assertNull(rows.get(1).get(FlowColumn.INPUT_IF), "unknown");
    assertNull(rows.get(1).get(FlowColumn.OUTPUT_IF), "discarded");
    assertEquals(258L, rows.get(1).get(FlowColumn.DISCARD_REASON));
    assertEquals(70_000_000L, rows.get(2).get(FlowColumn.INPUT_IF));
    assertEquals(80_000_000L, rows.get(2).get(FlowColumn.OUTPUT_IF));
    assertEquals(0L, rows.get(2).get(FlowColumn.FLOW_DIRECTION));
    assertNull(rows.get(3).get(FlowColumn.OUTPUT_IF));
    assertEquals(4, counters.get(IngestCounter.FLOWS_DECODED), counters.toString());
  }

  @Test
  void aDiscardedPacketIsAFlowThatWasNotSampled() {
    decode(SflowBytes.datagram(1, SflowBytes.discarded(1, 258, SflowBytes.header(90, tcpFrame()))));
    Map<FlowColumn, Object> row = only();
    assertEquals(IpAddress.parse("10.1.0.1"), row.get(FlowColumn.SRC_ADDR));
    assertEquals(1L, row.get(FlowColumn.SAMPLING_RATE));
    assertNull(row.get(FlowColumn.SAMPLING_MODE));
    assertEquals(258L, row.get(FlowColumn.DISCARD_REASON));
    assertEquals(128L, row.get(FlowColumn.FORWARDING_STATUS));
    assertEquals(1L, row.get(FlowColumn.PACKETS));
  }

  @Test
  void countersAreKeptByInterfaceAndAreNoFlows() {
    decode(SflowBytes.datagram(1, SflowBytes.counters(1, 5, 100), SflowBytes.counters(1, 6, 7)));
    arrival += 61 * SECOND; // counters make it known, too
    decode(
        SflowBytes.datagram(
            2, SflowBytes.counters(2, 5, (1L << 40) + 3, SflowBytes.portName("eth-5/\u00e9"))));
    assertTrue(recorder.rows().isEmpty());
    assertEquals(3, counters.get(IngestCounter.COUNTER_SAMPLES));
    List<InterfaceCounters> all = decoder.interfaceCounters(0);
    assertEquals(2, all.size());
    assertEquals(1, decoder.interfaceCounters(arrival).size(), "the one that came since then");
    assertEquals(2, decoder.statuses(0).exporters().get(0).interfaces());
    InterfaceCounters five = all.stream().filter(c -> c.index() == 5).findFirst().orElseThrow();
    assertEquals(AGENT, five.exporter());
    assertEquals("eth-5/\u00e9", five.name());
    assertEquals(3, five.subAgent());
    assertEquals(10_000_000_000L, five.speed());
    assertEquals(3, five.status());
    InterfaceCounters.Counts in =
        new InterfaceCounters.Counts((1L << 40) + 3, 11, 12, 13, 14, 15, 16);
    assertEquals(in, five.in());
    assertEquals(21, five.out().unicast());
    assertEquals(0, five.out().unknownProtocols());
  }

  @Test
  void samplesThatDoNotComeAreLostOnceTheAgentIsKnown() {
    for (int i = 0; i < 100; i++) {
      arrival += SECOND;
      long number = i < 50 ? i : i + 5; // 5 samples of interface 7 are lost
      decode(SflowBytes.datagram(i, SflowBytes.flow(number, 10, 10 * number, 0)));
    }
    assertEquals(5, counters.get(IngestCounter.SEQUENCE_LOST_FLOWS), counters.toString());
    assertEquals(0, counters.get(IngestCounter.SEQUENCE_LOST_DATAGRAMS), counters.toString());
    for (int i = 0; i < 10; i++) {
      arrival += SECOND;
      decode(SflowBytes.datagram(102 + i, SflowBytes.flow(105 + i, 10, 1050 + 10 * i, 0)));
    }
    assertEquals(2, counters.get(IngestCounter.SEQUENCE_LOST_DATAGRAMS), counters.toString());
    assertEquals(5, counters.get(IngestCounter.SEQUENCE_LOST_FLOWS), counters.toString());
  }

  @Test
  void eachDataSourceAndSubAgentHasASequenceOfItsOwn() {
    for (int i = 0; i < 100; i++) {
      arrival += SECOND;
      decode(
          SflowBytes.datagram(
              i,
              SflowBytes.flow(i, 10, 10L * i, 0),
              SflowBytes.expanded(1_000_000 + i, 0, 1, 0, 2),
              SflowBytes.discarded(500 + i, 256)));
      decode(SflowBytes.datagram(9000 + i, 4, 1, SflowBytes.flow(70 + i, 10, 10L * i, 0)));
    }
    assertEquals(0, counters.get(IngestCounter.SEQUENCE_LOST_FLOWS), counters.toString());
    assertEquals(0, counters.get(IngestCounter.SEQUENCE_UNPROVEN_FLOWS), counters.toString());
    assertEquals(0, counters.get(IngestCounter.SEQUENCE_RESETS), counters.toString());
  }

  private long rateAfter(int samples, long told, long packetsEach, long dropsEach) {
    for (int i = 0; i < samples; i++) {
      arrival += SECOND / 100;
      decode(SflowBytes.datagram(i, SflowBytes.flow(i, told, packetsEach * i, dropsEach * i)));
    }
    List<Map<FlowColumn, Object>> rows = recorder.rows();
    Object rate = rows.get(rows.size() - 1).get(FlowColumn.SAMPLING_RATE);
    return rate == null ? 0 : (Long) rate;
  }

  @Test
  void theRateIsWhatTheSampleSays() {
    assertEquals(100, rateAfter(2000, 100, 400, 0), "no drops: the pool is not believed");
  }

  @Test
  void ifTheAgentDropsSamplesThePoolGivesTheRate() {
    assertEquals(400, rateAfter(2000, 100, 400, 3));
    assertEquals(1999 * 3, counters.get(IngestCounter.SAMPLES_LOST_AT_EXPORTER));
  }

  @Test
  void theRateOfAnAgentsFormerLifeIsForgotten() {
    assertEquals(400, rateAfter(2000, 100, 400, 3));
    assertEquals(100, rateAfter(3, 100, 400, 3));
  }

  @Test
  void aSampleWithoutARateGetsThatOfThePool() {
    assertEquals(0, rateAfter(1000, 0, 64, 0), "not yet known");
    assertEquals(64, rateAfter(2000, 0, 64, 0));
  }

  @Test
  void aSampleWhoseRecordsDoNotFitIsDroppedAndTheNextOnesAreRead() {
    byte[] whole = SflowBytes.flow(1, 1, 1, 0, SflowBytes.header(1518, tcpFrame()));
    byte[] broken = whole.clone();
    broken[8 + 28 + 3] = 2; // two records are claimed
    decode(SflowBytes.datagram(1, broken, whole));
    assertEquals(1, recorder.rows().size());
    assertEquals(1, counters.get(IngestCounter.DATAGRAMS_DAMAGED));
    assertEquals(1, counters.get(IngestCounter.SAMPLES_DROPPED_BAD_LENGTH));
    assertEquals(IngestCounter.SAMPLES_DROPPED_BAD_LENGTH, bad.samples().get(0).reason());
  }

  @Test
  void ofADatagramThatClaimsMoreThanItHoldsTheRestIsReadAndCounted() {
    byte[] sample = SflowBytes.flow(1, 1, 1, 0, SflowBytes.header(1518, tcpFrame()));
    decode(SflowBytes.datagram(1, 0, 0xFFFF_FFFFL, sample, new byte[7]));
    assertEquals(1, recorder.rows().size());
    assertEquals(1, counters.get(IngestCounter.SAMPLES_DROPPED_BAD_LENGTH));
    assertEquals(1, counters.get(IngestCounter.DATAGRAMS_DAMAGED));
  }

  @Test
  void vendorsSamplesAreCountedAndLeftOut() {
    decode(SflowBytes.datagram(1, SflowBytes.framed(4300 << 12 | 3, new byte[40])));
    assertTrue(recorder.rows().isEmpty());
    assertEquals(1, counters.get(IngestCounter.SAMPLES_SKIPPED_UNKNOWN));
    assertEquals(1, counters.get(IngestCounter.DATAGRAMS_DECODED));
  }

  @Test
  void otherVersionsOfSflowAreRefused() {
    byte[] datagram = SflowBytes.datagram(1);
    datagram[3] = 4;
    decode(datagram);
    assertEquals(1, counters.get(IngestCounter.DATAGRAMS_DROPPED_UNKNOWN_VERSION));
  }

  @Test
  void anAgentWithoutAnAddressIsItsSender() {
    byte[] datagram = SflowBytes.datagram(1, SflowBytes.flow(1, 1, 1, 0));
    datagram[8] = 0;
    datagram[9] = 0;
    datagram[10] = 0;
    datagram[11] = 0;
    decode(datagram);
    assertEquals(SENDER, only().get(FlowColumn.EXPORTER));
  }

  @Test
  void anyBytesAreDecodedOrCounted() {
    byte[] whole =
        SflowBytes.datagram(
            9,
            SflowBytes.flow(1, 512, 5120, 0, SflowBytes.header(1518, tcpFrame())),
            SflowBytes.counters(1, 5, 100),
            SflowBytes.expanded(1, 0, 70_000_000, 0, 80_000_000),
            SflowBytes.discarded(1, 258, SflowBytes.header(90, tcpFrame())));
    for (int round = 0; round < 100_000; round++) {
      Random random = new Random(SEED + round);
      byte[] datagram = Arrays.copyOf(whole, 28 + random.nextInt(whole.length - 27));
      for (int flips = random.nextInt(4); flips > 0; flips--) {
        int[] values = {0, 1, 0xFF, 0x80, random.nextInt(256)};
        datagram[4 + random.nextInt(datagram.length - 4)] = (byte) values[random.nextInt(5)];
      }
      arrival += random.nextInt(1000);
      decode(datagram);
      assertFalse(recorder.isHandedOut(), "seed " + (SEED + round));
      long ended =
          counters.get(IngestCounter.DATAGRAMS_DECODED)
              + counters.get(IngestCounter.DATAGRAMS_DAMAGED)
              + counters.get(IngestCounter.DATAGRAMS_DROPPED_TRUNCATED)
              + counters.get(IngestCounter.DATAGRAMS_DROPPED_BAD_LENGTH);
      assertEquals(round + 1, ended, "seed " + (SEED + round) + counters);
      if (round % 1000 == 0) {
        assertEquals(recorder.rows().size(), counters.get(IngestCounter.FLOWS_DECODED));
      }
    }
  }
}
