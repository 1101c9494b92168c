package org.flowmon.udaf.expression;

import java.util.Map;
import org.flowmon.udaf.node.CaseNode;
import org.flowmon.udaf.node.ColumnNode;
import org.flowmon.udaf.node.ComparisonNodes;
import org.flowmon.udaf.node.DerivedNode;
import org.flowmon.udaf.node.DoubleArithmeticNode;
import org.flowmon.udaf.node.EnrichedNode;
import org.flowmon.udaf.node.FlagNode;
import org.flowmon.udaf.node.GivenNode;
import org.flowmon.udaf.node.LiteralNode;
import org.flowmon.udaf.node.LogicNodes;
import org.flowmon.udaf.node.LongArithmeticNode;
import org.flowmon.udaf.node.MembershipNodes;
import org.flowmon.udaf.node.NetworkNode;
import org.flowmon.udaf.node.SameHourNode;
import org.flowmon.udaf.node.StatesNode;
import org.flowmon.udaf.node.TimeNodes;
import org.flowmon.udaf.node.TruthNode;
import org.flowmon.udaf.node.TruthValueNode;
import org.flowmon.udaf.node.ValueNode;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.And;
import org.flowmon.udaf.query.Expression.Arithmetic;
import org.flowmon.udaf.query.Expression.Case;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Comparison;
import org.flowmon.udaf.query.Expression.ComparisonOperator;
import org.flowmon.udaf.query.Expression.DaysBefore;
import org.flowmon.udaf.query.Expression.Derived;
import org.flowmon.udaf.query.Expression.Enriched;
import org.flowmon.udaf.query.Expression.In;
import org.flowmon.udaf.query.Expression.InQuery;
import org.flowmon.udaf.query.Expression.IsNull;
import org.flowmon.udaf.query.Expression.IsTruth;
import org.flowmon.udaf.query.Expression.Like;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Network;
import org.flowmon.udaf.query.Expression.Not;
import org.flowmon.udaf.query.Expression.OfStates;
import org.flowmon.udaf.query.Expression.Or;
import org.flowmon.udaf.query.Expression.Parameter;
import org.flowmon.udaf.query.Expression.Prefix;
import org.flowmon.udaf.query.Expression.SameHour;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.query.FunctionCatalogue.StateEvaluation;
import org.flowmon.udaf.set.AddressSet;
import org.flowmon.udaf.text.LikePattern;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** Builds the nodes that evaluate an expression. */
final class Compiler {
  private final Map<Expression, Vector> given;
  private final @Nullable Sharing shared; // null if nothing is shared

  /**
   * {@code given} has values of some expressions, whatever the rows; their parts are not compiled.
   */
  Compiler(Map<Expression, Vector> given) {
    this(given, null);
  }

  /** {@code shared}: what is evaluated once for several expressions; null for nothing. */
  Compiler(Map<Expression, Vector> given, @Nullable Sharing shared) {
    this.given = given;
    this.shared = shared;
  }

  ValueNode value(Expression expression) {
    return shared == null ? made(expression) : shared.part(expression, () -> made(expression));
  }

  ValueNode made(Expression expression) {
    Vector known = given.isEmpty() ? null : given.get(expression);
    if (known != null) {
      return new GivenNode(known);
    } else if (expression instanceof Column column) {
      return new ColumnNode(column.column());
    } else if (expression instanceof Derived derived) {
      return new DerivedNode(
          derived.column(), derived.keys().stream().map(this::value).toArray(ValueNode[]::new));
    } else if (expression instanceof Enriched enriched) {
      return enriched(enriched);
    } else if (expression instanceof Literal literal) {
      return new LiteralNode(literal.value());
    } else if (expression instanceof Arithmetic arithmetic) {
      return arithmetic(arithmetic);
    } else if (expression instanceof Case choice) {
      return choice(choice);
    } else if (expression instanceof Network network) {
      return new NetworkNode(value(network.address()), network.ipv4Bits(), network.ipv6Bits());
    } else if (expression instanceof TimeBucket bucket) {
      return TimeNodes.bucket(value(bucket.time()), bucket.widthMicros());
    } else if (expression instanceof DaysBefore days) {
      return TimeNodes.daysBefore(value(days.time()), value(days.now()));
    } else if (expression instanceof OfStates call) {
      StateEvaluation evaluation = call.evaluation();
      return new StatesNode(
          call.kind(),
          evaluation,
          evaluation.inputs().stream().map(this::value).toArray(ValueNode[]::new));
    } else if (expression instanceof Parameter parameter) {
      throw unbound(parameter);
    } else if (expression.kind() == ValueKind.BOOLEAN) {
      return new TruthValueNode(truth(expression));
    }
    throw new IllegalStateException("cannot be evaluated: " + expression);
  }

  private ValueNode enriched(Enriched enriched) {
    return new EnrichedNode(
        enriched.column(),
        enriched
            .lookup()
            .orElseThrow(
                () ->
                    new QueryException(
                        enriched + " is joined from files, which are not given here")),
        enriched.keys().stream().map(this::value).toArray(ValueNode[]::new));
  }

