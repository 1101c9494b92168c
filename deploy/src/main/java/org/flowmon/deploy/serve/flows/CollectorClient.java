package org.flowmon.deploy.serve.flows;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import org.flowmon.deploy.command.HttpUrl;
import org.flowmon.deploy.remote.HttpSource;

/** A running collector, asked by its {@code --http}. */
public final class CollectorClient {
  private final HttpSource source;

  public CollectorClient(URI place, Optional<String> token) {
    this.source = new HttpSource("the collector", place, token);
  }

  /** Its address, which {@code --collector} gives. */
  public static URI place(String url) {
    return HttpUrl.parse("--collector", url, "http://127.0.0.1:2080");
  }

  /** An array; throws {@link IOException} if the collector does not answer. */
  public JsonNode exporters() throws IOException {
    return source.json("/exporters");
  }

  /** In Prometheus' text format; throws {@link IOException} likewise. */
  public String metrics() throws IOException {
    return source.text("/metrics");
  }

  /** Why it is not well; empty if it is. */
  public Optional<String> trouble() {
    try {
      String unused = source.text("/health");
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }
}
