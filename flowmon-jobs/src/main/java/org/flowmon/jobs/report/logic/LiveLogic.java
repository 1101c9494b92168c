package org.flowmon.jobs.report.logic;

import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.LiveColumns;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportParameters;
import org.flowmon.udaf.value.ResultTable;

/** Reports the live query's rows as they are: {@code logic: live}. Without parameters. */
final class LiveLogic implements ReportLogic {
  @Override
  public List<ReportColumn> open(AnalysisConfig analysis) {
    new ReportParameters(analysis).end();
    return LiveColumns.of(analysis);
  }

  @Override
  public ResultTable report(WindowHistory window) {
    return window.window().rows();
  }
}
