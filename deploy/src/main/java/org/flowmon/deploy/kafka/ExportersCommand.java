package org.flowmon.deploy.kafka;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.FittedTable;
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
  private static final int OK = 200;
  private static final int UNAUTHORIZED = 401;
  private static final int UNAVAILABLE = 503;
  private static final Pattern FRACTION = Pattern.compile("(T[0-9:]{8})\\.[0-9]+Z");

  /** Beyond what any collector answers: a known exporter takes some 400 bytes of it. */
  private static final int MOST_BYTES = 64 << 20;

  /**
   * A column of the table, which is a field of the answer; the larger its rank, the sooner it goes.
   */
  private record Field(String name, boolean isNumber, int rank) {}

  private static final List<Field> FIELDS =
      List.of(
          new Field("exporter", false, 0),
          new Field("known", false, 5),
          new Field("versions", false, 6),
          new Field("last_heard", false, 3),
          new Field("flows_per_second", true, 2),
          new Field("lost_flows", true, 4),
          new Field("lost_datagrams", true, 9),
          new Field("bad_datagrams", true, 8),
          new Field("flows", true, 7),
          new Field("datagrams", true, 12),
          new Field("templates", true, 10),
          new Field("clock_skew_seconds", true, 11),
          new Field("interfaces", true, 13),
          new Field("waiting_bytes", true, 14),
          new Field("sampling_rates", true, 15),
          new Field("domains", true, 16));

  @Option(
      names = "--from",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:2080",
      description = "The collector's --http, HOST:PORT or a URL; default ${DEFAULT-VALUE}.")
  private String from;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "The file whose first line is the collector's token.")
  private Optional<Path> tokenFile = Optional.empty();

  @Option(
      names = "--vertical",
      description = "Each exporter as lines of name and value, with all columns.")
  private boolean vertical;

  @Option(names = "--json", description = "JSON as the collector gives it, in place of a table.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    String text = ask();
    JsonNode exporters = exporters(text);
    if (json) {
      System.out.print(text);
    } else if (exporters.isEmpty()) {
      System.err.println("no exporter has sent anything to the collector of " + from + " yet");
    } else {
      PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
      FittedTable table = new FittedTable(columns(exporters), exporters.size());
      if (vertical) {
        table.writeVertical(out);
      } else {
        table.write(out);
      }
      out.flush();
    }
    return ExitCodes.DONE;
  }

  private JsonNode exporters(String text) {
    try {
      JsonNode exporters = new ObjectMapper().readTree(text);
      boolean isList = exporters.isArray();
      for (JsonNode one : exporters) {
        isList &= one.has("exporter");
      }
      if (isList) {
        return exporters;
      }
    } catch (JsonProcessingException e) {
      // as any other text
    }
    throw noCollector("does not answer with a list of exporters");
  }

  private CommandException noCollector(String fact) {
    return new CommandException(
        from
            + " "
            + fact
            + ", so no flowmon collector is there: give --from the address of its --http");
  }

  private CommandException nobody(String fact) {
    return new CommandException(
        fact + ": start the collector with --http HOST:PORT, or give its address to --from");
  }

  private String ask() throws InterruptedException {
    Optional<String> token = tokenFile.map(TokenFile::read);
    HttpResponse<InputStream> answer;
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(url().replaceFirst("/$", "") + "/exporters"))
              .timeout(TIMEOUT);
      token.ifPresent(shown -> request.header("Authorization", "Bearer " + shown));
      answer =
          HttpClient.newBuilder()
              .connectTimeout(TIMEOUT)
              .build()
              .send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    } catch (IllegalArgumentException e) {
      throw new UsageException("--from " + from + ": expected http://HOST:PORT");
    } catch (HttpTimeoutException e) {
      throw nobody(from + " does not answer within " + TIMEOUT.toSeconds() + " s");
    } catch (ConnectException e) {
      throw nobody(
          isUnresolved(e)
              ? "--from " + from + ": there is no such host"
              : "no collector listens at " + from);
    } catch (IOException e) {
      throw noCollector(
          "does not answer in HTTP (" + ShownText.of(String.valueOf(e.getMessage())) + ")");
    }
    String body = body(answer);
    if (answer.statusCode() == UNAUTHORIZED) {
      throw new CommandException(
          from
              + (token.isPresent()
                  ? " refuses this token: --token-file names the file that the collector has as"
                  : " asks for a token: add --token-file FILE, the file that the collector has as")
              + " --http-token-file");
    }
    if (answer.statusCode() == UNAVAILABLE) {
      throw new CommandException(
          "the collector of "
              + from
              + " cannot answer now, try again: "
              + ShownText.of(body.strip()));
    }
    if (answer.statusCode() != OK) {
      throw noCollector("answers " + answer.statusCode());
    }
    return body;
  }

  /** The collector's {@code --http} has no scheme. */
  private String url() {
    return from.contains("://") ? from : "http://" + from;
  }

  private static boolean isUnresolved(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnresolvedAddressException) {
        return true;
      }
    }
    return false;
  }

  private String body(HttpResponse<InputStream> answer) {
    try (InputStream in = answer.body()) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        throw noCollector("answers more than " + (MOST_BYTES >> 20) + " MiB");
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new CommandException(from + " broke off its answer: " + e.getMessage() + "; try again");
    }
  }

  private static List<FittedTable.Column> columns(JsonNode exporters) {
    List<FittedTable.Column> columns = new ArrayList<>();
    for (Field field : FIELDS) {
      List<List<String>> cells = new ArrayList<>();
      exporters.forEach(one -> cells.add(List.of(cell(one.path(field.name)))));
      columns.add(FittedTable.Column.of(field.name, cells, field.isNumber, field.rank));
    }
    return columns;
  }

  private static String cell(JsonNode value) {
    if (value.isArray()) {
      List<String> words = new ArrayList<>();
      value.forEach(word -> words.add(word.asText()));
      return ShownText.of(String.join(",", words));
    }
    // Times to the second.
    return FRACTION.matcher(ShownText.of(value.asText())).replaceFirst("$1Z");
  }
}
