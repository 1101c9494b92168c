package org.flowmon.deploy.serve.query;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryStats;
import org.flowmon.archive.query.StreamedAnswer;
import org.flowmon.archive.query.plan.PlanStep;
import org.flowmon.deploy.query.Explanation;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;

/** {@code POST /api/v1/explain}: the query is answered, and its plan is given. */
public final class ExplainEndpoint implements Endpoint {
  private final ServedArchives archives;

  public ExplainEndpoint(ServedArchives archives) {
    this.archives = archives;
  }

  @Override
  public void answer(Exchange exchange) throws IOException {
    QueryRequest request = QueryRequest.read(exchange, archives);
    archives.inLane(exchange, request.query(), in -> run(in, request));
  }

  private void run(Exchange exchange, QueryRequest request) throws IOException {
    StreamedAnswer answer;
    try (ArchivesSnapshot snapshot = archives.snapshot()) {
      answer =
          ArchiveQuery.stream(
              snapshot.all(),
              request.query(),
              archives.options(exchange).withExplain(true),
              rows -> {});
    }
    QueryStats stats = answer.stats();
    List<String> summary = new ArrayList<>();
    summary.add(Explanation.left(stats));
    if (request.query().having() != null) {
      summary.add(Explanation.having(request.query(), answer.rows()));
    }
    QueryEndpoint.audit(exchange, stats, answer.rows());
    exchange.json(
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("plans");
          for (PlanStep plan : stats.plans()) {
            write(json, plan);
          }
          json.writeEndArray();
          json.writeNumberField("rows", answer.rows());
          AnswerFacts.texts(json, "summary", summary);
          AnswerFacts.stats(json, stats);
          AnswerFacts.texts(json, "warnings", stats.warnings());
          json.writeEndObject();
        });
  }

  private static void write(JsonGenerator json, PlanStep step) throws IOException {
    json.writeStartObject();
    json.writeStringField("step", step.what());
    json.writeStringField("by", step.segment().map(one -> one.way().toString()).orElse(null));
    for (Map.Entry<String, Long> count : Explanation.counts(step).entrySet()) {
      json.writeNumberField(count.getKey(), count.getValue());
    }
    json.writeArrayFieldStart("inputs");
    for (PlanStep input : step.inputs()) {
      write(json, input);
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
