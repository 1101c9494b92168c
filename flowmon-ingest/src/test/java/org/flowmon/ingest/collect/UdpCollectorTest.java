package org.flowmon.ingest.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.junit.jupiter.api.Test;

class UdpCollectorTest {
  private final IngestCounters counters = new IngestCounters();
  private final FlowRecorder recorder = new FlowRecorder(1000);

  /** Passes flows to the recorder, counts ticks, and can be blocked. */
  private final class Sink implements CollectorSink {
    private final CountDownLatch ticks = new CountDownLatch(3);
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private long lost;

    @Override
    public FlowBatchBuilder builder() {
      return recorder.builder();
    }

    @Override
    public void rowsEnded(int rows) {
      recorder.rowsEnded(rows);
      try {
        gate.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void tick(long nowMicros) {
      ticks.countDown();
    }

    @Override
    public void lost(long flows) {
      lost += flows;
    }
  }

  @Test
  void whatIsLostOnTheWayIsToldAndWhatIsOnlyLateIsNot() throws IOException {
    Sink sink = new Sink();
    losesTwelve(sink, DecoderLimits.defaults().withEstablishedAfter(0));
    assertEquals(11, recorder.rows().size(), counters.toString());
    assertEquals(12, counters.get(IngestCounter.SEQUENCE_LOST_FLOWS), counters.toString());
    assertEquals(12, sink.lost, "3 to 9 and 15 to 19");
  }

  @Test
  void whatStrangersSayIsLostIsNotTold() throws IOException {
    Sink sink = new Sink();
    losesTwelve(sink, DecoderLimits.defaults());
    assertEquals(11, recorder.rows().size(), counters.toString());
    assertEquals(12, counters.get(IngestCounter.SEQUENCE_UNPROVEN_FLOWS), counters.toString());
    assertEquals(0, sink.lost);
  }

  private void losesTwelve(Sink sink, DecoderLimits limits) throws IOException {
    List<InetSocketAddress> listen = List.of(UdpCollector.loopback(0));
    try (UdpCollector collector =
            UdpCollector.start(listen, 1 << 20, receiver(limits), sink, counters);
        DatagramSocket sender = new DatagramSocket()) {
      for (int sequence : new int[] {0, 1, 2, 10, 11, 13, 12, 14, 20, 21, 22}) {
        send(sender, collector.addresses().get(0), sequence);
      }
    }
  }

  @Test
  void whatTheKernelStillHoldsWhenItIsClosedIsDecoded() throws IOException {
    Sink sink = new Sink();
    try (UdpCollector collector = start(sink, 1 << 20, 2);
        DatagramSocket sender = new DatagramSocket()) {
      for (int i = 0; i < 200; i++) {
        send(sender, collector.addresses().get(i % 2), i);
      }
    }
    Set<Object> sequences =
        recorder.rows().stream()
            .map(row -> row.get(FlowColumn.FLOW_SEQUENCE))
            .collect(Collectors.toSet());
    assertEquals(200, recorder.rows().size(), counters.toString());
    assertEquals(200, sequences.size());
    assertEquals(200, counters.get(IngestCounter.DATAGRAMS_RECEIVED));
    assertEquals(IpAddress.parse("127.0.0.1"), recorder.rows().get(0).get(FlowColumn.EXPORTER));
  }

  @Test
  void whatWaitsWhenTheTimeToStopIsOverIsCountedAsDropped() throws Exception {
    Sink sink = new Sink();
    CountDownLatch gate = new CountDownLatch(1);
    sink.gate = gate;
    UdpCollector collector =
        UdpCollector.start(
            List.of(UdpCollector.loopback(0), UdpCollector.loopback(0)),
            1 << 20,
            List.of(new UdpCollector.Lane(receiver(), sink, counters)),
            0);
    try (DatagramSocket sender = new DatagramSocket()) {
      for (int i = 0; i < 200; i++) {
        send(sender, collector.addresses().get(i % 2), i);
      }
    }
    while (counters.get(IngestCounter.DATAGRAMS_RECEIVED) == 0) {
      Thread.onSpinWait(); // one is taken, and its sink waits as if for a broker
    }
    FutureTask<Void> close =
        new FutureTask<>(
            () -> {
              collector.close();
              return null;
            });
    new Thread(close, "close").start();
    while (!collector.isStopping()) {
      Thread.onSpinWait();
    }
    gate.countDown();
    close.get();
    assertEquals(1, counters.get(IngestCounter.DATAGRAMS_RECEIVED), counters.toString());
    assertEquals(199, counters.get(IngestCounter.DATAGRAMS_DROPPED_AT_STOP), counters.toString());
  }

  @Test
  void aFloodOnOnePortKeepsTheOthersWaitingForABurstOnly() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    AtomicInteger flows = new AtomicInteger();
    AtomicLong receivedBefore = new AtomicLong(-1);
    CollectorSink sink =
        new CollectorSink() {
          @Override
          public FlowBatchBuilder builder() {
            return recorder.builder();
          }

          @Override
          public void rowsEnded(int rows) {
            recorder.rowsEnded(rows);
            if (rows > 0 && flows.incrementAndGet() == 2) {
              receivedBefore.set(counters.get(IngestCounter.DATAGRAMS_RECEIVED));
            }
            held.countDown();
            try {
              gate.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }

          @Override
          public void tick(long nowMicros) {}

          @Override
          public void lost(long lost) {}
        };
    try (UdpCollector collector = start(sink, 4 << 20, 2);
        DatagramSocket sender = new DatagramSocket()) {
      List<InetSocketAddress> ports = collector.addresses();
      send(sender, ports.get(0), 0);
      held.await();
      for (int i = 0; i < 1000; i++) {
        sender.send(new DatagramPacket(new byte[20], 20, ports.get(0)));
      }
      send(sender, ports.get(1), 1); // after a thousand invalid ones
      gate.countDown();
    }
    assertTrue(counters.get(IngestCounter.DATAGRAMS_RECEIVED) > 900, counters.toString());
    assertTrue(
        receivedBefore.get() >= 2 && receivedBefore.get() <= 2 * UdpReceiver.BURST,
        receivedBefore + " datagrams were taken before the other port's");
  }

  @Test
  void theSinkHearsOfTimeThoughNothingComes() throws Exception {
    Sink sink = new Sink();
    try (UdpCollector collector = start(sink, 1 << 16, 1)) {
      assertTrue(sink.ticks.await(30, TimeUnit.SECONDS), "no ticks");
      assertEquals(null, collector.failure());
    }
  }

  @Test
  void sentIsReceivedPlusWhatTheKernelDropped() throws IOException {
    assumeTrue(Files.exists(Path.of("/proc/net/udp")), "this kernel does not tell its drops");
    Sink sink = new Sink();
    CountDownLatch gate = new CountDownLatch(1);
    sink.gate = gate;
    int sent = 5000;
    try (UdpCollector collector = start(sink, 4096, 1)) {
      try (DatagramSocket sender = new DatagramSocket()) {
        for (int i = 0; i < sent; i++) {
          send(sender, collector.addresses().get(0), i);
        }
      } finally {
        gate.countDown();
      }
    }
    long received = counters.get(IngestCounter.DATAGRAMS_RECEIVED);
    long dropped = counters.get(IngestCounter.DATAGRAMS_DROPPED_KERNEL);
    assertTrue(dropped > 0, "a buffer of 4 KiB held " + sent + " datagrams: " + counters);
    assertEquals(sent, received + dropped, counters.toString());
    assertEquals(received, recorder.rows().size());
  }

  @Test
  void aSinkThatFailsEndsTheCollectorAndCloseTellsWhy() throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    CollectorSink sink =
        new CollectorSink() {
          @Override
          public FlowBatchBuilder builder() {
            return recorder.builder();
          }

          @Override
          public void rowsEnded(int rows) {
            throw new IllegalStateException("no broker");
          }

          @Override
          public void tick(long nowMicros) {
            failed.countDown();
          }

          @Override
          public void lost(long flows) {
            throw new AssertionError("nothing is lost");
          }
        };
    UdpCollector collector = start(sink, 1 << 16, 1);
    try (DatagramSocket sender = new DatagramSocket()) {
      send(sender, collector.addresses().get(0), 1);
    }
    while (collector.failure() == null) {
      Thread.onSpinWait();
    }
    IOException thrown = assertThrows(IOException.class, collector::close);
    assertEquals("no broker", thrown.getCause().getMessage());
  }

