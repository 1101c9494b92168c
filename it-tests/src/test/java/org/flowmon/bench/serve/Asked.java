package org.flowmon.bench.serve;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.flowmon.bench.harness.Run;

/**
 * A request to a server.
 *
 * @param kind what it is, in tables
 * @param path after the server's address
 * @param body JSON, empty for a GET
 */
record Asked(String kind, String path, String body) {
  private static final int BUFFER = 1 << 16;

  static Asked get(String kind, String path) {
    return new Asked(kind, path, "");
  }

  static Asked query(String kind, String sql, String format) {
    return new Asked(
        kind, "api/v1/query", "{\"sql\": \"" + sql + "\", \"format\": \"" + format + "\"}");
  }

  /** Asks on a connection that is kept; returns the bytes of the answer, which must be good. */
  long ask(URI server) throws IOException {
    return ask(open(server));
  }

  /** A connection for {@link #ask(HttpURLConnection)}; nothing is sent yet. */
  HttpURLConnection open(URI server) throws IOException {
    return (HttpURLConnection) server.resolve("/" + path).toURL().openConnection();
  }

  /** Sends it; returns the status of the answer. */
  int send(HttpURLConnection connection) throws IOException {
    if (!body.isEmpty()) {
      connection.setRequestMethod("POST");
      connection.setDoOutput(true);
      connection.setRequestProperty("Content-Type", "application/json");
      byte[] json = body.getBytes(StandardCharsets.UTF_8);
      connection.setFixedLengthStreamingMode(json.length);
      try (OutputStream out = connection.getOutputStream()) {
        out.write(json);
      }
    }
    return connection.getResponseCode();
  }

  long ask(HttpURLConnection connection) throws IOException {
    int status = send(connection);
    if (status != 200) {
      try (InputStream problem = connection.getErrorStream()) {
        String text =
            problem == null ? "" : new String(problem.readAllBytes(), StandardCharsets.UTF_8);
        Run.require(false, "%s %s: %d %s", path, body, status, text);
      }
    }
    long bytes = 0;
    try (InputStream in = connection.getInputStream()) {
      byte[] buffer = new byte[BUFFER];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        bytes += n;
      }
    }
    return bytes;
  }
}
