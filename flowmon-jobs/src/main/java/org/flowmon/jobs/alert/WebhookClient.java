package org.flowmon.jobs.alert;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.flowmon.jobs.config.job.WebhookConfig;

/** Posts JSON to one webhook, without redirects and bodies. No message has the URL or headers. */
public final class WebhookClient {
  private final WebhookConfig config;
  private final HttpClient client;
  private final HttpRequest request; // without its body

  /** The outcome of a request, as text for people; {@code status} is 0 if there was no answer. */
  public record Answer(int status, String what) {
    boolean isTaken() {
      return status / 100 == 2;
    }

    /** Whether a server answered, and not with a redirect. */
    public boolean isReached() {
      return status > 0 && status / 100 != 3;
    }

    boolean isWorthARetry() {
      return status == 0 || status == 408 || status == 425 || status == 429 || status >= 500;
    }
  }

  /** Fails if the file of headers cannot be read or has an invalid line. */
  WebhookClient(WebhookConfig config) throws IOException {
    this.config = config;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(config.timeout())
            .build();
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(config.url())
            .timeout(config.timeout())
            .header("Content-Type", "application/json; charset=utf-8")
            .header("User-Agent", "flowmon");
    addHeaders(builder);
    this.request = builder.build();
  }

  private void addHeaders(HttpRequest.Builder builder) throws IOException {
    if (config.headerFile() == null) {
      return;
    }
    List<String> lines;
    try {
      lines = Files.readAllLines(Path.of(config.headerFile()));
    } catch (IOException e) {
      throw new IOException(
          config + ": header_file " + config.headerFile() + " cannot be read (" + e + ")", e);
    }
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      int colon = line.indexOf(':');
      try {
        if (colon > 0) {
          builder.setHeader(line.substring(0, colon).strip(), line.substring(colon + 1).strip());
          continue;
        }
      } catch (IllegalArgumentException e) {
        // reported below: its message would contain the header
      }
      throw new IOException(
          config.headerFile() + ":" + (i + 1) + ": expected a header, NAME: VALUE, for " + config);
    }
  }

  Answer post(Alert alert) throws InterruptedException {
    return send(
        builder ->
            builder
                .setHeader("Idempotency-Key", alert.id() + "-" + alert.number())
                .POST(HttpRequest.BodyPublishers.ofByteArray(AlertJson.of(alert))));
  }

  /**
   * Sends HEAD with the webhook's headers, within its time limit. An answer shows that a server is
   * reachable; only an alert shows whether it would take one. Fails as the constructor does.
   */
  public static Answer probe(WebhookConfig webhook) throws IOException, InterruptedException {
    return new WebhookClient(webhook)
        .send(builder -> builder.method("HEAD", HttpRequest.BodyPublishers.noBody()));
  }

  private Answer send(UnaryOperator<HttpRequest.Builder> as) throws InterruptedException {
    HttpRequest.Builder builder = HttpRequest.newBuilder(request, (name, value) -> true);
    CompletableFuture<HttpResponse<Void>> answer =
        client.sendAsync(as.apply(builder).build(), HttpResponse.BodyHandlers.discarding());
    try {
      // The request's own limit ends with the answer's headers.
      int status = answer.get(config.timeout().toMillis(), TimeUnit.MILLISECONDS).statusCode();
      return new Answer(
          status,
          status / 100 == 3
              ? "status " + status + ", and redirects are not followed"
              : "status " + status);
    } catch (TimeoutException e) {
      return new Answer(0, "no answer within " + config.timeout());
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      return new Answer(0, (cause == null ? e : cause).getClass().getSimpleName());
    } finally {
      answer.cancel(true);
    }
  }
}
