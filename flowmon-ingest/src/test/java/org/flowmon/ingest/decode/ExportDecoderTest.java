package org.flowmon.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportDecoderTest {
  private static final IpAddress EXPORTER = IpAddress.parse("192.0.2.1");
  private static final long SECONDS = 1_750_000_000L;
  private static final long EXPORT = SECONDS * 1_000_000;
  private static final DecoderLimits LIMITS =
      DecoderLimits.defaults()
          .withBytes(1 << 20, 1 << 16, 1 << 14)
          .withTemplates(3, 20, 1_000_000)
          .withEstablishedAfter(0);

  private final IngestCounters counters = new IngestCounters();
  private final BadDatagramSamples samples = new BadDatagramSamples(2);
  private final FlowRecorder recorder = new FlowRecorder(10);
  private ExportDecoder decoder =
      new ExportDecoder(counters, samples, ProtectedNetworks.NONE, LIMITS);
  private long arrival = 1000;
  private int port = 2055;
  private long v9Sequence;

  @Test
  void aUptimeThatWrappedStillTellsWhenAFlowWas() {
    v9(2000, template(22, 4, 21, 4), set(0xFFFF_FFFFL - 999, 4, 1000, 4));
    assertRow(FlowColumn.START_TIME, EXPORT - 3_000_000, FlowColumn.END_TIME, EXPORT - 1_000_000);
    assertEquals(2_000_000L, row().get(FlowColumn.DURATION));
  }

  @Test
  void aStartOfZeroBesideAnEndIsUnknown() {
    v9(5000, template(22, 4, 21, 4), set(0, 4, 1000, 4));
    assertRow(FlowColumn.START_TIME, null, FlowColumn.END_TIME, EXPORT - 4_000_000);
    assertNull(row().get(FlowColumn.DURATION));
  }

  @Test
  void aFlowThatEndsBeforeItBeganKeepsItsEndOnly() {
    v9(5000, template(22, 4, 21, 4), set(3000, 4, 1000, 4));
    assertRow(FlowColumn.START_TIME, null, FlowColumn.END_TIME, EXPORT - 4_000_000);
    assertEquals(1, counters.get(IngestCounter.VALUES_DROPPED_IMPLAUSIBLE));
  }

  @Test
  void aDurationTellsTheOtherEdge() {
    v9(5000, template(153, 8, 161, 4), set(SECONDS * 1000, 8, 250, 4));
    assertRow(FlowColumn.START_TIME, EXPORT - 250_000, FlowColumn.DURATION, 250_000L);
    v9(5000, template(152, 8, 162, 4), set(SECONDS * 1000, 8, 250, 4));
    assertRow(FlowColumn.END_TIME, EXPORT + 250, FlowColumn.DURATION, 250L);
  }

  @Test
  void ntpTimesAreReadToTheMicrosecond() {
    long fraction = (123_456L << 32) / 1_000_000;
    ipfix(template(154, 8, 157, 8), set((SECONDS + 2_208_988_800L) << 32 | fraction, 8, 0, 8));
    assertRow(FlowColumn.START_TIME, EXPORT + 123_456, FlowColumn.DURATION, null);
  }

  @Test
  void whereNoTimeIsGivenTheExportIsTheEnd() {
    ipfix(template(1, 4), set(7, 4));
    assertRow(FlowColumn.END_TIME, EXPORT, FlowColumn.START_TIME, null);
    assertRow(FlowColumn.EXPORT_TIME, EXPORT, FlowColumn.SYS_UPTIME, null);
  }

  @Test
  void uptimesInIpfixCountFromWhatTheOptionsSay() {
    byte[] boot = new ExportBytes().u64((SECONDS - 100) * 1000).toBytes();
    ipfix(
        concat(
            options(300, 1, 143, 4, 160, 8),
            new ExportBytes().set(300, concat(new byte[4], boot)).toBytes(),
            asIpfix(template(22, 4, 21, 4))),
        set(40_000, 4, 60_000, 4));
    assertRow(FlowColumn.START_TIME, EXPORT - 60_000_000, FlowColumn.END_TIME, EXPORT - 40_000_000);
  }

  @Test
  void samplingIsThatOfTheFlowsSamplerOrInterfaceOrDomain() {
    v9(
        1000,
        concat(
            v9Options(300, 0, 48, 1, 50, 4, 49, 1),
            new ExportBytes()
                .set(300, new ExportBytes().u8(7).u32(100).u8(2).u8(8).u32(200).u8(1).toBytes())
                .toBytes(),
            v9Options(301, 1, 2, 4, 34, 4, 35, 1),
            new ExportBytes()
                .set(301, new ExportBytes().u32(5).u32(50).u8(1).u32(0).u32(10).u8(1).toBytes())
                .toBytes()),
        new byte[0]);
    v9(1000, template(48, 1, 10, 4), set(7, 1, 5, 4, 8, 1, 5, 4, 9, 1, 5, 4, 9, 1, 6, 4));
    // Nothing is known of sampler 9, but of interface 5.
    assertEquals(List.of(100L, 200L, 50L, 10L), column(FlowColumn.SAMPLING_RATE));
    assertEquals(List.of(2L, 1L, 1L, 1L), column(FlowColumn.SAMPLING_MODE));
    recorder.clear();
    v9(1000, template(10, 4), set(5, 4, 6, 4));
    assertEquals(List.of(50L, 10L), column(FlowColumn.SAMPLING_RATE));
    v9(1000, template(34, 4), set(3, 4));
    assertRow(FlowColumn.SAMPLING_RATE, 3L, FlowColumn.SAMPLING_MODE, 1L);
  }

  @Test
  void theOnlySamplerOfADomainIsThatOfFlowsWhichNameNone() {
    v9(
        1000,
        concat(
            v9Options(300, 0, 48, 1, 50, 4),
            new ExportBytes().set(300, new ExportBytes().u8(1).u32(512).toBytes()).toBytes(),
            template(1, 4)),
        set(1, 4));
    assertRow(FlowColumn.SAMPLING_RATE, 512L, FlowColumn.SAMPLING_MODE, null);
  }

  @Test
  void samplingBySpaceAndByPopulationBecomesOneRate() {
    ipfix(template(305, 4, 306, 4), set(2, 4, 198, 4));
    assertRow(FlowColumn.SAMPLING_RATE, 100L, FlowColumn.SAMPLING_MODE, null);
    ipfix(template(309, 4, 310, 4, 304, 2), set(1, 4, 64, 4, 3, 2));
    assertRow(FlowColumn.SAMPLING_RATE, 64L, FlowColumn.SAMPLING_MODE, 2L);
  }

  @Test
  void ofTwoFamiliesInARecordTheOneThatIsThereCounts() {
    byte[] template = template(8, 4, 27, 16, 9, 1, 29, 1);
    byte[] records =
        new ExportBytes()
            .set(
                256,
                new ExportBytes()
                    .u32(0x0A000001)
                    .u64(0)
                    .u64(0)
                    .u8(24)
                    .u8(0)
                    .u32(0)
                    .u64(0x20010DB800000000L)
                    .u64(9)
                    .u8(0)
                    .u8(64)
                    .toBytes())
            .toBytes();
    v9(1, template, records);
    assertEquals(
        List.of(IpAddress.parse("10.0.0.1"), IpAddress.parse("2001:db8::9")),
        column(FlowColumn.SRC_ADDR));
    assertEquals(List.of(24L, 64L), column(FlowColumn.SRC_MASK));
  }

  @Test
  void icmpTypeAndCodeComeFromWhereverTheyAreToldButOnlyForIcmp() {
    v9(1, template(4, 1, 11, 2), set(1, 1, 2048, 2, 6, 1, 2048, 2));
    assertRow(FlowColumn.ICMP_TYPE_CODE, null, FlowColumn.DST_PORT, 2048L);
    assertEquals(2048L, recorder.rows().get(0).get(FlowColumn.ICMP_TYPE_CODE));
    v9(1, template(4, 1, 178, 1, 179, 1), set(58, 1, 135, 1, 3, 1));
    assertRow(FlowColumn.ICMP_TYPE_CODE, 135L * 256 + 3, FlowColumn.PROTOCOL, 58L);
  }

  @Test
  void valuesThatCannotBeAreNull() {
    v9(1, template(7, 4, 9, 1, 61, 1, 1, 8), set(70_000, 4, 33, 1, 255, 1, -1, 8));
    assertRow(FlowColumn.SRC_PORT, null, FlowColumn.SRC_MASK, null);
    assertRow(FlowColumn.FLOW_DIRECTION, null, FlowColumn.BYTES, null);
    assertEquals(4, counters.get(IngestCounter.VALUES_DROPPED_IMPLAUSIBLE));
  }

  @Test
  void outgoingIsWhatBeginsInTheProtectedNetworks() {
    decoder =
        new ExportDecoder(
            counters, samples, ProtectedNetworks.parse(List.of("10.0.0.0/8", "::/0")), LIMITS);
    v9(1, template(8, 4), set(0x0A010203, 4, 0x0B010203, 4));
    assertEquals(List.of(1L, 0L), column(FlowColumn.OUTGOING));
  }

  @Test
  void setsWithoutATemplateAreCountedAndTheirFlowsWhereTheHeaderTells() {
    byte[] data = set(1, 4, 2, 4, 3, 4);
    decode(ExportBytes.v9(3, 1, SECONDS, 0, 9, data));
    assertEquals(0, counters.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE), "it waits");
    decoder.endInput();
    assertEquals(1, counters.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE));
    assertEquals(3, counters.get(IngestCounter.FLOWS_DROPPED_NO_TEMPLATE));
    decode(ExportBytes.ipfix(SECONDS, 0, 9, data));
    byte[] other = new ExportBytes().u16(257).u16(1).u16(1).u16(4).toBytes();
    decode(ExportBytes.ipfix(SECONDS, 3, 9, new ExportBytes().set(2, other).toBytes()));
    decoder.endInput();
    assertEquals(2, counters.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE));
    assertEquals(6, counters.get(IngestCounter.FLOWS_DROPPED_NO_TEMPLATE));
    assertEquals(0, counters.get(IngestCounter.SEQUENCE_LOST_FLOWS));
  }

  @Test
  void templatesLiveUntilTheyAreWithdrawnOrTooOldOrTooMany() {
    ipfix(template(1, 4), set(1, 4));
    ipfix(
        new ExportBytes().set(2, new ExportBytes().u16(256).u16(0).toBytes()).toBytes(), set(2, 4));
    assertEquals(1, recorder.rows().size());
    assertEquals(1, counters.get(IngestCounter.TEMPLATES_WITHDRAWN));
    decoder.endInput(); // no flow waits any more
    ipfix(template(1, 4), set(3, 4));
    arrival += 1_000_001;
    ipfix(new byte[0], set(4, 4));
    assertEquals(2, recorder.rows().size());
    assertEquals(1, counters.get(IngestCounter.TEMPLATES_EXPIRED));
    decoder.endInput();
    ipfix(template(1, 4), set(5, 4));
    for (int id = 300; id < 303; id++) {
      ipfix(new ExportBytes().set(2, ExportBytes.template(id, 1, 4)).toBytes(), new byte[0]);
    }
    ipfix(new byte[0], set(6, 4));
    assertEquals(3, recorder.rows().size());
  }

  @Test
  void ipfixTemplatesAreTheSessionsAndV9TemplatesTheExporters() {
    ipfix(template(1, 4), set(1, 4));
    v9(1, template(1, 4), set(1, 4));
    port = 4444;
    ipfix(new byte[0], set(2, 4));
    decoder.endInput();
    assertEquals(1, counters.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE));
    v9(1, new byte[0], set(2, 4));
    assertEquals(3, recorder.rows().size());
  }

  @Test
  void manyExportersAreForgottenOneByOne() {
    for (int i = 0; i < 100; i++) {
      port = i;
      ipfix(template(1, 4), set(1, 4));
    }
    assertEquals(83, counters.get(IngestCounter.DOMAINS_EVICTED)); // 16 KiB hold about 17 of them
    assertEquals(100, recorder.rows().size());
  }

  @Test
  void lossLatenessAndRestartsAreToldFromTheSequence() {
    v5(0, 1000);
    v5(1, 1001);
    v5(5, 1002); // 2, 3, 4 are missing
    assertEquals(3, counters.get(IngestCounter.SEQUENCE_LOST_FLOWS));
    v5(3, 1002);
    assertEquals(2, counters.get(IngestCounter.SEQUENCE_LOST_FLOWS));
    assertEquals(1, counters.get(IngestCounter.SEQUENCE_LATE_DATAGRAMS));
    v5(6, 20_000);
    v5(0, 5); // its uptime restarts
    v5(1, 6);
    assertEquals(2, counters.get(IngestCounter.SEQUENCE_LOST_FLOWS));
    assertEquals(1, counters.get(IngestCounter.SEQUENCE_RESETS));
  }

  @Test
  void anUptimeThatFallsWhileTheSequenceContinuesIsNoRestart() {
    v5(0, 0xFFFF_0000L);
    v5(1, 0x7000_0000L); // a counter of its own width wrapped, or the clock was set
    v5(2, 0x6000_0000L);
    v5(5, 0x6000_0001L); // 3, 4 are missing
    assertEquals(0, counters.get(IngestCounter.SEQUENCE_RESETS));
    assertEquals(2, counters.get(IngestCounter.SEQUENCE_LOST_FLOWS));
    v5(9, 0); // not the next number: a restart
    v5(10, 1);
    assertEquals(1, counters.get(IngestCounter.SEQUENCE_RESETS));
    assertEquals(2, counters.get(IngestCounter.SEQUENCE_LOST_FLOWS));
  }

  @Test
  void theSequenceWraps() {
    v5(0xFFFF_FFFFL, 1000);
    v5(0, 1001);
    v5(2, 1002);
    assertEquals(1, counters.get(IngestCounter.SEQUENCE_LOST_FLOWS));
    assertEquals(0, counters.get(IngestCounter.SEQUENCE_RESETS));
  }

  @Test
  void aRestartWithoutAnUptimeIsToldFromDatagramsThatFollowEachOther() {
    byte[] template = asIpfix(template(1, 4));
    for (int i = 0; i < 100; i++) {
      decode(ExportBytes.ipfix(SECONDS, 500 + i, 9, concat(template, set(1, 4))));
    }
    for (int i = 0; i < 100; i++) {
      decode(ExportBytes.ipfix(SECONDS, i, 9, concat(template, set(1, 4))));
    }
    assertEquals(1, counters.get(IngestCounter.SEQUENCE_RESETS));
    assertEquals(2, counters.get(IngestCounter.SEQUENCE_LATE_DATAGRAMS));
    assertEquals(0, counters.get(IngestCounter.SEQUENCE_LOST_FLOWS));
  }

  @Test
  void anExporterThatCountsOtherwiseLosesNothing() {
    long sequence = 0;
    for (int i = 0; i < 50; i++) {
      int flows = 1 + i % 7;
      ExportBytes body = new ExportBytes();
      for (int f = 0; f < flows; f++) {
        body.u32(f);
      }
      sequence += flows; // the flows up to and including this message, as softflowd counts
      byte[] sets =
          concat(asIpfix(template(1, 4)), new ExportBytes().set(256, body.toBytes()).toBytes());
      decode(ExportBytes.ipfix(SECONDS, sequence, 9, sets));
    }
    assertEquals(0, counters.get(IngestCounter.SEQUENCE_LOST_FLOWS), counters.toString());
    assertEquals(0, counters.get(IngestCounter.SEQUENCE_UNPROVEN_FLOWS), counters.toString());
    assertEquals(0, counters.get(IngestCounter.SEQUENCE_RESETS), counters.toString());
  }

  @Test
  void badDatagramsAreCountedByReasonAndKept(@TempDir Path folder) throws IOException {
    decode(new byte[] {0});
    decode(new byte[] {0, 7, 0, 0});
    decode(new byte[] {0, 5, 0, 1});
    decode(new ExportBytes().u16(5).u16(31).bytes(new byte[20 + 31 * 48]).toBytes());
    decode(new ExportBytes().u16(5).u16(2).bytes(new byte[20 + 48]).toBytes());
    decode(new ExportBytes().u16(10).u16(15).bytes(new byte[20]).toBytes());
    decode(ExportBytes.v9(1, 1, SECONDS, 1, 1, new byte[] {1, 0, 0, 3}));
    assertEquals(3, counters.get(IngestCounter.DATAGRAMS_DROPPED_TRUNCATED));
    assertEquals(1, counters.get(IngestCounter.DATAGRAMS_DROPPED_UNKNOWN_VERSION));
    assertEquals(1, counters.get(IngestCounter.DATAGRAMS_DROPPED_BAD_COUNT));
    assertEquals(1, counters.get(IngestCounter.DATAGRAMS_DROPPED_BAD_LENGTH));
    assertEquals(1, counters.get(IngestCounter.SETS_DROPPED_BAD_LENGTH));
    assertEquals(1, counters.get(IngestCounter.DATAGRAMS_DAMAGED));
    // The last two of the three truncated ones.
    assertEquals(6, samples.writeTo(folder));
    try (var files = Files.list(folder)) {
      List<String> names = files.map(f -> f.getFileName().toString()).sorted().toList();
      assertEquals(6, names.size());
      assertFalse(names.stream().anyMatch(n -> !n.contains("192.0.2.1-2055")), names.toString());
    }
  }

  private void v5(long sequence, long uptime) {
    decode(
        new ExportBytes()
            .u16(5)
            .u16(1)
            .u32(uptime)
            .u32(SECONDS)
            .u32(0)
            .u32(sequence)
            .u32(0)
            .bytes(new byte[48])
            .toBytes());
  }

  private void v9(long uptime, byte[] definitions, byte[] data) {
    decode(ExportBytes.v9(1, uptime, SECONDS, v9Sequence++, 9, concat(definitions, data)));
  }

  private void ipfix(byte[] definitions, byte[] data) {
    byte[] sets =
        concat(
            definitions.length > 3 && definitions[1] == 0 ? asIpfix(definitions) : definitions,
            data);
    decode(ExportBytes.ipfix(SECONDS, 0, 9, sets));
  }

  /** Converts a v9 set of templates to IPFIX. */
  private static byte[] asIpfix(byte[] set) {
    byte[] ipfix = set.clone();
    ipfix[1] = 2;
    return ipfix;
  }

  private void decode(byte[] datagram) {
    decoder.decode(datagram, 0, datagram.length, EXPORTER, port, arrival, recorder);
  }

  /** A set with template 256. */
  private static byte[] template(int... elementsAndLengths) {
    return new ExportBytes().set(0, ExportBytes.template(256, elementsAndLengths)).toBytes();
  }

  private static byte[] options(int id, int scopes, int... elementsAndLengths) {
    ExportBytes body = new ExportBytes().u16(id).u16(elementsAndLengths.length / 2).u16(scopes);
    for (int value : elementsAndLengths) {
      body.u16(value);
    }
    return new ExportBytes().set(3, body.toBytes()).toBytes();
  }

  private static byte[] v9Options(int id, int scopes, int... elementsAndLengths) {
    int options = elementsAndLengths.length / 2 - scopes;
    ExportBytes body = new ExportBytes().u16(id).u16(4L * scopes).u16(4L * options);
    for (int value : elementsAndLengths) {
      body.u16(value);
    }
    return new ExportBytes().set(1, body.toBytes()).toBytes();
  }

  /** A set of data for template 256: pairs of a value and its length. */
  private static byte[] set(long... valuesAndLengths) {
    ExportBytes body = new ExportBytes();
    for (int i = 0; i < valuesAndLengths.length; i += 2) {
      body.number(valuesAndLengths[i], (int) valuesAndLengths[i + 1]);
    }
    return new ExportBytes().set(256, body.toBytes()).toBytes();
  }

  private static byte[] concat(byte[]... parts) {
    ExportBytes all = new ExportBytes();
    for (byte[] part : parts) {
      all.bytes(part);
    }
    return all.toBytes();
  }

  /** The last row. */
  private Map<FlowColumn, Object> row() {
    return recorder.rows().get(recorder.rows().size() - 1);
  }

  private void assertRow(FlowColumn a, Object valueA, FlowColumn b, Object valueB) {
    assertEquals(valueA, row().get(a), a + " of " + row());
    assertEquals(valueB, row().get(b), b + " of " + row());
  }

  private List<Object> column(FlowColumn column) {
    return recorder.rows().stream().map(row -> row.get(column)).toList();
  }
}
