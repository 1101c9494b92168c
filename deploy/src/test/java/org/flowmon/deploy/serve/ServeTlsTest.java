package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.flowmon.deploy.serve.access.Tokens;
import org.flowmon.ingest.collect.ServerTls;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HTTPS with a key of the JDK's keytool and the JDK's client. */
final class ServeTlsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();
  private static final String QUERY = "{\"sql\": \"SELECT COUNT(*) AS n FROM flows\"}";

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @SuppressWarnings("NullAway.Init")
  private Certificate certificate;

  @BeforeEach
  void start() throws Exception {
    KeyStore keys = keys("server");
    certificate = Objects.requireNonNull(keys.getCertificate("server"));
    Path key =
        pem(
            "key.pem",
            "PRIVATE KEY",
            Objects.requireNonNull(keys.getKey("server", PASSWORD)).getEncoded());
    Path chain = pem("cert.pem", "CERTIFICATE", certificate.getEncoded());
    Path archive =
        TestServer.archive(
            folder, "end_time,src_addr,dst_addr\n2026-11-01T00:00:10Z,10.0.0.1,192.0.2.1\n");
    server =
        TestServer.start(
            folder,
            archive,
            Tokens.NONE,
            Optional.empty(),
            Duration.ofSeconds(30),
            Optional.of(ServerTls.read(key, chain, Optional.empty()).context()));
  }

  @AfterEach
  void end() {
    server.close();
  }

  /** A new key that signs itself, for this machine's name and address. */
  private KeyStore keys(String alias) throws Exception {
    Path file = folder.resolve(alias + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                alias,
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                String.valueOf(PASSWORD))
            .inheritIO()
            .start();
    assertEquals(0, keytool.waitFor());
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD);
    }
    return keys;
  }

  private Path pem(String name, String type, byte[] der) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return Files.writeString(
        folder.resolve(name),
        "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
  }

  private static HttpClient client(Certificate trusted, String protocol) throws Exception {
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    trust.setCertificateEntry("trusted", trusted);
    TrustManagerFactory trusts =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusts.init(trust);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trusts.getTrustManagers(), null);
    return HttpClient.newBuilder()
        .sslContext(context)
        .sslParameters(new SSLParameters(null, new String[] {protocol}))
        .build();
  }

  private HttpResponse<String> query(HttpClient client) throws Exception {
    return client.send(
        HttpRequest.newBuilder(
                URI.create("https://localhost:" + server.server.port() + "/api/v1/query"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(QUERY))
            .timeout(Duration.ofSeconds(60))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void whoTrustsTheCertificateIsAnswered() throws Exception {
    assertTrue(server.server.url().startsWith("https://127.0.0.1:"), server.server.url());
    for (String protocol : new String[] {"TLSv1.3", "TLSv1.2"}) {
      HttpResponse<String> answer = query(client(certificate, protocol));
      assertEquals(200, answer.statusCode(), answer.body());
      assertEquals(1, TestServer.JSON.readTree(answer.body()).at("/rows/0/n").asInt());
      assertEquals(protocol, answer.sslSession().orElseThrow().getProtocol());
      assertEquals(
          certificate, answer.sslSession().orElseThrow().getPeerCertificates()[0], protocol);
      assertTrue(answer.headers().firstValue("Strict-Transport-Security").isPresent());
    }
  }

  @Test
  void whoTrustsAnotherOneRefusesTheServer() throws Exception {
    HttpClient other = client(keys("other").getCertificate("other"), "TLSv1.3");
    assertThrows(SSLHandshakeException.class, () -> query(other));
  }

  @Test
  void plainTextHasNoAnswer() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.server.port())) {
      socket.setSoTimeout(20_000);
      OutputStream out = socket.getOutputStream();
      out.write(
          "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
              .getBytes(StandardCharsets.US_ASCII));
      String answer =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      assertTrue(!answer.contains("HTTP/1.1 200") && !answer.contains("parts"), answer);
    }
  }
}
