package org.flowmon.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Attacks of untrusted senders on a decoder with its default limits. */
class HostileExportersTest {
  private static final long SEED = 20261123;
  private static final long SECONDS = 1_750_000_000L;
  private static final long SECOND = 1_000_000;
  private static final DecoderLimits LIMITS = DecoderLimits.defaults();
  private static final long MIB = 1 << 20;

  private final IngestCounters counters = new IngestCounters();
  private final ExportDecoder decoder =
      new ExportDecoder(counters, new BadDatagramSamples(10), ProtectedNetworks.NONE, LIMITS);
  private final LastRow sink = new LastRow();
  private final Random random = new Random(SEED);
  private long arrival = SECONDS * SECOND;

  /** Keeps the sampling rate of the last row and drops the rows. */
  private static final class LastRow implements FlowSink {
    private final FlowBatchBuilder builder = new FlowBatchBuilder(1000);
    private long rate;

    @Override
    public FlowBatchBuilder builder() {
      return builder;
    }

    @Override
    public void rowsEnded(int rows) {
      int last = builder.rows() - 1;
      if (rows > 0) {
        boolean unknown = builder.isNull(FlowColumn.SAMPLING_RATE, last);
        rate = unknown ? 0 : builder.getLong(FlowColumn.SAMPLING_RATE, last);
      }
      if (builder.isFull()) {
        builder.clear();
      }
    }
  }

  /** A good exporter, which sends its templates and sampling once. */
  private final class Known {
    private final IpAddress address;
    private final boolean ipfix;
    private final int rate;
    private long sequence;
    private long sent;

    Known(String address, boolean ipfix, int rate) {
      this.address = IpAddress.parse(address);
      this.ipfix = ipfix;
      this.rate = rate;
    }

    void start() {
      ExportBytes sets = new ExportBytes();
      byte[] options =
          ipfix
              ? new ExportBytes().u16(300).u16(2).u16(1).u16(302).u16(4).u16(34).u16(4).toBytes()
              : new ExportBytes().u16(300).u16(0).u16(8).u16(48).u16(4).u16(34).u16(4).toBytes();
      sets.set(ipfix ? 2 : 0, ExportBytes.template(256, 8, 4, 12, 4, 48, 4, 1, 4, 2, 4));
      sets.set(ipfix ? 3 : 1, options);
      sets.set(300, new ExportBytes().u32(7).u32(rate).toBytes());
      send(sets, 3, 1);
    }

    void flows() {
      ExportBytes body = new ExportBytes();
      for (int i = 0; i < 10; i++) {
        body.u32(random.nextInt()).u32(random.nextInt()).u32(7).u32(1000).u32(1);
      }
      long before = counters.get(IngestCounter.FLOWS_DECODED);
      send(new ExportBytes().set(256, body.toBytes()), 10, 10);
      sent += 10;
      String who = address + " after " + sent + " flows, seed " + SEED + ": ";
      long decoded = counters.get(IngestCounter.FLOWS_DECODED) - before;
      assertEquals(10, decoded, who + counters);
      assertEquals(rate, sink.rate, who + "its sampling rate");
    }

    private void send(ExportBytes sets, int count, int units) {
      byte[] bytes = sets.toBytes();
      decode(
          ipfix
              ? ExportBytes.ipfix(SECONDS, sequence, 1, bytes)
              : ExportBytes.v9(count, 1000, SECONDS, sequence, 1, bytes),
          address,
          2055);
      sequence += ipfix ? units : 1;
    }
  }

  private final List<Known> known =
      List.of(
          new Known("192.0.2.1", false, 100),
          new Known("192.0.2.2", true, 200),
          new Known("192.0.2.3", false, 300),
          new Known("2001:db8:0:1::1", true, 400),
          new Known("2001:db8:0:2::1", false, 500));

  private void decode(byte[] datagram, IpAddress exporter, int port) {
    decoder.decode(datagram, 0, datagram.length, exporter, port, arrival, sink);
  }

  /** Small datagrams of strangers, one of each kind. */
  private static List<byte[]> small() {
    byte[] template = ExportBytes.template(256, 8, 4, 12, 4, 1, 4);
    byte[] flow = new ExportBytes().u32(1).u32(2).u32(3).toBytes();
    List<byte[]> datagrams = new ArrayList<>();
    datagrams.add(
        ExportBytes.ipfix(
            SECONDS, 0, 1, new ExportBytes().set(2, template).set(256, flow).toBytes()));
    datagrams.add(
        ExportBytes.v9(
            2, 9, SECONDS, 0, 1, new ExportBytes().set(0, template).set(256, flow).toBytes()));
    datagrams.add(new ExportBytes().u16(5).u16(1).bytes(new byte[68]).toBytes());
    datagrams.add(ExportBytes.ipfix(SECONDS, 0, 1, new byte[0]));
    datagrams.add(new byte[] {0, 9, 1});
    datagrams.add(
        ExportBytes.ipfix(SECONDS, 0, 1, new ExportBytes().set(2, new byte[9]).toBytes()));
    return datagrams;
  }

