package org.flowmon.udaf.query;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.query.StateValue.Part;

/**
 * Parses calls of aggregate functions and of what takes values out of their states: {@code
 * QUANTILES(bytes, 0.01)}, {@code QUANTILE(QUANTILES(bytes), 0.95)}, {@code MEDIAN(q)} where an
 * item before it is the state {@code q}, {@code MEDIAN(bytes)} where one function alone has such
 * states, {@code LOWER(MEDIAN(bytes))}.
 */
final class StateParser {
  private final TokenStream tokens;
  private final ExpressionParser expressions;

  StateParser(TokenStream tokens, ExpressionParser expressions) {
    this.tokens = tokens;
    this.expressions = expressions;
  }

  /** The call that a word begins, which a parenthesis follows; null where it begins none. */
  Expression call(Token name) {
    String text = name.text();
    if (Functions.isFunction(text)) {
      requireGroups(name, text + " is an aggregate: ");
      tokens.expectSymbol("(");
      return function(name);
    }
    boolean isBound = text.equals("LOWER") || text.equals("UPPER");
    if (isBound) {
      requireGroups(name, text + " is of an aggregate: ");
      tokens.expectSymbol("(");
      return bound(name);
    }
    List<String> owners = Functions.withExtractor(text);
    if (owners.isEmpty() || (AggregateFunction.byName(text) != null && !isStateAhead())) {
      return null;
    }
    requireGroups(name, text + " is of an aggregate: ");
    tokens.expectSymbol("(");
    return extractor(name, owners);
  }

  private void requireGroups(Token name, String what) {
    if (!expressions.isOverGroups()) {
      throw tokens.error(what + expressions.columns().insteadOfAggregate(), name.start());
    }
  }

  /** Whether a state stands behind the parenthesis. */
  private boolean isStateAhead() {
    Token first = tokens.peek(1);
    boolean isCall =
        first.kind() == Token.Kind.WORD
            && tokens.peek(2).isSymbol("(")
            && Functions.isFunction(first.text());
    return isCall || (item(1) instanceof AggregateCall call && isState(call));
  }

  private static boolean isState(AggregateCall call) {
    return call.isState() && call.value().isState();
  }

  /** What the item is whose name stands there alone, null where none does; columns come first. */
  private Expression item(int ahead) {
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

  private Expression extractor(Token name, List<String> owners) {
    AggregateCall state = state(name, owners);
    List<Expression> parameters = new ArrayList<>();
    while (tokens.takeSymbol(",")) {
      parameters.add(expressions.argument());
    }
    tokens.expectSymbol(")");
    return expressions.typed(
        name.start(), () -> Typing.extracted(state, name.text(), parameters, Part.VALUE));
  }

  /** The first argument: a state, an item that is one, or rows of the only such function. */
  private AggregateCall state(Token name, List<String> owners) {
    Token first = tokens.peek();
    Expression meant = item(0);
    if (meant != null) {
      tokens.next();
    } else if (first.kind() == Token.Kind.WORD
        && tokens.peek(1).isSymbol("(")
        && Functions.isFunction(first.text())) {
      Token function = tokens.next();
      tokens.next();
      meant = function(function);
    } else {
      Expression rows = expressions.argument();
      if (owners.size() > 1) {
        throw tokens.error(
            name.text()
                + " is of states of "
                + String.join(" and of ", owners)
                + ": expected one of them, as "
                + name.text()
                + "("
                + owners.get(0)
                + "("
                + rows
                + "))",
            first.start());
      }
      return (AggregateCall)
          expressions.typed(first.start(), () -> Typing.state(owners.get(0), List.of(rows)));
    }
    if (meant instanceof AggregateCall call && isState(call)) {
      return call;
    }
    throw tokens.error(
        name.text()
            + " takes a state of "
            + String.join(" or ", owners)
            + ", found "
            + meant
            + " by the name of "
            + first.typed(),
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
    boolean isValue =
        of instanceof AggregateCall call
            && call.isState()
            && !call.value().isState()
            && !call.value().isList()
            && call.value().part() == Part.VALUE;
    if (!isValue) {
      throw tokens.error(
          name.text()
              + " takes a value out of a state, as "
              + name.text()
              + "(MEDIAN(QUANTILES(bytes))), found "
              + of,
          first.start());
    }
    AggregateCall call = (AggregateCall) of;
    return new AggregateCall(call.arguments(), call.value().bound(Part.valueOf(name.text())));
  }
}
