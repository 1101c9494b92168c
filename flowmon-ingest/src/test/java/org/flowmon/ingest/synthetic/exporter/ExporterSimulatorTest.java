package org.flowmon.ingest.synthetic.exporter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import org.junit.jupiter.api.Test;

final class ExporterSimulatorTest {
  private static DatagramChannel receiver() throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    channel.setOption(StandardSocketOptions.SO_RCVBUF, 8 << 20);
    channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    channel.configureBlocking(false);
    return channel;
  }

  /** All waiting datagrams of the socket, by sender. */
  private static Map<SocketAddress, List<byte[]>> drain(DatagramChannel channel)
      throws IOException {
    Map<SocketAddress, List<byte[]>> received = new HashMap<>();
    ByteBuffer buffer = ByteBuffer.allocate(65_535);
    for (SocketAddress from; (from = channel.receive(buffer.clear())) != null; ) {
      byte[] bytes = new byte[buffer.flip().remaining()];
      buffer.get(bytes);
      received.computeIfAbsent(from, f -> new ArrayList<>()).add(bytes);
    }
    return received;
  }

  @Test
  void whatIsCountedAsSentIsWhatArrives() throws IOException {
    TrafficModel model = new TrafficModel(5, TrafficOptions.defaults());
    try (DatagramChannel channel = receiver();
        ExporterSimulator simulator =
            new ExporterSimulator(
                model,
                (InetSocketAddress) channel.getLocalAddress(),
                ExporterSimulator.defaultExporters())) {
      // Fewer than a default socket buffer holds, because nobody reads meanwhile.
      SentCounts sent =
          simulator.run(new ExporterSimulator.Pace(0, 100, Duration.ofMinutes(1), 2_000));
      assertEquals(
          EnumSet.of(SourceKind.NETFLOW_V5, SourceKind.NETFLOW_V9, SourceKind.IPFIX),
          sent.byVersion().keySet());
      assertEquals(2_000, sent.flows());
      assertEquals(sent, simulator.sent());

      Map<SocketAddress, List<byte[]>> received = drain(channel);
      assertEquals(4, received.size(), "each exporter has a port of its own");
      List<ExportedRow> rows = new ArrayList<>();
      long datagrams = 0;
      long bytes = 0;
      for (List<byte[]> one : received.values()) {
        NaiveExportReader reader = new NaiveExportReader();
        one.forEach(d -> reader.read(ByteBuffer.wrap(d)));
        rows.addAll(reader.rows);
        datagrams += one.size();
        bytes += one.stream().mapToLong(d -> d.length).sum();
      }
      SentCounts.Count total = sent.total();
      assertEquals(total.datagrams(), datagrams);
      assertEquals(total.datagramBytes(), bytes);
      assertEquals(total.flows(), rows.size());
      assertEquals(total.bytes(), rows.stream().mapToLong(ExportedRow::bytes).sum());
      assertEquals(total.packets(), rows.stream().mapToLong(ExportedRow::packets).sum());
    }
  }

  @Test
  void stopEndsARunAndNothingStaysBehind() throws Exception {
    TrafficModel model = new TrafficModel(5, TrafficOptions.defaults());
    try (DatagramChannel channel = receiver();
        ExporterSimulator simulator =
            new ExporterSimulator(
                model,
                (InetSocketAddress) channel.getLocalAddress(),
                ExporterSimulator.defaultExporters())) {
      SentCounts[] result = new SentCounts[1];
      Thread thread =
          new Thread(
              () -> {
                try {
                  result[0] = simulator.run(ExporterSimulator.Pace.of(2_000, Duration.ofHours(1)));
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      thread.start();
      while (simulator.sent().flows() == 0) {
        Thread.sleep(5);
      }
      simulator.stop();
      thread.join();
      assertTrue(result[0].flows() > 0);
      assertEquals(0, result[0].flows() % 4, "whole bursts of 4 were flushed");
    }
  }

  @Test
  void ipv6NeedsAnExporterThatCarriesIt() {
    TrafficModel model = new TrafficModel(5, TrafficOptions.defaults());
    List<SimulatedRouter> onlyV5 = List.of(new SimulatedRouter(SourceKind.NETFLOW_V5, 1, 1, 1));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new ExporterSimulator(
                model, new InetSocketAddress(InetAddress.getLoopbackAddress(), 9), onlyV5));
  }

  @Test
  void aReplaySendsTheDatagramsUnchangedAndCountsThem() throws IOException {
    List<byte[]> datagrams = new ArrayList<>();
    for (SourceKind version : List.of(SourceKind.NETFLOW_V5, SourceKind.IPFIX)) {
      datagrams.addAll(
          ExportEncoderTest.export(new SimulatedRouter(version, 1, 1, 1), 9, 300, 1).datagrams());
    }
    datagrams.add(new byte[] {1});
    try (DatagramChannel channel = receiver();
        DatagramReplay replay = new DatagramReplay((InetSocketAddress) channel.getLocalAddress())) {
      DatagramReplay.Result result = replay.send(datagrams.iterator(), 5_000);
      assertEquals(1, result.otherDatagrams());
      assertEquals(300, result.sent().byVersion().get(SourceKind.NETFLOW_V5).flows());
      assertEquals(datagrams.size() - 1, result.sent().total().datagrams());
      List<byte[]> received = drain(channel).values().iterator().next();
      assertEquals(datagrams.size(), received.size());
      for (int i = 0; i < received.size(); i++) {
        assertEquals(ByteBuffer.wrap(datagrams.get(i)), ByteBuffer.wrap(received.get(i)));
      }
    }
  }
}
