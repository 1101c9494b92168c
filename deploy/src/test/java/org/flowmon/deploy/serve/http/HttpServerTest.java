package org.flowmon.deploy.serve.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.flowmon.deploy.serve.access.Tokens;
import org.flowmon.deploy.serve.lane.Lane;
import org.flowmon.deploy.serve.lane.Lanes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server's threads and connections, with endpoints that take as long as a test wants. */
final class HttpServerTest {
  private static final int BIG = 64 << 20;

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private HttpServer server;

  @SuppressWarnings("NullAway.Init")
  private Lanes lanes;

  @SuppressWarnings("NullAway.Init")
  private AuditLog audit;

  private final HttpClient client = HttpClient.newHttpClient();
  private final CountDownLatch running = new CountDownLatch(1);
  private final CountDownLatch gone = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicLong written = new AtomicLong();

  @BeforeEach
  void start() throws Exception {
    lanes = new Lanes(2);
    audit = AuditLog.open(Optional.of(folder.resolve("audit.json")));
    server =
        HttpServer.start(
            new HttpServer.Settings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                List.of("flows.example.net"),
                Tokens.NONE,
                Optional.empty(),
                audit),
            List.of(
                Route.get("/api/quick", Lane.SMALL, one -> one.json(200, List.of("quick"))),
                Route.get("/api/waits", Lane.LARGE, this::waitUntilGone),
                Route.get("/api/held", Lane.LARGE, this::hold),
                Route.get("/api/big", Lane.SMALL, this::big),
                Route.get("/api/late", Lane.SMALL, this::late),
                Route.post("/api/post", Lane.SMALL, one -> one.json(200, List.of("posted"))),
                Route.post("/api/read", Lane.SMALL, HttpServerTest::readBody)),
            lanes);
  }

  @AfterEach
  void stop() {
    release.countDown();
    server.close();
    lanes.close();
    audit.close();
  }

  private void waitUntilGone(Exchange exchange) throws IOException {
    running.countDown();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!exchange.isGone() && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    if (exchange.isGone()) {
      gone.countDown();
    }
    exchange.check();
    exchange.json(200, List.of());
  }

  private void hold(Exchange exchange) throws IOException {
    begun.incrementAndGet();
    try {
      release.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    exchange.json(200, List.of());
  }

  private void big(Exchange exchange) throws IOException {
    exchange.limit(Duration.ofSeconds(20));
    AnswerStream out = exchange.stream("application/octet-stream");
    byte[] part = new byte[1 << 16];
    for (int i = 0; i < BIG / part.length; i++) {
      out.write(part);
      written.addAndGet(part.length);
    }
    out.end();
  }

  private void late(Exchange exchange) throws IOException {
    AnswerStream out = exchange.stream("text/plain");
    out.write(new byte[AnswerStream.CHUNK * 2]);
    throw new Problem(Problem.Code.DAMAGED, "a segment is damaged");
  }

  private static void readBody(Exchange exchange) throws IOException {
    exchange.body().only();
    exchange.json(200, List.of("read"));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
        .timeout(Duration.ofSeconds(60));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private Socket raw(String request) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static String http(String path) {
    return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }

  @Test
  void aQueryWhoseClientGoesIsCancelled() throws Exception {
    Socket socket = raw(http("/api/waits"));
    assertTrue(running.await(10, TimeUnit.SECONDS));
    long left = System.nanoTime();
    socket.close();
    assertTrue(gone.await(10, TimeUnit.SECONDS), "nobody noticed");
    long millis = (System.nanoTime() - left) / 1_000_000;
    assertTrue(millis < 2000, millis + " ms until it was noticed");
  }

  @Test
  void aRequestThatFollowsIsNoEndOfTheConnection() throws Exception {
    try (Socket socket = raw(http("/api/held") + http("/api/quick"))) {
      Thread.sleep(500);
      release.countDown();
      socket.setSoTimeout(10_000);
      InputStream in = socket.getInputStream();
      StringBuilder all = new StringBuilder();
      byte[] part = new byte[1 << 12];
      while (!all.toString().contains("quick")) {
        int read = in.read(part);
        assertTrue(read > 0, "the end after " + all);
        all.append(new String(part, 0, read, StandardCharsets.US_ASCII));
      }
      assertEquals(2, all.toString().split("HTTP/1.1 200", -1).length - 1, all.toString());
    }
  }

  @Test
  void beyondTheQueueOfALaneRequestsAreRefusedAndOtherLanesGoOn() throws Exception {
    int threads = lanes.threads(Lane.LARGE);
    List<CompletableFuture<HttpResponse<String>>> held = new ArrayList<>();
    for (int i = 0; i < threads + Lanes.WAITING; i++) {
      held.add(
          client.sendAsync(request("/api/held").build(), HttpResponse.BodyHandlers.ofString()));
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (lanes.waiting(Lane.LARGE) < Lanes.WAITING && System.nanoTime() < end) {
      Thread.sleep(10);
    }
    HttpResponse<String> refused = send(request("/api/held"));
    assertEquals(429, refused.statusCode());
    assertTrue(refused.headers().firstValueAsLong("Retry-After").orElse(0) > 0);
    assertEquals(
        "too_many_queries", new ObjectMapper().readTree(refused.body()).get("code").asText());
    assertEquals(200, send(request("/api/quick")).statusCode());
    assertEquals(threads, begun.get(), "running at a time");
    release.countDown();
    for (CompletableFuture<HttpResponse<String>> one : held) {
      assertEquals(200, one.get(20, TimeUnit.SECONDS).statusCode());
    }
  }

  @Test
  void aWaitingRequestWhoseClientGoesLeavesItsPlace() throws Exception {
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < lanes.threads(Lane.LARGE) + 5; i++) {
      sockets.add(raw(http("/api/held")));
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (lanes.waiting(Lane.LARGE) < 5 && System.nanoTime() < end) {
      Thread.sleep(10);
    }
    assertEquals(5, lanes.waiting(Lane.LARGE));
    for (Socket socket : sockets) {
      socket.close();
    }
    while (lanes.waiting(Lane.LARGE) > 0 && System.nanoTime() < end) {
      Thread.sleep(10);
    }
    assertEquals(0, lanes.waiting(Lane.LARGE));
  }

  @Test
  void aSlowReaderHoldsUpOneAnswerAndLittleMemory() throws Exception {
    try (Socket slow = raw(http("/api/big"))) {
      Thread.sleep(1000);
      // What the kernel's and the server's buffers take.
      assertTrue(written.get() < BIG / 2, written + " bytes were made");
      assertEquals(200, send(request("/api/quick")).statusCode());
      slow.setSoTimeout(10_000);
      InputStream in = slow.getInputStream();
      byte[] part = new byte[1 << 16];
      long read = 0;
      while (read < BIG) {
        int some = in.read(part);
        assertTrue(some > 0, "the end after " + read + " bytes");
        read += some;
      }
    }
  }

  @Test
  void anAnswerThatFailsAfterItsBeginHasNoEnd() {
    assertThrows(IOException.class, () -> send(request("/api/late")));
  }

  @Test
  void pagesOfOtherSitesMayNotAsk() throws Exception {
    assertEquals(
        403, send(request("/api/quick").header("Origin", "http://evil.example")).statusCode());
    assertEquals(403, send(request("/api/quick").header("Origin", "null")).statusCode());
    assertEquals(
        403, send(request("/api/quick").header("Sec-Fetch-Site", "cross-site")).statusCode());
    String own = "http://127.0.0.1:" + server.port();
    HttpResponse<String> allowed =
        send(request("/api/quick").header("Origin", own).header("Sec-Fetch-Site", "same-origin"));
    assertEquals(200, allowed.statusCode());
    assertFalse(
        allowed.headers().map().keySet().stream()
            .anyMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("access-control")));
    // A form of another site can send text, and no JSON.
    for (String type : List.of("text/plain", "application/x-www-form-urlencoded")) {
      HttpRequest.Builder form =
          request("/api/post")
              .header("Content-Type", type)
              .POST(HttpRequest.BodyPublishers.ofString("{}"));
      assertEquals(415, send(form).statusCode(), type);
    }
  }

  @Test
  void namesOfOthersAreNoHosts() throws Exception {
    for (String[] one :
        new String[][] {
          {"evil.example", "421"},
          {"127.0.0.1.evil.example", "421"},
          {"localhost", "200"},
          {"flows.example.net:8060", "200"},
          {"[::1]:8060", "200"},
          {"192.0.2.7", "200"}
        }) {
      try (Socket socket =
          raw("GET /api/quick HTTP/1.1\r\nHost: " + one[0] + "\r\nConnection: close\r\n\r\n")) {
        String answer =
            new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertTrue(answer.startsWith("HTTP/1.1 " + one[1]), one[0] + ": " + answer);
      }
    }
  }

  @Test
  void bodiesAreBounded() throws Exception {
    byte[] large = new byte[Exchange.MAX_BODY + 1];
    for (HttpRequest.BodyPublisher body :
        List.of(
            HttpRequest.BodyPublishers.ofByteArray(large),
            HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large)))) {
      HttpRequest.Builder post =
          request("/api/post").header("Content-Type", "application/json").POST(body);
      assertEquals(413, send(post).statusCode());
    }
  }

  /** A client that reads when it has sent all: the connection must not be reset before. */
  @Test
  void refusedBodiesDoNotLoseTheAnswer() throws Exception {
    byte[] large = new byte[Exchange.MAX_BODY + (1 << 20)];
    String length = "Content-Length: " + large.length + "\r\n";
    for (String[] one :
        new String[][] {
          {"/api/post", length + "Content-Type: application/json\r\n", "413"},
          {"/api/nothing", length + "Content-Type: application/json\r\n", "404"},
          {"/api/post", length + "Content-Type: text/plain\r\n", "415"}
        }) {
      for (int round = 0; round < 5; round++) {
        try (Socket socket =
            raw("POST " + one[0] + " HTTP/1.1\r\nHost: localhost\r\n" + one[1] + "\r\n")) {
          socket.getOutputStream().write(large);
          byte[] answer = new byte[12];
          assertEquals(12, socket.getInputStream().readNBytes(answer, 0, 12));
          assertEquals("HTTP/1.1 " + one[2], new String(answer, StandardCharsets.US_ASCII));
        }
      }
    }
  }

  @Test
  void answersAreCompressedIfAskedForAndBodiesAreNeverInflated() throws Exception {
    HttpResponse<InputStream> big =
        client.send(
            request("/api/big").header("Accept-Encoding", "gzip").build(),
            HttpResponse.BodyHandlers.ofInputStream());
    assertEquals("gzip", big.headers().firstValue("Content-Encoding").orElse(""));
    try (InputStream inflated = new GZIPInputStream(big.body())) {
      assertEquals(BIG, inflated.transferTo(OutputStream.nullOutputStream()));
    }
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(packed)) {
      out.write("{}".getBytes(StandardCharsets.US_ASCII));
    }
    HttpRequest.Builder plain = request("/api/read").header("Content-Type", "application/json");
    assertEquals(200, send(plain.POST(HttpRequest.BodyPublishers.ofString("{}"))).statusCode());
    HttpRequest.Builder post =
        request("/api/read")
            .header("Content-Type", "application/json")
            .header("Content-Encoding", "gzip")
            .POST(HttpRequest.BodyPublishers.ofByteArray(packed.toByteArray()));
    assertEquals(400, send(post).statusCode());
  }

  @Test
  void everyAnswerHasTheHeadersOfSecurityAndALineInTheAudit() throws Exception {
    for (String path : List.of("/api/quick", "/api/none", "/docs/", "/none")) {
      HttpResponse<String> answer = send(request(path));
      assertEquals(
          "nosniff", answer.headers().firstValue("X-Content-Type-Options").orElse(""), path);
      String policy = answer.headers().firstValue("Content-Security-Policy").orElse("");
      assertTrue(policy.contains("default-src 'none'"), path + ": " + policy);
      assertTrue(policy.contains("frame-ancestors 'none'"), path + ": " + policy);
      assertFalse(policy.replaceAll("style-src[^;]*", "").contains("unsafe"), path + ": " + policy);
    }
    List<String> lines = Files.readAllLines(folder.resolve("audit.json"));
    assertTrue(
        lines.stream().anyMatch(line -> line.contains("/api/quick") && line.contains("local")));
    assertTrue(lines.stream().anyMatch(line -> line.contains("/api/none")), lines.toString());
  }

  private static long heapInUse() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  @Test
  void idleConnectionsCostNoThreadsAndLittleMemory() throws Exception {
    String request =
        "GET /api/quick HTTP/1.1\r\nHost: 127.0.0.1:"
            + server.port()
            + "\r\nUser-Agent: test\r\nAccept: */*\r\n\r\n";
    List<Socket> idle = new ArrayList<>();
    try {
      long before = heapInUse();
      for (int i = 0; i < 1000; i++) {
        Socket socket = raw(request);
        socket.setSoTimeout(10_000);
        assertTrue(socket.getInputStream().read(new byte[4096]) > 0);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        assertTrue(socket.getInputStream().read(new byte[4096]) > 0, "the second answer");
        idle.add(socket);
      }
      long each = (heapInUse() - before) / idle.size();
      assertTrue(each < 40_000, each + " bytes of a connection, with the client's part");
      long threads =
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> thread.getName().startsWith("serve-http"))
              .count();
      assertTrue(threads <= 24, threads + " threads");
      assertEquals(200, send(request("/api/quick")).statusCode());
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
  }
}
