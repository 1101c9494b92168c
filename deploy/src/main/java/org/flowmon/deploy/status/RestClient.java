package org.flowmon.deploy.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.flowmon.deploy.command.InterruptedCommandException;
import org.flowmon.deploy.command.UsageException;

/** Asks Flink's REST. */
final class RestClient {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String base;
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

  /** {@code option}: the name of the option that gave the URL. */
  RestClient(String option, String url) {
    URI place;
    try {
      place = URI.create(url);
    } catch (IllegalArgumentException e) {
      throw new UsageException(option + " " + url + ": " + e.getMessage());
    }
    if (place.getHost() == null || !String.valueOf(place.getScheme()).matches("https?")) {
      throw new UsageException(option + " " + url + ": expected a URL as http://127.0.0.1:8081");
    }
    base = url.replaceFirst("/+$", "");
  }

  /** Throws {@link IOException} if nothing or no JSON comes. */
  JsonNode get(String path) throws IOException {
    try {
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(URI.create(base + path)).timeout(TIMEOUT).build(),
              HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new IOException(base + path + " answers " + answer.statusCode());
      }
      return JSON.readTree(answer.body());
    } catch (JsonProcessingException e) {
      throw new IOException(base + path + " gives no JSON", e);
    } catch (InterruptedException e) {
      throw new InterruptedCommandException(e);
    }
  }
}
