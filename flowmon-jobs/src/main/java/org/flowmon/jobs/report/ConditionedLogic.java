package org.flowmon.jobs.report;

import java.util.List;
import java.util.Optional;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.RowCondition;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.udaf.parser.SeenCall;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.result.TableCondition;
import org.flowmon.udaf.value.ResultTable;

/** Reports another logic's rows with a TRUE {@code report.condition}, unchanged. */
final class ConditionedLogic implements ReportLogic {
  private final ReportLogic logic;
  private final RowCondition text;
  private TableCondition condition;

  ConditionedLogic(ReportLogic logic, RowCondition condition) {
    this.logic = logic;
    this.text = condition;
  }

  @Override
  public List<ReportColumn> open(AnalysisConfig analysis) {
    List<ReportColumn> columns = logic.open(analysis);
    condition = RowConditions.parse(text, columns);
    return columns;
  }

  @Override
  public Optional<Query> query() {
    return logic.query();
  }

  @Override
  public List<SeenCall> seen() {
    return logic.seen();
  }

  @Override
  public ResultTable report(WindowHistory window) {
    ResultTable rows = logic.report(window);
    int[] chosen = condition.select(rows);
    return chosen.length == rows.rowCount() ? rows : rows.withRows(chosen);
  }
}