  private IpAddress stranger() {
    // Some IPv6 prefixes are those of known exporters' neighbours.
    return random.nextInt(4) > 0
        ? IpAddress.ofIpv4(random.nextInt())
        : new IpAddress(0x20010DB8_00000010L + random.nextInt(1 << 20), random.nextLong());
  }

  @Test
  void noKnownExporterLosesAFlowToAMillionStrangers() {
    List<byte[]> small = small();
    List<byte[]> large = new ArrayList<>();
    for (HostileDatagrams hostile : HostileDatagrams.values()) {
      large.add(hostile.preludeDatagram(1));
      large.add(hostile.datagram(1, 0));
    }
    long heapBefore = usedHeap();
    known.forEach(Known::start);
    long most = 0;
    for (int i = 0; i < 1_000_000; i++) {
      arrival += 100; // a hundred seconds in all
      decode(small.get(random.nextInt(small.size())), stranger(), random.nextInt(1 << 16));
      if (i % 2500 == 0) {
        IpAddress one = stranger();
        int pair = 2 * random.nextInt(large.size() / 2);
        decode(large.get(pair), one, 2055);
        decode(large.get(pair + 1), one, 2055);
      }
      if (i % 100 == 0) {
        known.get(i / 100 % known.size()).flows();
        most = Math.max(most, decoder.exporters().bytes());
      }
    }
    assertEquals(known.size(), decoder.exporters().establishedExporters(), counters.toString());
    assertEquals(known.size(), counters.get(IngestCounter.EXPORTERS_ESTABLISHED));
    assertTrue(most <= LIMITS.stateBytes(), most + " bytes");
    assertTrue(most > LIMITS.stateBytes() - MIB, "the flood filled the budget: " + most);
    long heap = usedHeap() - heapBefore;
    assertTrue(
        heap <= 64 * MIB, heap + " bytes of heap, reckoned are " + decoder.exporters().bytes());
    everythingIsCounted(1_000_000 + 800 + 10_000 + known.size());
    // A minute of the worst datagrams, which no stranger's state outlives.
    for (int i = 0; i < 600; i++) {
      arrival += 100_000;
      decode(large.get(2 * random.nextInt(large.size() / 2) + 1), stranger(), 2055);
    }
    known.forEach(Known::flows);
    assertEquals(0, lostByKnown());
  }

