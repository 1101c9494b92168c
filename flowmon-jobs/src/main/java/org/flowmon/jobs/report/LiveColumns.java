package org.flowmon.jobs.report;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.text.QueryException;

/** A live query's columns as those of a report: its GROUP BY columns are the key. */
public final class LiveColumns {
  private LiveColumns() {}

  /** In the query's order; throws {@code ConfigException} if a name is not valid in a report. */
  public static List<ReportColumn> of(AnalysisConfig analysis) {
    Query query = query(analysis);
    List<ReportColumn> columns = new ArrayList<>();
    for (int i = 0; i < query.select().size(); i++) {
      try {
        columns.add(ReportColumn.of(query.select().get(i), query.isKey(i)));
      } catch (IllegalArgumentException e) {
        throw analysis.error("live.query", e);
      }
    }
    return columns;
  }

  static Query query(AnalysisConfig analysis) {
    try {
      return QueryParser.parseQuery(analysis.live().query());
    } catch (QueryException e) {
      throw analysis.error("live.query", e);
    }
  }

  public static FlowQuery parse(AnalysisConfig analysis, String place, String sql) {
    try {
      return QueryParser.parse(sql);
    } catch (QueryException e) {
      String message = analysis.report().title() + " wants flows: " + e.getMessage();
      throw analysis.error(place, message, e);
    }
  }
}
