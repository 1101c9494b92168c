package org.flowmon.udaf.parser;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.text.TokenStream;

/** The state that the queries of one text share: their number, and their nesting depth. */
final class Subqueries {
  private final TokenStream tokens;
  private final QueryScope scope;
  // HAVING may be parsed twice, but its subqueries only once; by the place of the first token.
  private final Map<Integer, Supplier<Query>> parsed = new HashMap<>();
  private int queries;
  private int level;

  Subqueries(TokenStream tokens, QueryScope scope) {
    this.tokens = tokens;
    this.scope = scope;
  }

  QueryScope scope() {
    return scope;
  }

  /** Up to the parenthesis after it, within the depth of the enclosing expression. */
  Query query(int depth) {
    int place = tokens.place();
    Supplier<Query> known = parsed.get(place);
    if (known != null) {
      return known.get();
    }
    try {
      Query query = parsed(depth);
      int end = tokens.place();
      parsed.put(
          place,
          () -> {
            tokens.returnTo(end);
            return query;
          });
      return query;
    } catch (QueryException e) {
      parsed.put(
          place,
          () -> {
            throw e;
          });
      throw e;
    }
  }

  private Query parsed(int depth) {
    int start = tokens.peek().start();
    if (++level > Query.MAX_NESTING) {
      throw tokens.error("queries nest deeper than " + Query.MAX_NESTING, start);
    }
    countSelect(start);
    Query query = new UnionParser(tokens, this, depth).query();
    level--;
    if (!tokens.peek().isSymbol(")")) {
      throw tokens.expectedEnd("')'");
    }
    return query;
  }

  void countSelect(int start) {
    if (++queries >= Query.MAX_QUERIES) {
      throw tokens.error("a query has at most " + Query.MAX_QUERIES + " SELECTs", start);
    }
  }

  int level() {
    return level;
  }

  void returnToLevel(int before) {
    level = before;
  }
}
