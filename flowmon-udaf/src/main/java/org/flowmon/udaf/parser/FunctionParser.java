package org.flowmon.udaf.parser;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.DaysBefore;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Network;
import org.flowmon.udaf.query.Expression.SameHour;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.query.Expression.When;
import org.flowmon.udaf.query.Functions;
import org.flowmon.udaf.query.TextLiterals;
import org.flowmon.udaf.query.Typing;
import org.flowmon.udaf.text.Keywords;
import org.flowmon.udaf.text.NameSuggestions;
import org.flowmon.udaf.text.TimeLiterals;
import org.flowmon.udaf.text.Token;
import org.flowmon.udaf.text.TokenStream;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** Expressions that begin with a word: columns, constants, CASE, functions and aggregates. */
final class FunctionParser {
  static final List<String> FUNCTIONS =
      List.of("NETWORK", "TIME_BUCKET", "SAME_HOUR", "DAYS_BEFORE", "COALESCE", "NOW", "SEEN");

  private final TokenStream tokens;
  private final ExpressionParser expressions;
  private final StateParser states;

  FunctionParser(TokenStream tokens, ExpressionParser expressions) {
    this.tokens = tokens;
    this.expressions = expressions;
    this.states = new StateParser(tokens, expressions);
  }

  Expression word() {
    Token token = tokens.next();
    boolean call = tokens.peek().isSymbol("(");
    Expression state = call ? states.call(token) : null;
    if (state != null) {
      return state;
    }
    AggregateFunction function = call ? AggregateFunction.byName(token.text()) : null;
    if (function != null) {
      return states.filtered(aggregate(token, function));
    }
    return switch (token.text()) {
      case "NULL" -> new Literal(Value.NULL);
      case "TRUE" -> new Literal(Value.ofBoolean(true));
      case "FALSE" -> new Literal(Value.ofBoolean(false));
      case "TIMESTAMP" -> typedText(token, "TIMESTAMP");
      case "ADDRESS" -> typedText(token, "ADDRESS");
      case "INTERVAL" -> interval(token);
      case "CASE" -> choice(token);
      default -> call ? function(token) : column(token);
    };
  }

  private Expression column(Token name) {
    if (Keywords.contains(name.text())) {
      throw tokens.error("expected an expression, found " + name.shown(), name.start());
    }
    return expressions.column(name);
  }

  private Expression typedText(Token type, String kind) {
    Token text = tokens.peek();
    if (text.kind() != Token.Kind.TEXT) {
      throw tokens.expected("a text after " + kind);
    }
    tokens.next();
    Expression literal = new Literal(Value.ofText(text.text()));
    return expressions.typed(
        text.start(),
        () ->
            type.text().equals("TIMESTAMP")
                ? TextLiterals.timestamp(text.text(), literal)
                : new Literal(Value.ofAddress(TextLiterals.address(text.text(), literal))));
  }

  private Expression interval(Token word) {
    Token amount = tokens.next();
    boolean number = amount.kind() == Token.Kind.WHOLE_NUMBER;
    if (!number && amount.kind() != Token.Kind.TEXT) {
      throw tokens.error(
          "expected an amount after INTERVAL, as in INTERVAL '5' MINUTE", amount.start());
    }
    String text = amount.text();
    Token unit = tokens.peek();
    if (unit.kind() == Token.Kind.WORD && TimeLiterals.unitMicros(unit.text()) != null) {
      text = text + " " + tokens.next().text();
    }
    String whole = text;
    return expressions.typed(
        word.start(), () -> TextLiterals.duration(whole, new Literal(Value.ofText(whole))));
  }

  private Expression choice(Token word) {
    Expression subject = tokens.peek().isWord("WHEN") ? null : expressions.parse();
    List<When> whens = new ArrayList<>();
    while (tokens.takeWord("WHEN")) {
      int start = tokens.peek().start();
      Expression condition;
      if (subject == null) {
        condition = expressions.parseCondition();
      } else {
        Expression value = expressions.parse();
        condition =
            expressions.typed(
                start,
                () -> Typing.comparison(Expression.ComparisonOperator.EQUAL, subject, value));
      }
      tokens.expectWord("THEN");
      whens.add(new When(condition, expressions.parse()));
    }
    if (whens.isEmpty()) {
      throw tokens.expected("WHEN");
    }
    Expression otherwise = tokens.takeWord("ELSE") ? expressions.parse() : new Literal(Value.NULL);
    if (!tokens.takeWord("END")) {
      throw tokens.expected("WHEN, ELSE or END");
    }
    return expressions.typed(word.start(), () -> Typing.choice(whens, otherwise));
  }

