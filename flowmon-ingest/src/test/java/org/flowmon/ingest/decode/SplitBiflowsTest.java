package org.flowmon.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Map;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.flowmon.ingest.decode.exporter.TemplateScope;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.junit.jupiter.api.Test;

/** Exports with both directions (RFC 5103), kept and split. */
class SplitBiflowsTest {
  private static final int REVERSE = 29305;
  private static final IpAddress CLIENT = IpAddress.parse("10.0.0.1");
  private static final IpAddress SERVER = IpAddress.parse("192.0.2.2");

  private final IngestCounters counters = new IngestCounters();
  private final FlowRecorder recorder = new FlowRecorder(3);

  private List<Map<FlowColumn, Object>> decode(boolean isSplit) {
    ExportDecoder decoder =
        new ExportDecoder(
            counters,
            new BadDatagramSamples(1),
            ProtectedNetworks.parse(List.of("10.0.0.0/8")),
            DecoderLimits.defaults(),
            TunnelHeaders.INNER,
            TemplateScope.SESSION,
            ExporterRules.NONE.withSplitBiflows(isSplit));
    decoder.useRules(ExporterRules.NONE); // as files of rules that are read again
    ExportBytes template = new ExportBytes().u16(256).u16(9);
    template.u16(8).u16(4).u16(12).u16(4).u16(7).u16(2).u16(11).u16(2).u16(4).u16(1);
    template.u16(2).u16(4).u16(6).u16(1);
    template.u16(0x8002).u16(4).u32(REVERSE).u16(0x8006).u16(1).u32(REVERSE);
    ExportBytes data = new ExportBytes();
    for (int i = 0; i < 4; i++) {
      data.u32(CLIENT.lo()).u32(SERVER.lo()).u16(50_000 + i).u16(443).u8(6);
      data.u32(10 + i).u8(0x1b).u32(i == 2 ? 0 : 90 + i).u8(0x13);
    }
    byte[] sets = new ExportBytes().set(2, template.toBytes()).set(256, data.toBytes()).toBytes();
    byte[] datagram = ExportBytes.ipfix(1_700_000_000L, 1, 0, sets);
    decoder.decode(datagram, 0, datagram.length, SERVER, 4739, 1_700_000_000_000_000L, recorder);
    return recorder.rows();
  }

  @Test
  void keptRowsHaveBothWays() {
    List<Map<FlowColumn, Object>> rows = decode(false);
    assertEquals(4, rows.size());
    assertEquals(90L, rows.get(0).get(FlowColumn.REVERSE_PACKETS));
    assertEquals(0x13L, rows.get(0).get(FlowColumn.REVERSE_TCP_FLAGS));
    assertEquals(0, counters.get(IngestCounter.BIFLOWS_SPLIT));
  }

  @Test
  void aSplitRowIsFollowedByItsWayBackAndBothAreCounted() {
    List<Map<FlowColumn, Object>> rows = decode(true);
    assertEquals(7, rows.size()); // the third has no way back
    assertEquals(4, counters.get(IngestCounter.FLOWS_DECODED));
    assertEquals(3, counters.get(IngestCounter.BIFLOWS_SPLIT));
    Map<FlowColumn, Object> there = rows.get(0);
    assertEquals(CLIENT, there.get(FlowColumn.SRC_ADDR));
    assertEquals(10L, there.get(FlowColumn.PACKETS));
    assertEquals(0x1bL, there.get(FlowColumn.TCP_FLAGS));
    assertEquals(1L, there.get(FlowColumn.OUTGOING));
    assertNull(there.get(FlowColumn.REVERSE_PACKETS));
    Map<FlowColumn, Object> back = rows.get(1);
    assertEquals(SERVER, back.get(FlowColumn.SRC_ADDR));
    assertEquals(CLIENT, back.get(FlowColumn.DST_ADDR));
    assertEquals(443L, back.get(FlowColumn.SRC_PORT));
    assertEquals(50_000L, back.get(FlowColumn.DST_PORT));
    assertEquals(90L, back.get(FlowColumn.PACKETS));
    assertEquals(0x13L, back.get(FlowColumn.TCP_FLAGS));
    assertEquals(0L, back.get(FlowColumn.OUTGOING));
    assertEquals(there.get(FlowColumn.END_TIME), back.get(FlowColumn.END_TIME));
    assertEquals(12L, rows.get(4).get(FlowColumn.PACKETS));
    assertNull(rows.get(4).get(FlowColumn.REVERSE_PACKETS));
    assertEquals(13L, rows.get(5).get(FlowColumn.PACKETS));
  }
}
