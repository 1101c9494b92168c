package org.flowmon.ingest.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** IPFIX over TLS, with keys that keytool makes. */
class TlsCollectorTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init") // BeforeAll sets it
  private static TestCertificates keys;

  private final LaneSink sink = new LaneSink();

  @SuppressWarnings("NullAway.Init") // start sets it
  private TcpCollector collector;

  @BeforeAll
  static void makeKeys() throws Exception {
    keys = new TestCertificates(folder);
    keys.authority("authority");
    keys.authority("stranger");
    keys.key("collector", "RSA", "authority", 30);
    keys.key("next", "EC", "authority", 30);
    keys.key("old", "EC", "authority", 1);
    keys.key("router", "EC", "authority", 30);
    keys.key("foreign", "EC", "stranger", 30);
  }

  private static ServerTls tls(String name, boolean mutual)
      throws IOException, GeneralSecurityException {
    return ServerTls.read(
        keys.keyFile(name),
        keys.certificateFile(name),
        mutual ? Optional.of(keys.certificateFile("authority")) : Optional.empty());
  }

  private void start(boolean mutual, Duration handshake) throws Exception {
    start(mutual, new ConnectionLimits(8, 8, 8, handshake, LONG, LONG));
  }

  private void start(boolean mutual, ConnectionLimits limits) throws Exception {
    collector =
        TcpCollector.start(
            List.of(new TcpCollector.Listen(UdpCollector.loopback(0), true)),
            Optional.of(tls("collector", mutual)),
            ExporterRules.NONE,
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
    if (collector != null) {
      collector.close();
    }
  }

  private long count(IngestCounter counter) {
    return collector.counters().get(counter);
  }

  private void await(IngestCounter counter, long count) throws InterruptedException {
    while (count(counter) < count) {
      Thread.sleep(1);
    }
  }

  private SSLSocket connect(SSLContext client) throws IOException {
    InetSocketAddress to = collector.addresses().get(0);
    SSLSocket socket =
        (SSLSocket) client.getSocketFactory().createSocket(to.getAddress(), to.getPort());
    socket.setSoTimeout(60_000);
    return socket;
  }

  /** Sends two flows; returns the collector's name in its certificate. */
  private String export(SSLContext client) throws IOException {
    try (SSLSocket socket = connect(client)) {
      socket.getOutputStream().write(Exports.of(10, 0, true, 1));
      socket.getOutputStream().write(Exports.of(10, 1, false, 1));
      X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
      return shown.getSubjectX500Principal().getName();
    }
  }

  @Test
  void flowsComeThroughTls12And13() throws Exception {
    start(false, LONG);
    for (String protocol : new String[] {"TLSv1.2", "TLSv1.3"}) {
      try (SSLSocket socket = connect(keys.client("authority"))) {
        socket.setEnabledProtocols(new String[] {protocol});
        for (int i = 0; i < 1_000; i++) {
          socket.getOutputStream().write(Exports.of(10, i, i == 0, 1));
        }
      }
    }
    await(IngestCounter.FLOWS_DECODED, 2_000);
    assertEquals(0, count(IngestCounter.DATAGRAMS_DROPPED_TRUNCATED));
  }

  @Test
  void withAnAuthorityOnlyItsExportersAreLetIn() throws Exception {
    start(true, LONG);
    export(keys.client("authority", "router"));
    await(IngestCounter.FLOWS_DECODED, 2);
    for (SSLContext client :
        List.of(keys.client("authority"), keys.client("authority", "foreign"))) {
      long before = count(IngestCounter.CONNECTIONS_CLOSED_HANDSHAKE);
      try (SSLSocket socket = connect(client)) {
        socket.getOutputStream().write(Exports.of(10, 0, true, 1));
        InputStream in = socket.getInputStream();
        assertThrows(IOException.class, in::read);
      } catch (IOException e) {
        // refused while it sent
      }
      await(IngestCounter.CONNECTIONS_CLOSED_HANDSHAKE, before + 1);
    }
    assertEquals(2, count(IngestCounter.FLOWS_DECODED));
  }

  @Test
  void whatIsNoTlsIsRefused() throws Exception {
    start(false, LONG);
    InetSocketAddress to = collector.addresses().get(0);
    try (Socket plain = new Socket(to.getAddress(), to.getPort())) {
      plain.getOutputStream().write(Exports.of(10, 0, true, 1));
      await(IngestCounter.CONNECTIONS_CLOSED_HANDSHAKE, 1);
    }
    assertEquals(0, count(IngestCounter.DATAGRAMS_RECEIVED));
  }

  @Test
  void aHandshakeThatTakesTooLongIsEnded() throws Exception {
    start(false, Duration.ofMillis(200));
    InetSocketAddress to = collector.addresses().get(0);
    try (Socket silent = new Socket(to.getAddress(), to.getPort())) {
      silent.getOutputStream().write(22);
      await(IngestCounter.CONNECTIONS_CLOSED_SLOW, 1);
      assertTrue(silent.isConnected());
    }
  }

  /** Else a few silent peers would keep out the exporters. */
  @Test
  void aHundredSilentPeersTakeNoExportersPlace() throws Exception {
    start(true, new ConnectionLimits(2, 16, 16, LONG, LONG, LONG));
    InetSocketAddress to = collector.addresses().get(0);
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        silent.add(new Socket(to.getAddress(), to.getPort()));
      }
      await(IngestCounter.CONNECTIONS_HANDSHAKES, 100);
      await(IngestCounter.CONNECTIONS_CLOSED_DISPLACED, 84);
      assertEquals(16, collector.handshakes(), "as many as may be");
      for (Socket displaced : silent.subList(0, 84)) {
        displaced.setSoTimeout(10_000);
        assertEquals(-1, displaced.getInputStream().read(), "the oldest ones");
      }
      assertEquals(0, collector.connections());
      try (SSLSocket one = connect(keys.client("authority", "router"));
          SSLSocket two = connect(keys.client("authority", "router"))) {
        one.getOutputStream().write(Exports.of(10, 0, true, 1));
        two.getOutputStream().write(Exports.of(10, 0, true, 1));
        await(IngestCounter.FLOWS_DECODED, 2);
        assertEquals(2, collector.connections());
        for (int i = 0; i < 100; i++) {
          silent.add(new Socket(to.getAddress(), to.getPort()));
        }
        try (SSLSocket three = connect(keys.client("authority", "router"))) {
          assertThrows(IOException.class, () -> export(three));
        }
        assertEquals(101, count(IngestCounter.CONNECTIONS_REFUSED_TOO_MANY), "without handshake");
        one.getOutputStream().write(Exports.of(10, 1, false, 1));
        await(IngestCounter.FLOWS_DECODED, 3);
      }
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
    while (collector.connections() + collector.handshakes() > 0) {
      Thread.sleep(1);
    }
    assertEquals(
        count(IngestCounter.CONNECTIONS_HANDSHAKES),
        count(IngestCounter.CONNECTIONS_ACCEPTED)
            + count(IngestCounter.CONNECTIONS_CLOSED_DISPLACED)
            + count(IngestCounter.CONNECTIONS_CLOSED_HANDSHAKE)
            + count(IngestCounter.CONNECTIONS_CLOSED_BROKEN));
  }

  /** They end their handshakes one after the other, and only two may stay. */
  @Test
  void whoEndsItsHandshakeWhenAllPlacesAreTakenIsRefused() throws Exception {
    start(true, new ConnectionLimits(1, 8, 8, LONG, LONG, LONG));
    InetSocketAddress to = collector.addresses().get(0);
    try (Socket below = new Socket(to.getAddress(), to.getPort());
        SSLSocket first = connect(keys.client("authority", "router"))) {
      await(IngestCounter.CONNECTIONS_HANDSHAKES, 1);
      first.getOutputStream().write(Exports.of(10, 0, true, 1));
      await(IngestCounter.FLOWS_DECODED, 1);
      SSLSocket late =
          (SSLSocket)
              keys.client("authority", "router")
                  .getSocketFactory()
                  .createSocket(below, "127.0.0.1", to.getPort(), false);
      late.setSoTimeout(60_000);
      assertThrows(IOException.class, () -> export(late));
      await(IngestCounter.CONNECTIONS_REFUSED_TOO_MANY, 1);
      assertEquals(1, collector.connections());
      assertEquals(1, count(IngestCounter.CONNECTIONS_ACCEPTED));
    }
  }

  /** Until the collector closes it. */
  private static void export(SSLSocket socket) throws IOException {
    for (int i = 0; socket.getInputStream().available() == 0; i++) {
      socket.getOutputStream().write(Exports.of(10, i, i == 0, 1));
    }
    throw new IOException("the collector has answered");
  }

  @Test
  void aConnectionThatIsResetIsTold() throws Exception {
    start(false, LONG);
    InetSocketAddress to = collector.addresses().get(0);
    Socket below = new Socket(to.getAddress(), to.getPort());
    SSLSocket socket =
        (SSLSocket)
            keys.client("authority")
                .getSocketFactory()
                .createSocket(below, "127.0.0.1", to.getPort(), false);
    socket.getOutputStream().write(Exports.of(10, 0, true, 1));
    await(IngestCounter.FLOWS_DECODED, 1);
    below.setSoLinger(true, 0);
    below.close(); // without TLS's end
    await(IngestCounter.CONNECTIONS_CLOSED_BROKEN, 1);
  }

  @Test
  void newConnectionsGetTheNewCertificateAndOldOnesGoOn() throws Exception {
    start(false, LONG);
    try (SSLSocket old = connect(keys.client("authority"))) {
      old.getOutputStream().write(Exports.of(10, 0, true, 1));
      await(IngestCounter.FLOWS_DECODED, 1);
      collector.useTls(tls("next", false));
      assertEquals("CN=next", export(keys.client("authority")));
      old.getOutputStream().write(Exports.of(10, 1, false, 1));
      await(IngestCounter.FLOWS_DECODED, 4);
    }
  }

  @Test
  void filesThatCannotBeUsedAreNamed() throws Exception {
    Path key = keys.keyFile("collector");
    Path certificate = keys.certificateFile("collector");
    Path none = folder.resolve("none");
    Path text = Files.writeString(folder.resolve("text"), "no PEM");
    refused(none + ": there is no such file", none, certificate);
    refused(none + ": there is no such file", key, none);
    refused(folder + ": is a folder; expected a file in PEM", folder, certificate);
    refused("/dev/zero: is no regular file", key, Path.of("/dev/zero"));
    Path large = Files.write(folder.resolve("large"), new byte[(1 << 20) + 1]);
    refused(large + ": has more than 1048576 bytes; expected PEM", large, certificate);
    refused(text + ": has no -----BEGIN PRIVATE KEY-----", text, certificate);
    refused(text + ": ", key, text);
    refused(" is not the key of the first", keys.keyFile("next"), keys.certificateFile("router"));
    refused(": is no key of RSA", keys.keyFile("next"), certificate);
    refused("is not valid at this time", keys.keyFile("old"), keys.certificateFile("old"));
    Path broken =
        Files.writeString(folder.resolve("broken"), Files.readString(key).replace("M", ""));
    refused(broken + ": is ", broken, certificate);
    assertTrue(tls("collector", false).certificate().startsWith("CN=collector, valid until 20"));
  }

  private static void refused(String why, Path key, Path certificate) {
    IOException thrown =
        assertThrows(IOException.class, () -> ServerTls.read(key, certificate, Optional.empty()));
    String message = String.valueOf(thrown.getMessage());
    assertTrue(message.contains(why), message);
    assertFalse(message.contains("MII"), "it tells of the key: " + message);
  }
}
