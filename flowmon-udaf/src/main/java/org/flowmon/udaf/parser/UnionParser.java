package org.flowmon.udaf.parser;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.TableQuery;
import org.flowmon.udaf.query.TableQuery.Unions;
import org.flowmon.udaf.text.TokenStream;

/** Parses one SELECT, or several with UNION ALL between them. */
final class UnionParser {
  private final TokenStream tokens;
  private final Subqueries nesting;
  private final int depth;

  /** Within the depth of the expression around the query. */
  UnionParser(TokenStream tokens, Subqueries nesting, int depth) {
    this.tokens = tokens;
    this.nesting = nesting;
    this.depth = depth;
  }

  /** Of a whole text: the rows of a union are those of a query over it. */
  Query whole() {
    Query query = query();
    if (!(query instanceof TableQuery.Union union)) {
      return query;
    }
    TableQuery.Source source = new TableQuery.Source(null, union, false, List.of());
    return new TableQuery(
        List.of(source), new FlowQuery(union.select(), null, List.of(), List.of(), -1));
  }

  Query query() {
    int start = tokens.peek().start();
    Query first = new SelectParser(tokens, nesting, depth).query();
    if (!tokens.peek().isWord("UNION")) {
      return first;
    }
    List<Query> parts = new ArrayList<>();
    parts.add(unordered(first, start));
    while (tokens.peek().isWord("UNION")) {
      tokens.next();
      if (!tokens.takeWord("ALL")) {
        throw tokens.expected("ALL after UNION; SELECT DISTINCT … FROM (… UNION ALL …) is UNION");
      }
      int place = tokens.peek().start();
      nesting.countSelect(place);
      SelectParser next = new SelectParser(tokens, nesting, depth, false);
      parts.add(unordered(next.query(), place));
      String fault = Unions.fault(parts);
      if (fault != null) {
        throw tokens.error(fault, place);
      }
    }
    return new TableQuery.Union(parts);
  }

  /** ORDER BY and LIMIT at the end would seem to be of all rows. */
  private Query unordered(Query query, int start) {
    FlowQuery clauses = query instanceof TableQuery table ? table.clauses() : (FlowQuery) query;
    boolean hasOffset = query instanceof TableQuery table && table.offset() > 0;
    if (clauses.orderBy().isEmpty()
        && clauses.limit() < 0
        && clauses.limitBy() == null
        && !hasOffset) {
      return query;
    }
    throw tokens.error(
        "a SELECT of UNION ALL has no ORDER BY, LIMIT and OFFSET: expected SELECT * FROM (… UNION"
            + " ALL …) ORDER BY … for those of all rows",
        start);
  }
}
