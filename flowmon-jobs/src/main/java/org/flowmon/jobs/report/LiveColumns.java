package org.flowmon.jobs.report;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.QueryException;
import org.flowmon.udaf.query.QueryParser;
import org.flowmon.udaf.query.SelectItem;

/** A live query's columns as those of a report: what it groups by tells its rows apart. */
public final class LiveColumns {
  private LiveColumns() {}

  /**
   * The columns in the query's order.
   *
   * @throws org.flowmon.jobs.config.ConfigException where one has a name that no report's can have
   */
  public static List<ReportColumn> of(AnalysisConfig analysis) {
    FlowQuery query = parse(analysis, "live.query", analysis.live().query());
    List<ReportColumn> columns = new ArrayList<>();
    for (SelectItem item : query.select()) {
      boolean key = !ExpressionParts.hasAggregate(item.what());
      boolean wide = ExpressionParts.isWide(item.what());
      try {
        columns.add(new ReportColumn(item.name(), item.what().kind(), wide, key));
      } catch (IllegalArgumentException e) {
        throw analysis.error("live.query", e.getMessage(), e);
      }
    }
    return columns;
  }

  static FlowQuery parse(AnalysisConfig analysis, String place, String sql) {
    try {
      return QueryParser.parse(sql);
    } catch (QueryException e) {
      throw analysis.error(place, e.getMessage(), e);
    }
  }
}
