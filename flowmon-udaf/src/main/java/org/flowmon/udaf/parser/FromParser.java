package org.flowmon.udaf.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.TableQuery.Equality;
import org.flowmon.udaf.query.TableQuery.Source;
import org.flowmon.udaf.query.TypeException;
import org.flowmon.udaf.query.Typing;
import org.flowmon.udaf.text.Keywords;
import org.flowmon.udaf.text.Token;
import org.flowmon.udaf.text.TokenStream;
import org.jspecify.annotations.Nullable;

/** Parses queries in parentheses and joins after FROM. */
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
    Query first = subquery();
    sources.add(new Source(name(), first, false, List.of()));
    while (true) {
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
      if (sources.get(0).name() == null) {
        throw tokens.error("expected a name for the query that is joined: (…) AS name", start);
      }
      join(isLeft);
    }
    Token next = tokens.peek();
    if (next.isSymbol(",") || beginsJoin(next)) {
      throw tokens.expected("JOIN or LEFT JOIN");
    }
    return List.copyOf(sources);
  }

  private Query subquery() {
    if (!tokens.takeSymbol("(")) {
      throw tokens.expected("a query in parentheses, '(SELECT …)'");
    }
    Query query = nesting.query(depth);
    tokens.expectSymbol(")");
    return query;
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

  private void join(boolean isLeft) {
    int start = tokens.peek().start();
    Query query = subquery();
    int nameStart = tokens.peek().start();
    String name = name();
    if (name == null) {
      throw tokens.error("expected a name for the query that is joined: (…) AS name", start);
    }
    if (sources.stream().anyMatch(source -> name.equals(source.name()))) {
      throw tokens.error("two queries are named '" + name + "': expected another name", nameStart);
    }
    tokens.expectWord("ON");
    Source own = new Source(name, query, isLeft, List.of());
    ColumnSource.OfSources before = new ColumnSource.OfSources(List.copyOf(sources));
    ColumnSource.OfSources all = new ColumnSource.OfSources(with(own));
    List<Equality> on = new ArrayList<>();
    do {
      on.add(equality(before, all, name));
    } while (tokens.takeWord("AND"));
    sources.add(new Source(name, query, isLeft, on));
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
    tokens.expectSymbol("=");
    Named right = column(names);
    boolean leftIsOwn = own.equals(left.table());
    if (leftIsOwn == own.equals(right.table())) {
      throw tokens.error(
          String.format(
              "expected a column of %s = a column of %s, found %s = %s",
              before.title(), own, left, right),
          start);
    }
    Equality equality = leftIsOwn ? new Equality(right, left) : new Equality(left, right);
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
