package org.flowmon.ingest.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** IPFIX over connections of this machine. */
class TcpCollectorTest {
  private static final long SEED = 20261126;
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(100);
  private static final ConnectionLimits LIMITS = new ConnectionLimits(20, 20, 20, LONG, LONG, LONG);

  private final LaneSink sink = new LaneSink();

  @SuppressWarnings("NullAway.Init") // start sets it
  private TcpCollector collector;

  private final List<Socket> sockets = new ArrayList<>();

  private void start(ConnectionLimits limits, ExporterRules rules) throws IOException {
    collector =
        TcpCollector.start(
            List.of(new TcpCollector.Listen(UdpCollector.loopback(0), false)),
            Optional.empty(),
            rules,
            limits,
            new TcpCollector.Target(
                counters ->
                    new ExportDecoder(
                        counters,
                        new BadDatagramSamples(1),
                        ProtectedNetworks.NONE,
                        DecoderLimits.defaults().forConnection()),
                sink));
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    collector.close();
  }

  private Socket connect() throws IOException {
    InetSocketAddress to = collector.addresses().get(0);
    Socket socket = new Socket(to.getAddress(), to.getPort());
    sockets.add(socket);
    return socket;
  }

  private static void send(Socket socket, byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  private long count(IngestCounter counter) {
    return collector.counters().get(counter);
  }

  private void await(IngestCounter counter, long count) throws InterruptedException {
    while (count(counter) < count) {
      Thread.sleep(1);
    }
  }

  private void awaitNoConnection() throws InterruptedException {
    while (collector.connections() > 0) {
      Thread.sleep(1);
    }
  }

  /** Whether the collector has closed the connection. */
  private static boolean isClosed(Socket socket) throws IOException {
    socket.setSoTimeout(60_000);
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true; // with a reset, as it had sent more
    }
  }

