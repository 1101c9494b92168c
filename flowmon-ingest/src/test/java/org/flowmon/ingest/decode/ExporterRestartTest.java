package org.flowmon.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.TemplateScope;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.junit.jupiter.api.Test;

/** What was learned of an exporter is forgotten when it begins anew, and only then. */
class ExporterRestartTest {
  private static final IpAddress EXPORTER = IpAddress.parse("192.0.2.1");
  private static final long SECOND = 1_000_000;
  private static final long LIFETIME = DecoderLimits.defaults().templateLifetimeMicros();

  /** Flows of template 256: bytes and input interface. */
  private static final byte[] FLOWS = ExportBytes.template(256, 1, 4, 10, 4);

  private final IngestCounters counters = new IngestCounters();
  private final FlowRecorder recorder = new FlowRecorder(10);
  private ExportDecoder decoder = decoder(TemplateScope.SESSION);
  private long seconds = 1_750_000_000L;
  private int port = 2055;
  private long sequence = 1000;
  private long uptime = 900_000;

  private ExportDecoder decoder(TemplateScope scope) {
    return new ExportDecoder(
        counters,
        new BadDatagramSamples(1),
        ProtectedNetworks.NONE,
        DecoderLimits.defaults(),
        TunnelHeaders.INNER,
        scope);
  }

  @Test
  void anUptimeThatFellForgetsRatesAndTemplatesOfNetflow9() {
    v9(new ExportBytes().set(0, FLOWS).bytes(v9Rate(1000)).bytes(flow(7)));
    assertEquals(1000L, rate());
    begin(5_000, 0);
    v9(new ExportBytes().bytes(flow(8)));
    assertEquals(1, recorder.rows().size(), "its template may be another now");
    v9(new ExportBytes().set(0, FLOWS).bytes(flow(9)));
    assertEquals(List.of(7L, 9L, 8L), bytes());
    assertNull(rate());
    assertNull(recorder.rows().get(1).get(FlowColumn.SAMPLING_RATE));
    v9(new ExportBytes().bytes(v9Rate(50)).bytes(flow(10)));
    assertEquals(50L, rate());
    assertEquals(1, counters.get(IngestCounter.EXPORTERS_RESTARTED));
    assertEquals(1, counters.get(IngestCounter.SEQUENCE_RESETS));
  }

