package org.flowmon.udaf.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression.And;
import org.flowmon.udaf.query.Expression.Arithmetic;
import org.flowmon.udaf.query.Expression.Case;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Comparison;
import org.flowmon.udaf.query.Expression.DaysBefore;
import org.flowmon.udaf.query.Expression.Derived;
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
import org.flowmon.udaf.query.Expression.Prefix;
import org.flowmon.udaf.query.Expression.RowNumber;
import org.flowmon.udaf.query.Expression.SameHour;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.query.TableQuery.Relation;
import org.flowmon.udaf.query.TableQuery.Source;
import org.flowmon.udaf.text.Keywords;
import org.flowmon.udaf.value.Value;

/** Writes queries and their parts in the dialect, so that parsing gives them back. */
final class SqlText {
  private static final String IS_SAME = " IS NOT DISTINCT FROM ";

  private SqlText() {}

  static String of(FlowQuery query) {
    return of(query, "flows");
  }

  static String of(TableQuery query) {
    StringBuilder from = new StringBuilder();
    for (Source source : query.from()) {
      if (!from.isEmpty()) {
        from.append(source.on().isEmpty() ? " CROSS" : source.isLeft() ? " LEFT" : "");
        from.append(" JOIN ");
      }
      boolean isRelation = source.query() instanceof Relation;
      from.append(isRelation ? source.query().toString() : "(" + source.query() + ")");
      if (source.name() != null && !source.hasNameOfRelation()) {
        from.append(" AS ").append(name(source.name()));
      }
      if (!source.on().isEmpty()) {
        from.append(" ON ");
        from.append(
            source.on().stream()
                .map(on -> on.before() + (on.matchesNulls() ? IS_SAME : " = ") + on.own())
                .collect(Collectors.joining(" AND ")));
      }
    }
    String sql = of(query.clauses(), from.toString());
    return query.offset() == 0 ? sql : sql + " OFFSET " + query.offset();
  }

  static String of(Relation relation) {
    return name(relation.name());
  }

  private static String of(FlowQuery query, String from) {
    StringBuilder sql = new StringBuilder("SELECT ");
    sql.append(query.select().stream().map(SqlText::item).collect(Collectors.joining(", ")));
    sql.append(" FROM ").append(from);
    if (query.where() != null) {
      sql.append(" WHERE ").append(query.where());
    }
    if (!query.groupBy().isEmpty()) {
      sql.append(" GROUP BY ").append(list(query.groupBy()));
    }
    if (query.having() != null) {
      sql.append(" HAVING ").append(query.having());
    }
    if (!query.orderBy().isEmpty()) {
      String items =
          query.orderBy().stream()
              .map(item -> order(item, query.select()))
              .collect(Collectors.joining(", "));
      sql.append(" ORDER BY ").append(items);
    }
    if (query.limitBy() != null) {
      sql.append(" LIMIT ").append(query.limitBy().rows());
      sql.append(" BY ").append(list(query.limitBy().keys()));
    }
    if (query.limit() >= 0) {
      sql.append(" LIMIT ").append(query.limit());
    }
    return sql.toString();
  }

  private static String item(SelectItem item) {
    boolean bareColumn =
        (item.what() instanceof Column column && column.column().sqlName().equals(item.name()))
            || (item.what() instanceof Enriched enriched
                && enriched.column().sqlName().equals(item.name()))
            || (item.what() instanceof Derived derived
                && derived.column().sqlName().equals(item.name()))
            || (item.what() instanceof Named named && named.name().equals(item.name()));
    return bareColumn ? item.what().toString() : item.what() + " AS " + name(item.name());
  }

  private static String name(String name) {
    boolean plain =
        name.matches("[a-z_][a-z0-9_]*") && !Keywords.contains(name.toUpperCase(Locale.ROOT));
    return plain ? name : "\"" + name.replace("\"", "\"\"") + "\"";
  }

  private static String order(OrderItem item, List<SelectItem> select) {
    String text = item.what().toString();
    // In parentheses a name means a column, not an item of the same name.
    boolean isOther =
        select.stream()
            .anyMatch(
                other -> name(other.name()).equals(text) && !other.what().equals(item.what()));
    String what = isOther ? "(" + text + ")" : text;
    return what + (item.descending() ? " DESC" : "") + (item.nullsFirst() ? " NULLS FIRST" : "");
  }

