package org.flowmon.udaf.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.flowmon.udaf.enrich.EnrichedColumn;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.query.Expression.And;
import org.flowmon.udaf.query.Expression.Arithmetic;
import org.flowmon.udaf.query.Expression.Case;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Comparison;
import org.flowmon.udaf.query.Expression.DaysBefore;
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
import org.flowmon.udaf.query.Expression.SameHour;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.query.Expression.When;
import org.flowmon.udaf.query.TableQuery.Equality;
import org.flowmon.udaf.query.TableQuery.Source;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;

/** Fills the open parts of a query: parameters, IN (SELECT …), tables of enriched columns. */
final class Binder {
  private final Parameters parameters;
  private final Map<Query, List<Value>> answers; // of IN (SELECT …); if any, all else stays
  private final Optional<Enrichment> enrichment; // if there is one, all else stays
  // The columns of the sources, whose kinds may depend on parameters; empty over flows.
  private final List<Named> columns;

  private Binder(Parameters parameters, Map<Query, List<Value>> answers, List<Named> columns) {
    this(parameters, answers, columns, Optional.empty());
  }

  private Binder(
      Parameters parameters,
      Map<Query, List<Value>> answers,
      List<Named> columns,
      Optional<Enrichment> enrichment) {
    this.parameters = parameters;
    this.answers = answers;
    this.columns = columns;
    this.enrichment = enrichment;
  }

  static TableQuery bind(TableQuery query, Parameters parameters) {
    List<Source> from = new ArrayList<>();
    List<Named> columns = new ArrayList<>();
    for (Source source : query.from()) {
      Query bound = source.query().bind(parameters);
      columns.addAll(bound.columns(source.name()));
      Binder binder = new Binder(parameters, Map.of(), columns);
      from.add(new Source(source.name(), bound, source.isLeft(), binder.equalities(source.on())));
    }
    FlowQuery clauses = new Binder(parameters, Map.of(), columns).query(query.clauses());
    return new TableQuery(from, clauses, query.offset());
  }

  private List<Equality> equalities(List<Equality> on) {
    List<Equality> bound = new ArrayList<>();
    for (Equality one : on) {
      Named before = retyped(one.before());
      Named own = retyped(one.own());
      fitting(
          () -> {
            Typing.requireJoinable(before, own);
            return own;
          });
      bound.add(new Equality(before, own, one.matchesNulls()));
    }
    return bound;
  }

  private Named retyped(Named column) {
    for (Named one : columns) {
      if (Objects.equals(one.table(), column.table()) && one.name().equals(column.name())) {
        return one;
      }
    }
    throw new IllegalStateException("no source has " + column);
  }

  static FlowQuery bind(FlowQuery query, Parameters parameters) {
    return new Binder(parameters, Map.of(), List.of()).query(query);
  }

  static FlowQuery answer(FlowQuery query, Map<Query, List<Value>> answers) {
    return new Binder(Parameters.NONE, answers, List.of()).query(query);
  }

  static FlowQuery enrich(FlowQuery query, Enrichment enrichment) {
    boolean[] isOpen = {false};
    walk(query, part -> isOpen[0] |= part instanceof InQuery || isWithoutTable(part, enrichment));
    if (!isOpen[0] && query.limitBy() == null) {
      return query;
    }
    return new Binder(Parameters.NONE, Map.of(), List.of(), Optional.of(enrichment)).query(query);
  }

  private FlowQuery query(FlowQuery query) {
    return fitting(
        () ->
            new FlowQuery(
                query.select().stream()
                    .map(item -> new SelectItem(item.name(), expression(item.what())))
                    .toList(),
                query.where() == null ? null : condition(query.where()),
                list(query.groupBy()),
                query.having() == null ? null : condition(query.having()),
                query.orderBy().stream()
                    .map(
                        item ->
                            new OrderItem(
                                expression(item.what()), item.descending(), item.nullsFirst()))
                    .toList(),
                query.limitBy() == null
                    ? null
                    : new LimitBy(query.limitBy().rows(), list(query.limitBy().keys())),
                query.limit()));
  }

  private static <T> T fitting(Supplier<T> bound) {
    try {
      return bound.get();
    } catch (TypeException e) {
      throw new QueryException(
          "a parameter's value does not fit: " + e.getMessage() + " in " + e.culprit());
    }
  }

  private List<Expression> list(List<Expression> expressions) {
    return expressions.stream().map(this::expression).toList();
  }

  private Expression expression(Expression expression) {
    if (!isOpen(expression)) {
      return expression;
    } else if (enrichment.isPresent() && isWithoutTable(expression, enrichment.get())) {
      return withTable(expression, enrichment.get());
    } else if (expression instanceof Enriched
        || (expression instanceof Parameter && enrichment.isPresent())) {
      return expression; // keys of enriched ones are columns
    } else if (expression instanceof Parameter parameter) {
      return single(parameter);
    } else if (expression instanceof Named column) {
      return retyped(column);
    } else if (expression instanceof InQuery in) {
      return inQuery(in);
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
    } else if (expression instanceof Like like) {
      return Typing.like(expression(like.text()), like.pattern());
    } else if (expression instanceof Arithmetic arithmetic) {
      return Typing.arithmetic(
          arithmetic.operator(), expression(arithmetic.left()), expression(arithmetic.right()));
    } else if (expression instanceof Case choice) {
      List<When> whens =
          choice.whens().stream()
              .map(when -> new When(condition(when.condition()), expression(when.result())))
              .toList();
      return Typing.choice(whens, expression(choice.otherwise()));
    } else if (expression instanceof AggregateCall call && call.isState()) {
      return ofState(call);
    } else if (expression instanceof AggregateCall call) {
      return call.isDistinct()
          ? Typing.countDistinct(list(call.arguments()))
          : Typing.aggregate(call.function(), expression(call.argument()));
    } else {
      return function(expression);
    }
  }

