package org.flowmon.udaf.query;

import java.util.OptionalLong;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.flow.code.CodeNames;
import org.flowmon.udaf.enrich.KnownNames;
import org.flowmon.udaf.query.Expression.Arithmetic;
import org.flowmon.udaf.query.Expression.ArithmeticOperator;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.text.TimeLiterals;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * Texts that take on the kind of what they are beside: {@code src_addr = '10.0.0.1'}, {@code
 * end_time >= '2026-11-21'}, {@code state = 'SF'}, {@code dst_port = 'https'}.
 */
public final class TextLiterals {
  private TextLiterals() {}

  /** A text literal beside another kind becomes a value of that kind. */
  static Expression coerce(Expression expression, Expression other) {
    String text = textOf(expression);
    if (text == null || other.kind() == null || other.kind() == ValueKind.TEXT) {
      return expression;
    }
    return switch (other.kind()) {
      case ADDRESS -> new Literal(Value.ofAddress(address(text, expression)));
      case TIMESTAMP -> timestamp(text, expression);
      case DURATION -> duration(text, expression);
      case LONG -> code(text, expression, other);
      default -> expression;
    };
  }

  public static Expression duration(String text, Expression culprit) {
    Long micros = TimeLiterals.durationMicros(text);
    if (micros == null) {
      throw new TypeException(
          "expected a duration such as '5 minutes', found '" + text + "'", culprit);
    }
    return new Literal(Value.ofDuration(micros));
  }

  public static Expression timestamp(String text, Expression culprit) {
    Long micros = TimeLiterals.timestampMicros(text);
    if (micros == null) {
      throw new TypeException(
          "expected a time such as '2026-11-21 08:00:00' (UTC), found '" + text + "'", culprit);
    }
    return new Literal(Value.ofTimestamp(micros));
  }

  public static IpAddress address(String text, Expression culprit) {
    IpAddress address = IpAddress.parseOrNull(text);
    if (address == null) {
      String hint = text.indexOf('/') >= 0 ? "; prefixes are matched by IN" : "";
      throw new TypeException("expected an IP address, found '" + text + "'" + hint, culprit);
    }
    return address;
  }

  static IpPrefix prefix(String text, Expression culprit) {
    try {
      return IpPrefix.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeException(
          "expected a prefix such as '192.0.2.0/24': " + e.getMessage(), culprit);
    }
  }

  private static Expression code(String text, Expression culprit, Expression other) {
    CodeNames names =
        other instanceof Column column
            ? column.column().codeNames()
            : other instanceof Named named ? named.codeNames() : null;
    if (names == null) {
      return known(text, culprit, other);
    }
    int code = names.code(text);
    if (code < 0) {
      throw new TypeException(
          "expected a code or one of " + names + ", found '" + text + "'", culprit);
    }
    return new Literal(Value.ofLong(code));
  }

  /** A protocol, a port or TCP flags by name; the text itself beside any other column. */
  private static Expression known(String text, Expression culprit, Expression other) {
    try {
      OptionalLong code = KnownNames.code(named(other), text);
      return code.isPresent() ? new Literal(Value.ofLong(code.getAsLong())) : culprit;
    } catch (IllegalArgumentException e) {
      throw new TypeException(String.valueOf(e.getMessage()), culprit);
    }
  }

  /** The column's name, also of its bits as in {@code tcp_flags & 'SA'}; empty of all else. */
  private static String named(Expression other) {
    if (other instanceof Arithmetic bits
        && (bits.operator() == ArithmeticOperator.BIT_AND
            || bits.operator() == ArithmeticOperator.BIT_OR)) {
      return named(bits.left() instanceof Literal ? bits.right() : bits.left());
    }
    return other instanceof Column stored
        ? stored.column().sqlName()
        : other instanceof Named named ? named.name() : "";
  }

  static @Nullable String textOf(Expression expression) {
    return expression instanceof Literal literal && literal.kind() == ValueKind.TEXT
        ? literal.value().text()
        : null;
  }
}
