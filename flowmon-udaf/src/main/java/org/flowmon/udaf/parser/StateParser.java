package org.flowmon.udaf.parser;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.OfStates;
import org.flowmon.udaf.query.Functions;
import org.flowmon.udaf.query.StateType;
import org.flowmon.udaf.query.StateValue.Part;
import org.flowmon.udaf.query.Typing;
import org.flowmon.udaf.text.Token;
import org.flowmon.udaf.text.TokenStream;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Calls of functions and extractors: {@code QUANTILES(bytes, 0.01)}, {@code
 * QUANTILE(QUANTILES(bytes), 0.95)}, {@code MEDIAN(q)} of an earlier item, {@code MEDIAN(bytes)} of
 * the only function, {@code LOWER(MEDIAN(bytes))}. Over results states are columns: {@code
 * MEDIAN(MERGE(q))} of rows, {@code DIFFERENCE(a.q, b.q)} of one row.
 */
final class StateParser {
  private final TokenStream tokens;
  private final ExpressionParser expressions;

  StateParser(TokenStream tokens, ExpressionParser expressions) {
    this.tokens = tokens;
    this.expressions = expressions;
  }

  /** Parses the call that begins with a word and a parenthesis; null if the word begins none. */
  @Nullable Expression call(Token name) {
    Expression call = unfiltered(name);
    return call == null ? null : filtered(call);
  }

  /** {@code FILTER (WHERE …)}, optional: other rows get NULL as the first argument. */
  Expression filtered(Expression call) {
    if (!tokens.peek().isWord("FILTER") || !tokens.peek(1).isSymbol("(")) {
      return call;
    }
    int start = tokens.next().start();
    tokens.next();
    if (!(call instanceof AggregateCall aggregate)) {
      throw tokens.error("FILTER stands behind an aggregate, found " + call, start);
    }
    tokens.expectWord("WHERE");
    int place = tokens.peek().start();
    Expression term = expressions.argument();
    Expression condition = expressions.typed(place, () -> Typing.requireBoolean(term));
    tokens.expectSymbol(")");
    return expressions.typed(start, () -> Typing.filtered(aggregate, condition));
  }

  private @Nullable Expression unfiltered(Token name) {
    String text = name.text();
    if (Functions.isFunction(text)) {
      requireGroups(name, text + " is an aggregate: ");
      tokens.expectSymbol("(");
      return function(name);
    }
    if (text.equals("MERGE")) {
      requireGroups(name, text + " is an aggregate: ");
      tokens.expectSymbol("(");
      return merged(name);
    }
    boolean isBound = text.equals("LOWER") || text.equals("UPPER");
    if (isBound) {
      requireStates(name);
      tokens.expectSymbol("(");
      return bound(name);
    } else if (Functions.isPair(text)) {
      requireStates(name);
      tokens.expectSymbol("(");
      return pair(name);
    }
    List<String> owners = Functions.withExtractor(text);
    if (owners.isEmpty() || (AggregateFunction.byName(text) != null && !isStateAhead())) {
      return null;
    }
    requireStates(name);
    tokens.expectSymbol("(");
    Expression median = text.equals("MEDIAN") ? medianOfResults(name) : null;
    return median == null ? extractor(name, owners) : median;
  }

  /** {@code MEDIAN(x)} over rows of results, which are few: exact. Null if it is of a state. */
  private @Nullable Expression medianOfResults(Token name) {
    boolean isState =
        item(0) != null || (tokens.peek(1).isSymbol("(") && givesState(tokens.peek()));
    if (isState || !expressions.columns().hasTables()) {
      return null;
    }
    int place = tokens.place();
    Expression rows = expressions.argument();
    if (StateType.of(rows) != null || !tokens.takeSymbol(")")) {
      tokens.returnTo(place);
      return null;
    }
    requireGroups(name, name.text() + " is an aggregate: ");
    Expression exactly = new Expression.Literal(Value.ofLong(0));
    return expressions.typed(
        name.start(),
        () ->
            Typing.extracted(
                Typing.state("QUANTILES", List.of(rows, exactly)),
                "MIDDLE",
                List.of(),
                Part.VALUE));
  }

  /** Refuses an extractor where there are no states: neither groups nor columns. */
  private void requireStates(Token name) {
    if (!expressions.columns().hasStates()) {
      requireGroups(name, name.text() + " is of an aggregate: ");
    }
  }

  private void requireGroups(Token name, String what) {
    if (!expressions.isOverGroups()) {
      throw tokens.error(what + expressions.columns().insteadOfAggregate(), name.start());
    }
  }

