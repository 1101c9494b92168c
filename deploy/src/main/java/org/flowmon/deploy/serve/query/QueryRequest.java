package org.flowmon.deploy.serve.query;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.OptionalLong;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.JsonBodies;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;

/**
 * A query that somebody asks.
 *
 * @param query bound
 * @param now what NOW() is, in microseconds
 * @param limit of rows; empty: none
 * @param cursor of the page; empty: the first one
 * @param checksum of what is asked, for cursors
 */
record QueryRequest(
    Query query,
    long now,
    AnswerFormat format,
    OptionalLong limit,
    Optional<Cursor> cursor,
    long checksum) {
  static final long MAX_ROWS = 1_000_000;
  static final int MAX_TEXT = 100_000;
  static final int MAX_CURSOR = 4000;

  /** Reads and binds it, and limits the exchange's time; throws a {@link Problem}. */
  static QueryRequest read(Exchange exchange, ServedArchives archives) {
    JsonBodies body =
        exchange.body().only("sql", "parameters", "format", "limit", "cursor", "seconds");
    String sql = body.text("sql", 1, MAX_TEXT);
    exchange.queryText(sql);
    AnswerFormat format = format(exchange, body);
    OptionalLong limit = body.integer("limit", 1, MAX_ROWS);
    archives.limit(exchange, body.integer("seconds", 1, 3600));
    Optional<String> cursor = body.optionalText("cursor", 1, MAX_CURSOR);
    Optional<JsonNode> parameters = body.member("parameters");
    long checksum = Cursor.checksum(sql + '\0' + parameters.map(JsonNode::toString).orElse(""));
    Optional<Cursor> page = cursor.map(text -> Cursor.parse(text, checksum));
    if (page.isPresent() && format != AnswerFormat.JSON) {
      throw Problem.badRequest("only pages of JSON have cursors; the other formats have no limit");
    }
    // All pages are of the same time.
    long now = page.map(Cursor::at).orElseGet(FlowTime::now);
    Query query = QueryParameters.bind(QueryParser.parseQuery(sql), parameters, now);
    boolean isPaged = limit.isEmpty() && format == AnswerFormat.JSON;
    return new QueryRequest(
        query,
        now,
        format,
        isPaged ? OptionalLong.of(QueryEndpoint.JSON_ROWS) : limit,
        page,
        checksum);
  }

  private static AnswerFormat format(Exchange exchange, JsonBodies body) {
    Optional<String> named =
        body.optionalText("format", 0, 100)
            .map(name -> body.choice("format", name, AnswerFormat.names()));
    return named
        .map(AnswerFormat::byName)
        .orElseGet(() -> AnswerFormat.accepted(exchange.header("Accept")));
  }

  /** Rows before this page. */
  long skip() {
    return cursor.map(Cursor::skip).orElse(0L);
  }
}
