package org.flowmon.udaf.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.flowmon.udaf.query.Expression.And;
import org.flowmon.udaf.query.Expression.Arithmetic;
import org.flowmon.udaf.query.Expression.Case;
import org.flowmon.udaf.query.Expression.Comparison;
import org.flowmon.udaf.query.Expression.DaysBefore;
import org.flowmon.udaf.query.Expression.In;
import org.flowmon.udaf.query.Expression.IsNull;
import org.flowmon.udaf.query.Expression.IsTruth;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Network;
import org.flowmon.udaf.query.Expression.Not;
import org.flowmon.udaf.query.Expression.Or;
import org.flowmon.udaf.query.Expression.Parameter;
import org.flowmon.udaf.query.Expression.SameHour;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.query.Expression.When;

/** Finds the parameters of a query, and puts values in their places. */
final class Binder {
  private final Parameters parameters;

  private Binder(Parameters parameters) {
    this.parameters = parameters;
  }

  static FlowQuery bind(FlowQuery query, Parameters parameters) {
    Binder binder = new Binder(parameters);
    try {
      return new FlowQuery(
          query.select().stream()
              .map(item -> new SelectItem(item.name(), binder.expression(item.what())))
              .toList(),
          query.where() == null ? null : Typing.requireBoolean(binder.expression(query.where())),
          binder.list(query.groupBy()),
          query.having() == null ? null : Typing.requireBoolean(binder.expression(query.having())),
          query.orderBy().stream()
              .map(
                  item ->
                      new OrderItem(
                          binder.expression(item.what()), item.descending(), item.nullsFirst()))
              .toList(),
          query.limit());
    } catch (TypeException e) {
      throw new QueryException(
          "a parameter's value does not fit: " + e.getMessage() + " in " + e.culprit());
    }
  }

  private List<Expression> list(List<Expression> expressions) {
    return expressions.stream().map(this::expression).toList();
  }

  private Expression expression(Expression expression) {
    if (!hasParameter(expression)) {
      return expression;
    } else if (expression instanceof Parameter parameter) {
      return new Literal(single(parameter));
    } else if (expression instanceof Comparison comparison) {
      return Typing.comparison(
          comparison.operator(), expression(comparison.left()), expression(comparison.right()));
    } else if (expression instanceof And and) {
      return new And(conditions(and.terms()));
    } else if (expression instanceof Or or) {
      return new Or(conditions(or.terms()));
    } else if (expression instanceof Not not) {
      return new Not(condition(not.term()));
    } else if (expression instanceof In in) {
      return Typing.in(expression(in.value()), items(in.items()));
    } else if (expression instanceof IsNull isNull) {
      return new IsNull(expression(isNull.term()));
    } else if (expression instanceof IsTruth isTruth) {
      return new IsTruth(condition(isTruth.term()), isTruth.truth());
    } else if (expression instanceof Arithmetic arithmetic) {
      return Typing.arithmetic(
          arithmetic.operator(), expression(arithmetic.left()), expression(arithmetic.right()));
    } else if (expression instanceof Case choice) {
      List<When> whens =
          choice.whens().stream()
              .map(when -> new When(condition(when.condition()), expression(when.result())))
              .toList();
      return Typing.choice(whens, expression(choice.otherwise()));
    } else if (expression instanceof AggregateCall call) {
      return call.isDistinct()
          ? Typing.countDistinct(list(call.arguments()))
          : Typing.aggregate(call.function(), expression(call.argument()));
    } else {
      return function(expression);
    }
  }

  private Expression function(Expression expression) {
    if (expression instanceof Network network) {
      return new Network(
          Typing.requireAddress(expression(network.address())),
          network.ipv4Bits(),
          network.ipv6Bits());
    } else if (expression instanceof TimeBucket bucket) {
      return new TimeBucket(Typing.requireTime(expression(bucket.time())), bucket.widthMicros());
    } else if (expression instanceof SameHour hour) {
      return new SameHour(
          Typing.requireTime(expression(hour.time())),
          Typing.requireTime(expression(hour.now())),
          hour.days());
    } else if (expression instanceof DaysBefore days) {
      return new DaysBefore(
          Typing.requireTime(expression(days.time())), Typing.requireTime(expression(days.now())));
    }
    throw new IllegalStateException("no binding for " + expression.getClass());
  }

  private Expression condition(Expression term) {
    return Typing.requireBoolean(expression(term));
  }

  private List<Expression> conditions(List<Expression> terms) {
    return terms.stream().map(this::condition).toList();
  }

  private List<Expression> items(List<Expression> items) {
    List<Expression> bound = new ArrayList<>();
    for (Expression item : items) {
      if (item instanceof Parameter parameter) {
        values(parameter).forEach(value -> bound.add(new Literal(value)));
      } else {
        bound.add(item);
      }
    }
    return bound;
  }

  private Value single(Parameter parameter) {
    List<Value> values = values(parameter);
    if (values.size() != 1) {
      throw new QueryException(
          "parameter :"
              + parameter.name()
              + " has "
              + values.size()
              + " values where one is expected");
    }
    return values.get(0);
  }

  private List<Value> values(Parameter parameter) {
    List<Value> values = parameters.get(parameter.name());
    if (values == null) {
      throw new QueryException("parameter :" + parameter.name() + " has no value");
    }
    return values;
  }

  static Set<String> parameters(FlowQuery query) {
    Set<String> names = new TreeSet<>();
    Consumer<Expression> collect =
        expression -> {
          if (expression instanceof Parameter parameter) {
            names.add(parameter.name());
          }
        };
    query.select().forEach(item -> walk(item.what(), collect));
    if (query.where() != null) {
      walk(query.where(), collect);
    }
    query.groupBy().forEach(key -> walk(key, collect));
    if (query.having() != null) {
      walk(query.having(), collect);
    }
    query.orderBy().forEach(item -> walk(item.what(), collect));
    return names;
  }

  static boolean hasParameter(Expression expression) {
    boolean[] found = new boolean[1];
    walk(expression, part -> found[0] |= part instanceof Parameter);
    return found[0];
  }

  /** Visits an expression and all its parts. */
  static void walk(Expression expression, Consumer<Expression> visit) {
    visit.accept(expression);
    ExpressionParts.of(expression).forEach(part -> walk(part, visit));
  }
}
