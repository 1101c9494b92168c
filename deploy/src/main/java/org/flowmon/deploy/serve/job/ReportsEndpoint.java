package org.flowmon.deploy.serve.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.Fields;
import org.flowmon.deploy.serve.query.Cursor;

/** {@code GET /api/v1/reports}: of each window the highest revision. */
final class ReportsEndpoint implements Endpoint {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long MOST = 10_000;
  private static final long FEW = 100;

  private final JobTopics topics;

  ReportsEndpoint(JobTopics topics) {
    this.topics = topics;
  }

  @Override
  public void answer(Exchange exchange) throws IOException {
    Fields fields = exchange.fields();
    fields.only("analysis", "from", "to", "empty", "limit", "cursor");
    Optional<String> analysis = fields.text("analysis").map(AnalysesEndpoints::name);
    long from = fields.time("from", Long.MIN_VALUE);
    long to = fields.time("to", Long.MAX_VALUE);
    boolean isEmptyGiven = fields.flag("empty", true);
    int limit = (int) fields.integer("limit", 1, MOST, FEW);
    long asked =
        Cursor.checksum(String.join("|", "reports", analysis.orElse(""), from + "", to + ""));
    Optional<Cursor> cursor = fields.text("cursor").map(text -> Cursor.parse(text, asked));
    long last = cursor.map(Cursor::at).orElse(Long.MAX_VALUE);
    ServedJob.requireRead(topics);
    List<JobTopics.Kept> all =
        topics.reports(
            window ->
                analysis.map(window.analysis()::equals).orElse(true)
                    && window.end() >= from
                    && window.end() < to
                    && window.end() <= last
                    && (isEmptyGiven || window.rows() > 0));
    Page<JobTopics.Kept> page = Page.of(all, JobTopics.Kept::end, cursor, asked, limit);
    ObjectNode answer = JSON.createObjectNode();
    ArrayNode reports = answer.putArray("reports");
    for (JobTopics.Kept report : page.items()) {
      reports.add(report(report));
    }
    answer.put("next", page.next());
    exchange.audit("rows", page.items().size());
    exchange.json(200, answer);
  }

  private static ObjectNode report(JobTopics.Kept kept) throws IOException {
    ObjectNode report = JSON.createObjectNode();
    ArrayNode rows = JSON.createArrayNode();
    JsonNode first = null;
    for (byte[] message : kept.messages()) {
      JsonNode row = JSON.readTree(message);
      first = first == null ? row : first;
      if (row.has("columns")) {
        ObjectNode one = rows.addObject();
        one.set("row_key", row.get("row_key"));
        one.set("columns", row.get("columns"));
      }
    }
    if (first == null) {
      throw new IllegalStateException("a report without messages");
    }
    report.put("analysis", kept.analysis());
    report.set("window_start", first.get("window_start"));
    report.set("window_end", first.get("window_end"));
    report.put("revision", kept.revision());
    report.put("updated", kept.isUpdated());
    report.put("complete", kept.isComplete());
    report.put("row_count", kept.rows());
    report.set("rows", rows);
    report.set("confidence", first.get("confidence"));
    report.set(
        "approximate",
        first.has("approximate") ? first.get("approximate") : JSON.createArrayNode());
    return report;
  }
}