  private Expression ofState(AggregateCall call) {
    AggregateCall state =
        call.state().merged() == null
            ? Typing.state(call.state().function(), list(call.arguments()))
            : Typing.merged(expression(call.argument()));
    return call.state().isState()
        ? state
        : Typing.extracted(
            state, call.state().extractor(), list(call.state().parameters()), call.state().part());
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
          hour.days(),
          hour.lengthMicros());
    } else if (expression instanceof DaysBefore days) {
      return new DaysBefore(
          Typing.requireTime(expression(days.time())), Typing.requireTime(expression(days.now())));
    }
    if (expression instanceof OfStates call) {
      List<Expression> of = list(call.of());
      List<Expression> with = list(call.parameters());
      return of.size() == 1
          ? Typing.taken(of.get(0), call.name(), with, call.part())
          : Typing.ofPair(call.name(), of, with, call.part());
    }
    throw new IllegalStateException("no binding for " + expression.getClass());
  }

  private static boolean isWithoutTable(Expression part, Enrichment enrichment) {
    if (part instanceof Column column) {
      return EnrichedColumn.completing(column.column())
          .filter(completed -> enrichment.completes(completed.table()))
          .isPresent();
    }
    return part instanceof Enriched enriched && enriched.lookup().isEmpty();
  }

  private static Expression withTable(Expression part, Enrichment enrichment) {
    if (part instanceof Column stored) {
      return completed(stored, enrichment);
    }
    EnrichedColumn column = ((Enriched) part).column();
    List<Expression> keys =
        ((Enriched) part)
            .keys().stream()
                .map(key -> isWithoutTable(key, enrichment) ? withTable(key, enrichment) : key)
                .toList();
    return new Enriched(column, keys, Optional.of(enrichment.lookup(column.table())));
  }

  private static Expression completed(Column stored, Enrichment enrichment) {
    Enriched column = new Enriched(EnrichedColumn.completing(stored.column()).orElseThrow());
    return new Enriched(
        column.column(), column.keys(), Optional.of(enrichment.lookup(column.column().table())));
  }

  private boolean isOpen(Expression expression) {
    boolean[] found = new boolean[1];
    if (enrichment.isPresent()) {
      walk(
          expression,
          part -> found[0] |= part instanceof InQuery || isWithoutTable(part, enrichment.get()));
      return found[0];
    }
    walk(
        expression,
        part ->
            found[0] |=
                part instanceof InQuery in
                    ? !answers.isEmpty() || !in.query().parameters().isEmpty()
                    : answers.isEmpty()
                        && (part instanceof Parameter
                            || (part instanceof Named && part.kind() == null)));
    return found[0];
  }

  private Expression inQuery(InQuery in) {
    Expression value = expression(in.value());
    if (enrichment.isPresent()) {
      return Typing.inQuery(value, in.query().enriched(enrichment.get()));
    }
    if (answers.isEmpty()) {
      return Typing.inQuery(value, in.query().bind(parameters));
    }
    List<Value> values = answers.get(in.query());
    if (values == null) {
      throw new IllegalArgumentException("no answer to " + in.query());
    }
    List<Expression> constants = new ArrayList<>(values.size());
    values.forEach(one -> constants.add(new Literal(one)));
    return Typing.in(value, constants);
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
      if (item instanceof Parameter parameter && enrichment.isEmpty()) {
        values(parameter).forEach(value -> bound.add(new Literal(value)));
      } else {
        bound.add(item);
      }
    }
    return bound;
  }

  private Expression single(Parameter parameter) {
    List<Value> values = values(parameter);
    boolean isNull = values.size() == 1 && values.get(0).isNull();
    if (isNull && parameter.kind() != null) {
      return Typing.nullOf(parameter.kind());
    }
    if (values.size() != 1) {
      throw new QueryException(
          String.format(
              "parameter :%s has %s values, expected one", parameter.name(), values.size()));
    }
    return new Literal(values.get(0));
  }

  private List<Value> values(Parameter parameter) {
    List<Value> values = parameters.get(parameter.name());
    if (values == null) {
      throw withoutValue(parameter.name());
    }
    return values;
  }

  static QueryException withoutValue(String parameter) {
    return new QueryException("parameter :" + parameter + " has no value");
  }

  static Set<String> parameters(FlowQuery query) {
    Set<String> names = new TreeSet<>();
    walk(
        query,
        expression -> {
          if (expression instanceof Parameter parameter) {
            names.add(parameter.name());
          } else if (expression instanceof InQuery in) {
            names.addAll(in.query().parameters());
          }
        });
    return names;
  }

  static boolean hasParameter(Expression expression) {
    boolean[] found = new boolean[1];
    walk(
        expression,
        part ->
            found[0] |=
                part instanceof Parameter
                    || (part instanceof Named column && column.kind() == null)
                    || (part instanceof InQuery in && !in.query().parameters().isEmpty()));
    return found[0];
  }

  static void walk(FlowQuery query, Consumer<Expression> visit) {
    query.select().forEach(item -> walk(item.what(), visit));
    if (query.where() != null) {
      walk(query.where(), visit);
    }
    query.groupBy().forEach(key -> walk(key, visit));
    if (query.having() != null) {
      walk(query.having(), visit);
    }
    query.orderBy().forEach(item -> walk(item.what(), visit));
  }

  static void walk(Expression expression, Consumer<Expression> visit) {
    visit.accept(expression);
    ExpressionParts.of(expression).forEach(part -> walk(part, visit));
  }
}
