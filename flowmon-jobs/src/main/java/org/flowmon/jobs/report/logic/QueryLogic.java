package org.flowmon.jobs.report.logic;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.Names;
import org.flowmon.jobs.history.SeenLookup;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.LiveColumns;
import org.flowmon.jobs.report.LogicRules;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.SameHourDays;
import org.flowmon.udaf.NestedQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.parser.QueryScope;
import org.flowmon.udaf.parser.SeenCall;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.query.TableQuery;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * The rows of {@code report.query}: a query over the window's result and its history. The file's
 * {@code report.parameters} are parameters of the query.
 */
final class QueryLogic implements ReportLogic {
  /** As of live queries over results: one task makes the reports of many analyses. */
  private static final int MAX_JOIN_ROWS = 1_000_000;

  private static final String PLACE = "report.query";
  // Before any window is there.
  private static final long SOME_TIME = 1_800_000_000_000_000L;

  private static final Map<String, ValueKind> OF_WINDOWS =
      Map.of(
          "now", ValueKind.TIMESTAMP,
          "window_start", ValueKind.TIMESTAMP,
          "seconds", ValueKind.DOUBLE,
          "groups", ValueKind.LONG,
          "history", ValueKind.TEXT);

  private static final String COVERAGE = "coverage";
  private static final String PAST_DAYS = "past_days";
  private static final String DAYS_USED = "days_used";
  private static final String DAYS_MISSING = "days_missing";
  private static final Map<String, ValueKind> OF_HISTORY =
      Map.of(
          COVERAGE, ValueKind.DOUBLE,
          PAST_DAYS, ValueKind.DOUBLE,
          DAYS_USED, ValueKind.LONG,
          DAYS_MISSING, ValueKind.TEXT);

  private static final double DAY_MICROS = 24.0 * SameHourDays.HOUR_MICROS;

  private AnalysisConfig analysis;
  private ReportRelations relations;
  private Query query;
  private Set<String> read; // relations
  private Parameters constants; // of the file
  private List<SeenCall> seen = List.of();
  private Optional<PastRange> range;
  private Optional<SameHourDays> days = Optional.empty(); // empty if they are not read

  @Override
  public List<ReportColumn> open(AnalysisConfig of) {
    analysis = of;
    LogicRules rules = new LogicRules(of);
    Query unbound = rules.whole();
    Query live = AnalysisConfig.Live.at(unbound, SOME_TIME);
    Optional<Query> history = history(live);
    relations = new ReportRelations(unbound, live, history);
    Map<String, ValueKind> kinds = new TreeMap<>(OF_WINDOWS);
    if (history.isPresent()) {
      kinds.putAll(OF_HISTORY);
    }
    constants = constants(kinds);
    try {
      String text = of.report().query();
      query =
          QueryParser.parseQuery(
              text == null ? "" : text,
              new QueryScope(relations.all(), kinds, Optional.of(ReportRelations.LIVE)));
    } catch (QueryException e) {
      throw of.error(PLACE, e);
    }
    seen = SeenCall.of(query);
    requireUsed();
    read = relationsOf(query);
    range = reads(COVERAGE) || reads(PAST_DAYS) ? Optional.of(range()) : Optional.empty();
    boolean readsDays =
        read.contains(ReportRelations.DAYS) || reads(DAYS_USED) || reads(DAYS_MISSING);
    days = readsDays ? Optional.of(days(rules)) : Optional.empty();
    return columns(kinds);
  }

  private boolean reads(String parameter) {
    return query.parameters().contains(parameter);
  }

  /** With values of the right kinds for its parameters. */
  private Optional<Query> history(Query live) {
    if (analysis.history() == null) {
      return Optional.empty();
    }
    Parameters values = Parameters.NONE.with("now", Value.ofTimestamp(SOME_TIME));
    for (SelectItem item : live.select()) {
      values = values.with("live." + item.name(), new Value(item.resultKind(), 0, 0, ""));
    }
    try {
      return Optional.of(QueryParser.parseQuery(analysis.history().query()).bind(values));
    } catch (QueryException e) {
      throw analysis.error("history.query", e);
    }
  }

  /** The file's parameters; their kinds are added. */
  private Parameters constants(Map<String, ValueKind> kinds) {
    Parameters values = Parameters.NONE;
    for (Map.Entry<String, String> one : analysis.report().parameters().entrySet()) {
      String place = "report.parameters." + one.getKey();
      if (kinds.containsKey(one.getKey())) {
        throw analysis.error(
            place, "expected another name: :" + one.getKey() + " has a value in each report");
      }
      Value value;
      try {
        value = Value.parse(one.getValue());
      } catch (QueryException e) {
        throw analysis.error(place, e);
      }
      if (value.kind() == null) {
        throw analysis.error(place, "expected a value, found NULL");
      }
      kinds.put(one.getKey(), value.kind());
      values = values.with(one.getKey(), value);
    }
    return values;
  }

