package org.flowmon.udaf.parser;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.flowmon.udaf.query.Expression.Parameter;
import org.flowmon.udaf.query.TableQuery.Relation;
import org.flowmon.udaf.text.NameSuggestions;
import org.flowmon.udaf.text.Token;
import org.flowmon.udaf.text.TokenStream;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * What a query may name beside columns.
 *
 * @param relations the tables after FROM in place of flows; empty: flows
 * @param parameters the parameters with their kinds; empty: any, of kinds that binding tells
 * @param seen the relation whose addresses {@link SeenCall} may ask for; empty: none
 */
public record QueryScope(
    List<Relation> relations, Map<String, ValueKind> parameters, Optional<String> seen) {
  /** Flows, and any parameters. */
  public static final QueryScope FLOWS = new QueryScope(List.of(), Map.of());

  public QueryScope {
    relations = List.copyOf(relations);
    parameters = new TreeMap<>(parameters);
  }

  /** Without SEEN. */
  public QueryScope(List<Relation> relations, Map<String, ValueKind> parameters) {
    this(relations, parameters, Optional.empty());
  }

  boolean hasFlows() {
    return relations.isEmpty();
  }

  @Nullable Relation relation(Token name) {
    for (Relation relation : relations) {
      if (ColumnSource.isNamed(name, relation.name())) {
        return relation;
      }
    }
    return null;
  }

  /** With its kind, if that is known; an error if there is no such parameter. */
  Parameter parameter(Token at, String name, TokenStream tokens) {
    ValueKind kind = parameters.get(name);
    if (kind == null && !parameters.isEmpty()) {
      String nearest = NameSuggestions.nearest(name, parameters.keySet());
      String all = String.join(", :", parameters.keySet());
      throw tokens.error(
          String.format(
              "no parameter %s: %s",
              at.shown(),
              nearest == null ? "expected one of :" + all : "did you mean :" + nearest + "?"),
          at.start());
    }
    return new Parameter(name, kind);
  }

  /** What may stand after FROM, for errors. */
  String tables() {
    return relations.stream().map(Relation::name).collect(Collectors.joining(", "));
  }
}
