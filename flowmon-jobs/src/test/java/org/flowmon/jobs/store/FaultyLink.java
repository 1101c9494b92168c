package org.flowmon.jobs.store;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A link between a client and a server of HTTP/1.1, one request to a connection, with a chosen fate
 * for each request.
 */
final class FaultyLink implements AutoCloseable {
  /** The fate of a request. */
  enum Fate {
    PASS,
    /** The server never sees it, the client gets 503. */
    REFUSE,
    /** The server has handled it, and the answer is lost. */
    LOSE_ANSWER,
    /** The answer breaks off in its body. */
    CUT_ANSWER,
    /** No answer comes for longer than the client waits. */
    HANG,
    /** The condition of a conditional put does not reach the server. */
    STRIP_CONDITION
  }

  /** Decides by a request's first line. */
  interface Judge {
    Fate of(String request);
  }

  private final ServerSocket listener;
  private final int target;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "faulty-link");
            thread.setDaemon(true);
            return thread;
          });
  final AtomicInteger faults = new AtomicInteger();
  volatile Judge judge = request -> Fate.PASS;

  FaultyLink(int target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        threads.execute(() -> serve(client));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      InputStream in = client.getInputStream();
      String head = head(in);
      if (head.isEmpty()) {
        return;
      }
      Fate fate = judge.of(head.lines().findFirst().orElse(""));
      if (fate != Fate.PASS) {
        faults.incrementAndGet();
      }
      byte[] body = in.readNBytes(length(head));
      switch (fate) {
        case REFUSE ->
            client
                .getOutputStream()
                .write(
                    "HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII));
        case HANG -> Thread.sleep(5000);
        case STRIP_CONDITION ->
            client
                .getOutputStream()
                .write(answer(head.replaceAll("(?i)if-none-match:", "X-None-Match:"), body));
        case LOSE_ANSWER -> answer(head, body);
        case CUT_ANSWER -> {
          byte[] answer = answer(head, body);
          client.getOutputStream().write(answer, 0, Math.max(0, answer.length - 10));
        }
        default -> client.getOutputStream().write(answer(head, body));
      }
    } catch (IOException e) {
      // The client sees it.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private byte[] answer(String head, byte[] body) throws IOException {
    try (Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
      // One request to a connection: the end of the answer is the end of the connection.
      String alone =
          head.replaceAll("(?i)\r\nconnection: [^\r]*", "")
              .replaceAll("(?i)\r\nexpect: [^\r]*", "")
              .replaceFirst("\r\n\r\n$", "\r\nConnection: close\r\n\r\n");
      OutputStream out = server.getOutputStream();
      out.write(alone.getBytes(StandardCharsets.ISO_8859_1));
      out.write(body);
      out.flush();
      return server.getInputStream().readAllBytes();
    }
  }

  private static String head(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    int matched = 0;
    while (matched < 4) {
      int next = in.read();
      if (next < 0) {
        return "";
      }
      head.write(next);
      matched = next == (matched % 2 == 0 ? '\r' : '\n') ? matched + 1 : next == '\r' ? 1 : 0;
    }
    return head.toString(StandardCharsets.ISO_8859_1);
  }

  private static int length(String head) {
    return head.lines()
        .filter(line -> line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:"))
        .mapToInt(line -> Integer.parseInt(line.substring(line.indexOf(':') + 1).strip()))
        .findFirst()
        .orElse(0);
  }

  @Override
  public void close() throws IOException {
    listener.close();
    threads.shutdownNow();
  }
}
