package org.flowmon.archive.query.plan;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ValueKind;

/**
 * The conversion of a query's group keys to numbers. Each key is an address column, a whole number
 * of at most 32 bits or a boolean, or a CASE whose results are address columns or NULL. Immutable.
 */
public final class GroupPlan {
  /** A key. */
  public sealed interface Key permits AddressKey, NumberKey, CaseKey {}

  /** An address column. */
  public record AddressKey(FlowColumn column) implements Key {}

  /** A column of small whole numbers. */
  public record NumberKey(FlowColumn column) implements Key {}

  /**
   * The result of the first condition that is TRUE.
   *
   * @param results one more than conditions: the last is that of ELSE; empty for NULL
   */
  public record CaseKey(List<Expression> conditions, List<Optional<FlowColumn>> results)
      implements Key {}

  private final FlowQuery query;
  private final List<Key> keys;
  private final Set<FlowColumn> addresses = EnumSet.noneOf(FlowColumn.class);

  private GroupPlan(FlowQuery query, List<Key> keys) {
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

  /**
   * The plan of a query.
   *
   * @param query without parameters
   * @return null if its groups have any other key
   */
  public static GroupPlan of(FlowQuery query) {
    if (query.groupBy().isEmpty() || !hasNumericArguments(query)) {
      return null;
    }
    List<Key> keys = new ArrayList<>();
    for (Expression key : query.groupBy()) {
      Key one = key(key);
      if (one == null) {
        return null;
      }
      keys.add(one);
    }
    return new GroupPlan(query, keys);
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

  private static Key key(Expression key) {
    if (key instanceof Expression.Column column) {
      ColumnType type = column.column().type();
      if (type == ColumnType.ADDRESS) {
        return new AddressKey(column.column());
      }
      return bits(type) > 0 ? new NumberKey(column.column()) : null;
    }
    return key instanceof Expression.Case choice ? caseKey(choice) : null;
  }

  private static Key caseKey(Expression.Case choice) {
    if (choice.kind() != ValueKind.ADDRESS) {
      return null;
    }
    List<Expression> conditions = new ArrayList<>();
    List<Optional<FlowColumn>> results = new ArrayList<>();
    for (int b = 0; b <= choice.whens().size(); b++) {
      boolean isElse = b == choice.whens().size();
      Expression result = isElse ? choice.otherwise() : choice.whens().get(b).result();
      if (result instanceof Expression.Column column) {
        results.add(Optional.of(column.column()));
      } else if (result instanceof Expression.Literal literal && literal.value().isNull()) {
        results.add(Optional.empty());
      } else {
        return null;
      }
      if (!isElse) {
        conditions.add(choice.whens().get(b).condition());
      }
    }
    return new CaseKey(conditions, results);
  }

  /** Bits of a column's values, 0 if they are too many. */
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

  /** The columns of the keys if these are two different columns of addresses; else null. */
  public List<FlowColumn> addressPair() {
    boolean isPair =
        keys.size() == 2
            && keys.get(0) instanceof AddressKey
            && keys.get(1) instanceof AddressKey
            && addresses.size() == 2;
    return isPair
        ? List.of(((AddressKey) keys.get(0)).column(), ((AddressKey) keys.get(1)).column())
        : null;
  }

  /** The columns whose addresses are to be numbered. */
  public Set<FlowColumn> addresses() {
    return addresses;
  }
}
