package org.flowmon.jobs.report;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/** {@code report.condition} keeps some of the logic's rows. */
class ConditionedLogicTest {
  private static final WindowHistory WINDOW =
      new WindowHistory(
          TestReports.window(1000, "10.0.0.1", 600, "10.0.0.2", 300, "10.0.0.3", 5),
          TestReports.history(
              END - 3 * DAY, END, "10.0.0.2", 1, 3_600_000, "10.0.0.2", 2, 3_600_000));

  private static AnalysisConfig elephants(String parameters, String condition) {
    return TestReports.elephants(parameters, "condition: " + condition);
  }

  private static ResultTable rows(AnalysisConfig analysis) {
    ReportLogic logic = ReportLogics.of(analysis);
    List<ReportColumn> columns = logic.open(analysis);
    ResultTable rows = logic.report(WINDOW);
    assertEquals(columns.stream().map(ReportColumn::name).toList(), rows.names());
    return rows;
  }

  @Test
  void aConditionChoosesAmongTheRows() {
    String condition = "bytes > 100 OR src_addr IN '10.0.0.3/32'";
    assertEquals(
        List.of("1", "2", "3"), ranks(rows(elephants("share: 0.1", condition))), "no row is lost");
    assertEquals(List.of("1"), ranks(rows(elephants("share: 0.1", "verdict = 'new'"))));
    assertEquals(List.of("2"), ranks(rows(elephants("share: 0.1", "rank = 2"))), "ranks stay");
    assertEquals(List.of(), ranks(rows(elephants("share: 0.1", "median_rate IS NULL"))));
    assertEquals(List.of(), ranks(rows(elephants("share: 0.1", "bytes > NULL"))));
  }

  private static List<String> ranks(ResultTable rows) {
    return java.util.stream.IntStream.range(0, rows.rowCount())
        .mapToObj(row -> rows.formatted(row, rows.column("rank")))
        .toList();
  }

  @Test
  void errorsNameFileLineAndPlace() {
    AnalysisConfig wrong = elephants("share: 0.1", "rank > 1 AND verdct = 'new'");
    ConfigException e =
        assertThrows(ConfigException.class, () -> ReportLogics.of(wrong).open(wrong));
    assertEquals(
        "elephants.yaml:14: report.condition: line 1:14: no column 'verdct' in the report; did you"
            + " mean 'verdict'?",
        e.getMessage());
    AnalysisConfig text = elephants("share: 0.1", "verdict");
    assertTrue(
        assertThrows(ConfigException.class, () -> ReportLogics.of(text).open(text))
            .getMessage()
            .contains("line 1:1: expected a condition, found a TEXT"));
  }
}