  private Expression function(Token name) {
    return switch (name.text()) {
      case "NETWORK" -> network(name);
      case "TIME_BUCKET" -> timeBucket(name);
      case "SAME_HOUR" -> {
        List<Expression> arguments = arguments(name, 3, 4);
        int days = (int) constant(arguments.get(2), 1, 3660, "a number of days", name);
        long length = arguments.size() == 3 ? SameHour.HOUR_MICROS : length(arguments.get(3), name);
        yield expressions.typed(
            name.start(),
            () ->
                new SameHour(
                    Typing.requireTime(arguments.get(0)),
                    Typing.requireTime(arguments.get(1)),
                    days,
                    length));
      }
      case "DAYS_BEFORE" -> {
        List<Expression> arguments = arguments(name, 2, 2);
        yield expressions.typed(
            name.start(),
            () ->
                new DaysBefore(
                    Typing.requireTime(arguments.get(0)), Typing.requireTime(arguments.get(1))));
      }
      case "COALESCE" -> coalesce(name);
      case "NOW" -> {
        arguments(name, 0, 0);
        yield expressions.parameter(name, "now");
      }
      case "SEEN" -> seen(name);
      default ->
          throw tokens.error(
              "no function '" + name.text() + "': " + instead(name.text()), name.start());
    };
  }

  private static String instead(String name) {
    if (name.matches("P\\d{1,3}|PERCENTILE.*|APPROX_PERCENTILE.*")) {
      return "expected QUANTILE, as in QUANTILE(bytes, 0.99)";
    }
    List<String> aggregates =
        Stream.of(AggregateFunction.values())
            .filter(AggregateFunction::isWritten)
            .map(AggregateFunction::toString)
            .toList();
    List<String> all = new ArrayList<>(FUNCTIONS);
    all.addAll(aggregates);
    all.addAll(Functions.catalogue().functions()); // preferred to extractors on a tie
    all.addAll(Functions.names());
    String best = NameSuggestions.nearest(name, all);
    return best != null
        ? "did you mean " + best + "?"
        : "expected one of "
            + String.join(", ", FUNCTIONS)
            + ", an aggregate ("
            + String.join(", ", new LinkedHashSet<>(aggregates))
            + ") or what keeps and asks states ("
            + String.join(", ", Functions.names())
            + ")";
  }

  /** Of the time of day that SAME_HOUR compares. */
  private long length(Expression argument, Token name) {
    if (argument instanceof Literal literal
        && literal.kind() == ValueKind.DURATION
        && literal.value().low() > 0
        && literal.value().low() <= 24 * SameHour.HOUR_MICROS) {
      return literal.value().low();
    }
    throw tokens.error(
        "expected a length of up to a day, such as INTERVAL '5' MINUTE",
        expressions.startOf(argument, name.start()));
  }

  private Expression network(Token name) {
    List<Expression> arguments = arguments(name, 2, 3);
    boolean both = arguments.size() == 3;
    long ipv4Bits = constant(arguments.get(1), 0, both ? 32 : 128, "a prefix length", name);
    long ipv6Bits = both ? constant(arguments.get(2), 0, 128, "a prefix length", name) : ipv4Bits;
    return expressions.typed(
        name.start(),
        () ->
            new Network(
                Typing.requireAddress(arguments.get(0)),
                (int) Math.min(ipv4Bits, 32),
                (int) ipv6Bits));
  }

  private Expression timeBucket(Token name) {
    List<Expression> arguments = arguments(name, 2, 2);
    int width = arguments.get(0).kind() == ValueKind.DURATION ? 0 : 1;
    Expression time = arguments.get(1 - width);
    if (!(arguments.get(width) instanceof Literal literal
        && literal.kind() == ValueKind.DURATION
        && literal.value().low() > 0)) {
      throw tokens.error(
          "expected a width such as INTERVAL '1' HOUR",
          expressions.startOf(arguments.get(width), name.start()));
    }
    return expressions.typed(
        name.start(), () -> new TimeBucket(Typing.requireTime(time), literal.value().low()));
  }

