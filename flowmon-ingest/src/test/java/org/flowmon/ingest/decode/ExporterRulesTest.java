package org.flowmon.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
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

/** What the configuration says of exporters. */
class ExporterRulesTest {
  private static final IpAddress ONE = IpAddress.parse("192.0.2.1");
  private static final IpAddress OTHER = IpAddress.parse("2001:db8::7");

  private final IngestCounters counters = new IngestCounters();
  private final FlowRecorder recorder = new FlowRecorder(100);

  private ExportDecoder decoder(List<String> allowed, List<String> sampling) {
    return new ExportDecoder(
        counters,
        new BadDatagramSamples(1),
        ProtectedNetworks.NONE,
        DecoderLimits.defaults(),
        TunnelHeaders.INNER,
        TemplateScope.SESSION,
        ExporterRules.parse(allowed, sampling));
  }

  /** A flow of NetFlow v9 that came in at an interface, with the rate of its record, 0 for none. */
  private void flow(ExportDecoder decoder, IpAddress exporter, int input, int rate) {
    ExportBytes sets =
        new ExportBytes()
            .set(0, ExportBytes.template(256, 8, 4, 10, 2, 34, 4, 35, 1))
            .set(256, new ExportBytes().u32(1).u16(input).u32(rate).u8(2).toBytes());
    byte[] datagram = ExportBytes.v9(2, 0, 1_750_000_000L, 0, 0, sets.toBytes());
    decoder.decode(datagram, 0, datagram.length, exporter, 2055, 1_750_000_000_000_000L, recorder);
  }

  private List<Object> column(FlowColumn column) {
    List<Object> values = new ArrayList<>();
    recorder.rows().forEach(row -> values.add(row.get(column)));
    return values;
  }

  @Test
  void onlyAllowedExportersAreTaken() {
    ExportDecoder decoder = decoder(List.of("192.0.2.0/24"), List.of());
    flow(decoder, OTHER, 1, 0);
    flow(decoder, ONE, 1, 0);
    flow(decoder, IpAddress.parse("192.0.3.1"), 1, 0);
    assertEquals(List.of(ONE), column(FlowColumn.EXPORTER));
    assertEquals(2, counters.get(IngestCounter.DATAGRAMS_DROPPED_NOT_ALLOWED));
    assertEquals(3, counters.get(IngestCounter.DATAGRAMS_RECEIVED));
    assertEquals(1, counters.get(IngestCounter.DATAGRAMS_DECODED));
  }

  @Test
  void configuredRatesReplaceThoseOfRecords() {
    ExportDecoder decoder = decoder(List.of(), List.of("192.0.2.1=1000", "192.0.2.1@7=10"));
    flow(decoder, ONE, 3, 5);
    flow(decoder, ONE, 7, 0);
    flow(decoder, OTHER, 7, 5);
    flow(decoder, OTHER, 7, 0);
    flow(decoder, ONE, 4, 0);
    List<Object> rates = new ArrayList<>(List.of(1000L, 10L, 5L));
    rates.add(null);
    rates.add(1000L);
    assertEquals(rates, column(FlowColumn.SAMPLING_RATE));
    assertEquals(2L, recorder.rows().get(2).get(FlowColumn.SAMPLING_MODE));
    assertEquals(null, recorder.rows().get(0).get(FlowColumn.SAMPLING_MODE));
  }

  @Test
  void aRateOfOneInterfaceLeavesTheOthers() {
    ExportDecoder decoder = decoder(List.of(), List.of("192.0.2.1@7=10"));
    flow(decoder, ONE, 7, 5);
    flow(decoder, ONE, 8, 5);
    assertEquals(List.of(10L, 5L), column(FlowColumn.SAMPLING_RATE));
  }

  @Test
  void wrongRulesAreNamed() {
    for (String wrong :
        List.of(
            "192.0.2.1",
            "192.0.2=5",
            "192.0.2.1=0",
            "192.0.2.1@x=5",
            "192.0.2.1=4294967296",
            "192.0.2.1=99999999999")) {
      IllegalArgumentException e =
          assertThrows(
              IllegalArgumentException.class, () -> ExporterRules.parse(List.of(), List.of(wrong)));
      assertTrue(String.valueOf(e.getMessage()).contains(wrong), e.getMessage());
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> ExporterRules.parse(List.of("10.0.0.0/33"), List.of()));
  }
}
