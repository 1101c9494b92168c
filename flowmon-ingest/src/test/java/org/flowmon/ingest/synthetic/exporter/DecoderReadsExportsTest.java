package org.flowmon.ingest.synthetic.exporter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Map;
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
import org.flowmon.ingest.synthetic.Hosts;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * flowmon's own decoder reads every column of the encoders' datagrams and counts nothing as bad.
 */
final class DecoderReadsExportsTest {
  private static final IpAddress EXPORTER = IpAddress.parse("127.0.0.1");
  private static final int DOMAIN = 0x0102;

  @ParameterizedTest
  @EnumSource(names = {"NETFLOW_V5", "NETFLOW_V9", "IPFIX"})
  void everyColumnComesBackAsItWentIn(SourceKind version) {
    for (int rate : new int[] {1, 10}) {
      ExportEncoderTest.Exported exported =
          ExportEncoderTest.export(new SimulatedRouter(version, DOMAIN, rate, 1), 6, 10_000, 1);
      IngestCounters counters = new IngestCounters();
      ExportDecoder decoder =
          new ExportDecoder(
              counters,
              new BadDatagramSamples(4),
              new ProtectedNetworks(TrafficModel.protectedNetworks()),
              DecoderLimits.defaults());
      FlowRecorder recorder = new FlowRecorder(997);
      long arrival = ExportEncoderTest.NOW * 1000;
      for (byte[] datagram : exported.datagrams()) {
        decoder.decode(datagram, 0, datagram.length, EXPORTER, 4000, arrival++, recorder);
      }
      List<Map<FlowColumn, Object>> rows = recorder.rows();
      assertEquals(exported.rows().size(), rows.size());
      for (int i = 0; i < rows.size(); i++) {
        check(exported.rows().get(i), rows.get(i), version, rate);
      }
      assertEquals(exported.datagrams().size(), counters.get(IngestCounter.DATAGRAMS_DECODED));
      assertEquals(exported.rows().size(), counters.get(IngestCounter.FLOWS_DECODED));
      counters
          .snapshot()
          .forEach(
              (label, count) -> {
                if (label.contains("dropped") || label.contains("sequence")) {
                  assertEquals(0, count, label);
                }
              });
    }
  }

  private static void check(
      ExportedRow expected, Map<FlowColumn, Object> row, SourceKind version, int rate) {
    String where = version + " " + expected;
    assertEquals(expected.src(), row.get(FlowColumn.SRC_ADDR), where);
    assertEquals(expected.dst(), row.get(FlowColumn.DST_ADDR), where);
    number(expected.protocol(), FlowColumn.PROTOCOL, row, where);
    number(expected.bytes(), FlowColumn.BYTES, row, where);
    number(expected.packets(), FlowColumn.PACKETS, row, where);
    number(expected.startMillis() * 1000, FlowColumn.START_TIME, row, where);
    number(expected.endMillis() * 1000, FlowColumn.END_TIME, row, where);
    number((expected.endMillis() - expected.startMillis()) * 1000, FlowColumn.DURATION, row, where);
    number(expected.tos(), FlowColumn.TOS, row, where);
    number(expected.inputIf(), FlowColumn.INPUT_IF, row, where);
    number(expected.outputIf(), FlowColumn.OUTPUT_IF, row, where);
    number(expected.srcAs(), FlowColumn.SRC_AS, row, where);
    number(expected.dstAs(), FlowColumn.DST_AS, row, where);
    number(expected.srcMask(), FlowColumn.SRC_MASK, row, where);
    number(expected.dstMask(), FlowColumn.DST_MASK, row, where);
    number(version.code(), FlowColumn.SOURCE_KIND, row, where);
    number(DOMAIN, FlowColumn.OBSERVATION_DOMAIN, row, where);
    assertEquals(EXPORTER, row.get(FlowColumn.EXPORTER), where);
    boolean outgoing = expected.srcAs() == Hosts.insideAs();
    number(outgoing ? 1 : 0, FlowColumn.OUTGOING, row, where);
    switch (expected.protocol()) {
      case SyntheticFlow.ICMP, SyntheticFlow.ICMPV6 ->
          number(expected.dstPort(), FlowColumn.ICMP_TYPE_CODE, row, where);
      default -> {
        number(expected.srcPort(), FlowColumn.SRC_PORT, row, where);
        number(expected.dstPort(), FlowColumn.DST_PORT, row, where);
      }
    }
    if (expected.protocol() == SyntheticFlow.TCP) {
      number(expected.tcpFlags(), FlowColumn.TCP_FLAGS, row, where);
    }
    if (expected.nextHop() != 0) {
      assertEquals(IpAddress.ofIpv4(expected.nextHop()), row.get(FlowColumn.NEXT_HOP), where);
    }
    if (rate == 1) {
      assertNull(row.get(FlowColumn.SAMPLING_RATE), where);
    } else {
      number(rate, FlowColumn.SAMPLING_RATE, row, where);
      number(1, FlowColumn.SAMPLING_MODE, row, where);
    }
  }

  private static void number(
      long expected, FlowColumn column, Map<FlowColumn, Object> row, String where) {
    assertEquals(expected, row.get(column), () -> column + " of " + where);
  }
}
