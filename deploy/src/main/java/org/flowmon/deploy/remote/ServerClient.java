package org.flowmon.deploy.remote;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.ingest.text.ShownText;
import org.jspecify.annotations.Nullable;

/**
 * A running {@code flowmon serve}. One request at a time; another thread may end it. With the
 * client that the JDK loads fastest, as a command often asks one thing.
 */
public final class ServerClient {
  private static final int CONNECT_MILLIS = 10_000;

  /** Longer than a server's longest query: it ends them itself. */
  private static final int READ_MILLIS = 3_700_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final URI place;
  private final Optional<String> token;
  private volatile @Nullable HttpURLConnection current;

  ServerClient(URI place, Optional<String> token) {
    this.place = place;
    this.token = token;
  }

  /** For people. */
  public String name() {
    return "the server at " + place;
  }

  /**
   * The body of a good answer, which the caller closes.
   *
   * @param path without a slash at its beginning
   * @param body an object as JSON
   * @throws ServerProblem if the server refuses
   * @throws CommandException if no flowmon answers there
   */
  public InputStream post(String path, JsonNode body) throws IOException {
    String base = place.toString().replaceFirst("/+$", "");
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(base + "/" + path).toURL().openConnection();
    current = connection;
    connection.setConnectTimeout(CONNECT_MILLIS);
    connection.setReadTimeout(READ_MILLIS);
    connection.setInstanceFollowRedirects(false); // nobody else gets the token
    connection.setRequestMethod("POST");
    connection.setDoOutput(true);
    connection.setRequestProperty("Content-Type", "application/json");
    token.ifPresent(secret -> connection.setRequestProperty("Authorization", "Bearer " + secret));
    byte[] sent = body.toString().getBytes(StandardCharsets.UTF_8);
    int status;
    try {
      try (OutputStream out = connection.getOutputStream()) {
        out.write(sent);
      }
      status = connection.getResponseCode();
    } catch (IOException e) {
      throw new CommandException(
          name()
              + " does not answer: "
              + e.getMessage()
              + "; start it with flowmon serve, or name it with --server");
    }
    if (status == HttpURLConnection.HTTP_OK) {
      return connection.getInputStream();
    }
    throw refusal(connection, status);
  }

  private CommandException refusal(HttpURLConnection connection, int status) throws IOException {
    String text = "";
    try (InputStream error = connection.getErrorStream()) {
      text = error == null ? "" : new String(error.readAllBytes(), StandardCharsets.UTF_8);
      JsonNode problem = JSON.readTree(text);
      if (problem.has("code") && problem.has("detail")) {
        return ServerProblem.of(problem, name());
      }
    } catch (JsonProcessingException e) {
      // Another program's words.
    }
    return new CommandException(
        name()
            + " answers "
            + status
            + " "
            + ShownText.of(text.lines().findFirst().orElse(""))
            + ": is it a flowmon serve of this version?");
  }

  /** Ends the request that another thread waits for; the server ends its query. */
  public void cancel() {
    HttpURLConnection connection = current;
    if (connection != null) {
      connection.disconnect();
    }
  }
}
