package org.flowmon.udaf.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.TableQuery.Equality;
import org.flowmon.udaf.query.TableQuery.Relation;
import org.flowmon.udaf.query.TableQuery.Source;
import org.flowmon.udaf.query.TypeException;
import org.flowmon.udaf.query.Typing;
import org.flowmon.udaf.text.Keywords;
import org.flowmon.udaf.text.Token;
import org.flowmon.udaf.text.TokenStream;
import org.jspecify.annotations.Nullable;

/** Parses queries in parentheses, names of relations, and joins after FROM. */
final class FromParser {
  // Names of queries only after AS.
  private static final Set<String> JOINS =
      Set.of("INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "ON", "USING");

  private final TokenStream tokens;
  private final Subqueries nesting;
  private final int depth;
  private final List<Source> sources = new ArrayList<>();

  /** Within the depth of the expression around the query. */
  FromParser(TokenStream tokens, Subqueries nesting, int depth) {
    this.tokens = tokens;
    this.nesting = nesting;
    this.depth = depth;
  }

  static boolean beginsJoin(Token word) {
    return word.kind() == Token.Kind.WORD && JOINS.contains(word.text());
  }

  List<Source> sources() {
    int start = tokens.peek().start();
    Query first = table();
    sources.add(new Source(name(first), first, false, List.of()));
    while (true) {
      if (tokens.takeSymbol(",") || isCrossJoin()) {
        requireName(start);
        sources.add(joined(false, List.of()));
        continue;
      }
      boolean isLeft = tokens.peek().isWord("LEFT");
      if (tokens.peek().isWord("INNER") || isLeft) {
        tokens.next();
        if (isLeft) {
          tokens.takeWord("OUTER");
        }
        tokens.expectWord("JOIN");
      } else if (!tokens.takeWord("JOIN")) {
        break;
      }
      requireName(start);
      join(isLeft);
    }
    if (beginsJoin(tokens.peek())) {
      throw tokens.expected("JOIN, LEFT JOIN or CROSS JOIN");
    }
    return List.copyOf(sources);
  }

  private boolean isCrossJoin() {
    if (!tokens.takeWord("CROSS")) {
      return false;
    }
    tokens.expectWord("JOIN");
    return true;
  }

  private void requireName(int start) {
    if (sources.get(0).name() == null) {
      throw tokens.error("expected a name for the query that is joined: (…) AS name", start);
    }
  }

  private Query table() {
    QueryScope scope = nesting.scope();
    Token name = tokens.peek();
    boolean isName =
        name.kind() == Token.Kind.QUOTED_NAME
            || (name.kind() == Token.Kind.WORD && !Keywords.contains(name.text()));
    if (!scope.hasFlows() && isName) {
      Relation relation = scope.relation(name);
      if (relation == null) {
        throw tokens.error(
            "no table "
                + name.shown()
                + ": expected one of "
                + scope.tables()
                + ", or a query in parentheses",
            name.start());
      }
      tokens.next();
      return relation;
    }
    if (!tokens.takeSymbol("(")) {
      throw tokens.expected("a query in parentheses, '(SELECT …)'");
    }
    Query query = nesting.query(depth);
    tokens.expectSymbol(")");
    return query;
  }

  /** That of AS, else a relation's own. */
  private @Nullable String name(Query of) {
    String name = name();
    return name == null && of instanceof Relation relation ? relation.name() : name;
  }

  private @Nullable String name() {
    boolean as = tokens.takeWord("AS");
    Token name = tokens.peek();
    if (name.kind() == Token.Kind.QUOTED_NAME) {
      return tokens.next().text();
    }
    boolean isName =
        name.kind() == Token.Kind.WORD
            && !Keywords.contains(name.text())
            && (as || !JOINS.contains(name.text()));
    if (isName) {
      return tokens.next().text().toLowerCase(Locale.ROOT);
    } else if (as) {
      throw tokens.expected("a name after AS");
    }
    return null;
  }

  private Source joined(boolean isLeft, List<Equality> on) {
    int start = tokens.peek().start();
    Query query = table();
    int nameStart = query instanceof Relation ? start : tokens.peek().start();
    String name = name(query);
    if (name == null) {
      throw tokens.error("expected a name for the query that is joined: (…) AS name", start);
    }
    if (sources.stream().anyMatch(source -> name.equals(source.name()))) {
      throw tokens.error("two queries are named '" + name + "': expected another name", nameStart);
    }
    return new Source(name, query, isLeft, on);
  }

  private void join(boolean isLeft) {
    Source own = joined(isLeft, List.of());
    String name = Objects.requireNonNull(own.name());
    tokens.expectWord("ON");
    ColumnSource.OfSources before = new ColumnSource.OfSources(List.copyOf(sources));
    ColumnSource.OfSources all = new ColumnSource.OfSources(with(own));
    List<Equality> on = new ArrayList<>();
    do {
      on.add(equality(before, all, name));
    } while (tokens.takeWord("AND"));
    sources.add(new Source(name, own.query(), isLeft, on));
  }

  private List<Source> with(Source another) {
    List<Source> all = new ArrayList<>(sources);
    all.add(another);
    return List.copyOf(all);
  }

  private Equality equality(ColumnSource.OfSources before, ColumnSource.OfSources all, String own) {
    int start = tokens.peek().start();
    ExpressionParser names = new ExpressionParser(tokens, all, nesting, depth);
    Named left = column(names);
    boolean matchesNulls = tokens.takeWord("IS");
    if (matchesNulls) {
      tokens.expectWord("NOT");
      tokens.expectWord("DISTINCT");
      tokens.expectWord("FROM");
    } else {
      tokens.expectSymbol("=");
    }
    Named right = column(names);
    boolean leftIsOwn = own.equals(left.table());
    if (leftIsOwn == own.equals(right.table())) {
      throw tokens.error(
          String.format(
              "expected a column of %s = a column of %s, found %s = %s",
              before.title(), own, left, right),
          start);
    }
    Equality equality =
        leftIsOwn
            ? new Equality(right, left, matchesNulls)
            : new Equality(left, right, matchesNulls);
    try {
      Typing.requireJoinable(equality.before(), equality.own());
    } catch (TypeException e) {
      throw tokens.error(String.valueOf(e.getMessage()), start);
    }
    return equality;
  }

  private Named column(ExpressionParser names) {
    Token name = tokens.peek();
    boolean isName =
        name.kind() == Token.Kind.QUOTED_NAME
            || (name.kind() == Token.Kind.WORD && !Keywords.contains(name.text()));
    if (!isName) {
      throw tokens.expected("a column to join by, as in ON a.src_addr = b.src_addr");
    }
    return (Named) names.column(tokens.next());
  }
}
