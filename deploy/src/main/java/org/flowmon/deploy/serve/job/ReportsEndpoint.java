package org.flowmon.deploy.serve.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.Fields;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.deploy.serve.query.Cursor;

/**
 * {@code GET /api/v1/reports}: of each window the highest revision, from whichever store has it. If
 * a store does not answer, a warning says so; if none does, that is the answer.
 */
final class ReportsEndpoint implements Endpoint {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long MOST = 10_000;
  private static final long FEW = 100;

  static final Comparator<ReportStore.Kept> ORDER =
      Comparator.comparingLong(ReportStore.Kept::end)
          .reversed()
          .thenComparing(ReportStore.Kept::analysis)
          .thenComparing(Comparator.comparingLong(ReportStore.Kept::start).reversed());

  private final List<ReportStore> stores;

  /** {@code stores}: the first of those that have the same report gives it. */
  ReportsEndpoint(List<ReportStore> stores) {
    this.stores = List.copyOf(stores);
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
        Cursor.checksum(
            String.join(
                "|", "reports", analysis.orElse(""), from + "", to + "", isEmptyGiven + ""));
    Optional<Cursor> cursor = fields.text("cursor").map(text -> Cursor.parse(text, asked));
    long last = cursor.map(Cursor::at).orElse(Long.MAX_VALUE);
    List<String> warnings = new ArrayList<>();
    Page<ReportStore.Kept> page =
        page(
            new ReportStore.Asked(analysis, from, to, last, isEmptyGiven),
            cursor,
            asked,
            limit,
            warnings);
    ObjectNode answer = JSON.createObjectNode();
    ArrayNode reports = answer.putArray("reports");
    for (ReportStore.Kept report : page.items()) {
      reports.add(report(report));
    }
    answer.put("next", page.next());
    warnings.forEach(answer.putArray("warnings")::add);
    exchange.audit("rows", page.items().size());
    exchange.json(200, answer);
  }

  /** {@code checksum}: of what is asked. */
  Page<ReportStore.Kept> page(
      ReportStore.Asked asked,
      Optional<Cursor> cursor,
      long checksum,
      int limit,
      List<String> warnings) {
    int least = (int) Math.min(MOST, cursor.map(Cursor::skip).orElse(0L)) + 1;
    ReportStore.Found found = newest(asked, least, limit + least, warnings);
    return Page.of(found.reports(), found.isCut(), ReportStore.Kept::end, cursor, checksum, limit);
  }

  private ReportStore.Found newest(
      ReportStore.Asked asked, int least, int most, List<String> warnings) {
    record Window(String analysis, long start, long end) {}
    Map<Window, ReportStore.Kept> found = new HashMap<>();
    List<Problem> problems = new ArrayList<>();
    List<ReportStore.Kept> cuts = new ArrayList<>(); // the last ones before
    for (ReportStore store : stores) {
      try {
        ReportStore.Found some = store.reports(asked, least, most);
        if (some.isCut()) {
          cuts.add(some.reports().get(some.reports().size() - 1));
        }
        for (ReportStore.Kept one : some.reports()) {
          found.merge(
              new Window(one.analysis(), one.start(), one.end()),
              one,
              (a, b) -> b.revision() > a.revision() ? b : a);
        }
      } catch (Problem e) {
        if (e.code() != Problem.Code.UNAVAILABLE) {
          throw e;
        }
        problems.add(e);
        warnings.add("reports are missing: " + e.getMessage());
      }
    }
    if (problems.size() == stores.size()) {
      throw problems.get(0);
    }
    Optional<ReportStore.Kept> cut = cuts.stream().min(ORDER);
    List<ReportStore.Kept> all =
        found.values().stream()
            .filter(one -> cut.isEmpty() || ORDER.compare(one, cut.get()) <= 0)
            .sorted(ORDER)
            .limit(most)
            .toList();
    return new ReportStore.Found(all, cut.isPresent());
  }

  static ObjectNode report(ReportStore.Kept kept) throws IOException {
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
