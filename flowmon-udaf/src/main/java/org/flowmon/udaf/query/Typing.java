package org.flowmon.udaf.query;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.flowmon.udaf.query.Expression.And;
import org.flowmon.udaf.query.Expression.Arithmetic;
import org.flowmon.udaf.query.Expression.ArithmeticOperator;
import org.flowmon.udaf.query.Expression.Case;
import org.flowmon.udaf.query.Expression.Comparison;
import org.flowmon.udaf.query.Expression.ComparisonOperator;
import org.flowmon.udaf.query.Expression.In;
import org.flowmon.udaf.query.Expression.InQuery;
import org.flowmon.udaf.query.Expression.IsNull;
import org.flowmon.udaf.query.Expression.IsTruth;
import org.flowmon.udaf.query.Expression.Like;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.Expression.Not;
import org.flowmon.udaf.query.Expression.OfStates;
import org.flowmon.udaf.query.Expression.Or;
import org.flowmon.udaf.query.Expression.Parameter;
import org.flowmon.udaf.query.Expression.Prefix;
import org.flowmon.udaf.query.Expression.When;
import org.flowmon.udaf.text.LikePattern;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * Builds expressions whose parts fit, in parsing and again in binding. A text literal takes on the
 * other's kind: {@code src_addr = '10.0.0.1'}, {@code end_time >= '2026-11-21'}, {@code state =
 * 'SF'}.
 */
public final class Typing {
  /** The function whose states have the sums of doubles, with an extractor for each aggregate. */
  private static final String SUMS_OF_DOUBLES = "DOUBLE_SUMS";

  private Typing() {}

  public static Expression comparison(
      ComparisonOperator operator, Expression left, Expression right) {
    Expression l = TextLiterals.coerce(left, right);
    Expression r = TextLiterals.coerce(right, left);
    requireComparable(l, r);
    return new Comparison(operator, l, r);
  }

  public static Expression in(Expression value, List<Expression> items) {
    List<Expression> coerced = new ArrayList<>(items.size());
    for (Expression item : items) {
      Expression fitting = item;
      String text = TextLiterals.textOf(item);
      if (value.kind() == ValueKind.ADDRESS && text != null && text.indexOf('/') >= 0) {
        fitting = new Prefix(TextLiterals.prefix(text, item));
      } else if (!(item instanceof Prefix)) {
        fitting = TextLiterals.coerce(item, value);
      }
      if (!(fitting instanceof Literal
          || fitting instanceof Prefix
          || fitting instanceof Parameter)) {
        throw new TypeException("expected a constant in the list of IN", item);
      }
      requireComparable(value, fitting);
      coerced.add(fitting);
    }
    return new In(value, coerced);
  }

  public static Expression inQuery(Expression value, Query query) {
    if (query.select().size() != 1) {
      throw new TypeException(
          "expected a query of one column in IN (SELECT …), found " + query.select().size(), value);
    }
    Expression column = query.columns(null).get(0);
    Expression coerced = TextLiterals.coerce(value, column);
    if (coerced.kind() != null && column.kind() != null) {
      requireComparable(coerced, column);
    }
    return new InQuery(coerced, query);
  }

  public static Expression like(Expression text, String pattern) {
    if (text.kind() != null && text.kind() != ValueKind.TEXT) {
      throw new TypeException("expected a TEXT before LIKE, found " + a(text.kind()), text);
    }
    try {
      new LikePattern(pattern);
    } catch (IllegalArgumentException e) {
      throw new TypeException(String.valueOf(e.getMessage()), text);
    }
    return new Like(text, pattern);
  }

  public static void requireJoinable(Named before, Named own) {
    if (before.kind() != null && own.kind() != null && before.kind() != own.kind()) {
      throw new TypeException(
          "expected " + a(before.kind()) + " to join with, found " + a(own.kind()), own);
    }
  }

  private static void requireComparable(Expression left, Expression right) {
    ValueKind l = left.kind();
    ValueKind r = right.kind();
    if (l != null && r != null && l != r && !(l.isNumber() && r.isNumber())) {
      throw new TypeException("expected " + a(l) + " to compare with, found " + a(r), right);
    }
  }

