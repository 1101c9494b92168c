package org.flowmon.jobs.report;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.Definitions;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.flowmon.jobs.enrich.SharedEnrichment;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.enrich.EnrichedColumn;
import org.flowmon.udaf.parser.QueryParser;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies each analysis's logic to its windows; without groups a report has no rows. A throwing
 * logic gives none: it is counted and logged, and the others go on. Metrics in group {@code
 * flowmon}: {@code unknown_analysis}; by analysis {@code reports}, {@code report_rows}, {@code
 * failed_reports}.
 */
public final class ReportFunction extends ProcessFunction<WindowHistory, Report> {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(ReportFunction.class);

  private final Definitions definitions;
  private final boolean hasFlows;
  private boolean isEndedByFailure;
  private final EnrichmentConfig enrichment;
  private transient MetricGroup metrics;
  private transient Map<String, Analysis> byName;
  private transient Counter unknown;
  private transient SharedEnrichment files;

  /** The last report's analysis. Counters belong to its name: Flink cannot remove a metric. */
  private record Analysis(
      AnalysisConfig config,
      ReportLogic logic,
      List<ReportColumn> columns,
      ExactQueries exact,
      Set<EnrichedColumn> enriched,
      Counter reports,
      Counter rows,
      Counter failed) {}

  /** Also with the files whose versions reports tell. */
  public ReportFunction(
      List<AnalysisConfig> analyses, boolean hasFlows, EnrichmentConfig enrichment) {
    this.hasFlows = hasFlows;
    this.enrichment = enrichment;
    this.definitions = new Definitions(analyses);
    for (AnalysisConfig analysis : analyses) {
      ReportLogics.of(analysis).open(analysis);
    }
  }

  /** A failing logic ends the job, as in a replay, which has nothing else to do. */
  public ReportFunction endingOnFailure() {
    isEndedByFailure = true;
    return this;
  }

  @Override
  public void open(OpenContext context) {
    metrics = getRuntimeContext().getMetricGroup().addGroup("flowmon");
    unknown = metrics.counter("unknown_analysis");
    files = SharedEnrichment.acquire(enrichment);
    byName = new HashMap<>();
    for (AnalysisConfig config : definitions.started()) {
      byName.put(config.name(), open(config, null));
    }
  }

  private @Nullable Analysis of(WindowResult window) {
    String name = window.analysis();
    AnalysisConfig config = definitions.of(name, window.definition());
    Analysis before = byName.get(name);
    if (config == null) {
      return null;
    }
    if (before != null && before.config().equals(config)) {
      return before;
    }
    Analysis opened = open(config, before);
    byName.put(name, opened);
    return opened;
  }

  private Analysis open(AnalysisConfig config, @Nullable Analysis before) {
    ReportLogic logic = ReportLogics.of(config);
    List<ReportColumn> columns = logic.open(config);
    ExactQueries exact = new ExactQueries(config, logic.query(), columns, hasFlows);
    Set<EnrichedColumn> enriched = enriched(config);
    if (before != null) {
      return new Analysis(
          config,
          logic,
          columns,
          exact,
          enriched,
          before.reports(),
          before.rows(),
          before.failed());
    }
    MetricGroup group = metrics.addGroup("analysis", config.name());
    return new Analysis(
        config,
        logic,
        columns,
        exact,
        enriched,
        group.counter("reports"),
        group.counter("report_rows"),
        group.counter("failed_reports"));
  }

  @Override
  public void processElement(WindowHistory window, Context context, Collector<Report> out) {
    String name = window.window().analysis();
    if (window.window().isAnnouncement()) {
      out.collect(Report.announcement(name, window.window().definition(), window));
      return;
    }
    Analysis analysis;
    try {
      analysis = of(window.window());
    } catch (RuntimeException e) {
      unknown.inc();
      LOG.error(
          "analysis {}: its definition is not valid, and there is no report: {}",
          name,
          e.getMessage());
      return;
    }
    if (analysis == null) {
      unknown.inc();
      return;
    }
    Report report;
    try {
      report = report(window, analysis);
    } catch (RuntimeException e) {
      analysis.failed().inc();
      if (isEndedByFailure) {
        throw new IllegalStateException(
            "analysis "
                + name
                + ": its logic "
                + analysis.logic().getClass().getName()
                + " failed for the window that ends at "
                + FlowTime.text(window.window().windowEnd())
                + ": "
                + e,
            e);
      }
      LOG.error(
          "analysis {}: no report for the window that ends at {} µs: its logic {} failed",
          name,
          window.window().windowEnd(),
          analysis.logic().getClass().getName(),
          e);
      return;
    }
    analysis.reports().inc();
    analysis.rows().inc(report.rows().rowCount());
    out.collect(report);
  }

  private Set<EnrichedColumn> enriched(AnalysisConfig config) {
    Set<EnrichedColumn> columns = new TreeSet<>();
    List<String> queries = new ArrayList<>(List.of(config.live().query()));
    if (config.history() != null) {
      queries.add(config.requiredHistory().query());
    }
    for (String query : queries) {
      QueryParser.parseQuery(query)
          .enriched(files)
          .overFlows()
          .forEach(flows -> columns.addAll(flows.enrichedColumns()));
    }
    return columns;
  }

  @Override
  public void close() {
    if (files != null) {
      files.close();
    }
  }

  private List<String> versions(WindowResult window, Set<EnrichedColumn> columns) {
    return columns.isEmpty()
        ? List.of()
        : files.versionsSince(FlowTime.instant(window.windowStart()), columns);
  }

  private Report report(WindowHistory window, Analysis analysis) {
    // A logic is only called for windows with groups.
    boolean hasGroups = window.window().hasGroups();
    return new Report(
        window.window().analysis(),
        window.window().definition(),
        window.window().windowStart(),
        window.window().windowEnd(),
        Report.revision(window.window().update(), window.history().status()),
        analysis.columns(),
        hasGroups ? analysis.logic().report(window) : new ReportRows(analysis.columns()).build(),
        Confidence.of(window, versions(window.window(), analysis.enriched())),
        hasGroups ? analysis.exact().of(window.window()) : List.of());
  }
}
