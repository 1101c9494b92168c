package org.flowmon.deploy.serve.query;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.StreamedAnswer;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.deploy.query.PrintedQuery;
import org.flowmon.deploy.serve.http.AnswerStream;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.JsonBodies;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.ingest.text.JsonText;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;

/** {@code POST /api/v1/print}: what {@code flowmon query} prints, part by part. */
public final class PrintEndpoint implements Endpoint {
  /** Characters of rows in a part. */
  private static final int PART = 1 << 13;

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
            OutputFormat.valueOf(
                body.choice("format", "table", "table", "csv", "json").toUpperCase(Locale.ROOT)),
            body.flag("verbose"));
    Query parsed = QueryParser.parseQuery(printed.text());
    long rows = body.integer("row_limit", 1, Long.MAX_VALUE).orElse(Long.MAX_VALUE);
    long bytes = body.integer("byte_limit", 1, Long.MAX_VALUE).orElse(Long.MAX_VALUE);
    archives.inLane(
        exchange,
        printed.bind(parsed),
        in -> run(in, printed, parsed, options -> options.withRowLimit(rows).withByteLimit(bytes)));
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
      AnswerStream out = exchange.stream("application/x-ndjson");
      try (JsonGenerator json = JsonText.factory().createGenerator(out)) {
        json.setRootValueSeparator(null);
        Parts parts = new Parts(json);
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
        parts.end();
      }
      out.end();
    }
  }

  /** A line of JSON for each part. */
  private static final class Parts implements PrintedQuery.Output {
    private final JsonGenerator json;
    private final StringBuilder held = new StringBuilder();
    private final PrintWriter rows = new PrintWriter(new Rows());

    Parts(JsonGenerator json) {
      this.json = json;
    }

    @Override
    public PrintWriter rows() {
      return rows;
    }

    @Override
    public void note(String line) {
      try {
        json.writeStartObject();
        json.writeStringField("note", line);
        endPart();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void confidence(List<String> lines, Facts facts) throws IOException {
      json.writeStartObject();
      AnswerFacts.confidence(json, facts);
      AnswerFacts.texts(json, "words", lines);
      endPart();
    }

    void end() throws IOException {
      json.writeStartObject();
      json.writeBooleanField("end", true);
      endPart();
    }

    private void send() throws IOException {
      if (held.length() > 0) {
        json.writeStartObject();
        json.writeStringField("rows", held.toString());
        held.setLength(0);
        endPart();
      }
    }

    private void endPart() throws IOException {
      json.writeEndObject();
      json.writeRaw('\n');
      json.flush();
    }

    /** Rows as parts. */
    private final class Rows extends Writer {
      @Override
      public void write(char[] text, int from, int length) throws IOException {
        held.append(text, from, length);
        if (held.length() >= PART) {
          send();
        }
      }

      @Override
      public void flush() throws IOException {
        send();
      }

      @Override
      public void close() {}
    }
  }
}
