package org.flowmon.jobs.alert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.ToIntFunction;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.flowmon.jobs.alert.WebhookAlerts.Waiting;
import org.flowmon.jobs.analysis.AlertConfig.Severity;
import org.flowmon.jobs.config.job.WebhookConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Alerts posted to a real server that fails, is slow, goes and comes back. */
class WebhookTest {
  @TempDir private Path directory;

  private final List<String> taken = Collections.synchronizedList(new ArrayList<>());
  private final List<HttpServer> servers = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Counter> counters = new ConcurrentHashMap<>();

  /** Remembers counters by name. */
  private final MetricGroup metrics =
      new UnregisteredMetricsGroup() {
        @Override
        public <C extends Counter> C counter(String name, C counter) {
          counters.put(name, counter);
          return counter;
        }

        @Override
        public MetricGroup addGroup(String key, String value) {
          return this;
        }
      };

  @AfterEach
  void stopServers() {
    servers.forEach(server -> server.stop(0));
    threads.shutdownNow();
  }

  /**
   * Starts a server that answers each request with a status, and keeps the requests with status
   * 200.
   */
  private HttpServer serve(int port, ToIntFunction<HttpExchange> status) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(threads);
    server.createContext(
        "/hook",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          int code = status.applyAsInt(exchange);
          if (code == 200) {
            taken.add(body);
          }
          exchange.sendResponseHeaders(code, -1);
          exchange.close();
        });
    server.start();
    servers.add(server);
    return server;
  }

  private static int port(HttpServer server) {
    return server.getAddress().getPort();
  }

  private static WebhookConfig config(int port, String headers, String giveUp, int queue) {
    return config(port, headers, giveUp, queue, Duration.ofSeconds(20));
  }

  private static WebhookConfig config(
      int port, String headers, String giveUp, int queue, Duration timeout) {
    return new WebhookConfig(
        "ops",
        URI.create("http://127.0.0.1:" + port + "/hook"),
        headers,
        timeout,
        Duration.parse(giveUp),
        queue);
  }

  private WebhookWriter writer(WebhookConfig config, Waiting... waiting) throws IOException {
    return new WebhookWriter(List.of(config), List.of(waiting), metrics);
  }

  private static Alert alert(int number) {
    return alert(number, "id");
  }

  private static Alert alert(int number, String id) {
    return new Alert(
        id,
        number,
        Alert.State.FIRING,
        Alert.Cause.CONDITION,
        "talkers",
        "loud",
        Severity.WARNING,
        "10.0.0.1",
        0,
        0,
        10_000_000,
        10_000_000,
        3,
        1,
        "{\"bytes\":1}",
        List.of("kafka", "ops"));
  }

  private List<String> numbers() {
    return List.copyOf(taken).stream()
        .map(body -> body.replaceAll(".*\"number\":([0-9]+),.*", "$1"))
        .toList();
  }

  private long count(String counter) {
    return counters.get(counter).getCount();
  }

  @Test
  void alertsArriveInTheirOrderWithTheHeadersOfTheFile() throws Exception {
    Path headers = directory.resolve("headers");
    Files.writeString(headers, "# for ops\nAuthorization: Bearer s3cret\n\nX-Team: net\n");
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    HttpServer server =
        serve(
            0,
            exchange -> {
              seen.add(
                  exchange.getRequestMethod()
                      + " "
                      + exchange.getRequestHeaders().getFirst("Authorization")
                      + " "
                      + exchange.getRequestHeaders().getFirst("X-Team")
                      + " "
                      + exchange.getRequestHeaders().getFirst("Content-Type")
                      + " "
                      + exchange.getRequestHeaders().getFirst("Idempotency-Key"));
              return 200;
            });
    try (WebhookWriter writer = writer(config(port(server), headers.toString(), "PT1M", 100))) {
      for (int i = 1; i <= 20; i++) {
        writer.write(alert(i), null);
      }
      writer.flush(true);
      assertEquals(20, taken.size());
      assertEquals("1", numbers().get(0));
      assertEquals("20", numbers().get(19));
      assertEquals("POST Bearer s3cret net application/json; charset=utf-8 id-20", seen.get(19));
      assertEquals(new String(AlertJson.of(alert(20)), StandardCharsets.UTF_8), taken.get(19));
      assertEquals(List.of(), writer.snapshotState(1));
    }
  }

  @Test
  void anAlertThatCannotBePostedIsCountedAndTheNextOnesAreSent() throws Exception {
    HttpServer server = serve(0, exchange -> 200);
    try (WebhookWriter writer = writer(config(port(server), null, "PT1M", 100))) {
      writer.write(alert(1, "line\nbreak"), null); // makes no header
      writer.write(alert(2), null);
      writer.flush(true);
      assertEquals(List.of("2"), numbers());
      assertEquals(1, count("failed_alerts"));
      assertEquals(1, count("delivered_alerts"));
      assertEquals(List.of(), writer.snapshotState(1));
    }
  }

  @Test
  void aServerThatFailsIsTriedAgainAndNothingIsLost() throws Exception {
    int[] requests = new int[1];
    int[] answers = {500, 503, 429, 408, 200};
    HttpServer server =
        serve(
            0,
            exchange -> {
              synchronized (requests) {
                return answers[Math.min(requests[0]++, answers.length - 1)];
              }
            });
    try (WebhookWriter writer = writer(config(port(server), null, "PT1M", 100))) {
      writer.write(alert(1), null);
      writer.write(alert(2), null);
      writer.flush(true);
      assertEquals(List.of("1", "2"), numbers());
      assertEquals(4, count("retries"));
      assertEquals(2, count("delivered_alerts"));
    }
  }

  @Test
  void aServerThatIsAwayHoldsUpNoCheckpointAndGetsAllOnceItIsBack() throws Exception {
    HttpServer server = serve(0, exchange -> 200);
    int port = port(server);
    server.stop(0);
    WebhookConfig config = config(port, null, "PT1M", 100);
    List<Waiting> state;
    try (WebhookWriter writer = writer(config)) {
      for (int i = 1; i <= 3; i++) {
        writer.write(alert(i), null);
      }
      writer.flush(false);
      state = writer.snapshotState(1);
      assertEquals(3, state.size());
    }
    WebhookAlerts.WaitingSerializer serializer = new WebhookAlerts.WaitingSerializer();
    List<Waiting> restored = new ArrayList<>();
    for (Waiting one : state) {
      restored.add(serializer.deserialize(1, serializer.serialize(one)));
    }
    assertEquals(state, restored);
    try (WebhookWriter writer = writer(config, restored.toArray(Waiting[]::new))) {
      writer.write(alert(4), null);
      while (count("retries") == 0) {
        Thread.sleep(10);
      }
      serve(port, exchange -> 200);
      writer.flush(true);
      assertEquals(List.of("1", "2", "3", "4"), numbers());
    }
  }

  @Test
  void aServerThatDoesNotAnswerIsTriedAgainAfterTheTimeout() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    int[] requests = new int[1];
    HttpServer server =
        serve(
            0,
            exchange -> {
              synchronized (requests) {
                requests[0]++;
                if (requests[0] > 1) {
                  return 200;
                }
              }
              await(over);
              return 500;
            });
    try (WebhookWriter writer =
        writer(config(port(server), null, "PT1M", 100, Duration.ofSeconds(2)))) {
      writer.write(alert(1), null);
      writer.flush(true);
      assertEquals("1", numbers().get(0));
      assertTrue(count("retries") >= 1, "tried again");
    } finally {
      over.countDown();
    }
  }

  /** The status comes at once, the body never ends. */
  @Test
  void anAnswerWhoseBodyNeverEndsIsGivenUp() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/hook",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write('x');
          exchange.getResponseBody().flush();
          await(over);
          exchange.close();
        });
    server.start();
    servers.add(server);
    try (WebhookWriter writer =
        writer(config(port(server), null, "PT1S", 100, Duration.ofSeconds(1)))) {
      writer.write(alert(1), null);
      writer.flush(true);
      assertEquals(1, count("given_up_alerts"));
      assertEquals(0, count("delivered_alerts"));
    } finally {
      over.countDown();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void whatIsRefusedIsDroppedAndCountedAndTheNextIsTried() throws Exception {
    int[] requests = new int[1];
    HttpServer server =
        serve(
            0,
            exchange -> {
              synchronized (requests) {
                return requests[0]++ == 0 ? 403 : 200;
              }
            });
    try (WebhookWriter writer = writer(config(port(server), null, "PT1M", 100))) {
      writer.write(alert(1), null);
      writer.write(alert(2), null);
      writer.flush(true);
      assertEquals(List.of("2"), numbers());
      assertEquals(1, count("refused_alerts"));
      assertEquals(0, count("retries"));
    }
  }

  @Test
  void redirectsAreNotFollowed() throws Exception {
    HttpServer other = serve(0, exchange -> 200);
    HttpServer server =
        serve(
            0,
            exchange -> {
              exchange
                  .getResponseHeaders()
                  .set("Location", "http://127.0.0.1:" + port(other) + "/hook");
              return 307;
            });
    try (WebhookWriter writer = writer(config(port(server), null, "PT1M", 100))) {
      writer.write(alert(1), null);
      writer.flush(true);
      assertEquals(List.of(), taken);
      assertEquals(1, count("refused_alerts"));
    }
  }

  @Test
  void aDeadServerIsGivenUpAfterItsTime() throws Exception {
    HttpServer server = serve(0, exchange -> 200);
    int port = port(server);
    server.stop(0);
    try (WebhookWriter writer = writer(config(port, null, "PT0.3S", 100))) {
      for (int i = 1; i <= 5; i++) {
        writer.write(alert(i), null);
      }
      writer.flush(true);
      assertEquals(5, count("given_up_alerts"));
      assertEquals(List.of(), writer.snapshotState(1));
    }
  }

  @Test
  void aFullQueueDropsTheOldestAndCountsThem() throws Exception {
    HttpServer server = serve(0, exchange -> 200);
    int port = port(server);
    server.stop(0);
    try (WebhookWriter writer = writer(config(port, null, "PT1M", 3))) {
      for (int i = 1; i <= 10; i++) {
        writer.write(alert(i), null);
      }
      List<Waiting> state = writer.snapshotState(1);
      assertEquals(10, state.size() + count("dropped_alerts"));
      assertTrue(state.size() == 3 || state.size() == 4, state.size() + " wait");
      assertEquals(10, state.get(state.size() - 1).alert().number());
    }
  }

  @Test
  void aFileOfHeadersThatIsNoneIsRefusedWithoutItsContent() throws Exception {
    Path headers = directory.resolve("headers");
    for (String line :
        List.of("s3cret", "Authorization: s3\u0001cret", "Host: s3cret", ": s3cret")) {
      Files.writeString(headers, "X-A: b\n" + line + "\n");
      IOException e =
          assertThrows(
              IOException.class, () -> writer(config(1, headers.toString(), "PT1M", 3)), line);
      assertTrue(e.getMessage().contains(headers + ":2: expected a header"), e.getMessage());
      assertFalse(e.toString().contains("cret"), e.toString());
    }
    IOException e =
        assertThrows(IOException.class, () -> writer(config(1, headers + "x", "PT1M", 3)));
    assertTrue(e.getMessage().contains("cannot be read"), e.getMessage());
  }
}
