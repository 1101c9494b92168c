package org.flowmon.jobs.alert;

import java.util.List;
import java.util.TreeSet;
import org.flowmon.jobs.analysis.AlertConfig;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.Names;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.config.job.WebhookConfig;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.jobs.report.RowConditions;

/** Checks the alert rules of analyses before they run. */
public final class AlertRules {
  private AlertRules() {}

  /** Checks an analysis's rules against its reports' columns; throws {@link ConfigException}. */
  public static void check(AnalysisConfig analysis) {
    if (analysis.alerts().isEmpty()) {
      return;
    }
    List<ReportColumn> columns = ReportLogics.of(analysis).open(analysis);
    for (AlertConfig alert : analysis.alerts()) {
      if (alert.when() != null) {
        var unused = RowConditions.parse(alert.when(), columns);
      }
      if (!AlertRule.of(analysis, alert).absence()) {
        var unused = AlertRule.of(analysis, alert).keyColumns(columns);
      }
    }
  }

  /** Throws {@link ConfigException} naming a webhook of the analysis that is not configured. */
  public static void checkSinks(AnalysisConfig analysis, JobConfig config) {
    TreeSet<String> known = new TreeSet<>(List.of(AlertConfig.KAFKA));
    config.webhooks().stream().map(WebhookConfig::name).forEach(known::add);
    for (AlertConfig alert : analysis.alerts()) {
      for (String sink : alert.sinks()) {
        if (!known.contains(sink)) {
          throw new ConfigException(
              "analysis %s: alert %s: sinks: expected some of %s (webhooks of the job's configuration), found '%s'%s"
                  .formatted(
                      analysis.name(), alert.name(), known, sink, Names.didYouMean(sink, known)));
        }
      }
    }
  }
}
