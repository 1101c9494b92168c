package org.flowmon.deploy.serve.flows;

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

/** A running collector, asked by its {@code --http}. */
public final class CollectorClient {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final URI place;
  private final Optional<String> token;
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

  public CollectorClient(URI place, Optional<String> token) {
    this.place = place;
    this.token = token;
  }

  /** An array; throws {@link IOException} if the collector does not answer. */
  public JsonNode exporters() throws IOException {
    String text = get("/exporters");
    try {
      return new ObjectMapper().readTree(text);
    } catch (JsonProcessingException e) {
      throw new IOException("the collector at " + place + " gives no JSON", e);
    }
  }

  /** In Prometheus' text format; throws {@link IOException} likewise. */
  public String metrics() throws IOException {
    return get("/metrics");
  }

  /** Why it is not well; empty if it is. */
  public Optional<String> trouble() {
    try {
      String unused = get("/health");
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private String get(String path) throws IOException {
    HttpRequest.Builder request = HttpRequest.newBuilder(place.resolve(path)).timeout(TIMEOUT);
    token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
    try {
      HttpResponse<String> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new IOException(
            "the collector at "
                + place
                + " answers "
                + answer.statusCode()
                + ": "
                + answer.body().strip());
      }
      return answer.body();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the server ends");
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException e) {
      String why = Objects.requireNonNullElse(e.getMessage(), "nothing listens there");
      throw new IOException("the collector at " + place + " does not answer: " + why, e);
    }
  }
}
