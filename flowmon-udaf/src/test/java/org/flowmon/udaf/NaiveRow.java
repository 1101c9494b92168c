package org.flowmon.udaf;

import java.math.BigInteger;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.And;
import org.flowmon.udaf.query.Expression.Arithmetic;
import org.flowmon.udaf.query.Expression.Case;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Comparison;
import org.flowmon.udaf.query.Expression.DaysBefore;
import org.flowmon.udaf.query.Expression.In;
import org.flowmon.udaf.query.Expression.IsNull;
import org.flowmon.udaf.query.Expression.IsTruth;
import org.flowmon.udaf.query.Expression.Like;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.Expression.Network;
import org.flowmon.udaf.query.Expression.Not;
import org.flowmon.udaf.query.Expression.Or;
import org.flowmon.udaf.query.Expression.Prefix;
import org.flowmon.udaf.query.Expression.SameHour;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * Evaluates expressions over one row as documented for the dialect, with objects: Long, Double,
 * Boolean, null.
 */
final class NaiveRow {
  private static final long HOUR = 3_600_000_000L;

  private final Function<Expression, Object> columns;

  NaiveRow(FlowBatch batch, int row) {
    this.columns = column -> cell(batch, ((Column) column).column(), row);
  }

  NaiveRow(ResultTable table, int row) {
    this.columns = column -> cell(table, table.column(((Named) column).name()), row);
  }

  Object value(Expression expression) {
    if (expression instanceof Column || expression instanceof Named) {
      return columns.apply(expression);
    } else if (expression instanceof Literal literal) {
      return literal(literal.value());
    } else if (expression instanceof And and) {
      return all(and.terms(), true);
    } else if (expression instanceof Or or) {
      return all(or.terms(), false);
    } else if (expression instanceof Not not) {
      Boolean term = (Boolean) value(not.term());
      return term == null ? null : !term;
    } else if (expression instanceof IsNull isNull) {
      return value(isNull.term()) == null;
    } else if (expression instanceof IsTruth isTruth) {
      return Boolean.valueOf(isTruth.truth()).equals(value(isTruth.term()));
    } else if (expression instanceof Comparison comparison) {
      return compare(comparison);
    } else if (expression instanceof In in) {
      return in(in);
    } else if (expression instanceof Arithmetic arithmetic) {
      return compute(arithmetic);
    } else if (expression instanceof Case choice) {
      return choose(choice);
    }
    return function(expression);
  }

  private static Object cell(ResultTable table, int column, int row) {
    if (table.isNull(row, column)) {
      return null;
    }
    return switch (table.kind(column)) {
      case ADDRESS -> table.address(row, column);
      case TEXT -> table.text(row, column);
      case DOUBLE -> table.doubleValue(row, column);
      case BOOLEAN -> table.longValue(row, column) != 0;
      default -> table.longValue(row, column);
    };
  }

  private static Object cell(FlowBatch batch, FlowColumn column, int row) {
    if (batch.isNull(column, row)) {
      return null;
    }
    return switch (column.type()) {
      case ADDRESS -> batch.getAddress(column, row);
      case TEXT -> batch.text(column, row);
      default ->
          column.type() == ColumnType.BOOLEAN
              ? (Object) (batch.getLong(column, row) != 0)
              : (Object) batch.getLong(column, row);
    };
  }

  private static Object literal(Value value) {
    if (value.isNull()) {
      return null;
    }
    return switch (value.kind()) {
      case BOOLEAN -> value.low() != 0;
      case DOUBLE -> value.asDouble();
      case ADDRESS -> new IpAddress(value.high(), value.low());
      case TEXT -> value.text();
      default -> value.low();
    };
  }

  /** AND if {@code and}, else OR. */
  private Boolean all(List<Expression> terms, boolean and) {
    Boolean result = and;
    for (Expression term : terms) {
      Boolean next = (Boolean) value(term);
      if (next == null) {
        result = (result != null && result == and) ? null : result;
      } else if (next != and) {
        return next;
      }
    }
    return result;
  }

  private Boolean compare(Comparison comparison) {
    Object left = value(comparison.left());
    Object right = value(comparison.right());
    if (left == null || right == null) {
      return null;
    }
    int order = order(left, right);
    return switch (comparison.operator()) {
      case EQUAL -> order == 0;
      case NOT_EQUAL -> order != 0;
      case LESS -> order < 0;
      case LESS_OR_EQUAL -> order <= 0;
      case GREATER -> order > 0;
      case GREATER_OR_EQUAL -> order >= 0;
    };
  }

