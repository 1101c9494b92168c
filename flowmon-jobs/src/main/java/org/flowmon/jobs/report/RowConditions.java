package org.flowmon.jobs.report;

import java.util.List;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.RowCondition;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.result.TableCondition;
import org.flowmon.udaf.text.QueryException;

/** Parses conditions over the rows of reports. */
public final class RowConditions {
  private RowConditions() {}

  /** {@link ConfigException} names the places in file and condition, and the expected value. */
  public static TableCondition parse(RowCondition condition, List<ReportColumn> columns) {
    List<Named> named =
        columns.stream().map(column -> new Named(column.name(), column.kind())).toList();
    try {
      return TableCondition.parse(condition.text(), named, "the report");
    } catch (QueryException e) {
      throw new ConfigException(condition.place() + ": " + e.getMessage(), e);
    }
  }
}
