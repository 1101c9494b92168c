package org.flowmon.jobs.sink;

import java.util.List;
import org.apache.flink.api.common.functions.FilterFunction;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.Definitions;
import org.flowmon.jobs.report.Report;

/** Keeps the reports of the analyses that name a sink. */
public final class SinkFilter implements FilterFunction<Report> {
  private static final long serialVersionUID = 1L;

  private final String sink;
  private final Definitions definitions;

  public SinkFilter(String sink, List<AnalysisConfig> analyses) {
    this.sink = sink;
    this.definitions = new Definitions(analyses);
  }

  @Override
  public boolean filter(Report report) {
    if (report.isAnnouncement()) {
      return false;
    }
    AnalysisConfig analysis = definitions.of(report.analysis(), report.definition());
    return analysis != null && analysis.sinks().contains(sink);
  }
}
