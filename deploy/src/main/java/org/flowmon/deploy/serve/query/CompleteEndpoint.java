package org.flowmon.deploy.serve.query;

import java.io.IOException;
import java.util.Locale;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.JsonBodies;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.udaf.parser.Completion;

/** {@code POST /api/v1/complete}: what the parser would take at the caret. */
public final class CompleteEndpoint implements Endpoint {
  @Override
  public void answer(Exchange exchange) throws IOException {
    JsonBodies body = exchange.body().only("sql", "position", "kind");
    String sql = body.text("sql", 0, QueryRequest.MAX_TEXT);
    int position =
        (int)
            body.integer("position", 0, QueryRequest.MAX_TEXT)
                .orElseThrow(() -> Problem.badRequest("'position' is missing"));
    if (position > sql.length()) {
      throw Problem.badRequest(
          "'position' is " + position + ", but 'sql' has " + sql.length() + " characters");
    }
    boolean isCondition = body.choice("kind", "query", "query", "condition").equals("condition");
    Completion completion = Completion.at(sql, position, isCondition);
    exchange.json(
        json -> {
          json.writeStartObject();
          json.writeNumberField("from", completion.from());
          json.writeNumberField("to", completion.to());
          json.writeArrayFieldStart("proposals");
          for (Completion.Proposal one : completion.proposals()) {
            json.writeStartObject();
            json.writeStringField("text", one.text());
            json.writeStringField("type", one.type().name().toLowerCase(Locale.ROOT));
            json.writeStringField(
                "detail",
                one.type() == Completion.Type.COLUMN
                    ? ColumnDescriptions.of(one.text()).orElse(null)
                    : null);
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }
}