  private void everythingIsCounted(long sent) {
    assertEquals(sent, counters.get(IngestCounter.DATAGRAMS_RECEIVED));
    long told =
        counters.get(IngestCounter.DATAGRAMS_DECODED)
            + counters.get(IngestCounter.DATAGRAMS_DAMAGED)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_UNKNOWN_VERSION)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_TRUNCATED)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_BAD_LENGTH)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_BAD_COUNT);
    assertEquals(sent, told, counters.toString());
    assertTrue(counters.get(IngestCounter.EXPORTERS_EVICTED) > 500_000, counters.toString());
    assertTrue(
        counters.get(IngestCounter.DOMAINS_EVICTED)
            >= counters.get(IngestCounter.EXPORTERS_EVICTED) / 2,
        counters.toString());
    assertTrue(counters.get(IngestCounter.SAMPLING_DROPPED) > 0, counters.toString());
    assertTrue(counters.get(IngestCounter.FLOWS_DROPPED_TOO_MANY) > 0, counters.toString());
  }

  private long lostByKnown() {
    return counters.get(IngestCounter.SEQUENCE_LOST_DATAGRAMS)
        + counters.get(IngestCounter.FLOWS_DROPPED_NO_TEMPLATE);
  }

  private static long usedHeap() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }

  @Test
  void samplersOfManyDomainsTakeNoMoreThanTheirExporterMay() {
    IpAddress one = IpAddress.parse("198.51.100.1");
    for (int domain = 0; domain < 300; domain++) {
      decode(HostileDatagrams.SAMPLERS.preludeDatagram(domain), one, 2055);
      decode(HostileDatagrams.SAMPLERS.datagram(domain, 0), one, 2055);
      assertTrue(decoder.exporters().bytes() <= LIMITS.exporterBytes());
    }
    assertTrue(counters.get(IngestCounter.SAMPLING_DROPPED) > 0, counters.toString());
    assertTrue(counters.get(IngestCounter.DOMAINS_EVICTED) > 250, counters.toString());
  }

  @Test
  void oneAddressMakesNobodyElseBeForgotten() {
    IpAddress one = IpAddress.parse("198.51.100.1");
    known.forEach(Known::start);
    for (int i = 0; i < 40; i++) {
      decode(HostileDatagrams.TEMPLATE_SETS.datagram(i, i), one, i);
    }
    known.forEach(Known::flows);
    assertEquals(0, counters.get(IngestCounter.EXPORTERS_EVICTED), counters.toString());
    assertTrue(counters.get(IngestCounter.TEMPLATES_EVICTED) > 0, counters.toString());
  }

  @Test
  void anExporterThatFallsSilentLeavesItsPlaceOnlyToOneThatIsToBeKnown() {
    DecoderLimits small = LIMITS.withBytes(40_000, 20_000, 10_000);
    ExportDecoder few =
        new ExportDecoder(counters, new BadDatagramSamples(1), ProtectedNetworks.NONE, small);
    byte[] flows = small().get(0);
    long now = 0;
    // Each takes about 1400 bytes: 14 of 30 can be known at a time.
    for (int minute = 0; minute < 3; minute++) {
      for (int i = 0; i < 14 + 5; i++) {
        IpAddress address = IpAddress.ofIpv4(0x0A000000 + i);
        few.decode(flows, 0, flows.length, address, 2055, now, sink);
      }
      now += 61 * SECOND;
    }
    int known = few.exporters().establishedExporters();
    assertTrue(known > 5 && known < 19, known + " are known");
    assertEquals(0, counters.get(IngestCounter.EXPORTERS_EVICTED), counters.toString());
    // Two hours later only the last of them and another one, which becomes known, still send.
    now += 2 * 3600 * SECOND;
    for (int minute = 0; minute < 3; minute++) {
      for (int i = 18; i > 16; i--) {
        IpAddress address = IpAddress.ofIpv4(0x0A000000 + i);
        few.decode(flows, 0, flows.length, address, 2055, now, sink);
      }
      now += 61 * SECOND;
    }
    assertEquals(known + 2, counters.get(IngestCounter.EXPORTERS_ESTABLISHED));
    assertEquals(2, counters.get(IngestCounter.EXPORTERS_EVICTED), counters.toString());
    assertEquals(known, few.exporters().establishedExporters());
  }

  @ParameterizedTest
  @EnumSource(HostileDatagrams.class)
  void noDatagramMakesMoreWorkThanItHasBytes(HostileDatagrams hostile) {
    // As many others as fit, to reveal steps that look at all of them.
    byte[] empty = ExportBytes.ipfix(SECONDS, 0, 1, new byte[0]);
    for (int i = 0; i < 80_000; i++) {
      decode(empty, IpAddress.ofIpv4(0x0B000000 + i), 2055);
    }
    IpAddress one = IpAddress.parse("198.51.100.1");
    decode(hostile.preludeDatagram(1), one, 2055);
    for (int round = 0; round < 4; round++) {
      byte[] datagram = hostile.datagram(1, round);
      long before = decoder.steps();
      long rows = counters.get(IngestCounter.FLOWS_DECODED);
      decode(datagram, one, 2055);
      long steps = decoder.steps() - before;
      assertTrue(steps <= 2L * datagram.length, steps + " steps for " + datagram.length + " bytes");
      long flows = counters.get(IngestCounter.FLOWS_DECODED) - rows;
      assertTrue(flows <= LIMITS.flowsPerDatagram(), flows + " flows");
    }
  }

  @Test
  void flowsThatAreTooManyForADatagramAreCounted() {
    IpAddress one = IpAddress.parse("198.51.100.1");
    for (HostileDatagrams hostile :
        List.of(HostileDatagrams.FLOWS_OF_A_BYTE, HostileDatagrams.FIELDS_OF_NO_LENGTH)) {
      decode(hostile.preludeDatagram(1), one, 2055);
      decode(hostile.datagram(1, 0), one, 2055);
    }
    long all = 2L * (HostileDatagrams.BYTES - 20);
    assertEquals(2L * LIMITS.flowsPerDatagram(), counters.get(IngestCounter.FLOWS_DECODED));
    assertEquals(
        all - 2L * LIMITS.flowsPerDatagram(), counters.get(IngestCounter.FLOWS_DROPPED_TOO_MANY));
    assertEquals(2, counters.get(IngestCounter.DATAGRAMS_DAMAGED));
  }
}