  @Test
  void messagesInAnyPiecesAreDecoded() throws Exception {
    start(LIMITS, ExporterRules.NONE);
    Random random = new Random(SEED);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < 200; i++) {
      all.write(Exports.of(10, 3 * i, i == 0, 3));
    }
    byte[] stream = all.toByteArray();
    Socket socket = connect();
    socket.setTcpNoDelay(true);
    OutputStream out = socket.getOutputStream();
    for (int at = 0; at < stream.length; ) {
      int piece = Math.min(stream.length - at, 1 + random.nextInt(200));
      out.write(stream, at, piece);
      at += piece;
    }
    socket.close();
    await(IngestCounter.DATAGRAMS_RECEIVED, 200);
    awaitNoConnection();
    assertEquals(600, sink.rows().size(), "seed " + SEED);
    assertEquals(200, count(IngestCounter.DATAGRAMS_DECODED));
    assertEquals(0, count(IngestCounter.SEQUENCE_LOST_FLOWS));
    assertEquals(IpAddress.parse("127.0.0.1"), sink.rows().get(0).get(FlowColumn.EXPORTER));
  }

  @Test
  void templatesEndWithTheirConnection() throws Exception {
    start(LIMITS, ExporterRules.NONE);
    Socket first = connect();
    Socket other = connect();
    send(first, Exports.of(10, 0, true, 1));
    await(IngestCounter.FLOWS_DECODED, 1);
    send(other, Exports.of(10, 0, false, 1));
    await(IngestCounter.DATAGRAMS_RECEIVED, 2);
    first.close();
    other.close();
    awaitNoConnection();
    assertEquals(1, count(IngestCounter.SETS_DROPPED_NO_TEMPLATE), "of another connection");
    Socket again = connect();
    send(again, Exports.of(10, 1, false, 1));
    send(again, Exports.of(10, 2, true, 1));
    again.close();
    await(IngestCounter.DATAGRAMS_RECEIVED, 4);
    awaitNoConnection();
    // Within a connection what comes before its template waits.
    assertEquals(3, sink.rows().size());
    assertEquals(1, count(IngestCounter.SETS_DECODED_LATE));
  }

  /** RFC 7011 section 8.1: without a withdrawal they last as long as the connection. */
  @Test
  void templatesOfAConnectionDoNotExpire() throws IOException {
    start(LIMITS, ExporterRules.NONE);
    IngestCounters counters = new IngestCounters();
    ExportDecoder decoder =
        new ExportDecoder(
            counters,
            new BadDatagramSamples(1),
            ProtectedNetworks.NONE,
            DecoderLimits.defaults().forConnection());
    IpAddress peer = IpAddress.parse("192.0.2.1");
    long now = FlowTime.now();
    for (int day = 0; day < 1000; day += 100) {
      byte[] message = Exports.of(10, day / 100, day == 0, 1);
      long arrival = now + Duration.ofDays(day).toNanos() / 1000;
      decoder.decode(message, 0, message.length, peer, 4711, arrival, sink);
    }
    assertEquals(10, sink.rows().size());
    assertEquals(0, counters.get(IngestCounter.TEMPLATES_EXPIRED));
  }

  @Test
  void aWithdrawnTemplateIsGone() throws Exception {
    start(LIMITS, ExporterRules.NONE);
    Socket socket = connect();
    send(socket, Exports.of(10, 0, true, 1));
    ByteBuffer withdrawal = ByteBuffer.allocate(24).putShort((short) 10).putShort((short) 24);
    withdrawal.putInt((int) (System.currentTimeMillis() / 1000)).putInt(1).putInt(Exports.DOMAIN);
    withdrawal.putShort((short) 2).putShort((short) 8);
    withdrawal.putShort((short) Exports.TEMPLATE).putShort((short) 0);
    send(socket, withdrawal.array());
    send(socket, Exports.of(10, 1, false, 1));
    socket.close();
    await(IngestCounter.DATAGRAMS_RECEIVED, 3);
    awaitNoConnection();
    assertEquals(1, sink.rows().size());
    assertEquals(1, count(IngestCounter.SETS_DROPPED_NO_TEMPLATE));
  }

  /** Else its thread would be gone, and nobody would know. */
  @Test
  void anErrorInAnyThreadIsAFailure() throws Exception {
    start(LIMITS, ExporterRules.NONE);
    LaneSink bad = new LaneSink();
    bad.failTicks(new NoClassDefFoundError("missing"));
    TcpCollector ticking =
        failing(
            counters -> {
              throw new AssertionError("no message");
            },
            bad);
    assertEquals("missing", causeOf(ticking));
    TcpCollector decoding =
        failing(
            counters -> {
              throw new NoClassDefFoundError("decoder");
            },
            new LaneSink());
    InetSocketAddress to = decoding.addresses().get(0);
    try (Socket socket = new Socket(to.getAddress(), to.getPort())) {
      send(socket, Exports.of(10, 0, true, 1));
      assertEquals("decoder", causeOf(decoding));
    }
  }

  private static TcpCollector failing(
      Function<IngestCounters, ExportDecoder> decoders, LaneSink sink) throws IOException {
    return TcpCollector.start(
        List.of(new TcpCollector.Listen(UdpCollector.loopback(0), false)),
        Optional.empty(),
        ExporterRules.NONE,
        LIMITS,
        new TcpCollector.Target(decoders, sink));
  }

  private static String causeOf(TcpCollector failing) throws InterruptedException {
    while (failing.failure() == null) {
      Thread.sleep(1);
    }
    IOException thrown = assertThrows(IOException.class, failing::close);
    return String.valueOf(thrown.getCause().getMessage());
  }

  /** It would wait for an hour for a peer that goes on sending, and at each turn not sleep. */
  @Test
  void whoIsInterruptedDoesNotWaitForPeersThatGoOnSending() throws Exception {
    collector =
        TcpCollector.start(
            List.of(new TcpCollector.Listen(UdpCollector.loopback(0), false)),
            Optional.empty(),
            ExporterRules.NONE,
            LIMITS,
            new TcpCollector.Target(
                counters ->
                    new ExportDecoder(
                        counters,
                        new BadDatagramSamples(1),
                        ProtectedNetworks.NONE,
                        DecoderLimits.defaults().forConnection()),
                sink),
            Duration.ofHours(1));
    Socket socket = connect();
    Thread sender =
        new Thread(
            () -> {
              try {
                for (int i = 0; ; i++) {
                  send(socket, Exports.of(10, i, i == 0, 1));
                  Thread.sleep(1);
                }
              } catch (IOException | InterruptedException e) {
                // closed
              }
            });
    sender.start();
    await(IngestCounter.FLOWS_DECODED, 10);
    Thread.currentThread().interrupt();
    collector.close();
    assertTrue(Thread.interrupted(), "who interrupted is told");
    sender.join();
    assertEquals(0, collector.connections());
  }

  @Test
  void aPartOfAMessageIsATruncatedOne() throws Exception {
    start(LIMITS, ExporterRules.NONE);
    for (int length : new int[] {1, 3, 15, 16, 30}) {
      Socket socket = connect();
      send(socket, Exports.of(10, 0, true, 1));
      send(socket, Arrays.copyOf(Exports.of(10, 1, false, 2), length));
      socket.close();
    }
    await(IngestCounter.DATAGRAMS_RECEIVED, 10);
    awaitNoConnection();
    assertEquals(5, sink.rows().size());
    assertEquals(5, count(IngestCounter.DATAGRAMS_DROPPED_TRUNCATED));
  }

  @Test
  void netflow9AndAllElseEndsTheConnection() throws Exception {
    start(LIMITS, ExporterRules.NONE);
    Socket nine = connect();
    send(nine, Exports.of(10, 0, true, 1));
    send(nine, Exports.of(9, 0, true, 1));
    assertTrue(isClosed(nine));
    Socket web = connect();
    send(web, new byte[] {'G', 'E', 'T', ' ', '/'});
    assertTrue(isClosed(web));
    Socket small = connect();
    send(small, new byte[] {0, 10, 0, 15});
    assertTrue(isClosed(small));
    awaitNoConnection();
    assertEquals(1, sink.rows().size());
    assertEquals(2, count(IngestCounter.CONNECTIONS_CLOSED_NOT_IPFIX));
    assertEquals(1, count(IngestCounter.CONNECTIONS_CLOSED_BAD_LENGTH));
    assertEquals(1, count(IngestCounter.DATAGRAMS_RECEIVED));
  }

  @Test
  void connectionsAreBoundedByAddressAndInAll() throws Exception {
    start(new ConnectionLimits(3, 3, 2, LONG, LONG, LONG), ExporterRules.NONE);
    Socket first = connect();
    connect();
    await(IngestCounter.CONNECTIONS_ACCEPTED, 2);
    assertTrue(isClosed(connect()), "the third of the address");
    InetSocketAddress to = collector.addresses().get(0);
    for (int i = 2; i < 4; i++) {
      InetAddress from = InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) i});
      sockets.add(new Socket(to.getAddress(), to.getPort(), from, 0));
    }
    assertTrue(isClosed(sockets.get(sockets.size() - 1)), "the fourth of all");
    assertEquals(2, count(IngestCounter.CONNECTIONS_REFUSED_TOO_MANY));
    first.close();
    while (collector.connections() == 3) {
      Thread.sleep(1);
    }
    Socket next = connect();
    send(next, Exports.of(10, 0, true, 1));
    await(IngestCounter.FLOWS_DECODED, 1);
  }

  @Test
  void aFloodOfConnectionsLeavesNothing() throws Exception {
    start(new ConnectionLimits(8, 8, 8, LONG, LONG, LONG), ExporterRules.NONE);
    Socket good = connect();
    send(good, Exports.of(10, 0, true, 1));
    await(IngestCounter.FLOWS_DECODED, 1);
    for (int i = 0; i < 500; i++) {
      try (Socket socket = connect()) {
        socket.getOutputStream().write(i % 2 == 0 ? 0 : 1);
      } catch (IOException e) {
        // refused meanwhile
      }
      sockets.subList(1, sockets.size()).clear();
    }
    send(good, Exports.of(10, 1, false, 1));
    await(IngestCounter.FLOWS_DECODED, 2);
    good.close();
    long taken = count(IngestCounter.CONNECTIONS_ACCEPTED);
    while (taken + count(IngestCounter.CONNECTIONS_REFUSED_TOO_MANY) < 501) {
      Thread.sleep(1);
      taken = count(IngestCounter.CONNECTIONS_ACCEPTED);
    }
    awaitNoConnection();
    assertEquals(2, sink.rows().size());
  }

  @Test
  void whoSendsByteByByteIsClosedInTime() throws Exception {
    start(new ConnectionLimits(8, 8, 8, LONG, SHORT, LONG), ExporterRules.NONE);
    Socket slow = connect();
    byte[] message = Exports.of(10, 0, true, 1);
    try {
      for (int i = 0; i < message.length - 1; i++) {
        send(slow, new byte[] {message[i]});
        Thread.sleep(10);
      }
    } catch (IOException e) {
      // closed
    }
    assertTrue(isClosed(slow));
    awaitNoConnection();
    assertEquals(1, count(IngestCounter.CONNECTIONS_CLOSED_SLOW));
    assertEquals(1, count(IngestCounter.DATAGRAMS_DROPPED_TRUNCATED));
  }

  @Test
  void whoIsSilentForLongIsClosed() throws Exception {
    start(new ConnectionLimits(8, 8, 8, LONG, LONG, SHORT), ExporterRules.NONE);
    assertTrue(isClosed(connect()));
    awaitNoConnection();
    assertEquals(1, count(IngestCounter.CONNECTIONS_CLOSED_IDLE));
  }

  @Test
  void onlyAllowedAddressesAreLetInAlsoAfterAReload() throws Exception {
    start(LIMITS, ExporterRules.parse(List.of("192.0.2.1"), List.of()));
    assertTrue(isClosed(connect()));
    assertEquals(1, count(IngestCounter.CONNECTIONS_REFUSED_NOT_ALLOWED));
    collector.useRules(ExporterRules.parse(List.of("127.0.0.1"), List.of("127.0.0.1=100")));
    Socket socket = connect();
    send(socket, Exports.of(10, 0, true, 1));
    await(IngestCounter.FLOWS_DECODED, 1);
    collector.useRules(ExporterRules.parse(List.of("192.0.2.1"), List.of()));
    assertTrue(isClosed(socket));
    awaitNoConnection();
    assertEquals(2, count(IngestCounter.CONNECTIONS_REFUSED_NOT_ALLOWED));
    assertEquals(100L, sink.rows().get(0).get(FlowColumn.SAMPLING_RATE));
  }

  @Test
  void whatHasComeWhenItStopsIsDecoded() throws Exception {
    start(LIMITS, ExporterRules.NONE);
    for (int i = 0; i < 5; i++) {
      Socket socket = connect();
      for (int n = 0; n < 100; n++) {
        send(socket, Exports.of(10, n, n == 0, 1));
      }
    }
    await(IngestCounter.CONNECTIONS_ACCEPTED, 5);
    collector.close();
    assertEquals(500, sink.rows().size());
    assertEquals(0, collector.connections());
  }

  @Test
  void gapsOfSequenceNumbersAreTold() throws Exception {
    start(LIMITS, ExporterRules.NONE);
    Socket socket = connect();
    send(socket, Exports.of(10, 0, true, 1));
    send(socket, Exports.of(10, 5, false, 1));
    socket.close();
    await(IngestCounter.FLOWS_DECODED, 2);
    awaitNoConnection();
    collector.close();
    assertEquals(4, count(IngestCounter.SEQUENCE_LOST_FLOWS));
    assertEquals(4, sink.told());
  }

  @Test
  void aPortThatIsTakenIsNamed() throws IOException {
    start(LIMITS, ExporterRules.NONE);
    InetSocketAddress taken = collector.addresses().get(0);
    IOException thrown =
        assertThrows(
            IOException.class,
            () ->
                TcpCollector.start(
                    List.of(new TcpCollector.Listen(taken, false)),
                    Optional.empty(),
                    ExporterRules.NONE,
                    LIMITS,
                    new TcpCollector.Target(
                        counters -> {
                          throw new AssertionError("no connection");
                        },
                        sink)));
    assertEquals(
        "cannot listen on TCP 127.0.0.1:"
            + taken.getPort()
            + ": Address already in use; end what listens there, or take another port",
        thrown.getMessage());
  }
}
