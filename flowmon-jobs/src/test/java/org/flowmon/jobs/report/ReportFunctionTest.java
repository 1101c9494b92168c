package org.flowmon.jobs.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import org.apache.flink.streaming.api.operators.ProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

class ReportFunctionTest {
  /** These logics report on any window, whatever its groups. */
  @Test
  void aWindowWithoutGroupsHasAReportWithoutRowsOfEachAnalysisThatComesAlong() throws Exception {
    List<AnalysisConfig> offered = AnalysisConfig.offered();
    ArrivalCounts counts = new ArrivalCounts(7, 7, 0, 11);
    for (AnalysisConfig analysis : offered) {
      ResultTable none = new ResultTable.Builder().build();
      WindowResult window = new WindowResult(analysis.name(), 0, 10_000_000, none, none, 0, counts);
      assertFalse(window.hasGroups());
      try (OneInputStreamOperatorTestHarness<WindowHistory, Report> harness =
          new OneInputStreamOperatorTestHarness<>(
              new ProcessOperator<>(
                  new ReportFunction(List.of(analysis), true, EnrichmentConfig.NONE)))) {
        harness.open();
        harness.processElement(new StreamRecord<>(new WindowHistory(window, HistoryAnswer.NONE)));
        List<Report> reports = harness.extractOutputValues();
        assertEquals(1, reports.size(), analysis.name());
        assertEquals(0, reports.get(0).rows().rowCount(), analysis.name());
        assertEquals(counts, reports.get(0).confidence().counts(), analysis.name());
        assertEquals(HistoryStatus.NONE, reports.get(0).confidence().history(), analysis.name());
        assertFalse(reports.get(0).hasGroups(), analysis.name());
      }
    }
  }
}
