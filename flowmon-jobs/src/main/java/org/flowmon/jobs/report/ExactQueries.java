package org.flowmon.jobs.report;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.WindowTime;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.Approximation;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.result.ValueBound;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/** The approximate columns of reports, and queries of the exact values over a window's flows. */
final class ExactQueries {
  static final int MAX_KEYS = 100;

  private static final String HOUR =
      "INTERVAL '" + WindowSpec.DEFAULT_AHEAD_MICROS / 1_000_000 + " seconds'";

  private final boolean isOfArrivals;
  private final boolean hasExact;
  private final List<Approximation> columns;
  private final List<SelectItem> keys; // the group keys that results have

  /** Only columns of reports count. {@code hasFlows}: in an archive; merged sites have theirs. */
  ExactQueries(
      AnalysisConfig analysis,
      Optional<Query> report,
      List<ReportColumn> columns,
      boolean hasFlows) {
    Query query = QueryParser.parseQuery(analysis.live().query());
    this.keys =
        query instanceof FlowQuery flows
            ? flows.select().stream().filter(item -> flows.groupBy().contains(item.what())).toList()
            : List.of();
    this.isOfArrivals = analysis.live().time() == WindowTime.ARRIVAL;
    // No query over whole flows gives the shares of divided ones.
    this.hasExact = hasFlows && !analysis.live().spread();
    this.columns =
        Approximation.of(report.orElse(query)).stream()
            .filter(one -> columns.stream().anyMatch(c -> c.name().equals(one.column())))
            .toList();
  }

  List<ReportApproximation> of(WindowResult window) {
    if (columns.isEmpty()) {
      return List.of();
    }
    Map<String, ErrorBound> bounds = new HashMap<>();
    for (ValueBound bound : window.bounds()) {
      bounds.put(bound.value(), bound.bound());
    }
    List<ReportApproximation> all = new ArrayList<>();
    for (Approximation one : columns) {
      String exact = hasExact ? within(one.exact(), window).toString() : null;
      all.add(ReportApproximation.of(one, bounds.get(one.what().toString()), exact));
    }
    return List.copyOf(all);
  }

  private FlowQuery within(FlowQuery exact, WindowResult window) {
    Expression flows = QueryParser.parse("SELECT bytes FROM flows WHERE " + flows(window)).where();
    List<Expression> terms = new ArrayList<>();
    for (Expression one : exact.where() == null ? List.of(flows) : List.of(flows, exact.where())) {
      if (one instanceof Expression.And and) {
        terms.addAll(and.terms());
      } else {
        terms.add(one);
      }
    }
    for (Expression key : exact.groupBy()) {
      Expression isShown = isShown(key, window.rows());
      if (isShown != null) {
        terms.add(isShown);
      }
    }
    return new FlowQuery(
        exact.select(), new Expression.And(terms), exact.groupBy(), exact.orderBy(), -1);
  }

  /** That a key has one of the rows' values; null if too many, unknown or not writable. */
  private @Nullable Expression isShown(Expression key, ResultTable rows) {
    int column = -1;
    for (SelectItem item : keys) {
      if (item.what().equals(key)) {
        column = rows.column(item.name());
      }
    }
    if (column < 0) {
      return null;
    }
    Set<Value> values = new LinkedHashSet<>();
    boolean hasNull = false;
    for (int row = 0; row < rows.rowCount(); row++) {
      if (rows.isNull(row, column)) {
        hasNull = true;
      } else {
        Value value = rows.value(row, column);
        if (!value.hasLiteral()) {
          return null;
        }
        values.add(value);
      }
      if (values.size() > MAX_KEYS) {
        return null;
      }
    }
    if (values.isEmpty()) {
      return hasNull ? new Expression.IsNull(key) : null;
    }
    List<Expression> literals = new ArrayList<>();
    values.forEach(value -> literals.add(new Expression.Literal(value)));
    Expression in = new Expression.In(key, literals);
    return hasNull ? new Expression.Or(List.of(in, new Expression.IsNull(key))) : in;
  }

  /** The result's flows; bounds of arrivals tell the archive which segments to read. */
  private String flows(WindowResult window) {
    String start = time(window.windowStart());
    String end = time(window.windowEnd());
    if (isOfArrivals) {
      return "arrival >= " + start + " AND arrival < " + end;
    }
    String within = "%1$s >= " + start + " AND %1$s < " + end;
    return "arrival >= %s AND arrival <= %s AND ((%s AND end_time - arrival <= %s) OR (end_time IS NULL AND %s))"
        .formatted(
            time(window.windowStart() - WindowSpec.DEFAULT_AHEAD_MICROS),
            time(window.arrivedThrough()),
            within.formatted("end_time"),
            HOUR,
            within.formatted("arrival"));
  }

  private static String time(long micros) {
    return "TIMESTAMP '" + FlowTime.instant(micros) + "'";
  }
}