  private ValueNode arithmetic(Arithmetic arithmetic) {
    ValueNode left = value(arithmetic.left());
    ValueNode right = value(arithmetic.right());
    if (arithmetic.kind() == null) {
      return new LiteralNode(org.flowmon.udaf.value.Value.NULL);
    }
    return arithmetic.kind() == ValueKind.DOUBLE
        ? new DoubleArithmeticNode(arithmetic.operator(), left, right)
        : new LongArithmeticNode(arithmetic.operator(), arithmetic.kind(), left, right);
  }

  TruthNode truth(Expression expression) {
    return shared == null
        ? madeTruth(expression)
        : shared.condition(expression, () -> madeTruth(expression));
  }

  private TruthNode madeTruth(Expression expression) {
    if (!given.isEmpty() && given.containsKey(expression)) {
      return new LogicNodes.OfValue(value(expression));
    } else if (expression instanceof And and) {
      return new LogicNodes.All(and.terms().stream().map(this::truth).toArray(TruthNode[]::new));
    } else if (expression instanceof Or or) {
      return new LogicNodes.Any(or.terms().stream().map(this::truth).toArray(TruthNode[]::new));
    } else if (expression instanceof Not not) {
      return new LogicNodes.Negation(truth(not.term()));
    } else if (expression instanceof IsTruth isTruth) {
      return new LogicNodes.TruthTest(truth(isTruth.term()), isTruth.truth());
    } else if (expression instanceof IsNull isNull) {
      return new LogicNodes.NullTest(value(isNull.term()));
    } else if (expression instanceof Comparison comparison) {
      return comparison(comparison);
    } else if (expression instanceof In in) {
      return in(in);
    } else if (expression instanceof InQuery in) {
      throw new QueryException("the query of IN has no answer yet: " + in.query());
    } else if (expression instanceof Like like) {
      ValueNode text = value(like.text());
      return text.kind() == null
          ? new LogicNodes.Constant(org.flowmon.udaf.value.Value.NULL)
          : new MembershipNodes.Pattern(text, new LikePattern(like.pattern()));
    } else if (expression instanceof SameHour hour) {
      return new SameHourNode(
          value(hour.time()), value(hour.now()), hour.days(), hour.lengthMicros());
    } else if (expression instanceof Parameter parameter) {
      throw unbound(parameter);
    } else if (expression instanceof Literal literal) {
      return new LogicNodes.Constant(literal.value());
    } else if (expression instanceof Column column) {
      return new FlagNode(column.column());
    }
    return new LogicNodes.OfValue(value(expression));
  }

  private TruthNode comparison(Comparison comparison) {
    Expression left = comparison.left();
    Expression right = comparison.right();
    ComparisonOperator operator = comparison.operator();
    if (left instanceof Literal && !(right instanceof Literal)) {
      left = comparison.right();
      right = comparison.left();
      operator = operator.swapped();
    }
    ValueNode l = value(left);
    ValueNode r = value(right);
    if (l.kind() == null || r.kind() == null) {
      return new LogicNodes.Constant(org.flowmon.udaf.value.Value.NULL);
    }
    if (l.kind() == ValueKind.DOUBLE || r.kind() == ValueKind.DOUBLE) {
      return new ComparisonNodes.Doubles(operator, l, r);
    }
    return switch (l.kind()) {
      case ADDRESS -> new ComparisonNodes.Addresses(operator, l, r);
      case TEXT -> new ComparisonNodes.Texts(operator, l, r);
      default ->
          right instanceof Literal literal
              ? new ComparisonNodes.LongWithConstant(operator, l, literal.value().low())
              : new ComparisonNodes.Longs(operator, l, r);
    };
  }

  private TruthNode in(In in) {
    ValueNode value = value(in.value());
    boolean hasNull = false;
    for (Expression item : in.items()) {
      if (item instanceof Parameter parameter) {
        throw unbound(parameter);
      }
      hasNull |= item.kind() == null;
    }
    if (in.items().isEmpty()) {
      return new LogicNodes.Constant(org.flowmon.udaf.value.Value.ofBoolean(false));
    }
    if (value.kind() == null) {
      return new LogicNodes.Constant(org.flowmon.udaf.value.Value.NULL);
    }
    if (value.kind() == ValueKind.ADDRESS) {
      return new MembershipNodes.Addresses(value, AddressSet.of(in.items()), hasNull);
    }
    var constants =
        in.items().stream()
            .filter(item -> item.kind() != null && !(item instanceof Prefix))
            .map(item -> ((Literal) item).value())
            .toList();
    boolean doubles =
        value.kind() == ValueKind.DOUBLE
            || constants.stream().anyMatch(constant -> constant.kind() == ValueKind.DOUBLE);
    if (value.kind() == ValueKind.TEXT) {
      return new MembershipNodes.Texts(value, constants, hasNull);
    }
    return doubles
        ? new MembershipNodes.Doubles(value, constants, hasNull)
        : new MembershipNodes.Longs(value, constants, hasNull);
  }

  private static QueryException unbound(Parameter parameter) {
    return new QueryException("parameter :" + parameter.name() + " has no value");
  }

  private ValueNode choice(Case choice) {
    int whens = choice.whens().size();
    TruthNode[] conditions = new TruthNode[whens];
    ValueNode[] results = new ValueNode[whens + 1];
    for (int w = 0; w < whens; w++) {
      conditions[w] = truth(choice.whens().get(w).condition());
      results[w] = value(choice.whens().get(w).result());
    }
    results[whens] = value(choice.otherwise());
    return new CaseNode(choice.kind(), conditions, results);
  }
}
