package org.flowmon.ingest.meter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.packet.PacketBytes;
import org.flowmon.ingest.decode.packet.PacketHeaders;
import org.flowmon.ingest.decode.packet.PacketParser;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.junit.jupiter.api.Test;

class FlowMeterTest {
  private static final long SEED = 20261125;
  private static final long SECOND = 1_000_000;
  private static final byte[] NOTHING = {};

  private final FlowRecorder out = new FlowRecorder(7);
  private FlowMeter meter = meter(1 << 10);
  private final PacketParser parser = new PacketParser(TunnelHeaders.INNER);
  private final PacketHeaders headers = new PacketHeaders();

  private static FlowMeter meter(int flows) {
    return new FlowMeter(new MeterOptions(60 * SECOND, 15 * SECOND, flows), ProtectedNetworks.NONE);
  }

  private void packet(long time, byte[] ip) {
    parser.parseIp(ip, 0, ip.length, headers);
    meter.add(headers, time, time, out);
  }

  private static byte[] udp(int from, int bytes) {
    return new PacketBytes()
        .ipv4("10.0.0.1", "10.0.0.2", 17, PacketBytes.udp(from, 53, new byte[bytes]))
        .toBytes();
  }

  private static byte[] tcp(int flags) {
    return new PacketBytes()
        .ipv4("10.0.0.1", "10.0.0.2", 6, PacketBytes.tcp(1000, 443, flags))
        .toBytes();
  }

  private void assertEnded(int row, long packets, long bytes, long reason) {
    Map<FlowColumn, Object> found = out.rows().get(row);
    assertEquals(packets, found.get(FlowColumn.PACKETS), found.toString());
    assertEquals(bytes, found.get(FlowColumn.BYTES), found.toString());
    assertEquals(reason, found.get(FlowColumn.FLOW_END_REASON), found.toString());
  }

  @Test
  void packetsWithEqualAddressesAndPortsAreOneFlow() {
    packet(5 * SECOND, udp(1000, 10));
    packet(6 * SECOND, udp(1001, 10));
    packet(7 * SECOND, udp(1000, 20));
    meter.finish(out);
    assertEquals(2, out.rows().size());
    assertEnded(0, 1, 38, 4);
    assertEnded(1, 2, 38 + 48, 4);
    Map<FlowColumn, Object> row = out.rows().get(1);
    assertEquals(5 * SECOND, row.get(FlowColumn.START_TIME));
    assertEquals(7 * SECOND, row.get(FlowColumn.END_TIME));
    assertEquals(2 * SECOND, row.get(FlowColumn.DURATION));
    assertEquals(1000L, row.get(FlowColumn.SRC_PORT));
    assertEquals(61L, row.get(FlowColumn.MIN_TTL));
    assertNull(row.get(FlowColumn.TCP_FLAGS));
    assertEquals(0, meter.open());
  }

  @Test
  void aFlowWithoutPacketsForTheInactiveTimeoutEnds() {
    packet(0, udp(1, 0));
    packet(15 * SECOND, udp(2, 0));
    assertTrue(out.rows().isEmpty(), "not longer than the timeout");
    packet(15 * SECOND + 1, udp(2, 0));
    assertEnded(0, 1, 28, 1);
    assertEquals(15 * SECOND + 1, out.rows().get(0).get(FlowColumn.ARRIVAL));
  }

  @Test
  void aLongFlowIsCutAtTheActiveTimeout() {
    for (int i = 0; i <= 130; i++) {
      packet(i * SECOND, udp(1, 0));
    }
    meter.finish(out);
    assertEquals(3, out.rows().size());
    assertEnded(0, 60, 60 * 28, 2);
    assertEnded(1, 60, 60 * 28, 2);
    assertEnded(2, 11, 11 * 28, 4);
    assertEquals(60 * SECOND, out.rows().get(1).get(FlowColumn.START_TIME));
  }

  @Test
  void aConnectionEndsWithItsLastAcknowledgements() {
    packet(0, tcp(0x02));
    packet(SECOND, tcp(0x11));
    packet(2 * SECOND, tcp(0x10));
    packet(8 * SECOND, udp(1, 0));
    assertEquals(1, out.rows().size());
    assertEnded(0, 3, 120, 3);
    assertEquals(0x13L, out.rows().get(0).get(FlowColumn.TCP_FLAGS));
  }

