package org.flowmon.ingest.synthetic.exporter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.synthetic.FlowStream;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

public final class ExportEncoderTest {
  public static final long NOW = 1_781_222_333_444L;
  static final long BOOT = NOW - 3 * 86_400_000L;

  /** Datagrams of synthetic traffic, and their flows. */
  record Exported(List<byte[]> datagrams, List<ExportedRow> rows) {}

  static Exported export(SimulatedRouter exporter, long seed, int flows, long millisPerFlow) {
    FlowStream stream = new TrafficModel(seed, TrafficOptions.defaults()).live(NOW);
    ExportEncoder encoder = exporter.encoder(BOOT);
    SyntheticFlow flow = new SyntheticFlow();
    List<byte[]> datagrams = new ArrayList<>();
    List<ExportedRow> rows = new ArrayList<>();
    long now = NOW;
    while (rows.size() < flows) {
      now += millisPerFlow;
      stream.next(now, flow);
      if (!exporter.accepts(flow)) {
        continue;
      }
      flow.sample(exporter.samplingRate());
      if (!encoder.add(flow, now)) {
        datagrams.add(bytes(encoder.finish(now)));
        assertTrue(encoder.add(flow, now));
      }
      rows.add(ExportedRow.of(flow));
    }
    datagrams.add(bytes(encoder.finish(now)));
    return new Exported(datagrams, rows);
  }

  private static byte[] bytes(ByteBuffer datagram) {
    byte[] bytes = new byte[datagram.remaining()];
    datagram.get(bytes);
    return bytes;
  }

  @ParameterizedTest
  @EnumSource(names = {"NETFLOW_V5", "NETFLOW_V9", "IPFIX"})
  void everyFieldComesBackAsItWentIn(SourceKind version) {
    for (int seed = 0; seed < 5; seed++) {
      Exported exported = export(new SimulatedRouter(version, 258, 1, 1), seed, 20_000, 1);
      NaiveExportReader reader = new NaiveExportReader();
      for (byte[] datagram : exported.datagrams()) {
        assertTrue(datagram.length <= ExportEncoder.MAX_BYTES, "a datagram of " + datagram.length);
        reader.read(ByteBuffer.wrap(datagram));
      }
      assertEquals(exported.rows(), reader.rows, "seed " + seed);
      assertEquals(Map.of(), reader.samplingByDomain);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NETFLOW_V5", "NETFLOW_V9", "IPFIX"})
  void aSamplingExporterSaysItsRateAndCountsWhatItSaw(SourceKind version) {
    Exported exported = export(new SimulatedRouter(version, 77, 10, 1), 3, 5_000, 1);
    NaiveExportReader reader = new NaiveExportReader();
    exported.datagrams().forEach(d -> reader.read(ByteBuffer.wrap(d)));
    assertEquals(exported.rows(), reader.rows);
    assertEquals(Map.of(77, 10), reader.samplingByDomain);
  }

  @ParameterizedTest
  @EnumSource(names = {"NETFLOW_V9", "IPFIX"})
  void templatesComeAgainByTimeAndByDatagrams(SourceKind version) {
    NaiveExportReader slow = new NaiveExportReader();
    Exported slowly = export(new SimulatedRouter(version, 1, 1, 1), 1, 2_000, 10);
    slowly.datagrams().forEach(d -> slow.read(ByteBuffer.wrap(d)));
    assertTrue(slow.templatesSeen >= 2 * 8, "20 s gave " + slow.templatesSeen + " templates");

    NaiveExportReader fast = new NaiveExportReader();
    Exported quickly = export(new SimulatedRouter(version, 1, 1, 1), 1, 20_000, 0);
    quickly.datagrams().forEach(d -> fast.read(ByteBuffer.wrap(d)));
    int times =
        (quickly.datagrams().size() + TemplateEncoder.TEMPLATE_DATAGRAMS - 1)
            / TemplateEncoder.TEMPLATE_DATAGRAMS;
    assertEquals(2 * times, fast.templatesSeen);
  }

  @Test
  void netFlowV5RefusesWhatItCannotCarry() {
    SimulatedRouter router = new SimulatedRouter(SourceKind.NETFLOW_V5, 1, 1, 1);
    ExportEncoder encoder = router.encoder(BOOT);
    SyntheticFlow flow = new SyntheticFlow();
    flow.srcHi = 0x2001_0DB8_0001_0000L;
    assertFalse(router.accepts(flow));
    SyntheticFlow huge = new SyntheticFlow();
    huge.bytes = 1L << 32;
    assertThrows(IllegalArgumentException.class, () -> encoder.add(huge, NOW));
    assertThrows(
        IllegalArgumentException.class,
        () -> new SimulatedRouter(SourceKind.NETFLOW_V5, 1 << 16, 1, 1));
    assertThrows(
        IllegalArgumentException.class,
        () -> new SimulatedRouter(SourceKind.ZEEK, 1, 1, 1).encoder(BOOT));
  }
}
