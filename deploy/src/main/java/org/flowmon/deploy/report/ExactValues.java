package org.flowmon.deploy.report;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.deploy.output.Facts;
import org.flowmon.jobs.report.json.ReportRow;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/** Asks the exact queries of a report and puts their answers beside its values. */
final class ExactValues {
  private static final String RANKS = "ranks";

  private final List<ArchiveSnapshot> archives;
  private final List<ReportRow> rows;
  private final boolean isRestricted;
  private final Function<FlowQuery, QueryOptions> options;
  private final List<@Nullable Object[]> values = new ArrayList<>();
  private final List<@Nullable Object[]> items = new ArrayList<>();
  private final List<@Nullable Object[]> others = new ArrayList<>();
  private final Set<String> warnings = new LinkedHashSet<>();
  private long outside;

  /**
   * {@code rows}: those asked for, of one report with these approximations; {@code isRestricted}:
   * they are not all of its rows.
   */
  ExactValues(
      List<ArchiveSnapshot> archives,
      List<ReportRow> rows,
      List<Map<String, Object>> approximations,
      boolean isRestricted,
      Function<FlowQuery, QueryOptions> options)
      throws IOException {
    this.archives = archives;
    this.rows = rows;
    this.isRestricted = isRestricted;
    this.options = options;
    for (Map<String, Object> one : approximations) {
      compare(one);
    }
  }

  Set<String> warnings() {
    return warnings;
  }

  /** The number of values whose exact one lies outside the bound. */
  long outside() {
    return outside;
  }

  void addTo(Facts facts) {
    facts.value("outside", outside);
    fill(
        facts.table(
            "values",
            "key",
            "column",
            "approximate",
            "bound",
            "bound_of",
            "exact",
            "off",
            "within"),
        values);
    fill(
        facts.table(
            "items", "key", "column", "item", "approximate", "lower", "upper", "exact", "within"),
        items);
    fill(facts.table("not_compared", "column", "value", "why", "query"), others);
  }

  private static void fill(Facts.Table table, List<@Nullable Object[]> rows) {
    rows.forEach(table::row);
  }

  private void compare(Map<String, Object> approximation) throws IOException {
    String column = String.valueOf(approximation.get("column"));
    String value = String.valueOf(approximation.get("value"));
    if (!(approximation.get("exact") instanceof String text)) {
      leaveOut(column, value, "the report has no exact query for it", null);
      return;
    }
    FlowQuery asked = QueryParser.parse(text);
    ReportKeys keys = ReportKeys.of(asked, rows.get(0));
    FlowQuery query = isRestricted ? keys.within(rows) : asked;
    List<SelectItem> answers =
        query.select().stream().filter(item -> !query.groupBy().contains(item.what())).toList();
    if (answers.isEmpty()) {
      leaveOut(column, value, "the report's query gives no value", text);
      return;
    }
    Optional<AggregateCall> call = call(value);
    int place = query.select().indexOf(answer(answers, call));
    if (!keys.isComplete() && isList(column)) {
      compareItems(column, keys, run(query), place);
    } else if (!keys.isComplete()) {
      leaveOut(column, value, "the query gives all values, with how often each is there", text);
    } else if (Boolean.TRUE.equals(approximation.get("computed"))) {
      leaveOut(column, value, "the column is computed from this value", text);
    } else {
      compareValues(approximation, column, keys, query, place, call);
    }
  }

  private boolean isList(String column) {
    return rows.stream()
        .anyMatch(row -> row.columns().get(column) instanceof String text && ItemList.isList(text));
  }

  private void leaveOut(String column, String value, String why, @Nullable String query) {
    others.add(new @Nullable Object[] {column, value, why, query});
  }

  private ResultTable run(FlowQuery query) throws IOException {
    QueryAnswer answer = ArchiveQuery.run(archives, query, options.apply(query));
    warnings.addAll(answer.stats().warnings());
    return answer.table();
  }

  /** A value that is taken out of the states of rows. */
  private static Optional<AggregateCall> call(String value) {
    try {
      Expression what = QueryParser.parse("SELECT " + value + " FROM flows").select().get(0).what();
      return what instanceof AggregateCall call && call.isState()
          ? Optional.of(call)
          : Optional.empty();
    } catch (QueryException e) {
      return Optional.empty(); // of merged states
    }
  }

