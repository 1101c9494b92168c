package org.flowmon.deploy.serve.query;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.JsonBodies;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.text.QueryException;

/** {@code POST /api/v1/check}: whether a text is right, for whoever types it. */
public final class CheckEndpoint implements Endpoint {
  @Override
  public void answer(Exchange exchange) throws IOException {
    JsonBodies body = exchange.body().only("sql", "kind");
    String sql = body.text("sql", 0, QueryRequest.MAX_TEXT);
    boolean isCondition = body.choice("kind", "query", "query", "condition").equals("condition");
    Set<String> parameters = new TreeSet<>();
    List<SelectItem> columns = List.of();
    Optional<QueryException> wrong = Optional.empty();
    try {
      Query query = isCondition ? condition(sql) : QueryParser.parseQuery(sql);
      parameters.addAll(query.parameters());
      parameters.remove("now");
      columns = isCondition || !query.parameters().isEmpty() ? List.of() : query.select();
    } catch (QueryException e) {
      wrong = Optional.of(e);
    }
    write(exchange, sql, wrong, parameters, columns);
  }

  private static void write(
      Exchange exchange,
      String sql,
      Optional<QueryException> wrong,
      Set<String> parameters,
      List<SelectItem> columns)
      throws IOException {
    exchange.json(
        json -> {
          json.writeStartObject();
          json.writeBooleanField("valid", wrong.isEmpty());
          json.writeFieldName("error");
          if (wrong.isPresent()) {
            error(json, sql, wrong.get());
          } else {
            json.writeNull();
          }
          AnswerFacts.texts(json, "parameters", parameters);
          json.writeFieldName("columns");
          ResultColumns.write(json, columns);
          json.writeEndObject();
        });
  }

  private static Query condition(String sql) {
    Expression where = QueryParser.parseCondition(sql);
    Expression any = new Expression.Column(FlowColumn.ARRIVAL);
    return new FlowQuery(List.of(new SelectItem("arrival", any)), where, List.of(), List.of(), -1);
  }

  private static void error(JsonGenerator json, String sql, QueryException e) throws IOException {
    json.writeStartObject();
    json.writeStringField("message", e.getMessage());
    if (e.position() < 0) {
      json.writeNullField("position");
      json.writeNullField("line");
      json.writeNullField("column");
    } else {
      Problem.Place place = Problem.Place.of(sql, e.position());
      json.writeNumberField("position", place.position());
      json.writeNumberField("line", place.line());
      json.writeNumberField("column", place.column());
    }
    json.writeEndObject();
  }
}
