package org.flowmon.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faults that other collectors had: endless loops, reads beyond the datagram, templates of others,
 * caches without an end, impossible years. Each datagram is decoded or counted, and after it good
 * ones are decoded.
 */
class KnownFaultsTest {
  private static final IpAddress EXPORTER = IpAddress.parse("192.0.2.1");
  private static final long SECONDS = 1_750_000_000L;
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final IngestCounters counters = new IngestCounters();
  private final FlowRecorder recorder = new FlowRecorder(10);
  private final ExportDecoder decoder =
      new ExportDecoder(
          counters, new BadDatagramSamples(2), ProtectedNetworks.NONE, DecoderLimits.defaults());
  private long sequence;

  /** The decoder goes on: another exporter's template and flow are read. */
  @AfterEach
  void goodDatagramsAreStillDecoded() {
    int before = recorder.rows().size();
    IpAddress other = IpAddress.parse("192.0.2.99");
    decode(ipfix(1, template(256, 1, 4), data(256, 7, 4)), other);
    assertEquals(before + 1, recorder.rows().size(), counters.toString());
    assertEquals(7L, last().get(FlowColumn.BYTES));
  }

  @Test
  void aTemplateWithoutFieldsIsRefused() {
    decode(v9(9, template(256), data(256, 1, 4)), EXPORTER);
    assertEquals(1, counters.get(IngestCounter.TEMPLATES_DROPPED_BAD));
    assertNoRows();
  }

  @Test
  void recordsOfNoLengthAreNotReadForEver() {
    decode(v9(9, template(256, 1, 0, 2, 0), data(256, 1, 4)), EXPORTER);
    decode(ipfix(9, template(256, 1, 0, 2, 0), data(256, 1, 4)), EXPORTER);
    assertEquals(2, counters.get(IngestCounter.TEMPLATES_DROPPED_BAD));
    assertNoRows();
  }