  @Test
  void aSetThatWaitsIsNotReadByATemplateOfTheNextLife() {
    v9(new ExportBytes().bytes(flow(7)));
    begin(5_000, 0);
    v9(new ExportBytes().set(0, ExportBytes.template(256, 10, 4, 1, 4)));
    assertEquals(0, recorder.rows().size());
    assertEquals(1, counters.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE));
    assertEquals(0, counters.get(IngestCounter.SETS_DECODED_LATE));
  }

  @Test
  void aDatagramOutOfOrderIsNoRestart() {
    v9(new ExportBytes().set(0, FLOWS).bytes(v9Rate(1000)).bytes(flow(7)));
    sequence += 2;
    uptime += 100;
    v9(new ExportBytes().bytes(flow(8)));
    sequence -= 2;
    uptime -= 8_000;
    v9(new ExportBytes().bytes(flow(9)));
    assertEquals(1000L, rate());
    assertEquals(0, counters.get(IngestCounter.EXPORTERS_RESTARTED));
    assertEquals(1, counters.get(IngestCounter.SEQUENCE_LATE_DATAGRAMS));
  }

  @Test
  void anUptimeThatWrapsIsNoRestartEvenIfDatagramsWereLost() {
    uptime = (1L << 32) - 40_000;
    v9(new ExportBytes().set(0, FLOWS).bytes(v9Rate(1000)).bytes(flow(7)));
    pass(60);
    sequence += 5;
    v9(new ExportBytes().bytes(flow(8)));
    assertEquals(20_100L, recorder.rows().get(1).get(FlowColumn.SYS_UPTIME));
    assertEquals(1000L, rate());
    pass(30 * 24 * 3600); // more than half of a wrap
    sequence += 5;
    v9(new ExportBytes().set(0, FLOWS).bytes(v9Rate(1000)).bytes(flow(9)));
    assertEquals(0, counters.get(IngestCounter.EXPORTERS_RESTARTED));
  }

  @Test
  void anUptimeShorterThanTheSilenceIsARestart() {
    uptime = 100_000;
    v9(new ExportBytes().set(0, FLOWS).bytes(v9Rate(1000)).bytes(flow(7)));
    pass(3600);
    begin(200_000, 0); // later than before, but it began in between
    v9(new ExportBytes().set(0, FLOWS).bytes(flow(8)));
    assertNull(rate());
    assertEquals(1, counters.get(IngestCounter.EXPORTERS_RESTARTED));
  }

  /** As behind a relay: else neither would be decoded before its next template, again and again. */
  @Test
  void twoExportersInOneSessionLoseTheirTemplatesOnlyOnce() {
    long[] uptimes = {900_000, 500_000_000};
    long[] sequences = {1000, 5_000_000};
    for (int i = 0; i < 40; i++) {
      begin(uptimes[i % 2], sequences[i % 2]);
      v9(i < 4 ? new ExportBytes().set(0, FLOWS).bytes(flow(i)) : new ExportBytes().bytes(flow(i)));
      uptimes[i % 2] = uptime;
      sequences[i % 2] = sequence;
    }
    assertEquals(40, recorder.rows().size(), counters.toString());
    assertEquals(1, counters.get(IngestCounter.EXPORTERS_RESTARTED));
  }

  @Test
  void aSecondRestartIsSeenAfterSomeDatagramsInOrder() {
    for (int life = 0; life < 4; life++) {
      begin(5_000, 0);
      v9(new ExportBytes().set(0, FLOWS).bytes(v9Rate(1000)).bytes(flow(7)));
      for (int i = 0; i < 8; i++) {
        pass(60);
        v9(new ExportBytes().bytes(flow(8)));
      }
      assertEquals(life, counters.get(IngestCounter.EXPORTERS_RESTARTED));
    }
  }

  @Test
  void aRestartIsSeenAlsoIfTheExporterSendsFromAnotherPort() {
    v9(new ExportBytes().set(0, FLOWS).bytes(v9Rate(1000)).bytes(flow(7)));
    port++;
    v9(new ExportBytes().bytes(flow(8)));
    assertEquals(1000L, rate(), "of any port");
    port++;
    begin(5_000, 0);
    v9(new ExportBytes().bytes(flow(9)));
    assertEquals(List.of(7L, 8L), bytes());
    v9(new ExportBytes().set(0, FLOWS).bytes(flow(10)));
    assertNull(rate());
    assertEquals(1, counters.get(IngestCounter.EXPORTERS_RESTARTED));
  }

  @Test
  void aSequenceThatFellForgetsRatesAndTimesOfIpfixButNotItsTemplatesAndNames() {
    sequence = 1_000_000;
    byte[] times = ExportBytes.template(257, 22, 4, 21, 4, 10, 4);
    byte[] uptimes = new ExportBytes().u32(5_000).u32(6_000).u32(3).toBytes();
    byte[] name =
        new ExportBytes().u32(3).bytes("ge-0/0/3".getBytes(StandardCharsets.US_ASCII)).toBytes();
    ipfix(
        4,
        new ExportBytes()
            .set(2, FLOWS)
            .set(2, times)
            .bytes(ipfixRate(1000))
            .bytes(systemInit(seconds - 100))
            .set(3, options(302, 10, 4, 82, 8))
            .set(302, name)
            .set(257, uptimes));
    assertEquals((seconds - 94) * SECOND, last().get(FlowColumn.END_TIME));
    assertEquals(1000L, rate());
    sequence = 0;
    ipfix(2, new ExportBytes().bytes(flow(8)).set(257, uptimes));
    assertEquals(3, recorder.rows().size());
    assertNull(rate());
    assertNull(last().get(FlowColumn.START_TIME), "nobody knows when it began");
    assertEquals("ge-0/0/3", last().get(FlowColumn.IN_IF_NAME));
    assertEquals(1, counters.get(IngestCounter.EXPORTERS_RESTARTED));
  }

  @Test
  void ofAShortLifeThreeMessagesThatFollowEachOtherAreARestart() {
    ipfix(2, new ExportBytes().set(2, FLOWS).bytes(ipfixRate(1000)).bytes(flow(7)));
    pass(1);
    sequence = 0;
    for (int i = 0; i < 3; i++) {
      ipfix(1, new ExportBytes().bytes(flow(i)));
    }
    assertEquals(
        Arrays.asList(1000L, 1000L, 1000L, null),
        recorder.rows().stream().map(row -> row.get(FlowColumn.SAMPLING_RATE)).toList());
  }

  @Test
  void whatTheNewLifeToldBeforeItWasRecognizedStays() {
    for (int i = 0; i < 9; i++) {
      v9(new ExportBytes().set(0, FLOWS).bytes(v9Rate(1000)).bytes(flow(i)));
    }
    pass(60);
    long before = uptime - 61_000; // by less than the tolerance: sequence numbers tell alone
    begin(before, 0);
    v9(new ExportBytes().set(0, FLOWS).bytes(v9Rate(50)));
    for (int i = 0; i < 20; i++) {
      uptime = before; // datagrams of one burst
      v9(new ExportBytes().bytes(flow(i)));
      assertEquals(10 + i, recorder.rows().size());
      assertEquals(50L, rate(), "datagram " + i);
    }
    assertEquals(1, counters.get(IngestCounter.EXPORTERS_RESTARTED));
  }

  @Test
  void aJumpAheadAndNumbersOfTwoSessionsInOneAreNoRestart() {
    ipfix(2, new ExportBytes().set(2, FLOWS).bytes(ipfixRate(1000)).bytes(flow(7)));
    sequence += 1 << 26; // a long outage
    ipfix(1, new ExportBytes().bytes(flow(8)));
    assertEquals(1000L, rate());
    long[] sessions = {sequence, sequence + 10_000_000};
    for (int i = 0; i < 40; i++) {
      sequence = sessions[i % 2];
      ipfix(2, new ExportBytes().bytes(ipfixRate(1000)).bytes(flow(i)));
      sessions[i % 2] = sequence;
    }
    sequence = sessions[0];
    ipfix(1, new ExportBytes().bytes(flow(8)));
    assertEquals(1000L, rate());
    assertEquals(0, counters.get(IngestCounter.EXPORTERS_RESTARTED), counters.toString());
  }

  @Test
  void aLaterSystemInitTimeForgetsTheRates() {
    for (TemplateScope scope : TemplateScope.values()) {
      decoder = decoder(scope);
      counters.add(
          IngestCounter.EXPORTERS_RESTARTED, -counters.get(IngestCounter.EXPORTERS_RESTARTED));
      ipfix(
          3,
          new ExportBytes()
              .set(2, FLOWS)
              .bytes(ipfixRate(1000))
              .bytes(systemInit(seconds - 100))
              .bytes(flow(7)));
      pass(60);
      ipfix(2, new ExportBytes().bytes(systemInit(seconds - 155)).bytes(flow(8)));
      assertEquals(1000L, rate(), "its clock was set");
      pass(60);
      ipfix(2, new ExportBytes().bytes(systemInit(seconds - 10)).bytes(flow(9)));
      assertNull(rate());
      ipfix(3, new ExportBytes().bytes(ipfixRate(20)).bytes(systemInit(seconds)).bytes(flow(9)));
      assertNull(last().get(FlowColumn.TIME_FLAGS));
      pass(60);
      ipfix(3, new ExportBytes().bytes(ipfixRate(30)).bytes(systemInit(seconds)).bytes(flow(9)));
      assertEquals(30L, rate(), "of this very datagram");
      assertEquals(2, counters.get(IngestCounter.EXPORTERS_RESTARTED), scope.label());
    }
  }

  @Test
  void ratesLiveAsLongAsTemplates() {
    ipfix(1, new ExportBytes().bytes(ipfixRate(1000)).bytes(systemInit(seconds)));
    byte[] samplers = new ExportBytes().u8(1).u32(10).u8(2).u32(20).toBytes();
    ipfix(2, new ExportBytes().set(3, options(303, 48, 1, 50, 4)).set(303, samplers));
    pass(3600);
    ipfix(1, new ExportBytes().bytes(ipfixRate(2000)));
    pass(LIFETIME / SECOND - 1800);
    byte[] flows = ExportBytes.template(258, 48, 1);
    ipfix(1, new ExportBytes().set(2, flows).set(258, new byte[] {1}));
    assertEquals(2000L, rate(), "the sampler's is too old, that of all is not");
    assertEquals(2, counters.get(IngestCounter.SAMPLING_EXPIRED));
    pass(1801);
    ipfix(1, new ExportBytes().set(2, flows).set(258, new byte[] {1}));
    assertNull(rate());
    assertEquals(3, counters.get(IngestCounter.SAMPLING_EXPIRED));
    assertEquals(0, decoder.statuses(9).exporters().get(0).samplingRates());
  }

  @Test
  void aRateOfZeroTakesTheFormerOneAwayAndOneReplacesIt() {
    byte[] flows = ExportBytes.template(258, 48, 1, 10, 4);
    byte[] sampler = options(303, 48, 1, 50, 4);
    byte[] anInterface = options(304, 10, 4, 34, 4);
    ipfix(0, new ExportBytes().set(2, flows).set(3, sampler).set(3, anInterface));
    byte[] flow = new ExportBytes().u8(5).u32(6).toBytes();
    long[][] told = {{303, 100}, {303, 1}, {303, 0}, {304, 70}, {304, 1}, {304, 0}};
    Long[] expected = {100L, 1L, null, 70L, 1L, null};
    for (int i = 0; i < told.length; i++) {
      ExportBytes record = told[i][0] == 303 ? new ExportBytes().u8(5) : new ExportBytes().u32(6);
      byte[] rate = record.u32(told[i][1]).toBytes();
      ipfix(2, new ExportBytes().set((int) told[i][0], rate).set(258, flow));
      assertEquals(expected[i], rate(), "step " + i);
    }
    ipfix(2, new ExportBytes().bytes(ipfixRate(9)).set(258, flow));
    assertEquals(9L, rate());
    ipfix(2, new ExportBytes().bytes(ipfixRate(0)).set(258, flow));
    assertNull(rate());
  }

  /** The exporter begins anew. */
  private void begin(long newUptime, long newSequence) {
    uptime = newUptime;
    sequence = newSequence;
  }

  private void pass(long moreSeconds) {
    seconds += moreSeconds;
    uptime = (uptime + moreSeconds * 1000) & 0xFFFF_FFFFL;
  }

  private static byte[] flow(int bytes) {
    return new ExportBytes().set(256, new ExportBytes().u32(bytes).u32(3).toBytes()).toBytes();
  }

  /** The rate of all flows, by options data. */
  private static byte[] v9Rate(int rate) {
    byte[] template =
        new ExportBytes().u16(300).u16(4).u16(4).u16(1).u16(4).u16(34).u16(4).toBytes();
    byte[] record = new ExportBytes().u32(0).u32(rate).toBytes();
    return new ExportBytes().set(1, template).set(300, record).toBytes();
  }

  private static byte[] ipfixRate(int rate) {
    byte[] record = new ExportBytes().u32(0).u32(rate).toBytes();
    return new ExportBytes().set(3, options(300, 149, 4, 34, 4)).set(300, record).toBytes();
  }

  private static byte[] systemInit(long seconds) {
    byte[] record = new ExportBytes().u32(0).u64(seconds * 1000).toBytes();
    return new ExportBytes().set(3, options(301, 149, 4, 160, 8)).set(301, record).toBytes();
  }

  /** An options template of IPFIX with one scope. */
  private static byte[] options(int id, int... elementsAndLengths) {
    ExportBytes body = new ExportBytes().u16(id).u16(elementsAndLengths.length / 2).u16(1);
    for (int value : elementsAndLengths) {
      body.u16(value);
    }
    return body.toBytes();
  }

  private void v9(ExportBytes sets) {
    decode(ExportBytes.v9(1, uptime, seconds, sequence, 9, sets.toBytes()));
    sequence++;
    uptime += 100;
  }

  /** {@code records} are those in the message, as IPFIX counts them. */
  private void ipfix(int records, ExportBytes sets) {
    decode(ExportBytes.ipfix(seconds, sequence, 9, sets.toBytes()));
    sequence += records;
  }

  private void decode(byte[] datagram) {
    decoder.decode(datagram, 0, datagram.length, EXPORTER, port, seconds * SECOND, recorder);
  }

  private Map<FlowColumn, Object> last() {
    return recorder.rows().get(recorder.rows().size() - 1);
  }

  private Object rate() {
    return last().get(FlowColumn.SAMPLING_RATE);
  }

  private List<Object> bytes() {
    return recorder.rows().stream().map(row -> row.get(FlowColumn.BYTES)).toList();
  }
}