  public static Expression requireBoolean(Expression term) {
    if (term.kind() != null && term.kind() != ValueKind.BOOLEAN) {
      throw new TypeException("expected a condition, found " + a(term.kind()), term);
    }
    return term;
  }

  public static Expression requireTime(Expression time) {
    String text = TextLiterals.textOf(time);
    if (text != null) {
      return TextLiterals.timestamp(text, time);
    }
    if (time.kind() != null && time.kind() != ValueKind.TIMESTAMP) {
      throw new TypeException("expected a TIMESTAMP, found " + a(time.kind()), time);
    }
    return time;
  }

  public static Expression requireAddress(Expression address) {
    String text = TextLiterals.textOf(address);
    if (text != null) {
      return new Literal(Value.ofAddress(TextLiterals.address(text, address)));
    }
    if (address.kind() != null && address.kind() != ValueKind.ADDRESS) {
      throw new TypeException("expected an ADDRESS, found " + a(address.kind()), address);
    }
    return address;
  }

  public static Expression arithmetic(
      ArithmeticOperator operator, Expression left, Expression right) {
    Expression l = TextLiterals.coerce(left, right);
    Expression r = TextLiterals.coerce(right, left);
    ValueKind kind = arithmeticKind(operator, l, r);
    if (kind == null && l.kind() != null && r.kind() != null) {
      throw new TypeException(
          "cannot compute " + l.kind() + " " + operator.sql() + " " + r.kind(), left);
    }
    return new Arithmetic(operator, l, r, kind);
  }

  /** Null while it depends on a parameter, or if the sides do not fit. */
  private static @Nullable ValueKind arithmeticKind(
      ArithmeticOperator operator, Expression left, Expression right) {
    ValueKind l = left.kind();
    ValueKind r = right.kind();
    if (l != null && r != null) {
      return arithmeticKind(operator, l, r);
    } else if (Binder.hasParameter(left) || Binder.hasParameter(right)) {
      return null;
    }
    // Always NULL: of the kind that the other side gives.
    ValueKind known = l != null ? l : r != null ? r : ValueKind.LONG;
    ValueKind same = arithmeticKind(operator, known, known);
    return same != null ? same : known;
  }

  private static @Nullable ValueKind arithmeticKind(
      ArithmeticOperator operator, ValueKind l, ValueKind r) {
    boolean numbers = l.isNumber() && r.isNumber();
    boolean bothLong = l == ValueKind.LONG && r == ValueKind.LONG;
    boolean lengths = l == ValueKind.DURATION && r == ValueKind.DURATION;
    return switch (operator) {
      case ADD -> {
        if ((l == ValueKind.TIMESTAMP && r == ValueKind.DURATION)
            || (l == ValueKind.DURATION && r == ValueKind.TIMESTAMP)) {
          yield ValueKind.TIMESTAMP;
        }
        yield lengths ? ValueKind.DURATION : number(numbers, bothLong);
      }
      case SUBTRACT -> {
        if (l == ValueKind.TIMESTAMP && (r == ValueKind.DURATION || r == ValueKind.TIMESTAMP)) {
          yield r == ValueKind.DURATION ? ValueKind.TIMESTAMP : ValueKind.DURATION;
        }
        yield lengths ? ValueKind.DURATION : number(numbers, bothLong);
      }
      case MULTIPLY -> {
        boolean scaled =
            (l == ValueKind.DURATION && r == ValueKind.LONG)
                || (l == ValueKind.LONG && r == ValueKind.DURATION);
        yield scaled ? ValueKind.DURATION : number(numbers, bothLong);
      }
      case DIVIDE -> numbers || lengths ? ValueKind.DOUBLE : null;
      case REMAINDER -> lengths ? ValueKind.DURATION : bothLong ? ValueKind.LONG : null;
      case BIT_AND, BIT_OR -> bothLong ? ValueKind.LONG : null;
    };
  }

  private static @Nullable ValueKind number(boolean numbers, boolean bothLong) {
    return bothLong ? ValueKind.LONG : numbers ? ValueKind.DOUBLE : null;
  }

  /** The first that is not NULL, of two or more. */
  public static Expression coalesce(List<Expression> all) {
    int last = all.size() - 1;
    List<When> whens =
        all.subList(0, last).stream().map(one -> new When(new Not(new IsNull(one)), one)).toList();
    return choice(whens, all.get(last));
  }

