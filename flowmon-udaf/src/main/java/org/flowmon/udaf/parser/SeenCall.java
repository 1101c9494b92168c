package org.flowmon.udaf.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.Expression.Network;
import org.flowmon.udaf.query.Expression.Parameter;
import org.flowmon.udaf.query.Expression.When;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.query.TableQuery;
import org.flowmon.udaf.query.TableQuery.Source;
import org.flowmon.udaf.query.Typing;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * {@code SEEN(address, INTERVAL …)}: TRUE for the addresses of one list, FALSE for those of another
 * and NULL for all others. The lists are parameters, which no text can name.
 *
 * @param columns the places of the columns that the address comes from, in the relation of {@link
 *     QueryScope#seen}
 * @param pastMicros the length of the time before the window
 */
public record SeenCall(List<Integer> columns, long pastMicros) {
  private static final String SEEN = "seen ";
  private static final String UNSEEN = "unseen ";

  public SeenCall {
    columns = List.copyOf(columns);
  }

  /** The different calls of a query. */
  public static List<SeenCall> of(Query query) {
    return query.parameters().stream()
        .filter(name -> name.startsWith(SEEN))
        .map(SeenCall::parsed)
        .toList();
  }

  private static SeenCall parsed(String parameter) {
    String[] words = parameter.split(" ", -1);
    List<Integer> columns =
        Stream.of(words[1].split(",", -1)).map(Integer::valueOf).collect(Collectors.toList());
    return new SeenCall(columns, Long.parseLong(words[2]));
  }

  public static boolean isParameter(String name) {
    return name.startsWith(SEEN) || name.startsWith(UNSEEN);
  }

  /** Whether a column of the query depends on a call. */
  public static boolean isIn(Query query, int item) {
    return hasPart(
        query, item, part -> part instanceof Parameter parameter && isParameter(parameter.name()));
  }

  /** Of a column of the query, or of what it names in the query's sources. */
  private static boolean hasPart(Query query, int item, Predicate<Expression> isMeant) {
    if (item < 0) {
      return false;
    } else if (query instanceof TableQuery.Relation relation) {
      return relation.of().isPresent()
          && hasPart(
              relation.of().get(),
              place(relation.of().get(), relation.columns().get(item)),
              isMeant);
    } else if (query instanceof TableQuery.Union union) {
      return union.parts().stream().anyMatch(part -> hasPart(part, item, isMeant));
    }
    return hasPart(query, query.select().get(item).what(), isMeant);
  }

  private static boolean hasPart(Query query, Expression what, Predicate<Expression> isMeant) {
    if (isMeant.test(what)
        || ExpressionParts.of(what).stream().anyMatch(part -> hasPart(query, part, isMeant))) {
      return true;
    }
    return what instanceof Named named
        && query instanceof TableQuery table
        && hasPart(source(table.from(), named), named, isMeant);
  }

  private static boolean hasPart(Query source, Named named, Predicate<Expression> isMeant) {
    return hasPart(source, place(source, named), isMeant);
  }

  private static Query source(List<Source> sources, Named named) {
    return sources.stream()
        .filter(source -> Objects.equals(source.name(), named.table()))
        .map(Source::query)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no source has " + named));
  }

  /** −1 if it has no column of the name. */
  private static int place(Query query, Named named) {
    return query.select().stream().map(SelectItem::name).toList().indexOf(named.name());
  }

  /**
   * The call for a column of one of the sources; empty if it is not, as it is, an address of {@code
   * relation}.
   */
  static Optional<SeenCall> of(
      Expression address, List<Source> sources, String relation, long pastMicros) {
    Set<Integer> places = new TreeSet<>();
    boolean isOfHosts =
        address instanceof Named named
            && named.kind() == ValueKind.ADDRESS
            && addPlaces(source(sources, named), named, relation, places);
    return isOfHosts && !places.isEmpty()
        ? Optional.of(new SeenCall(List.copyOf(places), pastMicros))
        : Optional.empty();
  }

  private static boolean addPlaces(Query query, Named named, String relation, Set<Integer> places) {
    return addPlaces(query, place(query, named), relation, places);
  }

  private static boolean addPlaces(Query query, int item, String relation, Set<Integer> places) {
    if (query instanceof TableQuery.Relation of) {
      places.add(item);
      return of.name().equals(relation) && !hasPart(of, item, Network.class::isInstance);
    } else if (query instanceof TableQuery.Union union) {
      return union.parts().stream().allMatch(part -> addPlaces(part, item, relation, places));
    }
    Expression what = query.select().get(item).what();
    boolean isNull = what instanceof Literal literal && literal.value().isNull();
    return isNull
        || (what instanceof Named named
            && query instanceof TableQuery table
            && addPlaces(source(table.from(), named), named, relation, places));
  }

  private String parameter(String first) {
    return first
        + columns.stream().map(String::valueOf).collect(Collectors.joining(","))
        + " "
        + pastMicros;
  }

  Expression expression(Expression address) {
    List<When> whens = new ArrayList<>();
    for (boolean isSeen : new boolean[] {true, false}) {
      Parameter list = new Parameter(parameter(isSeen ? SEEN : UNSEEN));
      whens.add(
          new When(
              Typing.requireBoolean(Typing.in(address, List.of(list))),
              new Literal(Value.ofBoolean(isSeen))));
    }
    return Typing.choice(whens, new Literal(Value.NULL));
  }

  /** The values with those of this call. */
  public Parameters bind(Parameters values, List<Value> seen, List<Value> unseen) {
    return values.with(parameter(SEEN), seen).with(parameter(UNSEEN), unseen);
  }
}
