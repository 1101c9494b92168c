package org.flowmon.archive.query.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.flowmon.archive.query.filter.ExactTimes;
import org.flowmon.archive.query.filter.ExpressionColumns;
import org.flowmon.archive.rollup.Measure;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether rollups can answer a query exactly like its rows: if
 *
 * <ul>
 *   <li>the filter is a condition on {@code end_time} whose times are known exactly, AND conditions
 *       on one address and {@code outgoing};
 *   <li>the keys are functions of that address, {@code outgoing} and the UTC hour of {@code
 *       end_time};
 *   <li>the aggregates count rows, count, sum or average measures or their estimates, or take the
 *       first or last hour.
 * </ul>
 *
 * Immutable.
 */
public final class RollupRule {
  private final FlowQuery query;
  private final List<FlowColumn> addresses;
  private final Optional<LongRanges> times;
  private final boolean nullTimeIsKept;
  private final @Nullable Expression cellFilter;
  private final Set<FlowColumn> keyColumns;
  private final int addressKey;

  private RollupRule(
      FlowQuery query,
      List<FlowColumn> addresses,
      Optional<LongRanges> times,
      boolean nullTimeIsKept,
      @Nullable Expression cellFilter,
      Set<FlowColumn> keyColumns,
      int addressKey) {
    this.query = query;
    this.addresses = addresses;
    this.times = times;
    this.nullTimeIsKept = nullTimeIsKept;
    this.cellFilter = cellFilter;
    this.keyColumns = keyColumns;
    this.addressKey = addressKey;
  }

  static Optional<RollupRule> of(FlowQuery query) {
    List<Expression> timeTerms = new ArrayList<>();
    List<Expression> cellTerms = new ArrayList<>();
    for (Expression term : terms(query.where())) {
      boolean isTime = ExpressionColumns.of(term).contains(FlowColumn.END_TIME);
      (isTime ? timeTerms : cellTerms).add(term);
    }
    Set<FlowColumn> keyColumns = columns(query.groupBy());
    Set<FlowColumn> used = columns(cellTerms);
    used.addAll(keyColumns);
    used.removeAll(Set.of(FlowColumn.OUTGOING, FlowColumn.END_TIME));
    boolean areSums =
        query.isAggregated()
            && hasSummedAggregates(query)
            && query.groupBy().stream().allMatch(ExpressionColumns::isHourly)
            && used.size() <= 1
            && RollupFormat.DIMENSIONS.containsAll(used);
    if (!areSums) {
      return Optional.empty();
    }
    List<FlowColumn> addresses = used.isEmpty() ? RollupFormat.DIMENSIONS : List.copyOf(used);
    Expression filter = cellTerms.isEmpty() ? null : new Expression.And(cellTerms);
    int addressKey =
        used.isEmpty() ? -1 : query.groupBy().indexOf(new Expression.Column(addresses.get(0)));
    RollupRule always =
        new RollupRule(query, addresses, Optional.empty(), true, filter, keyColumns, addressKey);
    return timeTerms.isEmpty() ? Optional.of(always) : always.within(timeTerms);
  }

  private static Set<FlowColumn> columns(List<Expression> expressions) {
    Set<FlowColumn> columns = new TreeSet<>();
    expressions.forEach(expression -> columns.addAll(ExpressionColumns.of(expression)));
    return columns;
  }

  /** Empty if the times of the conditions on {@code end_time} are not known exactly. */
  private Optional<RollupRule> within(List<Expression> timeTerms) {
    Set<FlowColumn> columns = columns(timeTerms);
    Expression condition = new Expression.And(timeTerms);
    return columns.equals(Set.of(FlowColumn.END_TIME))
        ? ExactTimes.of(condition).map(exact -> within(exact, ExactTimes.keepsNull(condition)))
        : Optional.empty();
  }

  private static boolean hasSummedAggregates(FlowQuery query) {
    return query.aggregates().stream().allMatch(RollupRule::isSummed);
  }

