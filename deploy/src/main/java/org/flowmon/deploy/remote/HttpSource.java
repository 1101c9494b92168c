package org.flowmon.deploy.remote;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** What another program tells by HTTP: a collector, or Flink. */
public final class HttpSource {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String name;
  private final String base;
  private final Optional<String> token;
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

  /** {@code who}, for messages, for example "the collector". */
  public HttpSource(String who, URI place, Optional<String> token) {
    this.name = who + " at " + place;
    this.base = place.toString().replaceFirst("/+$", "");
    this.token = token;
  }

  /** Throws {@link IOException} if no JSON comes. */
  public JsonNode json(String path) throws IOException {
    return parsed(text(path));
  }

  /** The answer to JSON that is sent; throws {@link IOException} if no JSON comes. */
  public JsonNode post(String path, JsonNode body) throws IOException {
    return parsed(
        answer(
            request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))));
  }

  private JsonNode parsed(String text) throws IOException {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IOException(name + " gives no JSON", e);
    }
  }

  /** Throws {@link IOException} if no good answer comes. */
  public String text(String path) throws IOException {
    return answer(request(path));
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path)).timeout(TIMEOUT);
    token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
    return request;
  }

  private String answer(HttpRequest.Builder request) throws IOException {
    HttpResponse<String> answer;
    try {
      answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } catch (IOException e) {
      String why = Objects.requireNonNullElse(e.getMessage(), "nothing listens there");
      throw new IOException(name + " does not answer: " + why, e);
    }
    if (answer.statusCode() / 100 != 2) {
      throw new IOException(
          name + " answers " + answer.statusCode() + ": " + answer.body().strip());
    }
    return answer.body();
  }
}