  private boolean isStateAhead() {
    Token first = tokens.peek(1);
    boolean isCall =
        first.kind() == Token.Kind.WORD && tokens.peek(2).isSymbol("(") && givesState(first);
    Expression item = isCall ? null : item(1);
    return isCall || (item != null && StateType.of(item) != null);
  }

  private static boolean givesState(Token name) {
    return Functions.isFunction(name.text())
        || name.text().equals("MERGE")
        || Functions.isPair(name.text());
  }

  /** A name alone; null if there is no item; columns come first. */
  private @Nullable Expression item(int ahead) {
    Token name = tokens.peek(ahead);
    Token after = tokens.peek(ahead + 1);
    boolean alone =
        (name.kind() == Token.Kind.WORD || name.kind() == Token.Kind.QUOTED_NAME)
            && (after.isSymbol(",") || after.isSymbol(")"));
    return alone && expressions.columns().column(name) == null ? expressions.item(name) : null;
  }

  private AggregateCall function(Token name) {
    List<Expression> arguments = new ArrayList<>();
    if (!tokens.peek().isSymbol(")")) {
      do {
        arguments.add(expressions.argument());
      } while (tokens.takeSymbol(","));
    }
    tokens.expectSymbol(")");
    return (AggregateCall)
        expressions.typed(name.start(), () -> Typing.state(name.text(), arguments));
  }

  private AggregateCall merged(Token name) {
    Expression states = expressions.argument();
    tokens.expectSymbol(")");
    return (AggregateCall) expressions.typed(name.start(), () -> Typing.merged(states));
  }

  private Expression pair(Token name) {
    List<Expression> two = new ArrayList<>();
    two.add(state());
    tokens.expectSymbol(",");
    two.add(state());
    List<Expression> parameters = parameters();
    return expressions.typed(
        name.start(), () -> Typing.ofPair(name.text(), two, parameters, Part.VALUE));
  }

  private Expression state() {
    Expression item = item(0);
    if (item != null) {
      tokens.next();
      return item;
    }
    return expressions.isOverGroups() ? expressions.parse() : expressions.argument();
  }

  private List<Expression> parameters() {
    List<Expression> parameters = new ArrayList<>();
    while (tokens.takeSymbol(",")) {
      parameters.add(expressions.argument());
    }
    tokens.expectSymbol(")");
    return parameters;
  }

  private Expression extractor(Token name, List<String> owners) {
    Expression state = state(name, owners);
    List<Expression> parameters = parameters();
    return expressions.typed(
        name.start(),
        () ->
            state instanceof AggregateCall call
                ? Typing.extracted(call, name.text(), parameters, Part.VALUE)
                : Typing.taken(state, name.text(), parameters, Part.VALUE));
  }

  /** The first argument: a state, an item that is one, or rows of the only such function. */
  private Expression state(Token name, List<String> owners) {
    Token first = tokens.peek();
    Expression meant = item(0);
    if (meant != null) {
      tokens.next();
    } else if (first.kind() == Token.Kind.WORD
        && tokens.peek(1).isSymbol("(")
        && givesState(first)) {
      meant = call(tokens.next());
    } else {
      Expression rows = expressions.argument();
      if (StateType.of(rows) != null) {
        return rows;
      }
      requireGroups(name, name.text() + " is of an aggregate: ");
      if (owners.size() > 1) {
        throw tokens.error(
            String.format(
                "%s is of states of %s: expected one of them, as %s(%s(%s))",
                name.text(), String.join(" and of ", owners), name.text(), owners.get(0), rows),
            first.start());
      }
      return (AggregateCall)
          expressions.typed(first.start(), () -> Typing.state(owners.get(0), List.of(rows)));
    }
    if (meant != null && StateType.of(meant) != null) {
      return meant;
    }
    throw tokens.error(
        String.format(
            "%s takes a state of %s, found %s by the name of %s",
            name.text(), String.join(" or ", owners), meant, first.typed()),
        first.start());
  }

  private Expression bound(Token name) {
    Token first = tokens.peek();
    Expression of = item(0);
    if (of != null) {
      tokens.next();
    } else {
      of = expressions.parse();
    }
    tokens.expectSymbol(")");
    if (of instanceof OfStates call && call.hasBounds()) {
      return call.bound(Part.valueOf(name.text()));
    }
    boolean isValue =
        of instanceof AggregateCall call
            && call.isState()
            && !call.state().isState()
            && !call.state().isList()
            && call.state().part() == Part.VALUE;
    if (!isValue) {
      throw tokens.error(
          String.format(
              "%s takes a value out of a state, as %s(MEDIAN(QUANTILES(bytes))), found %s",
              name.text(), name.text(), of),
          first.start());
    }
    AggregateCall call = (AggregateCall) of;
    return new AggregateCall(call.arguments(), call.state().bound(Part.valueOf(name.text())));
  }
}