  static String of(Expression expression) {
    if (expression instanceof Column column) {
      return name(column.column());
    } else if (expression instanceof Enriched enriched) {
      return enriched.column().sqlName();
    } else if (expression instanceof Derived derived) {
      return derived.column().sqlName();
    } else if (expression instanceof Named named) {
      return (named.table() == null ? "" : name(named.table()) + ".") + name(named.name());
    } else if (expression instanceof Literal literal) {
      return literal.value().toString();
    } else if (expression instanceof Prefix prefix) {
      return "'" + prefix.prefix() + "'";
    } else if (expression instanceof Parameter parameter) {
      return ":" + parameter.name();
    } else if (expression instanceof Comparison comparison) {
      return inner(comparison.left())
          + " "
          + comparison.operator().sql()
          + " "
          + inner(comparison.right());
    } else if (expression instanceof And and) {
      return and.terms().stream().map(SqlText::inner).collect(Collectors.joining(" AND "));
    } else if (expression instanceof Or or) {
      return or.terms().stream().map(SqlText::inner).collect(Collectors.joining(" OR "));
    } else if (expression instanceof Not not) {
      return "NOT " + inner(not.term());
    } else if (expression instanceof In in) {
      return inner(in.value()) + " IN (" + list(in.items()) + ")";
    } else if (expression instanceof InQuery in) {
      return inner(in.value()) + " IN (" + in.query() + ")";
    } else if (expression instanceof IsNull isNull) {
      return inner(isNull.term()) + " IS NULL";
    } else if (expression instanceof IsTruth isTruth) {
      return inner(isTruth.term()) + " IS " + (isTruth.truth() ? "TRUE" : "FALSE");
    } else if (expression instanceof Like like) {
      return inner(like.text()) + " LIKE " + Value.ofText(like.pattern());
    } else if (expression instanceof Arithmetic arithmetic) {
      return inner(arithmetic.left())
          + " "
          + arithmetic.operator().sql()
          + " "
          + inner(arithmetic.right());
    } else {
      return function(expression);
    }
  }

  private static String function(Expression expression) {
    if (expression instanceof Case choice) {
      if (isCoalesce(choice)) {
        List<Expression> all = new ArrayList<>();
        choice.whens().forEach(when -> all.add(when.result()));
        all.add(choice.otherwise());
        return "COALESCE(" + list(all) + ")";
      }
      StringBuilder sql = new StringBuilder("CASE");
      choice
          .whens()
          .forEach(
              when ->
                  sql.append(" WHEN ")
                      .append(when.condition())
                      .append(" THEN ")
                      .append(when.result()));
      return sql.append(" ELSE ").append(choice.otherwise()).append(" END").toString();
    } else if (expression instanceof Network network) {
      return "NETWORK("
          + network.address()
          + ", "
          + network.ipv4Bits()
          + ", "
          + network.ipv6Bits()
          + ")";
    } else if (expression instanceof TimeBucket bucket) {
      return "TIME_BUCKET(" + bucket.time() + ", " + Value.ofDuration(bucket.widthMicros()) + ")";
    } else if (expression instanceof SameHour hour) {
      String length =
          hour.lengthMicros() == SameHour.HOUR_MICROS
              ? ""
              : ", " + Value.ofDuration(hour.lengthMicros());
      return "SAME_HOUR(" + hour.time() + ", " + hour.now() + ", " + hour.days() + length + ")";
    } else if (expression instanceof DaysBefore days) {
      return "DAYS_BEFORE(" + days.time() + ", " + days.now() + ")";
    } else if (expression instanceof OfStates call) {
      List<Expression> all = new ArrayList<>(call.of());
      all.addAll(call.parameters());
      String text = call.name() + "(" + list(all) + ")";
      return call.part() == StateValue.Part.VALUE ? text : call.part() + "(" + text + ")";
    }
    if (expression instanceof RowNumber) {
      return "ROW_NUMBER() OVER ()";
    }
    throw new IllegalStateException("no text for " + expression.getClass());
  }

  private static boolean isCoalesce(Case choice) {
    return choice.whens().stream()
            .allMatch(when -> when.condition().equals(new Not(new IsNull(when.result()))))
        && !(choice.otherwise() instanceof Literal last && last.value().isNull());
  }

  private static String name(FlowColumn column) {
    return name(column.sqlName());
  }

  private static String inner(Expression part) {
    boolean simple =
        part instanceof Column
            || part instanceof Enriched
            || part instanceof Derived
            || part instanceof Named
            || part instanceof Parameter
            || part instanceof AggregateCall
            || part instanceof Case
            || part instanceof Network
            || part instanceof TimeBucket
            || part instanceof SameHour
            || part instanceof DaysBefore
            || part instanceof OfStates
            || part instanceof Literal
            || part instanceof Prefix;
    return simple ? part.toString() : "(" + part + ")";
  }

  private static String list(List<? extends Expression> parts) {
    return parts.stream().map(Object::toString).collect(Collectors.joining(", "));
  }
}
