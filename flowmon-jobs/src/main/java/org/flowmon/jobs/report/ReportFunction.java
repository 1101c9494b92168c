package org.flowmon.jobs.report;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.Definitions;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.merge.WindowPriority;
import org.flowmon.jobs.merge.WindowResult;
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
  private transient MetricGroup metrics;
  private transient Map<String, Analysis> byName;
  private transient Counter unknown;

  /** The last report's analysis. Counters belong to its name: Flink cannot remove a metric. */
  private record Analysis(
      AnalysisConfig config,
      ReportLogic logic,
      List<ReportColumn> columns,
      ExactQueries exact,
      Counter reports,
      Counter rows,
      Counter failed) {}

  /**
   * Without {@code hasFlows}, as on merged sites, reports name no exact queries. Throws {@code
   * ConfigException} if an analysis does not fit its logic.
   */
  public ReportFunction(List<AnalysisConfig> analyses, boolean hasFlows) {
    this.hasFlows = hasFlows;
    this.definitions = new Definitions(analyses);
    for (AnalysisConfig analysis : analyses) {
      ReportLogics.of(analysis).open(analysis);
    }
  }

  @Override
  public void open(OpenContext context) {
    metrics = getRuntimeContext().getMetricGroup().addGroup("flowmon");
    unknown = metrics.counter("unknown_analysis");
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
    ExactQueries exact = new ExactQueries(config, columns, hasFlows);
    if (before != null) {
      return new Analysis(
          config, logic, columns, exact, before.reports(), before.rows(), before.failed());
    }
    MetricGroup group = metrics.addGroup("analysis", config.name());
    return new Analysis(
        config,
        logic,
        columns,
        exact,
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
    try (WindowPriority.Work work = WindowPriority.ofProcess().begin()) {
      report = report(window, analysis);
    } catch (RuntimeException e) {
      analysis.failed().inc();
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

  private static Report report(WindowHistory window, Analysis analysis) {
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
        Confidence.of(window),
        hasGroups ? analysis.exact().of(window.window()) : List.of());
  }
}
