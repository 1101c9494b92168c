package org.flowmon.jobs.report;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.Names;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ValueKind;

/** The requirements of logics on an analysis, and their errors. */
public final class LogicRules {
  private static final String LIVE = "live.query";
  private static final String HISTORY = "history.query";

  // To see whether times that are made of :now are known.
  private static final long SOME_TIME = 1_800_000_000_000_000L;

  private final AnalysisConfig analysis;
  private final String logic;

  public LogicRules(AnalysisConfig analysis) {
    this.analysis = analysis;
    this.logic = analysis.report().title();
  }

  public Query whole() {
    return LiveColumns.query(analysis);
  }

  /** The live query, which has to be over flows. */
  public FlowQuery live() {
    return LiveColumns.parse(analysis, LIVE, analysis.live().query());
  }

  /** The history query; throws {@link ConfigException} without one. */
  public FlowQuery history() {
    if (analysis.history() == null) {
      throw error("history", "is missing; " + logic + " compares with it");
    }
    return LiveColumns.parse(analysis, HISTORY, analysis.history().query());
  }

  public SelectItem item(String place, Query query, String name, ValueKind kind) {
    List<String> names = names(query);
    int column = names.indexOf(name);
    if (column < 0) {
      throw error(
          place,
          "%s needs a column %s, found %s%s"
              .formatted(logic, name, names, Names.didYouMean(name, names, " AS " + name)));
    }
    SelectItem item = query.select().get(column);
    if (item.what().kind() != kind) {
      throw error(
          place,
          "%s needs the column %s to be %s, found %s"
              .formatted(logic, name, kind, item.what().kind()));
    }
    return item;
  }

  /** Requires the live query's keys and whole-number columns {@code numbers} of the history. */
  public void historyItems(FlowQuery history, List<ReportColumn> keys, String... numbers) {
    keys.forEach(key -> item(HISTORY, history, key.name(), key.kind()));
    for (String number : numbers) {
      item(HISTORY, history, number, ValueKind.LONG);
    }
  }

  private static List<String> names(Query query) {
    return query.select().stream().map(SelectItem::name).toList();
  }

  /** Whether it is a sum or count of whole numbers, which can be added and divided. */
  public static boolean isSum(SelectItem item) {
    return item.what() instanceof AggregateCall call
        && call.kind() == ValueKind.LONG
        && (call.function() == AggregateFunction.SUM || call.function() == AggregateFunction.COUNT);
  }

  /** The days of SAME_HOUR, which the filter must have. */
  public SameHourDays sameHourDays(FlowQuery history) {
    return sameHourIfAny(history)
        .orElseThrow(
            () ->
                error(
                    HISTORY,
                    "expected … AND SAME_HOUR(end_time, :now, 7): " + logic + " compares days"));
  }

  /** The days of the filter's SAME_HOUR; empty without one. */
  public Optional<SameHourDays> sameHourIfAny(FlowQuery history) {
    Optional<SameHourDays> days = SameHourDays.of(history);
    days.ifPresent(
        hour -> {
          if (!isKnown(hour)) {
            throw error(
                HISTORY,
                "expected :now or a time made of it, as in SAME_HOUR(end_time, TIME_BUCKET(:now,"
                    + " INTERVAL '1' HOUR), 7), found "
                    + hour.begin());
          }
        });
    return days;
  }

  private boolean isKnown(SameHourDays hour) {
    try {
      return hour.begin(SOME_TIME).isPresent();
    } catch (QueryException e) {
      throw analysis.error(HISTORY, e);
    }
  }

  public ReportColumn column(String place, String name, ValueKind kind) {
    return column(place, () -> ReportColumn.of(name, kind));
  }

  private ReportColumn column(String place, Supplier<ReportColumn> column) {
    try {
      return column.get();
    } catch (IllegalArgumentException e) {
      throw error(place, String.valueOf(e.getMessage()));
    }
  }

  /** Refuses a LIMIT: without all groups the logic's answer would be another. */
  public void noLimit(String place, Query query, String why) {
    if (query.limit() >= 0 || query.limitBy() != null) {
      throw error(place, "expected no LIMIT, found " + limits(query) + ": " + why);
    }
  }

  private static String limits(Query query) {
    List<String> found = new ArrayList<>();
    if (query.limitBy() != null) {
      found.add("LIMIT " + query.limitBy().rows() + " BY");
    }
    if (query.limit() >= 0) {
      found.add("LIMIT " + query.limit());
    }
    return String.join(" … ", found);
  }

  public List<ReportColumn> distinct(List<ReportColumn> columns) {
    Set<String> names = new HashSet<>();
    for (ReportColumn column : columns) {
      if (!names.add(column.name())) {
        throw error(
            LIVE,
            "%s has a column %s of its own: give the query's another name with AS"
                .formatted(logic, column.name()));
      }
    }
    return List.copyOf(columns);
  }

  public ConfigException error(String place, String message) {
    return analysis.error(place, message);
  }
}