  @Test
  void aNewConnectionOfEndedPortsIsANewFlow() {
    packet(0, tcp(0x02));
    packet(1, tcp(0x14));
    packet(2, tcp(0x02));
    assertEnded(0, 2, 80, 3);
    assertEquals(1, meter.open());
  }

  @Test
  void icmpHasTypeAndCodeInsteadOfPorts() {
    byte[] ping =
        new PacketBytes()
            .ipv4("10.0.0.1", "10.0.0.2", 1, new PacketBytes().u16(0x0800).u32(0).toBytes())
            .toBytes();
    packet(0, ping);
    packet(1, ping);
    meter.finish(out);
    assertEnded(0, 2, 52, 4);
    assertEquals(0x0800L, out.rows().get(0).get(FlowColumn.ICMP_TYPE_CODE));
    assertNull(out.rows().get(0).get(FlowColumn.DST_PORT));
  }

  @Test
  void beyondTheBoundTheFlowThatWasQuietForLongestEnds() {
    meter = meter(2);
    packet(0, udp(1, 0));
    packet(1, udp(2, 0));
    packet(2, udp(1, 0));
    packet(3, udp(3, 0));
    assertEnded(0, 1, 28, 5);
    assertEquals(2L, out.rows().get(0).get(FlowColumn.SRC_PORT));
    assertEquals(2, meter.open());
  }

  @Test
  void manyFlowsAreThoseOfAMap() {
    Random random = new Random(SEED);
    meter = meter(1 << 16);
    Map<Integer, Integer> packets = new HashMap<>();
    for (int i = 0; i < 50_000; i++) {
      int port = random.nextInt(20_000);
      packets.merge(port, 1, Integer::sum);
      packet(i, udp(port, 0));
    }
    meter.finish(out);
    List<Map<FlowColumn, Object>> rows = out.rows();
    assertEquals(packets.size(), rows.size(), "seed " + SEED);
    for (Map<FlowColumn, Object> row : rows) {
      int port = ((Long) row.get(FlowColumn.SRC_PORT)).intValue();
      assertEquals((long) packets.get(port), row.get(FlowColumn.PACKETS), "seed " + SEED);
    }
  }

  @Test
  void noPacketIsLostWhateverEndsFlows() {
    for (int round = 0; round < 200; round++) {
      Random random = new Random(SEED + round);
      meter = meter(1 + random.nextInt(40));
      out.clear();
      long time = 0;
      int sent = 0;
      for (; sent < 500; sent++) {
        time += random.nextInt(4) == 0 ? random.nextInt(20) * SECOND : random.nextInt(1000);
        long captured = time - random.nextInt(100);
        byte[] ip = random.nextBoolean() ? udp(random.nextInt(60), 0) : tcp(random.nextInt(32));
        parser.parseIp(ip, 0, ip.length, headers);
        meter.add(headers, captured, time, out);
      }
      meter.finish(out);
      long packets = 0;
      long arrival = 0;
      for (Map<FlowColumn, Object> row : out.rows()) {
        packets += (Long) row.get(FlowColumn.PACKETS);
        assertTrue((Long) row.get(FlowColumn.ARRIVAL) >= arrival, "seed " + (SEED + round));
        arrival = (Long) row.get(FlowColumn.ARRIVAL);
        assertTrue(
            (Long) row.get(FlowColumn.DURATION) <= 61 * SECOND + 200, "seed " + (SEED + round));
      }
      assertEquals(sent, packets, "seed " + (SEED + round));
      assertEquals(0, meter.open());
    }
  }

  @Test
  void aLaterFragmentIsAFlowWithoutPorts() {
    byte[] fragment = udp(1, 4);
    fragment[7] = 3;
    packet(0, fragment);
    packet(1, udp(1, NOTHING.length));
    meter.finish(out);
    assertEquals(2, out.rows().size());
    assertNull(out.rows().get(0).get(FlowColumn.SRC_PORT));
  }
}
