package org.flowmon.deploy.serve.job;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.flowmon.deploy.report.AlertStates;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.Fields;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.deploy.serve.query.Cursor;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.alert.AlertResolves;

/** The alerts of a job. */
final class AlertsEndpoints {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long MOST = 10_000;
  private static final long FEW = 100;

  private final JobTopics topics;
  private final Map<String, Object> properties;

  /** {@code properties}: of Kafka's clients, with the bootstrap servers. */
  AlertsEndpoints(JobTopics topics, Map<String, Object> properties) {
    this.topics = topics;
    this.properties = properties;
  }

  void list(Exchange exchange) throws IOException {
    Fields fields = exchange.fields();
    fields.only("state", "analysis", "from", "to", "limit", "cursor");
    String state = fields.choice("state", "firing", "firing", "resolved", "all");
    Optional<String> analysis = fields.text("analysis").map(AnalysesEndpoints::name);
    long from = fields.time("from", Long.MIN_VALUE);
    long to = fields.time("to", Long.MAX_VALUE);
    int limit = (int) fields.integer("limit", 1, MOST, FEW);
    long asked =
        Cursor.checksum(String.join("|", "alerts", state, analysis.orElse(""), from + "", to + ""));
    Optional<Cursor> cursor = fields.text("cursor").map(text -> Cursor.parse(text, asked));
    long last = cursor.map(Cursor::at).orElse(Long.MAX_VALUE);
    topics.requireRead();
    List<AlertStates.Message> chosen = new ArrayList<>();
    for (AlertStates.Message one : topics.alerts()) {
      long since = since(one);
      boolean isOfState = state.equals("all") || one.isFiring() == state.equals("firing");
      boolean isOfAnalysis = analysis.map(one.text("analysis")::equals).orElse(true);
      if (isOfState && isOfAnalysis && since >= from && since < to && since <= last) {
        chosen.add(one);
      }
    }
    Collections.reverse(chosen);
    Page<AlertStates.Message> page =
        Page.of(chosen, false, AlertsEndpoints::since, cursor, asked, limit);
    ObjectNode answer = JSON.createObjectNode();
    ArrayNode alerts = answer.putArray("alerts");
    for (AlertStates.Message one : page.items()) {
      alerts.add(JSON.readTree(one.json()));
    }
    answer.put("next", page.next());
    exchange.json(200, answer);
  }

  /** 0 if it says none that can be read. */
  private static long since(AlertStates.Message alert) {
    try {
      return FlowTime.micros(Instant.parse(alert.text("since")));
    } catch (DateTimeException | ArithmeticException e) {
      return 0;
    }
  }

  void one(Exchange exchange) throws IOException {
    exchange.fields().only();
    exchange.json(200, JSON.readTree(find(exchange).json()));
  }

  void resolve(Exchange exchange) throws IOException {
    exchange.fields().only();
    AlertStates.Message alert = find(exchange);
    if (alert.isFiring()) {
      AlertResolves.send(properties, List.of(alert.text("id")));
    }
    exchange.audit("alert", alert.text("id"));
    exchange.json(202, JSON.readTree(alert.json()));
  }

  private AlertStates.Message find(Exchange exchange) {
    String id = exchange.fields().path("id");
    if (!AlertResolves.isId(id)) {
      throw Problem.badRequest("'" + id + "' is no id of an alert: expected 32 digits of 0-9a-f");
    }
    topics.requireRead();
    return topics.alerts().stream()
        .filter(alert -> alert.text("id").equals(id))
        .findFirst()
        .orElseThrow(() -> Problem.notFound("there is no alert " + id));
  }
}