  /** NULL of a kind. */
  static Expression nullOf(ValueKind kind) {
    When never = new When(new Literal(Value.ofBoolean(false)), new Literal(Value.of(kind, 0)));
    return new Case(List.of(never), new Literal(Value.NULL), kind);
  }

  /** Whether both are NULL or equal. */
  public static Expression isSame(Expression left, Expression right) {
    Expression equal = comparison(ComparisonOperator.EQUAL, left, right);
    return new Or(
        List.of(new IsTruth(equal, true), new And(List.of(new IsNull(left), new IsNull(right)))));
  }

  public static Expression choice(List<When> whens, Expression otherwise) {
    List<Expression> results = new ArrayList<>();
    whens.forEach(when -> results.add(when.result()));
    results.add(otherwise);
    ValueKind kind = null;
    for (Expression result : results) {
      ValueKind next = result.kind();
      if (next == null) {
        continue;
      }
      if (kind == null || (kind == ValueKind.LONG && next == ValueKind.DOUBLE)) {
        kind = next;
      } else if (kind != next && !(kind == ValueKind.DOUBLE && next == ValueKind.LONG)) {
        throw new TypeException(
            "expected " + a(kind) + " as the other results are, found " + a(next), result);
      }
    }
    return new Case(whens, otherwise, kind);
  }

  /** Sums of DOUBLEs are values of a state, as a sum of rounded ones depends on the rows' order. */
  public static AggregateCall aggregate(AggregateFunction function, Expression argument) {
    ValueKind kind = argument.kind();
    if (function == AggregateFunction.COUNT || (kind == null && Binder.hasParameter(argument))) {
      return new AggregateCall(function, argument);
    }
    boolean summed = function.isOfSums();
    if (kind == null) { // always NULL: of a kind that can be summed
      Expression zero = new Literal(Value.ofLong(0));
      return aggregate(function, arithmetic(ArithmeticOperator.ADD, argument, zero));
    }
    if (summed && kind == ValueKind.DOUBLE) {
      AggregateCall sums = state(SUMS_OF_DOUBLES, List.of(argument));
      return extracted(sums, function.name(), List.of(), StateValue.Part.VALUE);
    }
    boolean fits =
        summed ? kind == ValueKind.LONG || kind == ValueKind.DURATION : kind != ValueKind.TEXT;
    if (!fits) {
      String expected = summed ? "LONG, DOUBLE or DURATION" : "anything but TEXT";
      throw new TypeException(function + " takes " + expected + ", found " + kind, argument);
    }
    return new AggregateCall(function, argument);
  }

  public static AggregateCall countDistinct(List<Expression> arguments) {
    for (Expression argument : arguments) {
      if (argument.kind() == null && !Binder.hasParameter(argument)) {
        throw new TypeException("COUNT(DISTINCT …) takes no bare NULL", argument);
      }
    }
    return new AggregateCall(AggregateFunction.COUNT_DISTINCT, arguments);
  }

  public static AggregateCall state(String function, List<Expression> arguments) {
    AggregateCall state = new AggregateCall(arguments, StateValue.ofState(function));
    if (!Binder.hasParameter(state)) {
      checked(
          state,
          arguments,
          () -> {
            Functions.catalogue().check(function, arguments);
            return null;
          });
    }
    return state;
  }

  public static AggregateCall extracted(
      AggregateCall state, String extractor, List<Expression> parameters, StateValue.Part part) {
    String function = state.state().function();
    List<Expression> arguments = state.arguments();
    StateType merged = state.state().merged();
    AggregateCall call =
        new AggregateCall(
            arguments, new StateValue(function, extractor, parameters, part, null, false, merged));
    boolean isOpen =
        (merged == null ? Binder.hasParameter(state) : merged.isOpen()) || hasParameter(parameters);
    FunctionCatalogue.Gives gives =
        isOpen
            ? new FunctionCatalogue.Gives(null, false)
            : checked(
                call,
                parameters,
                () ->
                    Functions.catalogue()
                        .check(function, state.callArguments(), extractor, parameters));
    return new AggregateCall(
        arguments,
        new StateValue(
            function, extractor, parameters, part, gives.kind(), gives.isList(), merged));
  }