  @Test
  void aPortThatIsTakenIsNamed() throws IOException {
    try (UdpCollector collector = start(new Sink(), 1 << 16, 1)) {
      InetSocketAddress taken = collector.addresses().get(0);
      IOException thrown =
          assertThrows(
              IOException.class,
              () -> UdpCollector.start(List.of(taken), 1 << 16, receiver(), new Sink(), counters));
      assertNotNull(thrown.getMessage());
      assertTrue(thrown.getMessage().contains(String.valueOf(taken.getPort())));
    }
  }

  private UdpCollector.Receiver receiver() {
    return receiver(DecoderLimits.defaults());
  }

  private UdpCollector.Receiver receiver(DecoderLimits limits) {
    return new CollectorDecoders(
        List.of(
            new ExportDecoder(
                counters, new BadDatagramSamples(4), ProtectedNetworks.NONE, limits)));
  }

  private UdpCollector start(CollectorSink sink, int buffer, int ports) throws IOException {
    List<InetSocketAddress> listen =
        ports == 1
            ? List.of(UdpCollector.loopback(0))
            : List.of(UdpCollector.loopback(0), UdpCollector.loopback(0));
    return UdpCollector.start(listen, buffer, receiver(), sink, counters);
  }

  /** A v5 datagram of one flow. */
  private static void send(DatagramSocket sender, InetSocketAddress to, int sequence)
      throws IOException {
    ByteBuffer v5 = ByteBuffer.allocate(72);
    v5.putShort((short) 5).putShort((short) 1).putInt(1000).putInt(1_700_000_000);
    v5.putInt(0).putInt(sequence);
    sender.send(new DatagramPacket(v5.array(), v5.capacity(), to));
  }
}
