package org.flowmon.bench.serve;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.bench.harness.Run;

/** Clients that asked once and keep their connections. */
final class IdleClients implements AutoCloseable {
  private static final int ANSWER = 1 << 12;

  private final List<Socket> sockets = new ArrayList<>();

  private final byte[] request;

  /** Connects so many, each of which gets an answer. */
  IdleClients(URI server, int clients) throws IOException {
    request =
        ("GET /api/v1/session HTTP/1.1\r\nHost: " + server.getAuthority() + "\r\n\r\n")
            .getBytes(StandardCharsets.UTF_8);
    try {
      for (int i = 0; i < clients; i++) {
        sockets.add(new Socket(server.getHost(), server.getPort()));
        ask(sockets.get(i));
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Each asks once more, on its connection. */
  void ask() throws IOException {
    for (Socket socket : sockets) {
      ask(socket);
    }
  }

  private void ask(Socket socket) throws IOException {
    socket.getOutputStream().write(request);
    byte[] answer = new byte[ANSWER];
    int read = socket.getInputStream().read(answer);
    String text = new String(answer, 0, Math.max(0, read), StandardCharsets.UTF_8);
    Run.require(text.contains(" 200 "), "client %d: '%s'", sockets.indexOf(socket), text);
  }

  @Override
  public void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