  /** An aggregate over the rows for which a condition is TRUE. */
  public static AggregateCall filtered(AggregateCall call, Expression condition) {
    List<Expression> arguments = new ArrayList<>(call.arguments());
    Expression first = arguments.isEmpty() ? new Literal(Value.ofLong(1)) : arguments.remove(0);
    arguments.add(0, choice(List.of(new When(condition, first)), new Literal(Value.NULL)));
    if (!call.isState()) {
      return call.isDistinct()
          ? countDistinct(arguments)
          : aggregate(call.function(), arguments.get(0));
    }
    StateValue value = call.state();
    AggregateCall state =
        value.merged() == null ? state(value.function(), arguments) : merged(arguments.get(0));
    return value.isState()
        ? state
        : extracted(state, value.extractor(), value.parameters(), value.part());
  }

  public static AggregateCall merged(Expression states) {
    StateType type = StateType.of(states);
    if (type == null) {
      throw new TypeException(
          "MERGE takes a column of states, as of an inner query's QUANTILES(bytes); found "
              + states,
          states);
    }
    return new AggregateCall(List.of(states), StateValue.ofMerged(type));
  }

  public static Expression taken(
      Expression states, String extractor, List<Expression> parameters, StateValue.Part part) {
    StateType type = StateType.required(states);
    OfStates call = new OfStates(extractor, List.of(states), parameters, part, null, false, null);
    if (type.isOpen() || hasParameter(parameters)) {
      return call;
    }
    FunctionCatalogue.Gives gives =
        checked(
            call,
            parameters,
            () ->
                Functions.catalogue()
                    .check(type.function(), type.arguments(), extractor, parameters));
    return new OfStates(
        extractor, List.of(states), parameters, part, gives.kind(), gives.isList(), null);
  }

  public static Expression ofPair(
      String pair, List<Expression> two, List<Expression> parameters, StateValue.Part part) {
    StateType first = requireStates(pair, two.get(0));
    StateType second = requireStates(pair, two.get(1));
    if (!first.mergesWith(second)) {
      throw new TypeException(
          String.format(
              "%s takes two states of one function with the same parameters: expected one of %s,"
                  + " found one of %s",
              pair, first, second),
          two.get(1));
    }
    StateType type = first.isOpen() ? second : first;
    List<String> owners = Functions.catalogue().withPair(pair);
    if (!owners.contains(type.function())) {
      throw new TypeException(
          String.format(
              "%s is of states of %s, found states of %s",
              pair, String.join(" and of ", owners), type.function()),
          two.get(0));
    }
    OfStates call = new OfStates(pair, two, parameters, part, null, false, null);
    if (first.isOpen() || second.isOpen() || hasParameter(parameters)) {
      // Parameters decide the type of the state, but not whether it is a state.
      boolean givesState = Functions.catalogue().givesState(pair, type.function());
      return givesState
          ? new OfStates(pair, two, parameters, part, null, false, StateType.open(type.function()))
          : call;
    }
    FunctionCatalogue.Gives gives =
        checked(call, parameters, () -> Functions.catalogue().check(pair, type, parameters));
    return gives == null
        ? new OfStates(pair, two, parameters, part, ValueKind.TEXT, false, type)
        : new OfStates(pair, two, parameters, part, gives.kind(), gives.isList(), null);
  }

  private static boolean hasParameter(List<Expression> parameters) {
    return parameters.stream().anyMatch(Binder::hasParameter);
  }

  private static StateType requireStates(String taker, Expression states) {
    StateType type = StateType.of(states);
    if (type == null) {
      throw new TypeException(taker + " takes two states, found " + states, states);
    }
    return type;
  }

  /** The culprit is an argument with a place for errors, else the call. */
  private static <T> T checked(Expression call, List<Expression> arguments, Supplier<T> check) {
    try {
      return check.get();
    } catch (FunctionCatalogue.CallException e) {
      int place = e.argument();
      throw new TypeException(
          String.valueOf(e.getMessage()),
          place >= 0 && place < arguments.size() ? arguments.get(place) : call);
    }
  }

  static String a(ValueKind kind) {
    return (kind == ValueKind.ADDRESS ? "an " : "a ") + kind;
  }
}
