package org.flowmon.deploy.kafka;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.flowmon.deploy.metrics.MetricsText;
import org.flowmon.ingest.collect.CannotListenException;
import org.jspecify.annotations.Nullable;

/**
 * What a running collector tells over HTTP: {@code /health} (200, or 503 with the reason), {@code
 * /metrics} for Prometheus, {@code /exporters} as JSON.
 */
final class CollectorHttp implements Closeable {
  private static final int THREADS = 2;
  private static final int NO_BODY = -1;
  private static final List<String> METHODS = List.of("GET", "HEAD");
  private static final int OK = 200;
  private static final int UNAUTHORIZED = 401;
  private static final int NOT_FOUND = 404;
  private static final int NOT_ALLOWED = 405;
  private static final int UNAVAILABLE = 503;
  private static final ObjectMapper JSON = new ObjectMapper();

  static {
    // Seconds for a request and for an answer: who is slower must not hold a thread.
    System.setProperty("sun.net.httpserver.maxReqTime", "10");
    System.setProperty("sun.net.httpserver.maxRspTime", "10");
  }

  /** A running collector. */
  interface Source {
    /** Why it is not well; empty if it is. */
    Optional<String> trouble();

    /** Throws {@link IOException} if the collector does not answer. */
    String metrics() throws IOException;

    /** An object for JSON; throws {@link IOException} likewise. */
    Object exporters() throws IOException;
  }

  private final HttpServer server;
  private final ExecutorService threads;
  private final Source source;
  private final byte @Nullable [] token;

  private CollectorHttp(HttpServer server, Source source, Optional<String> token) {
    this.server = server;
    this.source = source;
    this.token = token.map(text -> text.getBytes(StandardCharsets.UTF_8)).orElse(null);
    this.threads =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "collect-http");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** {@code token}: who asks shows it as {@code Authorization: Bearer TOKEN}; empty: anyone may. */
  static CollectorHttp start(InetSocketAddress address, Optional<String> token, Source source)
      throws IOException {
    HttpServer server;
    try {
      server = HttpServer.create(address, 0);
    } catch (IOException e) {
      throw new CannotListenException("TCP", address, e);
    }
    CollectorHttp http = new CollectorHttp(server, source, token);
    server.createContext("/", http::handle);
    server.setExecutor(http.threads);
    server.start();
    return http;
  }

  InetSocketAddress address() {
    return server.getAddress();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!mayAsk(exchange)) {
        exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
        answer(exchange, UNAUTHORIZED, "text/plain", "a token is needed\n");
      } else if (!METHODS.contains(exchange.getRequestMethod())) {
        exchange.getResponseHeaders().set("Allow", String.join(", ", METHODS));
        answer(exchange, NOT_ALLOWED, "text/plain", "GET and HEAD only\n");
      } else {
        answer(exchange);
      }
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    try {
      switch (exchange.getRequestURI().getPath()) {
        case "/health" -> {
          Optional<String> trouble = source.trouble();
          answer(
              exchange,
              trouble.isEmpty() ? OK : UNAVAILABLE,
              "text/plain; charset=utf-8",
              trouble.orElse("ok") + "\n");
        }
        case "/metrics" -> answer(exchange, OK, MetricsText.CONTENT_TYPE, source.metrics());
        case "/exporters" ->
            answer(
                exchange,
                OK,
                "application/json",
                JSON.writeValueAsString(source.exporters()) + "\n");
        default -> answer(exchange, NOT_FOUND, "text/plain", "/health, /metrics, /exporters\n");
      }
    } catch (IOException e) {
      answer(exchange, UNAVAILABLE, "text/plain; charset=utf-8", e.getMessage() + "\n");
    }
  }

  private boolean mayAsk(HttpExchange exchange) {
    if (token == null) {
      return true;
    }
    String shown = exchange.getRequestHeaders().getFirst("Authorization");
    String begin = "Bearer ";
    return shown != null
        && shown.startsWith(begin)
        && MessageDigest.isEqual(
            shown.substring(begin.length()).getBytes(StandardCharsets.UTF_8), token);
  }

  private static void answer(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.getResponseHeaders().set("Content-Length", Integer.toString(bytes.length));
      exchange.sendResponseHeaders(status, NO_BODY);
      return;
    }
    exchange.sendResponseHeaders(status, bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