  @Test
  void fieldsOfNoLengthBesideOthersAreAbsent() {
    decode(ipfix(9, template(256, 2, 0, 1, 4), data(256, 5, 4)), EXPORTER);
    assertEquals(5L, last().get(FlowColumn.BYTES));
    assertEquals(null, last().get(FlowColumn.PACKETS));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 9, 0xFFFF})
  void aSetOfAnImpossibleLengthEndsItsDatagram(int length) {
    byte[] set = new ExportBytes().u16(256).u16(length).u32(1).toBytes();
    decode(v9(9, template(256, 1, 4), set), EXPORTER);
    decode(ipfix(9, template(256, 1, 4), set), EXPORTER);
    assertEquals(2, counters.get(IngestCounter.SETS_DROPPED_BAD_LENGTH));
    assertEquals(2, counters.get(IngestCounter.DATAGRAMS_DAMAGED));
    assertNoRows();
  }

  @Test
  void moreFieldsThanTheSetHasAreNotRead() {
    byte[] claims = new ExportBytes().set(2, header(256, 0xFFFF)).toBytes();
    decode(ipfix(9, claims, data(256, 1, 4)), EXPORTER);
    byte[] two = new ExportBytes().u16(256).u16(3).u16(1).u16(4).u16(2).u16(4).toBytes();
    decode(ipfix(9, new ExportBytes().set(2, two).toBytes(), data(256, 1, 4)), EXPORTER);
    // The enterprise number of the last field is missing.
    byte[] cut = new ExportBytes().u16(256).u16(1).u16(0x8001).u16(4).toBytes();
    decode(ipfix(9, new ExportBytes().set(2, cut).toBytes(), data(256, 1, 4)), EXPORTER);
    assertEquals(3, counters.get(IngestCounter.TEMPLATES_DROPPED_BAD));
    assertNoRows();
  }

  @Test
  void lengthsThatOverflowGiveNoRecord() {
    int[] fields = new int[2 * 1024];
    for (int i = 0; i < 1024; i++) {
      fields[2 * i] = 1;
      fields[2 * i + 1] = 0xFFFE;
    }
    decode(ipfix(9, template(256, fields), data(256, 1, 4)), EXPORTER);
    decode(v9(9, template(256, fields), data(256, 1, 4)), EXPORTER);
    assertNoRows();
  }

  @Test
  void aVariableLengthBeyondItsSetIsARecordThatIsCut() {
    byte[] name = new ExportBytes().u8(255).u16(0xFFFF).u32(1).toBytes();
    byte[] sets = new ExportBytes().set(256, name).toBytes();
    decode(ipfix(9, template(256, 371, 0xFFFF), sets), EXPORTER);
    assertEquals(1, counters.get(IngestCounter.RECORDS_DROPPED_TRUNCATED));
    assertNoRows();
  }

  @Test
  void optionsWithoutLengthOrWithOddLengthsAreRefused() {
    // Scopes and options of v9 in bytes: none; no multiple of a field; more than there are.
    for (int[] lengths : new int[][] {{0, 0}, {3, 4}, {4, 5}, {0xFFFC, 0xFFFC}, {4, 0xFFFC}}) {
      byte[] body =
          new ExportBytes().u16(256).u16(lengths[0]).u16(lengths[1]).u32(4).u32(4).toBytes();
      decode(v9(9, new ExportBytes().set(1, body).toBytes(), data(256, 1, 4)), EXPORTER);
    }
    assertEquals(5, counters.get(IngestCounter.TEMPLATES_DROPPED_BAD));
    assertEquals(0, counters.get(IngestCounter.OPTIONS_RECORDS));
  }

  @Test
  void optionsOfNoLengthAreNotReadForEver() {
    byte[] v9 = new ExportBytes().u16(256).u16(4).u16(4).u16(1).u16(0).u16(34).u16(0).toBytes();
    decode(v9(9, new ExportBytes().set(1, v9).toBytes(), data(256, 1, 4)), EXPORTER);
    byte[] ipfix = new ExportBytes().u16(256).u16(1).u16(1).u16(34).u16(0).toBytes();
    decode(ipfix(9, new ExportBytes().set(3, ipfix).toBytes(), data(256, 1, 4)), EXPORTER);
    assertEquals(2, counters.get(IngestCounter.TEMPLATES_DROPPED_BAD));
    assertEquals(0, counters.get(IngestCounter.OPTIONS_RECORDS));
  }

  @Test
  void setsOfReservedIdsAreCounted() {
    for (int id : new int[] {4, 5, 100, 255}) {
      decode(ipfix(9, data(id, 1, 4)), EXPORTER);
    }
    assertEquals(4, counters.get(IngestCounter.SETS_DROPPED_RESERVED_ID));
    decode(ipfix(9, template(255, 1, 4)), EXPORTER); // and they are no templates' ids
    assertEquals(1, counters.get(IngestCounter.TEMPLATES_DROPPED_BAD));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 0xFFFF})
  void theCountOfAHeaderIsNotBelieved(int count) {
    byte[] sets =
        new ExportBytes().bytes(template(256, 1, 4)).bytes(data(256, 1, 4, 2, 4)).toBytes();
    byte[] v9 = asV9(sets);
    decode(ExportBytes.v9(count, 1, SECONDS, 0, 9, v9), EXPORTER);
    assertEquals(2, recorder.rows().size());
  }

  @Test
  void aTemplateIsThatOfItsSourceId() {
    decode(v9(1, template(256, 1, 4), data(256, 11, 4)), EXPORTER);
    decode(v9(2, template(256, 2, 4), data(256, 22, 4)), EXPORTER);
    decode(v9(1, data(256, 33, 4)), EXPORTER);
    decode(ipfix(1, template(256, 2, 4), data(256, 44, 4)), EXPORTER);
    decode(ipfix(2, template(256, 1, 4), data(256, 55, 4)), EXPORTER);
    decode(ipfix(1, data(256, 66, 4)), EXPORTER);
    assertEquals(List.of(11L, 33L, 55L), column(FlowColumn.BYTES, 0, 2, 4));
    assertEquals(List.of(22L, 44L, 66L), column(FlowColumn.PACKETS, 1, 3, 5));
  }

  @Test
  void aTemplateIsThatOfItsExporter() {
    decode(v9(1, template(256, 1, 4), data(256, 11, 4)), EXPORTER);
    decode(v9(1, data(256, 22, 4)), IpAddress.parse("192.0.2.2"));
    decoder.endInput();
    assertEquals(1, recorder.rows().size());
    assertEquals(1, counters.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE));
  }

  @Test
  void templatesWithoutEndDoNotFillTheMemory() {
    int[] fields = new int[2 * 200];
    for (int i = 0; i < 200; i++) {
      fields[2 * i] = 1 + i;
      fields[2 * i + 1] = 4;
    }
    for (int domain = 0; domain < 400; domain++) {
      for (int id = 256; id < 356; id++) {
        fields[0] = 1 + (domain + id) % 400;
        decodeWithoutLimit(ipfix(domain, template(id, fields)), EXPORTER); // a limit is a thread
      }
    }
    long bytes = decoder.exporters().bytes();
    assertTrue(bytes <= DecoderLimits.defaults().exporterBytes(), bytes + " bytes");
    assertTrue(counters.get(IngestCounter.DOMAINS_EVICTED) > 0, counters.toString());
  }

  /** Milliseconds that are read as seconds, or a difference below zero, end in years like these. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 4_999_999_999_999L, 253_402_300_799_999L, -1L, Long.MIN_VALUE})
  void aTimeIn1970In2128OrLaterIsUnknown(long millis) {
    decode(ipfix(9, template(256, 152, 8, 153, 8), data(256, millis, 8, millis, 8)), EXPORTER);
    assertEquals(1, recorder.rows().size());
    Object start = last().get(FlowColumn.START_TIME);
    assertTrue(start == null || isNearExport((Long) start), "" + start);
    Object end = last().get(FlowColumn.END_TIME);
    assertTrue(end == null || isNearExport((Long) end), "" + end);
    long told =
        counters.get(IngestCounter.VALUES_DROPPED_IMPLAUSIBLE)
            + counters.get(IngestCounter.TIMES_CORRECTED);
    assertTrue(told > 0 || millis == 0, counters.toString()); // 0 says that there is none
  }

  private static boolean isNearExport(long micros) {
    return Math.abs(micros - SECONDS * 1_000_000) < Duration.ofDays(1).toMillis() * 1_000;
  }

  private void assertNoRows() {
    decoder.endInput();
    assertEquals(List.of(), recorder.rows(), counters.toString());
  }

  private void decode(byte[] datagram, IpAddress exporter) {
    assertTimeoutPreemptively(LIMIT, () -> decodeWithoutLimit(datagram, exporter));
  }

  private void decodeWithoutLimit(byte[] datagram, IpAddress exporter) {
    decoder.decode(datagram, 0, datagram.length, exporter, 2055, SECONDS * 1_000_000, recorder);
  }

  private byte[] v9(long source, byte[]... sets) {
    return ExportBytes.v9(1, 1, SECONDS, sequence++, source, asV9(concat(sets)));
  }

  private static byte[] ipfix(long domain, byte[]... sets) {
    return ExportBytes.ipfix(SECONDS, 0, domain, concat(sets));
  }

  private static byte[] concat(byte[]... parts) {
    ExportBytes all = new ExportBytes();
    for (byte[] part : parts) {
      all.bytes(part);
    }
    return all.toBytes();
  }

  /** Its first set, of IPFIX's templates, becomes one of v9's. */
  private static byte[] asV9(byte[] sets) {
    byte[] v9 = sets.clone();
    if (v9.length > 1 && v9[0] == 0 && v9[1] == 2) {
      v9[1] = 0;
    }
    return v9;
  }

  private static byte[] header(int id, int fields) {
    return new ExportBytes().u16(id).u16(fields).toBytes();
  }

  private static byte[] template(int id, int... elementsAndLengths) {
    return new ExportBytes().set(2, ExportBytes.template(id, elementsAndLengths)).toBytes();
  }

  /** A set of pairs of a value and its length. */
  private static byte[] data(int id, long... valuesAndLengths) {
    ExportBytes body = new ExportBytes();
    for (int i = 0; i < valuesAndLengths.length; i += 2) {
      body.number(valuesAndLengths[i], (int) valuesAndLengths[i + 1]);
    }
    return new ExportBytes().set(id, body.toBytes()).toBytes();
  }

  private Map<FlowColumn, Object> last() {
    return recorder.rows().get(recorder.rows().size() - 1);
  }

  private List<Object> column(FlowColumn column, int... rows) {
    return Arrays.stream(rows).mapToObj(row -> recorder.rows().get(row).get(column)).toList();
  }
}