  private Expression coalesce(Token name) {
    List<Expression> arguments = arguments(name, 1, 100);
    return arguments.size() == 1
        ? arguments.get(0)
        : expressions.typed(name.start(), () -> Typing.coalesce(arguments));
  }

  private Expression seen(Token name) {
    Optional<String> relation = expressions.nesting().scope().seen();
    if (relation.isEmpty() || !(expressions.columns() instanceof ColumnSource.OfSources of)) {
      throw tokens.error(
          "SEEN is looked up for the rows of a report: it stands in report.query alone",
          name.start());
    }
    List<Expression> arguments = arguments(name, 2, 2);
    if (!(arguments.get(1) instanceof Literal literal
        && literal.kind() == ValueKind.DURATION
        && literal.value().low() > 0)) {
      throw tokens.error(
          "expected how far to look back, such as INTERVAL '90' DAY",
          expressions.startOf(arguments.get(1), name.start()));
    }
    SeenCall call =
        SeenCall.of(arguments.get(0), of.sources(), relation.get(), literal.value().low())
            .orElseThrow(
                () ->
                    tokens.error(
                        "expected a column of hosts' addresses in "
                            + relation.get()
                            + ", as in SEEN(live.src_addr, INTERVAL '90' DAY)",
                        expressions.startOf(arguments.get(0), name.start())));
    return expressions.typed(name.start(), () -> call.expression(arguments.get(0)));
  }

  private long constant(Expression argument, long least, long most, String what, Token name) {
    if (argument instanceof Literal literal
        && literal.kind() == ValueKind.LONG
        && literal.value().low() >= least
        && literal.value().low() <= most) {
      return literal.value().low();
    }
    throw tokens.error(
        "expected " + what + " of " + least + " … " + most,
        expressions.startOf(argument, name.start()));
  }

  private List<Expression> arguments(Token name, int least, int most) {
    tokens.expectSymbol("(");
    List<Expression> arguments = new ArrayList<>();
    if (!tokens.peek().isSymbol(")")) {
      do {
        arguments.add(expressions.parse());
      } while (tokens.takeSymbol(","));
    }
    tokens.expectSymbol(")");
    if (arguments.size() < least || arguments.size() > most) {
      throw tokens.error(
          String.format(
              "%s takes %s%s arguments, found %s",
              name.text(), least, least == most ? "" : " … " + most, arguments.size()),
          name.start());
    }
    return arguments;
  }

  private Expression aggregate(Token name, AggregateFunction function) {
    if (!expressions.isOverGroups()) {
      throw tokens.error(
          function + " is an aggregate: " + expressions.columns().insteadOfAggregate(),
          name.start());
    }
    tokens.expectSymbol("(");
    if (tokens.peek().isWord("DISTINCT")) {
      return distinct(name, function);
    }
    Expression argument = null;
    if (!(function == AggregateFunction.COUNT && tokens.takeSymbol("*"))) {
      argument = expressions.argument();
    }
    tokens.expectSymbol(")");
    Expression whole = argument;
    return whole == null
        ? new AggregateCall(function, List.of())
        : expressions.typed(name.start(), () -> Typing.aggregate(function, whole));
  }

  private Expression distinct(Token name, AggregateFunction function) {
    Token distinct = tokens.next();
    if (function != AggregateFunction.COUNT) {
      throw tokens.error(
          "no " + function + "(DISTINCT …): expected COUNT, the only aggregate that takes DISTINCT",
          distinct.start());
    }
    if (tokens.peek().isSymbol("*")) {
      throw tokens.expected("a column or an expression after DISTINCT");
    }
    List<Expression> arguments = new ArrayList<>();
    do {
      arguments.add(expressions.argument());
    } while (tokens.takeSymbol(","));
    tokens.expectSymbol(")");
    return expressions.typed(name.start(), () -> Typing.countDistinct(arguments));
  }
}
