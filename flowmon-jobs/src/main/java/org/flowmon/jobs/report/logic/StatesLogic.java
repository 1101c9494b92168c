package org.flowmon.jobs.report.logic;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.LiveColumns;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportParameters;
import org.flowmon.jobs.site.Publication;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.window.PublishedGroups;

/**
 * Publishes states: {@code logic: states}. A site's job makes no report of it; elsewhere, as in a
 * replay, the live query's rows are reported. Without parameters.
 */
final class StatesLogic implements ReportLogic {
  @Override
  public List<ReportColumn> open(AnalysisConfig analysis) {
    new ReportParameters(analysis).end();
    FlowQuery query = LiveColumns.parse(analysis, "live.query", analysis.live().query());
    for (AggregateCall call : query.aggregates()) {
      if (call.isDistinct()) {
        throw analysis.error(
            "live.query",
            "%s of two sites cannot be added: add its arguments to GROUP BY and count them where states are merged, or use DISTINCT_SAMPLE or APPROX_COUNT_DISTINCT"
                .formatted(call));
      }
    }
    try {
      PublishedGroups.check(query);
    } catch (QueryException e) {
      throw analysis.error("live.query", e);
    }
    int bytes = analysis.live().query().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > Publication.MAX_QUERY_BYTES) {
      throw analysis.error(
          "live.query",
          "expected at most " + Publication.MAX_QUERY_BYTES + " bytes of text, found " + bytes);
    }
    if (!analysis.live().slide().equals(analysis.live().window())) {
      throw analysis.error(
          "live.slide",
          "expected none: states are of windows that follow each other, and sliding windows are"
              + " made of them where states are merged");
    }
    if (analysis.history() != null) {
      throw analysis.error("history", "states have no history: expected none");
    }
    if (analysis.report().condition() != null) {
      throw analysis.error("report.condition", "all groups are published: expected none");
    }
    if (!analysis.sinks().isEmpty() || !analysis.alerts().isEmpty()) {
      throw analysis.error(
          analysis.sinks().isEmpty() ? "alerts" : "sinks",
          "states give no reports: expected none; another analysis with the same query gives them");
    }
    return LiveColumns.of(analysis);
  }

  @Override
  public ResultTable report(WindowHistory window) {
    return window.window().rows();
  }
}