  private static boolean isSummed(AggregateCall call) {
    return switch (call.function()) {
      case COUNT, SUM, AVG -> call.arguments().isEmpty() || measure(call.argument()).isPresent();
      case MIN, MAX -> isOfHours(call);
      case COUNT_DISTINCT, STDDEV, STDDEV_POP, STATE -> false;
    };
  }

  /** The measure whose values an argument has. */
  public static Optional<Measure> measure(Expression argument) {
    Measure measure = null;
    if (argument instanceof Expression.Column stored) {
      measure = Measure.of(stored.column());
    } else if (argument instanceof Expression.Derived derived && derived.column().isEstimate()) {
      measure = Measure.estimateOf(derived.column().columns().get(0));
    }
    return Optional.ofNullable(measure)
        .filter(some -> RollupFormat.MEASURES.contains(some.column()));
  }

  /**
   * Whether it is the first or last of a value that all rows of an hour share; a whole number, as a
   * cell's state holds it.
   */
  private static boolean isOfHours(AggregateCall call) {
    ValueKind kind = call.argument().kind();
    return kind != null
        && kind.isInteger()
        && ExpressionColumns.of(call.argument()).equals(Set.of(FlowColumn.END_TIME))
        && ExpressionColumns.isHourly(call.argument());
  }

  private static List<Expression> terms(@Nullable Expression where) {
    List<Expression> terms = new ArrayList<>();
    if (where instanceof Expression.And and) {
      and.terms().forEach(term -> terms.addAll(terms(term)));
    } else if (where != null) {
      terms.add(where);
    }
    return terms;
  }

  RollupRule within(LongRanges some, boolean nullIsKept) {
    return new RollupRule(
        query, addresses, Optional.of(some), nullIsKept, cellFilter, keyColumns, addressKey);
  }

  public FlowQuery query() {
    return query;
  }

  /** The columns of addresses, at least one, whose cells can answer. */
  public List<FlowColumn> addresses() {
    return addresses;
  }

  /** Empty if the filter keeps all times. */
  public Optional<LongRanges> times() {
    return times;
  }

  public boolean nullTimeIsKept() {
    return nullTimeIsKept;
  }

  /** The condition on address and {@code outgoing}, null for none. */
  public @Nullable Expression cellFilter() {
    return cellFilter;
  }

  public boolean hasHourKeys() {
    return keyColumns.contains(FlowColumn.END_TIME);
  }

  /** Whether it needs hours, for keys or for aggregates: rollups over all hours have none. */
  public boolean needsHours() {
    return hasHourKeys() || asksForTimes();
  }

  /** Whether an aggregate is of times, which cells have by slice. */
  public boolean asksForTimes() {
    return timesAsked().findAny().isPresent();
  }

  /** Whether keys and aggregated times are the same at all times of any UTC day. */
  public boolean isOfDays() {
    return Stream.concat(query.groupBy().stream(), timesAsked())
        .allMatch(ExpressionColumns::isDaily);
  }

  private Stream<Expression> timesAsked() {
    return query.aggregates().stream()
        .filter(call -> !call.arguments().isEmpty())
        .map(AggregateCall::argument)
        .filter(argument -> ExpressionColumns.of(argument).contains(FlowColumn.END_TIME));
  }

  /** The columns of which estimates are asked for. */
  public List<FlowColumn> estimates() {
    return query.aggregates().stream()
        .filter(call -> !call.arguments().isEmpty())
        .flatMap(call -> measure(call.argument()).stream())
        .filter(Measure::isEstimate)
        .map(Measure::column)
        .toList();
  }

  /** The place of the address itself among the keys, −1 if it is no key. */
  public int addressKey() {
    return addressKey;
  }

  /** Whether groups of different addresses are always different, and can be kept apart. */
  public boolean canBePartitioned() {
    return addressKey >= 0
        && query.groupBy().stream().noneMatch(key -> key.kind() == ValueKind.TEXT);
  }
}
