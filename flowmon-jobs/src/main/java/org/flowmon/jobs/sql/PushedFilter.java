package org.flowmon.jobs.sql;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.sql.row.SqlTypes;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.ComparisonOperator;
import org.flowmon.udaf.value.Value;

/**
 * Translates Flink's conditions into the dialect's: those that mean the same for every flow. Others
 * stay with Flink. Both have SQL's three-valued logic. The planner writes IN and BETWEEN as
 * comparisons, and IS TRUE and IS FALSE as the term or its NOT.
 */
final class PushedFilter {
  private static final Map<FunctionDefinition, ComparisonOperator> COMPARISONS =
      Map.of(
          BuiltInFunctionDefinitions.EQUALS, ComparisonOperator.EQUAL,
          BuiltInFunctionDefinitions.NOT_EQUALS, ComparisonOperator.NOT_EQUAL,
          BuiltInFunctionDefinitions.LESS_THAN, ComparisonOperator.LESS,
          BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL, ComparisonOperator.LESS_OR_EQUAL,
          BuiltInFunctionDefinitions.GREATER_THAN, ComparisonOperator.GREATER,
          BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL, ComparisonOperator.GREATER_OR_EQUAL);

  private PushedFilter() {}

  /** A column of flows and the type that Flink has for it. */
  private record Field(FlowColumn column, LogicalType type) {
    Expression expression() {
      return new Expression.Column(column);
    }
  }

  /** Empty if the dialect has no such condition. */
  static Optional<Expression> translate(ResolvedExpression condition) {
    if (condition instanceof FieldReferenceExpression) {
      return field(condition)
          .filter(field -> field.column().type() == ColumnType.BOOLEAN)
          .map(Field::expression);
    }
    if (!(condition instanceof CallExpression call)) {
      return Optional.empty();
    }
    FunctionDefinition function = call.getFunctionDefinition();
    List<ResolvedExpression> arguments = call.getResolvedChildren();
    if (function == BuiltInFunctionDefinitions.AND) {
      return all(arguments).map(Expression.And::new);
    }
    if (function == BuiltInFunctionDefinitions.OR) {
      return all(arguments).map(Expression.Or::new);
    }
    if (function == BuiltInFunctionDefinitions.NOT) {
      return translate(arguments.get(0)).map(Expression.Not::new);
    }
    if (function == BuiltInFunctionDefinitions.IS_NOT_TRUE
        || function == BuiltInFunctionDefinitions.IS_NOT_FALSE) {
      boolean truth = function == BuiltInFunctionDefinitions.IS_NOT_TRUE;
      return translate(arguments.get(0))
          .map(term -> new Expression.Not(new Expression.IsTruth(term, truth)));
    }
    if (function == BuiltInFunctionDefinitions.IS_NULL) {
      return field(arguments.get(0)).map(field -> new Expression.IsNull(field.expression()));
    }
    if (function == BuiltInFunctionDefinitions.IS_NOT_NULL) {
      return field(arguments.get(0))
          .map(field -> new Expression.Not(new Expression.IsNull(field.expression())));
    }
    ComparisonOperator operator = COMPARISONS.get(function);
    return operator == null
        ? Optional.empty()
        : comparison(operator, arguments.get(0), arguments.get(1));
  }

  private static Optional<List<Expression>> all(List<ResolvedExpression> conditions) {
    List<Expression> terms = new ArrayList<>();
    for (ResolvedExpression condition : conditions) {
      Optional<Expression> term = translate(condition);
      if (term.isEmpty()) {
        return Optional.empty();
      }
      terms.add(term.get());
    }
    return Optional.of(terms);
  }

  private static Optional<Expression> comparison(
      ComparisonOperator operator, ResolvedExpression left, ResolvedExpression right) {
    if (left instanceof ValueLiteralExpression) {
      return comparison(operator.swapped(), right, left);
    }
    Optional<Field> field = field(left);
    if (field.isEmpty() || !(right instanceof ValueLiteralExpression literal)) {
      return Optional.empty();
    }
    return literal.getValueAs(Object.class).flatMap(value -> compare(operator, field.get(), value));
  }