  /** Of several answers that share a query the one of the same call. */
  private static SelectItem answer(List<SelectItem> answers, Optional<AggregateCall> call) {
    for (SelectItem item : answers) {
      if (call.isPresent()
          && item.what() instanceof AggregateCall exact
          && exact.isState()
          && exact.state().equals(call.get().state())
          && exact.argument().equals(call.get().argument())) {
        return item;
      }
    }
    return answers.get(answers.size() - 1);
  }

  private void compareValues(
      Map<String, Object> approximation,
      String column,
      ReportKeys keys,
      FlowQuery query,
      int place,
      Optional<AggregateCall> call)
      throws IOException {
    ResultTable exact = run(query);
    Map<List<String>, Integer> byKey = keys.rows(exact);
    Double bound =
        approximation.get("bound") instanceof Number number ? number.doubleValue() : null;
    Object boundOf = approximation.get("bound_of");
    Optional<RankErrors> ranks =
        RANKS.equals(boundOf) && call.isPresent()
            ? RankErrors.of(call.get(), keys, query, column, exact.kind(place))
            : Optional.empty();
    Map<List<String>, Long> off =
        ranks.isPresent() ? ranks.get().read(run(ranks.get().query(rows))) : Map.of();
    for (ReportRow row : rows) {
      Object shown = row.columns().get(column);
      int at = byKey.getOrDefault(keys.of(row), -1);
      boolean isNull = at < 0 || exact.isNull(at, place);
      Double error = null;
      if (ranks.isPresent()) {
        Long errorOfRank = off.get(keys.of(row));
        error = errorOfRank == null ? null : (double) errorOfRank;
      } else if (!isNull) {
        error = error(shown, Cells.number(exact, at, place), boundOf);
      }
      Boolean within = within(bound, at < 0, error);
      count(within);
      values.add(
          new @Nullable Object[] {
            row.rowKey(),
            column,
            shown,
            bound,
            boundOf,
            isNull ? null : Cells.object(exact, at, place),
            error,
            within
          });
    }
  }

  /** A group that no flow of the archive is of is outside, whatever its bound. */
  private static @Nullable Boolean within(
      @Nullable Double bound, boolean isMissing, @Nullable Double error) {
    if (bound == null) {
      return null;
    }
    if (isMissing) {
      return false;
    }
    return error == null ? null : (Boolean) (error <= bound);
  }

  /** In units, ranks or as a share of the approximate value; null if they are no numbers. */
  private static @Nullable Double error(
      @Nullable Object shown, @Nullable BigDecimal exact, @Nullable Object boundOf) {
    BigDecimal number = Cells.number(shown);
    if (number == null || exact == null) {
      return null;
    }
    double error = number.subtract(exact).abs().doubleValue();
    return !"share".equals(boundOf) || error == 0 ? error : error / Math.abs(number.doubleValue());
  }

  private void compareItems(String column, ReportKeys keys, ResultTable exact, int place) {
    Map<List<String>, Integer> byItem = keys.rowsOfItems(exact);
    for (ReportRow row : rows) {
      if (!(row.columns().get(column) instanceof String list)) {
        continue;
      }
      for (ItemList.Item item : ItemList.of(list)) {
        List<String> key = new ArrayList<>(keys.of(row));
        key.addAll(item.key());
        int at = byItem.getOrDefault(key, -1);
        BigDecimal sum = at < 0 ? BigDecimal.ZERO : Cells.number(exact, at, place);
        Boolean within =
            (sum == null || item.lower() == null || item.upper() == null)
                ? null
                : item.lower().compareTo(sum) <= 0 && sum.compareTo(item.upper()) <= 0;
        count(within);
        items.add(
            new @Nullable Object[] {
              row.rowKey(),
              column,
              String.join(", ", item.key()),
              item.value(),
              item.lower(),
              item.upper(),
              at < 0 ? BigInteger.ZERO : Cells.object(exact, at, place),
              within
            });
      }
    }
  }

  private void count(@Nullable Boolean within) {
    outside += Boolean.FALSE.equals(within) ? 1 : 0;
  }
}