  private static int order(Object left, Object right) {
    if (left instanceof Long l && right instanceof Long r) {
      return Long.compare(l, r);
    } else if (left instanceof Number l && right instanceof Number r) {
      return l.doubleValue() == r.doubleValue()
          ? 0
          : Double.compare(l.doubleValue(), r.doubleValue());
    } else if (left instanceof IpAddress l) {
      return java.util.Arrays.compareUnsigned(l.toBytes(), ((IpAddress) right).toBytes());
    } else if (left instanceof String l) {
      return java.util.Arrays.compare(
          l.codePoints().toArray(), ((String) right).codePoints().toArray());
    }
    return Boolean.compare((Boolean) left, (Boolean) right);
  }

  private Boolean in(In in) {
    Object value = value(in.value());
    if (in.items().isEmpty()) {
      return false;
    }
    if (value == null) {
      return null;
    }
    Boolean result = false;
    for (Expression item : in.items()) {
      if (item instanceof Prefix prefix) {
        IpAddress address = (IpAddress) value;
        IpPrefix range = prefix.prefix();
        if (address.isIpv4() == range.first().isIpv4()
            && new IpPrefix(address, range.length()).equals(range)) {
          return true;
        }
      } else {
        Object other = value(item);
        if (other == null) {
          result = null;
        } else if (order(value, other) == 0) {
          return true;
        }
      }
    }
    return result;
  }

  private Object compute(Arithmetic arithmetic) {
    Object left = value(arithmetic.left());
    Object right = value(arithmetic.right());
    if (left == null || right == null) {
      return null;
    }
    if (arithmetic.kind() == ValueKind.DOUBLE) {
      double l = ((Number) left).doubleValue();
      double r = ((Number) right).doubleValue();
      return switch (arithmetic.operator()) {
        case ADD -> l + r;
        case SUBTRACT -> l - r;
        case MULTIPLY -> l * r;
        default -> r == 0 ? null : (Double) (l / r);
      };
    }
    BigInteger l = BigInteger.valueOf((Long) left);
    BigInteger r = BigInteger.valueOf((Long) right);
    BigInteger result =
        switch (arithmetic.operator()) {
          case ADD -> l.add(r);
          case SUBTRACT -> l.subtract(r);
          case MULTIPLY -> l.multiply(r);
          case REMAINDER -> r.signum() == 0 ? null : l.remainder(r);
          case BIT_AND -> l.and(r);
          case BIT_OR -> l.or(r);
          case DIVIDE -> throw new AssertionError("a quotient is a double");
        };
    return result == null || result.bitLength() > 63 ? null : result.longValue();
  }

  private Object choose(Case choice) {
    for (Expression.When when : choice.whens()) {
      if (Boolean.TRUE.equals(value(when.condition()))) {
        return widened(value(when.result()), choice.kind());
      }
    }
    return widened(value(choice.otherwise()), choice.kind());
  }

  private static Object widened(Object value, ValueKind kind) {
    return value instanceof Long l && kind == ValueKind.DOUBLE ? (Object) (double) l : value;
  }

  private Object function(Expression expression) {
    if (expression instanceof Network network) {
      IpAddress address = (IpAddress) value(network.address());
      return address == null
          ? null
          : new IpPrefix(address, address.isIpv4() ? network.ipv4Bits() : network.ipv6Bits())
              .first();
    } else if (expression instanceof TimeBucket bucket) {
      Long time = (Long) value(bucket.time());
      return time == null ? null : time - Math.floorMod(time, bucket.widthMicros());
    } else if (expression instanceof DaysBefore days) {
      Long time = (Long) value(days.time());
      return time == null
          ? null
          : (long) Math.ceil(((Long) value(days.now()) - time) / (24.0 * HOUR));
    } else if (expression instanceof Like like) {
      String text = (String) value(like.text());
      StringBuilder regex = new StringBuilder();
      for (char sign : like.pattern().toCharArray()) {
        regex.append(sign == '%' ? ".*" : sign == '_' ? "." : Pattern.quote("" + sign));
      }
      return text == null
          ? null
          : Pattern.compile(regex.toString(), Pattern.DOTALL).matcher(text).matches();
    } else if (expression instanceof SameHour hour) {
      Long time = (Long) value(hour.time());
      if (time == null) {
        return null;
      }
      for (int day = 1; day <= hour.days(); day++) {
        long start = (Long) value(hour.now()) - day * 24L * HOUR;
        if (time >= start && time < start + hour.lengthMicros()) {
          return true;
        }
      }
      return false;
    }
    throw new AssertionError("no rule for " + expression);
  }
}
