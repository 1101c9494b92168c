package org.flowmon.udaf.query;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression.And;
import org.flowmon.udaf.query.Expression.Arithmetic;
import org.flowmon.udaf.query.Expression.Case;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Comparison;
import org.flowmon.udaf.query.Expression.DaysBefore;
import org.flowmon.udaf.query.Expression.Derived;
import org.flowmon.udaf.query.Expression.Enriched;
import org.flowmon.udaf.query.Expression.In;
import org.flowmon.udaf.query.Expression.InQuery;
import org.flowmon.udaf.query.Expression.IsNull;
import org.flowmon.udaf.query.Expression.IsTruth;
import org.flowmon.udaf.query.Expression.Like;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.Expression.Network;
import org.flowmon.udaf.query.Expression.Not;
import org.flowmon.udaf.query.Expression.OfStates;
import org.flowmon.udaf.query.Expression.Or;
import org.flowmon.udaf.query.Expression.Parameter;
import org.flowmon.udaf.query.Expression.Prefix;
import org.flowmon.udaf.query.Expression.RowNumber;
import org.flowmon.udaf.query.Expression.SameHour;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.value.ValueKind;

/** The parts of expressions, for walking through them. */
public final class ExpressionParts {
  private ExpressionParts() {}

  /** The columns of other queries' results that it reads. */
  public static Set<Named> namedColumns(Expression expression) {
    Set<Named> columns = new HashSet<>();
    Binder.walk(
        expression,
        part -> {
          if (part instanceof Named column) {
            columns.add(column);
          }
        });
    return columns;
  }

  public static boolean hasAggregate(Expression expression) {
    if (expression instanceof AggregateCall) {
      return true;
    }
    for (Expression part : of(expression)) {
      if (hasAggregate(part)) {
        return true;
      }
    }
    return false;
  }

  /** A sum or a column of sums, also in a CASE, may be beyond 64 bits. */
  public static boolean isWide(Expression expression) {
    if (expression instanceof Case choice && choice.kind() != ValueKind.DOUBLE) {
      return isWide(choice.otherwise())
          || choice.whens().stream().anyMatch(when -> isWide(when.result()));
    }
    if (expression instanceof Named column) {
      return column.isWide();
    }
    return expression instanceof AggregateCall call && call.function() == AggregateFunction.SUM;
  }

  public static void addColumns(Expression expression, Set<FlowColumn> columns) {
    if (expression instanceof Column column) {
      columns.add(column.column());
    }
    of(expression).forEach(part -> addColumns(part, columns));
  }

  /**
   * Empty for columns, constants, prefixes and parameters; of an enriched column its keys, of an
   * aggregate its arguments and extractor's parameters; the value alone of IN (SELECT …), whose
   * subquery is independent of this query.
   */
  public static List<Expression> of(Expression expression) {
    if (expression instanceof Column) { // first, as a lookup selects each
      return List.of();
    } else if (expression instanceof Comparison c) {
      return List.of(c.left(), c.right());
    } else if (expression instanceof And and) {
      return and.terms();
    } else if (expression instanceof Or or) {
      return or.terms();
    } else if (expression instanceof Not not) {
      return List.of(not.term());
    } else if (expression instanceof In in) {
      List<Expression> all = new ArrayList<>(in.items());
      all.add(in.value());
      return all;
    } else if (expression instanceof InQuery in) {
      return List.of(in.value());
    } else if (expression instanceof IsNull isNull) {
      return List.of(isNull.term());
    } else if (expression instanceof IsTruth isTruth) {
      return List.of(isTruth.term());
    } else if (expression instanceof Like like) {
      return List.of(like.text());
    } else if (expression instanceof Arithmetic a) {
      return List.of(a.left(), a.right());
    } else if (expression instanceof Case choice) {
      List<Expression> all = new ArrayList<>();
      choice.whens().forEach(when -> all.addAll(List.of(when.condition(), when.result())));
      all.add(choice.otherwise());
      return all;
    } else if (expression instanceof Enriched enriched) {
      return enriched.keys();
    } else if (expression instanceof Derived derived) {
      return derived.keys();
    } else if (expression instanceof Network network) {
      return List.of(network.address());
    } else if (expression instanceof TimeBucket bucket) {
      return List.of(bucket.time());
    } else if (expression instanceof SameHour hour) {
      return List.of(hour.time(), hour.now());
    } else if (expression instanceof DaysBefore days) {
      return List.of(days.time(), days.now());
    } else if (expression instanceof AggregateCall call) {
      return call.isState() ? both(call.arguments(), call.state().parameters()) : call.arguments();
    } else if (expression instanceof OfStates call) {
      return both(call.of(), call.parameters());
    }
    if (hasNoParts(expression)) {
      return List.of();
    }
    throw new IllegalStateException("no parts for " + expression.getClass());
  }

  private static List<Expression> both(List<Expression> first, List<Expression> second) {
    if (second.isEmpty()) {
      return first;
    }
    List<Expression> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  private static boolean hasNoParts(Expression expression) {
    return expression instanceof Named
        || expression instanceof Literal
        || expression instanceof Prefix
        || expression instanceof Parameter
        || expression instanceof RowNumber;
  }
}
