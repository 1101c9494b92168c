package org.flowmon.deploy.serve.query;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.StreamedAnswer;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.deploy.query.PrintedQuery;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.JsonBodies;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;

/** {@code POST /api/v1/print}: what {@code flowmon query} prints, part by part. */
public final class PrintEndpoint implements Endpoint {
  private static final int MOST_PARAMETERS = 10_000;

  private final ServedArchives archives;

  public PrintEndpoint(ServedArchives archives) {
    this.archives = archives;
  }

  @Override
  public void answer(Exchange exchange) throws IOException {
    JsonBodies body =
        exchange
            .body()
            .only(
                "sql",
                "parameters",
                "format",
                "explain",
                "verbose",
                "seconds",
                "row_limit",
                "byte_limit");
    String sql = body.text("sql", 1, QueryRequest.MAX_TEXT);
    exchange.queryText(sql);
    archives.limit(exchange, body.integer("seconds", 1, Integer.MAX_VALUE));
    PrintedQuery printed =
        PrintedQuery.of(
            sql,
            body.flag("explain"),
            parameters(body),
            format(body, "table", "csv", "json"),
            body.flag("verbose"));
    Query parsed = QueryParser.parseQuery(printed.text());
    long rows = body.integer("row_limit", 1, Long.MAX_VALUE).orElse(Long.MAX_VALUE);
    long bytes = body.integer("byte_limit", 1, Long.MAX_VALUE).orElse(Long.MAX_VALUE);
    archives.inLane(
        exchange,
        printed.bind(parsed),
        in -> run(in, printed, parsed, options -> options.withRowLimit(rows).withByteLimit(bytes)));
  }

  /** A table if it is missing. */
  public static OutputFormat format(JsonBodies body, String... allowed) {
    return OutputFormat.valueOf(body.choice("format", "table", allowed).toUpperCase(Locale.ROOT));
  }

  private static List<String> parameters(JsonBodies body) {
    List<String> all = new ArrayList<>();
    JsonNode given = body.member("parameters").orElse(null);
    if (given != null && (!given.isArray() || given.size() > MOST_PARAMETERS)) {
      throw Problem.badRequest("'parameters': expected an array of texts NAME=VALUE");
    }
    if (given != null) {
      for (JsonNode one : given) {
        if (!one.isTextual()) {
          throw Problem.badRequest("'parameters': expected texts NAME=VALUE, found " + one);
        }
        all.add(one.textValue());
      }
    }
    return all;
  }

  private void run(
      Exchange exchange, PrintedQuery query, Query parsed, UnaryOperator<QueryOptions> limits)
      throws IOException {
    try (ArchivesSnapshot snapshot = archives.snapshot()) {
      PrintedParts.stream(
          exchange,
          parts -> {
            archives.unjoined(query.bind(parsed)).forEach(parts::note);
            StreamedAnswer answer =
                query.print(
                    snapshot.all(),
                    parsed,
                    archives.files(),
                    limits.apply(archives.options(exchange)),
                    archives.rates(),
                    List::of,
                    parts);
            QueryEndpoint.audit(exchange, answer.stats(), answer.rows());
            return ExitCodes.DONE;
          });
    }
  }
}
