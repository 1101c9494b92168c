package org.flowmon.udaf.parser;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.InQuery;
import org.flowmon.udaf.query.Expression.Not;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.TableQuery;

/**
 * Nesting depths and operator counts of a SELECT's expressions in their written form.
 *
 * <p>COALESCE, BETWEEN and {@code CASE x WHEN …} have their value several times: one object, but a
 * walk meets it each time, and nested 33 times COALESCE has 2^33 operators. So each expression is
 * measured once, when it is made, from its parts' measures.
 */
final class ExpressionSizes {
  private final IdentityHashMap<Expression, Extent> known = new IdentityHashMap<>();

  /** Depth 1 without parts; itself and all with parts that a walk meets. */
  private record Extent(int depth, long operators) {}

  /** At least the text's, which has parentheses around each part. Subqueries count, too. */
  int depth(Expression expression) {
    return of(expression).depth();
  }

  long operators(Expression expression) {
    return of(expression).operators();
  }

  long operators(FlowQuery query) {
    return expressions(query).stream().mapToLong(this::operators).sum();
  }

  private Extent of(Expression expression) {
    Extent found = known.get(expression);
    if (found != null) {
      return found;
    }
    int deepest = 0;
    List<Expression> parts = ExpressionParts.of(expression);
    long operators = parts.isEmpty() ? 0 : 1;
    for (Expression part : parts) {
      Extent extent = of(part);
      deepest = Math.max(deepest, extent.depth());
      operators += extent.operators();
    }
    if (expression instanceof InQuery in) {
      deepest = Math.max(deepest, depth(in.query()));
    }
    // NOT (…) nests by its parentheses and by itself.
    Extent extent = new Extent(deepest + (expression instanceof Not ? 2 : 1), operators);
    known.put(expression, extent);
    return extent;
  }

  private int depth(Query query) {
    int deepest = 0;
    if (query instanceof TableQuery tables) {
      for (TableQuery.Source source : tables.from()) {
        deepest = Math.max(deepest, depth(source.query()));
      }
    }
    if (query instanceof TableQuery.Clauseless all) {
      for (Query part : all.parts()) {
        deepest = Math.max(deepest, depth(part));
      }
      return deepest;
    }
    FlowQuery clauses = query instanceof TableQuery tables ? tables.clauses() : (FlowQuery) query;
    for (Expression expression : expressions(clauses)) {
      deepest = Math.max(deepest, of(expression).depth());
    }
    return deepest;
  }

  private static List<Expression> expressions(FlowQuery query) {
    List<Expression> all = new ArrayList<>(query.groupBy());
    query.select().forEach(item -> all.add(item.what()));
    query.orderBy().forEach(item -> all.add(item.what()));
    if (query.where() != null) {
      all.add(query.where());
    }
    if (query.having() != null) {
      all.add(query.having());
    }
    return all;
  }
}
