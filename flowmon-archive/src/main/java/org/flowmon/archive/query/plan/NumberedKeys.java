package org.flowmon.archive.query.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ValueKind;

/**
 * The keys of a query's groups as numbers: address columns, whole numbers of at most 32 bits or
 * booleans, or CASEs whose results are address columns or NULL. Immutable.
 */
public final class NumberedKeys {
  /** A key. */
  public sealed interface Key permits AddressKey, NumberKey, CaseKey {}

  /** An address column. */
  public record AddressKey(FlowColumn column) implements Key {}

  /** A column of small whole numbers. */
  public record NumberKey(FlowColumn column) implements Key {}

  /** The result of the first TRUE condition, last that of ELSE; empty for NULL. */
  public record CaseKey(List<Expression> conditions, List<Optional<FlowColumn>> results)
      implements Key {}

  private final FlowQuery query;
  private final List<Key> keys;
  private final Set<FlowColumn> addresses = new TreeSet<>();

  private NumberedKeys(FlowQuery query, List<Key> keys) {
    this.query = query;
    this.keys = List.copyOf(keys);
    for (Key key : keys) {
      if (key instanceof AddressKey one) {
        addresses.add(one.column());
      } else if (key instanceof CaseKey choice) {
        choice.results().forEach(result -> result.ifPresent(addresses::add));
      }
    }
  }

  /** Empty if a key is of another kind, or the aggregates need more than longs. */
  public static Optional<NumberedKeys> of(FlowQuery query) {
    List<Key> keys =
        query.groupBy().stream().map(NumberedKeys::key).flatMap(Optional::stream).toList();
    boolean areAll = !keys.isEmpty() && keys.size() == query.groupBy().size();
    return areAll && hasNumericArguments(query)
        ? Optional.of(new NumberedKeys(query, keys))
        : Optional.empty();
  }

  /** Texts are the only values that are not kept in longs. */
  private static boolean hasNumericArguments(FlowQuery query) {
    for (AggregateCall call : query.aggregates()) {
      if (call.isState()) {
        return false; // the function's state is not in words
      }
      for (Expression argument : call.arguments()) {
        if (argument.kind() == null || argument.kind() == ValueKind.TEXT) {
          return false;
        }
      }
    }
    return true;
  }

  private static Optional<Key> key(Expression key) {
    if (key instanceof Column column) {
      ColumnType type = column.column().type();
      if (type == ColumnType.ADDRESS) {
        return Optional.of(new AddressKey(column.column()));
      }
      return bits(type) > 0 ? Optional.of(new NumberKey(column.column())) : Optional.empty();
    }
    return key instanceof Expression.Case choice ? caseKey(choice) : Optional.empty();
  }

  private static Optional<Key> caseKey(Expression.Case choice) {
    List<Expression> conditions = new ArrayList<>();
    List<Expression> results = new ArrayList<>();
    for (Expression.When when : choice.whens()) {
      conditions.add(when.condition());
      results.add(when.result());
    }
    results.add(choice.otherwise());
    return choice.kind() == ValueKind.ADDRESS
            && results.stream().allMatch(result -> isNull(result) || result instanceof Column)
        ? Optional.of(
            new CaseKey(conditions, results.stream().map(NumberedKeys::addressColumn).toList()))
        : Optional.empty();
  }

  private static boolean isNull(Expression result) {
    return result instanceof Expression.Literal literal && literal.value().isNull();
  }

  private static Optional<FlowColumn> addressColumn(Expression result) {
    return result instanceof Column column ? Optional.of(column.column()) : Optional.empty();
  }

  /** 0 if a column's values have too many bits. */
  public static int bits(ColumnType type) {
    return switch (type) {
      case BOOLEAN -> 1;
      case UINT8 -> 8;
      case UINT16 -> 16;
      case UINT32 -> 32;
      default -> 0;
    };
  }

  public FlowQuery query() {
    return query;
  }

  public List<Key> keys() {
    return keys;
  }

  /** Two keys that are different columns of addresses. */
  public record AddressPair(FlowColumn first, FlowColumn second) {}

  /** Empty unless the keys are two different columns of addresses. */
  public Optional<AddressPair> addressPair() {
    return keys.size() == 2
            && keys.get(0) instanceof AddressKey first
            && keys.get(1) instanceof AddressKey second
            && first.column() != second.column()
        ? Optional.of(new AddressPair(first.column(), second.column()))
        : Optional.empty();
  }

  public Set<FlowColumn> addresses() {
    return addresses;
  }
}
