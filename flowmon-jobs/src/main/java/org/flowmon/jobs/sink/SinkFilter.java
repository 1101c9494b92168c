package org.flowmon.jobs.sink;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.functions.FilterFunction;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.report.Report;

/** Keeps the reports of the analyses that name a sink. */
final class SinkFilter implements FilterFunction<Report> {
  private static final long serialVersionUID = 1L;

  private final HashSet<String> names;

  SinkFilter(String sink, List<AnalysisConfig> analyses) {
    Set<String> chosen = new HashSet<>();
    for (AnalysisConfig analysis : analyses) {
      if (analysis.sinks().contains(sink)) {
        chosen.add(analysis.name());
      }
    }
    this.names = new HashSet<>(chosen);
  }

  @Override
  public boolean filter(Report report) {
    return names.contains(report.analysis());
  }
}
