package org.flowmon.jobs.report;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.query.ValueKind;

/** What logics ask of an analysis, and how they say that it is not so. */
final class LogicRules {
  private final AnalysisConfig analysis;

  LogicRules(AnalysisConfig analysis) {
    this.analysis = analysis;
  }

  /** The live query. */
  FlowQuery live() {
    return LiveColumns.parse(analysis, "live.query", analysis.live().query());
  }

  /**
   * The history query.
   *
   * @throws ConfigException where the analysis has none
   */
  FlowQuery history() {
    if (analysis.history() == null) {
      throw error("history", "is missing; logic " + logic() + " compares with it");
    }
    return LiveColumns.parse(analysis, "history.query", analysis.history().query());
  }

  /** What the query at a place selects by a name, of this kind. */
  SelectItem item(String place, FlowQuery query, String name, ValueKind kind) {
    for (SelectItem item : query.select()) {
      if (item.name().equals(name)) {
        if (item.what().kind() != kind) {
          throw error(
              place,
              "logic "
                  + logic()
                  + " needs the column "
                  + name
                  + " to be "
                  + kind
                  + ", found "
                  + item.what().kind());
        }
        return item;
      }
    }
    throw error(
        place,
        "logic "
            + logic()
            + " needs a column "
            + name
            + ", found "
            + query.select().stream().map(SelectItem::name).toList());
  }

  /** Refuses a LIMIT: the logic sees all groups or its answer is another. */
  void noLimit(String place, FlowQuery query, String why) {
    if (query.limit() >= 0) {
      throw error(place, "expected no LIMIT, found LIMIT " + query.limit() + ": " + why);
    }
  }

  /** Refuses two columns of one name. */
  List<ReportColumn> distinct(List<ReportColumn> columns) {
    Set<String> names = new HashSet<>();
    for (ReportColumn column : columns) {
      if (!names.add(column.name())) {
        throw error(
            "live.query",
            "logic "
                + logic()
                + " has a column "
                + column.name()
                + " of its own: give the query's another name with AS");
      }
    }
    return List.copyOf(columns);
  }

  private String logic() {
    return analysis.report().logic();
  }

  ConfigException error(String place, String message) {
    return new ConfigException("analysis " + analysis.name() + ": " + place + ": " + message);
  }
}
