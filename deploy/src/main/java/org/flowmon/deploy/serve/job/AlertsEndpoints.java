package org.flowmon.deploy.serve.job;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
import org.flowmon.jobs.alert.Alert;
import org.flowmon.jobs.alert.AlertJson;
import org.flowmon.jobs.alert.AlertResolves;
import org.flowmon.jobs.sink.postgres.StoredAlerts;

/**
 * The alerts of a job, by their last messages: from its database if it keeps them there, else from
 * its topic. If the database does not answer, those of the topic are given with a warning.
 */
final class AlertsEndpoints {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long MOST = 10_000;
  private static final long FEW = 100;

  private final Optional<JobDatabase> database;
  private final JobTopics topics;
  private final Map<String, Object> properties;

  /** {@code properties}: of Kafka's clients, with the bootstrap servers. */
  AlertsEndpoints(
      Optional<JobDatabase> database, JobTopics topics, Map<String, Object> properties) {
    this.database = database;
    this.topics = topics;
    this.properties = properties;
  }

  /** {@code json}: its last message; {@code since} in microseconds. */
  private record Listed(String id, boolean isFiring, String analysis, long since, String json) {
    static Listed of(Alert alert) {
      return new Listed(
          alert.id(),
          alert.state() == Alert.State.FIRING,
          alert.analysis(),
          alert.since(),
          new String(AlertJson.of(alert), StandardCharsets.UTF_8));
    }

    static Listed of(AlertStates.Message alert) {
      return new Listed(
          alert.text("id"), alert.isFiring(), alert.text("analysis"), sinceOf(alert), alert.json());
    }

    /** 0 if it says none that can be read. */
    private static long sinceOf(AlertStates.Message alert) {
      try {
        return FlowTime.micros(Instant.parse(alert.text("since")));
      } catch (DateTimeException | ArithmeticException e) {
        return 0;
      }
    }
  }

  void list(Exchange exchange) throws IOException {
    Fields fields = exchange.fields();
    fields.only("state", "analysis", "from", "to", "limit", "cursor");
    String state = fields.choice("state", "firing", "firing", "resolved", "all");
    Optional<String> analysis = fields.text("analysis").map(AnalysesEndpoints::name);
    long from = fields.time("from", Long.MIN_VALUE);
    long to = fields.time("to", Long.MAX_VALUE);
    int limit = (int) fields.integer("limit", 1, MOST, FEW);
    long checksum =
        Cursor.checksum(String.join("|", "alerts", state, analysis.orElse(""), from + "", to + ""));
    Optional<Cursor> cursor = fields.text("cursor").map(text -> Cursor.parse(text, checksum));
    long last = cursor.map(Cursor::at).orElse(Long.MAX_VALUE);
    StoredAlerts.Asked asked =
        new StoredAlerts.Asked(
            state(state),
            analysis,
            from,
            last == Long.MAX_VALUE ? to : Math.min(to, last + 1)); // the cursor's time is in it
    long skip = cursor.map(Cursor::skip).orElse(0L);
    if (skip > MOST) {
      throw Problem.badRequest(
          "more than " + MOST + " of these alerts began at one time: name an analysis or a state");
    }
    List<String> warnings = new ArrayList<>();
    Page<Listed> page =
        Page.of(
            newest(asked, limit + (int) skip + 1, warnings),
            false,
            Listed::since,
            cursor,
            checksum,
            limit);
    ObjectNode answer = JSON.createObjectNode();
    ArrayNode alerts = answer.putArray("alerts");
    for (Listed one : page.items()) {
      alerts.add(JSON.readTree(one.json()));
    }
    answer.put("next", page.next());
    warnings.forEach(answer.putArray("warnings")::add);
    exchange.json(200, answer);
  }

  private static Optional<Alert.State> state(String text) throws IOException {
    return text.equals("all") ? Optional.empty() : Optional.of(Alert.State.of(text));
  }

  private List<Listed> newest(StoredAlerts.Asked asked, int most, List<String> warnings) {
    if (database.isPresent()) {
      try {
        Optional<List<Alert>> stored = database.get().alerts(asked, most);
        if (stored.isPresent()) {
          return stored.get().stream().map(Listed::of).toList();
        }
      } catch (Problem e) {
        warnings.add("alerts are those that Kafka still has: " + e.getMessage());
      }
    }
    topics.requireRead();
    List<Listed> all =
        new ArrayList<>(
            topics.alerts().stream().map(Listed::of).filter(one -> holds(asked, one)).toList());
    Collections.reverse(all);
    return all;
  }

  private static boolean holds(StoredAlerts.Asked asked, Listed one) {
    return asked.state().map(state -> one.isFiring() == (state == Alert.State.FIRING)).orElse(true)
        && asked.analysis().map(one.analysis()::equals).orElse(true)
        && one.since() >= asked.from()
        && one.since() < asked.to();
  }

  void one(Exchange exchange) throws IOException {
    exchange.fields().only();
    exchange.json(200, JSON.readTree(find(exchange).json()));
  }

  void resolve(Exchange exchange) throws IOException {
    exchange.fields().only();
    Listed alert = find(exchange);
    if (alert.isFiring()) {
      AlertResolves.send(properties, List.of(alert.id()));
    }
    exchange.audit("alert", alert.id());
    exchange.json(202, JSON.readTree(alert.json()));
  }

  private Listed find(Exchange exchange) {
    String id = exchange.fields().path("id");
    if (!AlertResolves.isId(id)) {
      throw Problem.badRequest("'" + id + "' is no id of an alert: expected 32 digits of 0-9a-f");
    }
    Problem absent = Problem.notFound("there is no alert " + id);
    try {
      Optional<Listed> stored = database.flatMap(one -> one.alert(id)).map(Listed::of);
      if (stored.isPresent()) {
        return stored.get();
      }
    } catch (Problem e) {
      absent = e; // unless Kafka has it
    }
    topics.requireRead();
    Problem otherwise = absent;
    return topics.alerts().stream()
        .filter(alert -> alert.text("id").equals(id))
        .findFirst()
        .map(Listed::of)
        .orElseThrow(() -> otherwise);
  }
}