  private void requireUsed() {
    Set<String> written = new TreeSet<>(query.parameters());
    written.removeIf(SeenCall::isParameter);
    for (String name : analysis.report().parameters().keySet()) {
      if (!written.contains(name)) {
        throw analysis.error(
            "report.parameters." + name,
            "expected a parameter that report.query reads, of :%s%s"
                .formatted(String.join(", :", written), Names.didYouMean(name, written)));
      }
    }
  }

  private static Set<String> relationsOf(Query query) {
    Set<String> names = new HashSet<>();
    if (query instanceof TableQuery.Relation relation) {
      names.add(relation.name());
    } else if (query instanceof TableQuery.Union union) {
      union.parts().forEach(part -> names.addAll(relationsOf(part)));
    } else if (query instanceof TableQuery table) {
      table.from().forEach(source -> names.addAll(relationsOf(source.query())));
      table.clauses().inQueries().forEach(in -> names.addAll(relationsOf(in.query())));
    }
    return names;
  }

  /** Of a history query that {@link #history} has accepted. */
  private PastRange range() {
    Query history = QueryParser.parseQuery(analysis.requiredHistory().query());
    return PastRange.of(analysis, history, LiveColumns.of(analysis));
  }

  private static SameHourDays days(LogicRules rules) {
    return rules.sameHourDays(rules.history());
  }

  private List<ReportColumn> columns(Map<String, ValueKind> kinds) {
    Parameters values = constants;
    for (Map.Entry<String, ValueKind> kind : kinds.entrySet()) {
      if (values.get(kind.getKey()) == null) {
        values = values.with(kind.getKey(), new Value(kind.getValue(), 0, 0, ""));
      }
    }
    for (SeenCall call : seen) {
      values = call.bind(values, List.of(), List.of());
    }
    List<ReportColumn> columns = new ArrayList<>();
    try {
      Query bound = query.bind(values);
      for (int i = 0; i < bound.select().size(); i++) {
        // What was seen may become known in a revision.
        boolean isKey = bound.isKey(i) && !SeenCall.isIn(query, i);
        columns.add(ReportColumn.of(bound.select().get(i), isKey));
      }
      Map<String, ResultTable> none = new HashMap<>();
      relations.all().forEach(relation -> none.put(relation.name(), empty(relation)));
      var unused = NestedQueries.answer(bound, none, MAX_JOIN_ROWS);
    } catch (QueryException | IllegalArgumentException e) {
      throw analysis.error(PLACE, e);
    }
    return columns;
  }

  private static ResultTable empty(TableQuery.Relation relation) {
    ResultTable.Builder table = new ResultTable.Builder();
    relation.columns().forEach(column -> table.column(column.name(), column.kind()));
    return table.build();
  }

  @Override
  public List<SeenCall> seen() {
    return seen;
  }

  @Override
  public Optional<Query> query() {
    return Optional.of(query);
  }

  @Override
  public ResultTable report(WindowHistory window) {
    WindowResult live = window.window();
    Map<String, ResultTable> tables = new HashMap<>();
    if (read.contains(ReportRelations.LIVE)) {
      tables.put(ReportRelations.LIVE, relations.live(live));
    }
    if (read.contains(ReportRelations.TOTALS)) {
      tables.put(ReportRelations.TOTALS, relations.totals(live));
    }
    if (read.contains(ReportRelations.HISTORY)) {
      tables.put(ReportRelations.HISTORY, relations.history(window.history().rows()));
    }
    Parameters values = values(window);
    if (days.isPresent()) {
      long now = analysis.requiredHistory().now(live.windowEnd());
      DaysInside inside = DaysInside.of(window.history(), now, days.get());
      tables.put(ReportRelations.DAYS, ReportRelations.days(inside, now, days.get()));
      String missing = inside.missing();
      values =
          values
              .with(DAYS_USED, Value.ofLong(inside.used()))
              .with(DAYS_MISSING, missing == null ? Value.NULL : Value.ofText(missing));
    }
    return NestedQueries.answer(query.bind(values), tables, MAX_JOIN_ROWS);
  }

  private Parameters values(WindowHistory window) {
    WindowResult live = window.window();
    long groups = live.groups();
    Parameters values =
        constants
            .with("now", Value.ofTimestamp(live.windowEnd()))
            .with("window_start", Value.ofTimestamp(live.windowStart()))
            .with("seconds", Value.ofDouble((live.windowEnd() - live.windowStart()) / 1e6))
            .with(
                "groups", groups == WindowResult.UNKNOWN_GROUPS ? Value.NULL : Value.ofLong(groups))
            .with("history", Value.ofText(window.history().status().text()));
    for (int call = 0; call < seen.size(); call++) {
      values =
          seen.get(call)
              .bind(
                  values,
                  SeenLookup.addresses(window.history(), call, true),
                  SeenLookup.addresses(window.history(), call, false));
    }
    if (range.isPresent()) {
      PastRange.Held held = range.get().held(window);
      values =
          values
              .with(COVERAGE, Value.ofDouble(held.share()))
              .with(PAST_DAYS, Value.ofDouble(held.micros() / DAY_MICROS));
    }
    return values;
  }
}
