package org.flowmon.deploy.report;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.flowmon.jobs.report.json.ReportRow;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.ComparisonOperator;
import org.flowmon.udaf.query.Expression.When;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * How many ranks a report's quantiles are off: how far the rank that was asked for lies from those
 * of the value that was given.
 *
 * @param of what the quantile is of
 */
record RankErrors(
    BigDecimal share,
    Expression of,
    ReportKeys keys,
    FlowQuery exact,
    String column,
    ValueKind kind) {
  /** Empty if the value is no quantile. */
  static Optional<RankErrors> of(
      AggregateCall call, ReportKeys keys, FlowQuery exact, String column, ValueKind kind) {
    Optional<BigDecimal> share =
        switch (call.state().extractor()) {
          case "MEDIAN" -> Optional.of(new BigDecimal("0.5"));
          case "QUANTILE" -> share(call.state().parameters());
          default -> Optional.empty();
        };
    return share.map(known -> new RankErrors(known, call.argument(), keys, exact, column, kind));
  }

  private static Optional<BigDecimal> share(List<Expression> parameters) {
    return parameters.size() == 1 && parameters.get(0) instanceof Expression.Literal literal
        ? Optional.of(
            literal.value().kind() == ValueKind.DOUBLE
                ? BigDecimal.valueOf(literal.value().asDouble())
                : BigDecimal.valueOf(literal.value().low()))
        : Optional.empty();
  }

  /** By group the number of all values, of those below the report's, and of those not above it. */
  FlowQuery query(List<ReportRow> rows) {
    Expression given = keys.valueOf(rows, column, kind);
    List<SelectItem> items = new ArrayList<>(keys.shared());
    items.add(new SelectItem("n$", count(of)));
    items.add(new SelectItem("below$", countIf(ComparisonOperator.LESS, given)));
    items.add(new SelectItem("up_to$", countIf(ComparisonOperator.LESS_OR_EQUAL, given)));
    return new FlowQuery(items, exact.where(), exact.groupBy(), List.of(), -1);
  }

  private static AggregateCall count(Expression what) {
    return new AggregateCall(AggregateFunction.COUNT, what);
  }

  private AggregateCall countIf(ComparisonOperator operator, Expression given) {
    Expression one = new Expression.Literal(Value.ofLong(1));
    When when = new When(new Expression.Comparison(operator, of, given), one);
    return count(
        new Expression.Case(List.of(when), new Expression.Literal(Value.NULL), ValueKind.LONG));
  }

  /** By key; of groups with values. */
  Map<List<String>, Long> read(ResultTable answer) {
    int n = answer.columnCount() - 3;
    Map<List<String>, Long> errors = new HashMap<>();
    keys.rows(answer)
        .forEach(
            (key, row) -> {
              long count = answer.longValue(row, n);
              long below = answer.longValue(row, n + 1);
              long upTo = answer.longValue(row, n + 2);
              if (count > 0) {
                BigDecimal rank = share.multiply(BigDecimal.valueOf(count));
                long wanted = Math.max(1, rank.setScale(0, RoundingMode.CEILING).longValue());
                errors.put(key, Math.max(0, Math.max(below + 1 - wanted, wanted - upTo)));
              }
            });
    return errors;
  }
}
