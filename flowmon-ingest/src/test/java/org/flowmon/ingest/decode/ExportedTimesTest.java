package org.flowmon.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Map;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.junit.jupiter.api.Test;

/** Times that an exporter's unit, epoch or clock makes wrong. */
class ExportedTimesTest {
  private static final IpAddress EXPORTER = IpAddress.parse("192.0.2.1");
  private static final long SECONDS = 1_750_000_000L;
  private static final long EXPORT = SECONDS * 1_000_000;
  private static final long DAY = 86_400_000_000L;
  private static final long START_CORRECTED = 1;
  private static final long END_CORRECTED = 2;
  private static final long START_DROPPED = 4;
  private static final long END_DROPPED = 8;
  private static final long CLOCK_IS_OFF = 16;

  private final IngestCounters counters = new IngestCounters();
  private final FlowRecorder recorder = new FlowRecorder(100);
  private final ExportDecoder decoder =
      new ExportDecoder(
          counters, new BadDatagramSamples(1), ProtectedNetworks.NONE, DecoderLimits.defaults());
  private int setId = 256;
  private long arrival = EXPORT + 50_000;

  @Test
  void timesThatArePlausibleAreTakenAsTheyAre() {
    Map<FlowColumn, Object> row = ipfix(152, (SECONDS - 9) * 1000, 153, SECONDS * 1000);
    assertEquals(EXPORT - 9_000_000, row.get(FlowColumn.START_TIME));
    assertEquals(EXPORT, row.get(FlowColumn.END_TIME));
    assertNull(row.get(FlowColumn.TIME_FLAGS));
    assertEquals(0, counters.get(IngestCounter.TIMES_CORRECTED));
  }

  @Test
  void aReplayOfOldFlowsKeepsTheirTimes() {
    Map<FlowColumn, Object> row = ipfix(152, 1_300_000_000_000L, 153, 1_300_000_001_000L);
    assertEquals(1_300_000_000_000_000L, row.get(FlowColumn.START_TIME));
    assertNull(row.get(FlowColumn.TIME_FLAGS));
  }

  @Test
  void aTimeInTheYear284516IsUnknownAndCounted() {
    Map<FlowColumn, Object> row = ipfix(152, (SECONDS - 9) * 1000, 153, 8_916_318_000_000_000L);
    assertEquals(EXPORT - 9_000_000, row.get(FlowColumn.START_TIME));
    assertEquals(EXPORT, row.get(FlowColumn.END_TIME), "the export stands for it");
    assertEquals(END_DROPPED, row.get(FlowColumn.TIME_FLAGS));
    row = ipfix(152, 8_916_318_000_000_000L, 153, SECONDS * 1000);
    assertNull(row.get(FlowColumn.START_TIME));
    assertEquals(START_DROPPED, row.get(FlowColumn.TIME_FLAGS));
    assertEquals(2, counters.get(IngestCounter.VALUES_DROPPED_IMPLAUSIBLE));
  }

  @Test
  void aTimeInTheYear1970IsUnknown() {
    Map<FlowColumn, Object> row = ipfix(152, 77_000, 153, SECONDS * 1000);
    assertNull(row.get(FlowColumn.START_TIME));
    assertEquals(START_DROPPED, row.get(FlowColumn.TIME_FLAGS));
  }

  @Test
  void anotherUnitThatPutsTheTimeNearTheExportIsMeant() {
    long both = START_CORRECTED | END_CORRECTED;
    for (long scale : new long[] {1, 1_000_000, 1_000_000_000}) {
      Map<FlowColumn, Object> row = ipfix(152, (SECONDS - 9) * scale, 153, SECONDS * scale);
      assertEquals(EXPORT - 9_000_000, row.get(FlowColumn.START_TIME), scale + "");
      assertEquals(EXPORT, row.get(FlowColumn.END_TIME), scale + "");
      assertEquals(both, row.get(FlowColumn.TIME_FLAGS), scale + "");
    }
    assertEquals(3, counters.get(IngestCounter.TIMES_CORRECTED), "rows");
    assertEquals(0, counters.get(IngestCounter.VALUES_DROPPED_IMPLAUSIBLE));
  }

  @Test
  void microsecondsAreReadWhetherTheyAreNtpOrNot() {
    long half = 1L << 31;
    long ntp = SECONDS + 2_208_988_800L;
    assertEquals(EXPORT - 1_500_000, start(154, (ntp - 2) << 32 | half, null));
    assertEquals(EXPORT - 1_500_000, start(154, (SECONDS - 2) << 32 | half, START_CORRECTED));
    assertEquals(EXPORT - 1_500_000, start(154, EXPORT - 1_500_000, START_CORRECTED));
    assertEquals(EXPORT - 1_500_000, start(156, (EXPORT - 1_500_000) * 1000, START_CORRECTED));
  }

  private long start(int element, long value, Long flags) {
    Map<FlowColumn, Object> row = ipfix(element, value, 153, SECONDS * 1000);
    assertEquals(flags, row.get(FlowColumn.TIME_FLAGS));
    return (Long) row.get(FlowColumn.START_TIME);
  }

