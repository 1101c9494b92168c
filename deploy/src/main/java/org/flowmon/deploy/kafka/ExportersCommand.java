package org.flowmon.deploy.kafka;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.ingest.text.ShownText;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code flowmon exporters}: the exporters of a running collector. */
@Command(
    name = "exporters",
    mixinStandardHelpOptions = true,
    description = {
      "Lists the exporters of a running collector: versions, rates, templates, losses, clocks.",
      "The collector listens for this with --http."
    })
public final class ExportersCommand implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final List<String> COLUMNS =
      List.of(
          "exporter",
          "known",
          "versions",
          "last_heard",
          "datagrams",
          "bad_datagrams",
          "flows",
          "flows_per_second",
          "lost_flows",
          "lost_datagrams",
          "waiting_bytes",
          "domains",
          "templates",
          "sampling_rates",
          "clock_skew_seconds");

  @Option(
      names = "--from",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:2080",
      description = "The collector's --http; default ${DEFAULT-VALUE}.")
  private String from;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "The file whose first line is the collector's token.")
  private Optional<Path> tokenFile = Optional.empty();

  @Option(names = "--json", description = "JSON as the collector gives it, in place of a table.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    String text = ask();
    if (json) {
      System.out.print(text);
      return ExitCodes.DONE;
    }
    JsonNode exporters;
    try {
      exporters = new ObjectMapper().readTree(text);
    } catch (JsonProcessingException e) {
      throw new CommandException(from + " answers no JSON: is it a collector's --http?");
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(COLUMNS);
    for (JsonNode exporter : exporters) {
      rows.add(COLUMNS.stream().map(column -> cell(exporter.path(column))).toList());
    }
    print(rows);
    return ExitCodes.DONE;
  }

  private String ask() throws IOException, InterruptedException {
    Optional<String> token =
        tokenFile.isPresent() ? Optional.of(TokenFile.read(tokenFile.get())) : Optional.empty();
    HttpResponse<String> answer;
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(from.replaceFirst("/$", "") + "/exporters"))
              .timeout(TIMEOUT);
      token.ifPresent(shown -> request.header("Authorization", "Bearer " + shown));
      answer =
          HttpClient.newBuilder()
              .connectTimeout(TIMEOUT)
              .build()
              .send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IllegalArgumentException e) {
      throw new UsageException("--from " + from + ": expected http://HOST:PORT");
    } catch (IOException e) {
      throw new CommandException(
          "no collector answers at " + from + ": start it with --http, or name it with --from");
    }
    if (answer.statusCode() != 200) {
      throw new CommandException(
          from + " answers " + answer.statusCode() + ": " + ShownText.of(answer.body().strip()));
    }
    return answer.body();
  }

  private static String cell(JsonNode value) {
    if (value.isArray()) {
      List<String> words = new ArrayList<>();
      value.forEach(word -> words.add(word.asText()));
      return ShownText.of(String.join(",", words));
    }
    return ShownText.of(value.asText());
  }

  private static void print(List<List<String>> rows) {
    int[] widths = new int[COLUMNS.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
      }
      System.out.println(line.toString().stripTrailing());
    }
  }
}
