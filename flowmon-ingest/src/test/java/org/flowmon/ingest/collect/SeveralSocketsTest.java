package org.flowmon.ingest.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.flowmon.ingest.decode.exporter.ExporterStatus;
import org.junit.jupiter.api.Test;

/** Sockets that share a port, each with a thread: the same account as with one. */
class SeveralSocketsTest {
  private static final long SEED = 20261126;
  private static final int EXPORTERS = 40;
  private static final int BUFFER = 4 << 20;

  private final List<LaneSink> sinks = new ArrayList<>();
  private final List<IngestCounters> counters = new ArrayList<>();

  @SuppressWarnings("NullAway.Init") // lanes() sets it
  private CollectorDecoders decoders;

  private List<UdpCollector.Lane> lanes(int number, CountDownLatch gate) {
    sinks.clear();
    counters.clear();
    List<ExportDecoder> parts = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      counters.add(new IngestCounters());
      sinks.add(new LaneSink(gate));
      parts.add(
          new ExportDecoder(
              counters.get(i),
              new BadDatagramSamples(1),
              ProtectedNetworks.NONE,
              DecoderLimits.defaults().withEstablishedAfter(0).sharedBy(number)));
    }
    decoders = new CollectorDecoders(parts);
    return IntStream.range(0, number)
        .mapToObj(i -> new UdpCollector.Lane(decoders, sinks.get(i), counters.get(i)))
        .toList();
  }

  private UdpCollector start(int number) throws IOException {
    return UdpCollector.start(
        List.of(UdpCollector.loopback(0)), BUFFER, lanes(number, new CountDownLatch(0)));
  }

  private long count(IngestCounter counter) {
    return IngestCounters.sum(counters).get(counter);
  }

  private List<Map<FlowColumn, Object>> rows() {
    return sinks.stream().flatMap(sink -> sink.rows().stream()).toList();
  }

  /** The source address of an exporter: all of 127.0.0.0/8 are this machine's on Linux. */
  private static InetAddress address(int exporter) throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 1, 0, (byte) (1 + exporter)});
  }

  private static void send(DatagramSocket from, UdpCollector to, byte[] datagram)
      throws IOException {
    from.send(new DatagramPacket(datagram, datagram.length, to.addresses().get(0)));
  }

  private void await(long datagrams) throws InterruptedException {
    while (count(IngestCounter.DATAGRAMS_RECEIVED) < datagrams) {
      Thread.sleep(1);
    }
  }

  private static boolean isLinux() {
    return Files.exists(Path.of("/proc/net/udp"));
  }

  /**
   * Exporters of v9, whose templates come from one port and whose data from five others, and of
   * IPFIX with a loss each.
   */
  private Map<String, Long> account(int sockets) throws Exception {
    try (UdpCollector collector = start(sockets)) {
      long sent = 0;
      for (int i = 0; i < EXPORTERS; i++) {
        // All are open at once: a port that is used again would repeat its sequence numbers.
        List<DatagramSocket> ports = new ArrayList<>();
        try {
          for (int port = 0; port < 7; port++) {
            ports.add(new DatagramSocket(0, address(i)));
          }
          send(ports.get(0), collector, Exports.of(9, 0, true, 0));
          await(++sent);
          for (DatagramSocket data : ports.subList(1, 6)) {
            send(data, collector, Exports.of(9, 0, false, 3));
            sent++;
          }
          DatagramSocket ipfix = ports.get(6);
          send(ipfix, collector, Exports.of(10, 0, true, 2));
          send(ipfix, collector, Exports.of(10, 2, false, 2));
          send(ipfix, collector, Exports.of(10, 9, false, 2)); // 4 to 8 are missing
          sent += 3;
        } finally {
          ports.forEach(DatagramSocket::close);
        }
        await(sent);
      }
      List<ExporterStatus> statuses = decoders.statuses(10).exporters();
      assertEquals(EXPORTERS, statuses.size());
      statuses.forEach(one -> assertEquals(5 * 3 + 3 * 2, one.flows(), one.toString()));
    }
    Map<String, Long> account = new HashMap<>(IngestCounters.sum(counters).snapshot());
    account.put("rows", (long) rows().size());
    account.put("told", sinks.stream().mapToLong(LaneSink::told).sum());
    return account;
  }

  @Test
  void fourSocketsGiveTheAccountOfOne() throws Exception {
    assumeTrue(isLinux(), "no addresses for many exporters");
    Map<String, Long> one = account(1);
    assertEquals(EXPORTERS * (5L * 3 + 3 * 2), one.get("rows"), one.toString());
    assertEquals(EXPORTERS * 5L, one.get("told"), one.toString());
    assertEquals(one, account(4));
    long busy = sinks.stream().filter(sink -> !sink.rows().isEmpty()).count();
    assertTrue(busy > 1, "the kernel gave all to one socket");
  }

  @Test
  void datagramsOfOnePortComeToOneSocketInOrder() throws Exception {
    try (UdpCollector collector = start(4)) {
      long sent = 0;
      for (int i = 0; i < 20; i++) {
        try (DatagramSocket exporter = new DatagramSocket()) {
          for (int n = 0; n < 50; n++, sent++) {
            send(exporter, collector, Exports.of(10, 2 * n, n == 0, 2));
          }
        }
        await(sent);
      }
    }
    assertEquals(20 * 50 * 2, rows().size());
    assertEquals(0, count(IngestCounter.SEQUENCE_LOST_FLOWS));
    assertEquals(0, count(IngestCounter.SEQUENCE_LATE_DATAGRAMS));
    for (LaneSink sink : sinks) {
      long last = 0;
      for (Map<FlowColumn, Object> row : sink.rows()) {
        long arrival = (long) row.get(FlowColumn.ARRIVAL);
        assertTrue(arrival >= last, "arrivals of a thread ascend");
        last = arrival;
      }
    }
  }

  @Test
  void whatTheKernelDropsIsToldBySocketAndAddsUp() throws Exception {
    assumeTrue(isLinux(), "this kernel does not tell its drops");
    CountDownLatch gate = new CountDownLatch(1);
    int sent = 0;
    List<UdpCollector.SocketDrops> drops;
    UdpCollector collector =
        UdpCollector.start(List.of(UdpCollector.loopback(0)), 4096, lanes(4, gate));
    try (collector) {
      for (int i = 0; i < 100; i++) {
        try (DatagramSocket exporter = new DatagramSocket(0, address(i))) {
          for (int n = 0; n < 50; n++, sent++) {
            send(exporter, collector, Exports.of(10, 2 * n, true, 2));
          }
        }
      }
      gate.countDown();
    }
    drops = collector.sockets();
    long dropped = count(IngestCounter.DATAGRAMS_DROPPED_KERNEL);
    assertEquals(4, drops.size());
    assertTrue(drops.stream().filter(one -> one.drops().orElse(0) > 0).count() > 1, "" + drops);
    assertEquals(dropped, drops.stream().mapToLong(one -> one.drops().orElse(0)).sum());
    assertEquals(dropped, collector.kernelDrops().orElse(-1));
    assertEquals(sent, count(IngestCounter.DATAGRAMS_RECEIVED) + dropped);
    assertEquals(rows().size(), count(IngestCounter.FLOWS_DECODED));
  }

  @Test
  void aSecondCollectorMayNotShareThePort() throws IOException {
    try (UdpCollector collector = start(2)) {
      InetSocketAddress taken = collector.addresses().get(0);
      List<UdpCollector.Lane> more = lanes(2, new CountDownLatch(0));
      IOException thrown =
          assertThrows(IOException.class, () -> UdpCollector.start(List.of(taken), BUFFER, more));
      assertTrue(String.valueOf(thrown.getMessage()).contains("" + taken.getPort()));
    }
  }

  @Test
  void rulesThatChangeHoldFromTheNextDatagramOn() throws Exception {
    try (UdpCollector collector = start(2);
        DatagramSocket exporter = new DatagramSocket()) {
      send(exporter, collector, Exports.of(10, 0, true, 1));
      await(1);
      decoders.useRules(ExporterRules.parse(List.of("192.0.2.0/24"), List.of()));
      send(exporter, collector, Exports.of(10, 1, false, 1));
      await(2);
      decoders.useRules(ExporterRules.parse(List.of(), List.of("127.0.0.1=500")));
      send(exporter, collector, Exports.of(10, 1, false, 1));
      await(3);
    }
    assertEquals(1, count(IngestCounter.DATAGRAMS_DROPPED_NOT_ALLOWED));
    List<Object> rates = rows().stream().map(row -> row.get(FlowColumn.SAMPLING_RATE)).toList();
    assertEquals(2, rates.size());
    assertEquals(500L, rates.get(1));
  }

  /** Threads that decode for the same exporters, without sockets between them. */
  @Test
  void threadsOfOneExporterTakeTurns() throws Exception {
    List<UdpCollector.Lane> lanes = lanes(4, new CountDownLatch(0));
    int each = 5_000;
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < lanes.size(); i++) {
      UdpCollector.Lane lane = lanes.get(i);
      Random random = new Random(SEED + i);
      int thread = i;
      tasks.add(
          new FutureTask<>(
              () -> {
                for (int n = 0; n < each; n++) {
                  IpAddress from = IpAddress.ofIpv4(0x0A00_0000 + random.nextInt(8));
                  byte[] bytes = Exports.of(9, n, true, 2);
                  decoders.receive(bytes, 0, bytes.length, from, thread, 1_000 + n, lane.sink());
                }
                return null;
              }));
    }
    tasks.forEach(task -> new Thread(task, "lane").start());
    for (FutureTask<Void> task : tasks) {
      try {
        task.get();
      } catch (ExecutionException e) {
        throw new AssertionError("seed " + SEED, e);
      }
    }
    assertEquals(4L * each, count(IngestCounter.DATAGRAMS_DECODED));
    assertEquals(4L * each * 2, count(IngestCounter.FLOWS_DECODED));
    assertEquals(4 * each * 2, rows().size());
    long flows = decoders.statuses(10).exporters().stream().mapToLong(ExporterStatus::flows).sum();
    assertEquals(4L * each * 2, flows, "each flow is one exporter's");
  }
}