  @Test
  void anExporterWithoutAClockHasTheTimesOfTheArrival() {
    Map<FlowColumn, Object> row = v9(100, 100_000, 40_000, 90_000);
    assertEquals(arrival - 60_000_000, row.get(FlowColumn.START_TIME));
    assertEquals(arrival - 10_000_000, row.get(FlowColumn.END_TIME));
    assertEquals(START_CORRECTED | END_CORRECTED | CLOCK_IS_OFF, row.get(FlowColumn.TIME_FLAGS));
    row = v9(0, 100_000, 40_000, 90_000);
    assertEquals(arrival - 10_000_000, row.get(FlowColumn.END_TIME));
  }

  @Test
  void anExporterWhoseClockIsYearsAheadHasTheTimesOfTheArrival() {
    Map<FlowColumn, Object> row = v9(4_000_000_000L, 100_000, 40_000, 90_000);
    assertEquals(arrival - 10_000_000, row.get(FlowColumn.END_TIME));
    assertEquals(4_000_000_000_000_000L, row.get(FlowColumn.EXPORT_TIME));
  }

  @Test
  void aClockThatIsHoursOffIsTakenButFlagged() {
    arrival = EXPORT + DAY / 4;
    Map<FlowColumn, Object> row = v9(SECONDS, 100_000, 40_000, 90_000);
    assertEquals(EXPORT - 10_000_000, row.get(FlowColumn.END_TIME));
    assertEquals(CLOCK_IS_OFF, row.get(FlowColumn.TIME_FLAGS));
  }

  @Test
  void anUptimeThatWrappedAfterTheFlowStillTellsWhenItWas() {
    Map<FlowColumn, Object> row = v9(SECONDS, 5_000, 0xFFFF_FFFFL - 4_999, 1_000);
    assertEquals(EXPORT - 10_000_000, row.get(FlowColumn.START_TIME));
    assertEquals(EXPORT - 4_000_000, row.get(FlowColumn.END_TIME));
    assertNull(row.get(FlowColumn.TIME_FLAGS));
  }

  @Test
  void theUptimesOriginMayStandInTheRecordItself() {
    byte[] template = ExportBytes.template(256, 160, 8, 22, 4, 21, 4);
    ExportBytes record = new ExportBytes().u64((SECONDS - 100) * 1000).u32(40_000).u32(60_000);
    Map<FlowColumn, Object> row = ipfix(template, record);
    assertEquals(EXPORT - 60_000_000, row.get(FlowColumn.START_TIME));
    assertEquals(EXPORT - 40_000_000, row.get(FlowColumn.END_TIME));
    // Booted 60 days ago: the uptime wrapped once.
    long boot = (SECONDS - 60 * 86_400) * 1000;
    long uptime = (SECONDS * 1000 - boot - 7_000) & 0xFFFF_FFFFL;
    record = new ExportBytes().u64(boot).u32(uptime - 1000).u32(uptime);
    row = ipfix(template, record);
    assertEquals(EXPORT - 8_000_000, row.get(FlowColumn.START_TIME));
    assertEquals(EXPORT - 7_000_000, row.get(FlowColumn.END_TIME));
  }

  @Test
  void aDurationOfYearsMakesNoStart() {
    ExportBytes record = new ExportBytes().u64(SECONDS * 1000).u64(1L << 62);
    Map<FlowColumn, Object> row = ipfix(ExportBytes.template(256, 153, 8, 162, 8), record);
    assertNull(row.get(FlowColumn.START_TIME));
    assertEquals(EXPORT, row.get(FlowColumn.END_TIME));
  }

  private Map<FlowColumn, Object> ipfix(int start, long from, int end, long to) {
    return ipfix(ExportBytes.template(256, start, 8, end, 8), new ExportBytes().u64(from).u64(to));
  }

  private Map<FlowColumn, Object> ipfix(byte[] template, ExportBytes record) {
    byte[] sets = new ExportBytes().set(2, template).set(256, record.toBytes()).toBytes();
    return decode(ExportBytes.ipfix(SECONDS, 0, 0, sets));
  }

  private Map<FlowColumn, Object> v9(long seconds, long uptime, long first, long last) {
    byte[] template = ExportBytes.template(setId, 22, 4, 21, 4);
    byte[] record = new ExportBytes().u32(first).u32(last).toBytes();
    byte[] sets = new ExportBytes().set(0, template).set(setId++, record).toBytes();
    return decode(ExportBytes.v9(2, uptime, seconds, 0, 0, sets));
  }

  private Map<FlowColumn, Object> decode(byte[] datagram) {
    int before = recorder.rows().size();
    decoder.decode(datagram, 0, datagram.length, EXPORTER, 2055, arrival, recorder);
    assertEquals(before + 1, recorder.rows().size(), counters.toString());
    return recorder.rows().get(before);
  }
}
