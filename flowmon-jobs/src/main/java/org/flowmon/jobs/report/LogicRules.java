package org.flowmon.jobs.report;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.LimitBy;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.text.NameSuggestions;
import org.flowmon.udaf.value.ValueKind;

/** The requirements of logics on an analysis, and their errors. */
public final class LogicRules {
  private final AnalysisConfig analysis;

  public LogicRules(AnalysisConfig analysis) {
    this.analysis = analysis;
  }

  /** Returns the live query, over flows or over the results of others. */
  public Query whole() {
    return LiveColumns.query(analysis);
  }

  /** Returns the live query, which has to be over flows. */
  public FlowQuery live() {
    return LiveColumns.parse(analysis, "live.query", analysis.live().query());
  }

  /**
   * Returns the history query.
   *
   * @throws ConfigException if the analysis has none
   */
  public FlowQuery history() {
    if (analysis.history() == null) {
      throw error("history", "is missing; logic " + logic() + " compares with it");
    }
    return LiveColumns.parse(analysis, "history.query", analysis.history().query());
  }

  /** Returns the item of this name and kind in the query at a place. */
  public SelectItem item(String place, Query query, String name, ValueKind kind) {
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
    List<String> names = query.select().stream().map(SelectItem::name).toList();
    throw error(
        place,
        "logic "
            + logic()
            + " needs a column "
            + name
            + ", found "
            + names
            + didYouMean(NameSuggestions.nearest(name, names), " AS " + name));
  }

  /** Returns the suggestion of the nearest name; empty if there is none. */
  static String didYouMean(String nearest, String then) {
    return nearest == null ? "" : "; did you mean '" + nearest + "'" + then + "?";
  }

  /** Returns the days of the SAME_HOUR that must be in a query's filter. */
  public int sameHourDays(String place, FlowQuery query) {
    SameHourDays range = SameHourDays.of(query);
    if (range == null) {
      throw error(
          place,
          "expected … AND SAME_HOUR(end_time, :now, 7): logic " + logic() + " compares days");
    }
    return range.days();
  }

  /** Returns the keys of the history query, each a key of the live query too; at least one. */
  public List<String> joined(FlowQuery history, List<ReportColumn> live) {
    List<String> keys = live.stream().filter(ReportColumn::key).map(ReportColumn::name).toList();
    List<String> names = new ArrayList<>();
    for (SelectItem item : history.select()) {
      if (ExpressionParts.hasAggregate(item.what())) {
        continue;
      }
      boolean fits =
          live.stream()
              .anyMatch(
                  column ->
                      column.key()
                          && column.name().equals(item.name())
                          && column.kind() == item.what().kind());
      if (!fits) {
        throw error(
            "history.query",
            "logic "
                + logic()
                + " finds rows by what the history query groups by: expected keys of the live"
                + " query, "
                + keys
                + ", found "
                + item.name()
                + didYouMean(NameSuggestions.nearest(item.name(), keys), ""));
      }
      names.add(item.name());
    }
    if (names.isEmpty()) {
      throw error(
          "history.query",
          "logic "
              + logic()
              + " needs a key of the live query, of "
              + keys
              + ", among its columns, found "
              + history.select().stream().map(SelectItem::name).toList());
    }
    return names;
  }

  /** Returns an aggregate of the history query as a column of the report. */
  public ReportColumn historyColumn(SelectItem item) {
    try {
      return new ReportColumn(
          "history_" + item.name(), item.what().kind(), ExpressionParts.isWide(item.what()), false);
    } catch (IllegalArgumentException e) {
      throw error("history.query", e.getMessage());
    }
  }

  /** Refuses a LIMIT: without all groups the logic's answer would be another. */
  public void noLimit(String place, Query query, String why) {
    if (query.limit() >= 0 || query.limitBy() != null) {
      throw error(place, "expected no LIMIT, found " + limits(query) + ": " + why);
    }
  }

  /**
   * Refuses a LIMIT that may cut off reported rows. The logic drops the rows named by the history
   * query and reports the first of the others. The history query's LIMIT bounds the number of
   * names, and LIMIT … BY the rows of each.
   *
   * @param names of the columns by which it names them
   * @param wanted rows that are reported
   */
  public void enoughRows(FlowQuery history, List<String> names, long wanted) {
    Query live = whole();
    LimitBy by = live.limitBy();
    if (live.limit() < 0 && by == null) {
      return;
    }
    Set<Expression> keys = new HashSet<>();
    live.select().stream()
        .filter(item -> names.contains(item.name()))
        .forEach(item -> keys.add(item.what()));
    String why = "logic " + logic() + " leaves rows out that come first";
    if (by == null || !Set.copyOf(by.keys()).equals(keys) || by.rows() < wanted) {
      throw error(
          "live.query",
          "expected no LIMIT, or LIMIT "
              + wanted
              + " BY "
              + String.join(", ", names)
              + ", found "
              + limits(live)
              + ": "
              + why);
    }
    if (live.limit() < 0) {
      return;
    }
    if (history.limit() < 0) {
      throw error(
          "history.query",
          "expected a LIMIT, as the live query has LIMIT " + live.limit() + ": " + why);
    }
    long needed;
    try {
      needed = Math.addExact(Math.multiplyExact(history.limit(), by.rows()), wanted);
    } catch (ArithmeticException e) {
      needed = Long.MAX_VALUE;
    }
    if (live.limit() < needed) {
      throw error(
          "live.query",
          "expected LIMIT "
              + needed
              + " or more ("
              + history.limit()
              + " of the history query's LIMIT, times "
              + by.rows()
              + ", and "
              + wanted
              + " that are reported), found LIMIT "
              + live.limit()
              + ": "
              + why);
    }
  }

  private static String limits(Query query) {
    StringBuilder found = new StringBuilder();
    if (query.limitBy() != null) {
      found.append("LIMIT ").append(query.limitBy().rows()).append(" BY");
    }
    if (query.limit() >= 0) {
      found.append(found.isEmpty() ? "" : " … ").append("LIMIT ").append(query.limit());
    }
    return found.toString();
  }

  /** Refuses two columns of one name. */
  public List<ReportColumn> distinct(List<ReportColumn> columns) {
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

  public ConfigException error(String place, String message) {
    return analysis.error(place, message);
  }
}