  private static Optional<Expression> compare(
      ComparisonOperator operator, Field field, Object literal) {
    boolean isEquality =
        operator == ComparisonOperator.EQUAL || operator == ComparisonOperator.NOT_EQUAL;
    return switch (field.column().type()) {
      case UINT8, UINT16, UINT32, COUNT, NUMBER ->
          wholeNumber(literal).map(value -> compared(operator, field, Value.ofLong(value)));
      case DURATION ->
          wholeNumber(literal).map(value -> compared(operator, field, Value.ofDuration(value)));
      case TIMESTAMP -> time(literal).flatMap(micros -> compareTime(operator, field, micros));
      case ADDRESS ->
          // Texts of addresses have another order than addresses.
          isEquality
              ? SqlTypes.address(literal)
                  .map(value -> compared(operator, field, Value.ofAddress(value)))
              : Optional.empty();
      case TEXT ->
          isEquality && literal instanceof String text
              ? Optional.of(compared(operator, field, Value.ofText(text)))
              : Optional.empty();
      case BOOLEAN -> Optional.empty(); // the planner makes it the column or its NOT
    };
  }

  private static Expression compared(ComparisonOperator operator, Field field, Value value) {
    return new Expression.Comparison(operator, field.expression(), new Expression.Literal(value));
  }

  /** Flink compares the time cut to the digits of its type; the archive has all of it. */
  private static Optional<Expression> compareTime(
      ComparisonOperator operator, Field field, long micros) {
    long unit = SqlTypes.unitMicros(field.type());
    long atOrAfter = Math.addExact(Math.floorDiv(micros - 1, unit) * unit, unit);
    long after = Math.addExact(Math.floorDiv(micros, unit) * unit, unit);
    return switch (operator) {
      case GREATER_OR_EQUAL -> time(ComparisonOperator.GREATER_OR_EQUAL, field, atOrAfter);
      case LESS -> time(ComparisonOperator.LESS, field, atOrAfter);
      case GREATER -> time(ComparisonOperator.GREATER_OR_EQUAL, field, after);
      case LESS_OR_EQUAL -> time(ComparisonOperator.LESS, field, after);
      case EQUAL, NOT_EQUAL -> unit == 1 ? time(operator, field, micros) : Optional.empty();
    };
  }

  /** Only years that the dialect can write. */
  private static Optional<Expression> time(ComparisonOperator operator, Field field, long micros) {
    Value value = Value.ofTimestamp(micros);
    return value.hasLiteral() ? Optional.of(compared(operator, field, value)) : Optional.empty();
  }

  /** A column, or one cast to a type that holds each of its values. */
  private static Optional<Field> field(ResolvedExpression expression) {
    if (expression instanceof FieldReferenceExpression reference) {
      FlowColumn column = FlowColumn.byName(reference.getName());
      return column == null
          ? Optional.empty()
          : Optional.of(new Field(column, reference.getOutputDataType().getLogicalType()));
    }
    if (expression instanceof CallExpression call
        && call.getFunctionDefinition() == BuiltInFunctionDefinitions.CAST) {
      LogicalType to = call.getOutputDataType().getLogicalType();
      return field(call.getResolvedChildren().get(0)).filter(field -> holds(to, field.type()));
    }
    return Optional.empty();
  }

  private static boolean holds(LogicalType wide, LogicalType type) {
    if (type.is(LogicalTypeFamily.INTEGER_NUMERIC)) {
      return wide.is(LogicalTypeFamily.INTEGER_NUMERIC) && bits(wide) >= bits(type);
    }
    return type.getTypeRoot() == LogicalTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE
        && wide.getTypeRoot() == type.getTypeRoot()
        && LogicalTypeChecks.getPrecision(wide) >= LogicalTypeChecks.getPrecision(type);
  }

  private static int bits(LogicalType number) {
    return switch (number.getTypeRoot()) {
      case TINYINT -> Byte.SIZE;
      case SMALLINT -> Short.SIZE;
      case INTEGER -> Integer.SIZE;
      default -> Long.SIZE;
    };
  }

  private static Optional<Long> wholeNumber(Object literal) {
    if (literal instanceof BigDecimal decimal) {
      try {
        return Optional.of(decimal.longValueExact());
      } catch (ArithmeticException e) {
        return Optional.empty(); // a fraction, or beyond 64 bits
      }
    }
    boolean isWhole =
        literal instanceof Byte
            || literal instanceof Short
            || literal instanceof Integer
            || literal instanceof Long;
    return isWhole ? Optional.of(((Number) literal).longValue()) : Optional.empty();
  }

  /** Only whole microseconds that 64 bits hold. */
  private static Optional<Long> time(Object literal) {
    if (!(literal instanceof Instant time) || time.getNano() % 1000 != 0) {
      return Optional.empty();
    }
    long seconds = time.getEpochSecond();
    boolean isFar = Math.abs(seconds) > Long.MAX_VALUE / 2_000_000;
    return isFar ? Optional.empty() : Optional.of(seconds * 1_000_000 + time.getNano() / 1000);
  }
}
