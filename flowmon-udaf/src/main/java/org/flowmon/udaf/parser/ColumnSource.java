package org.flowmon.udaf.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.enrich.DerivedColumn;
import org.flowmon.udaf.enrich.EnrichedColumn;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Derived;
import org.flowmon.udaf.query.Expression.Enriched;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.TableQuery.Source;
import org.flowmon.udaf.text.NameSuggestions;
import org.flowmon.udaf.text.Token;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/** The columns that an expression reads. */
sealed interface ColumnSource {
  /** Null if there is none, or several tables have one. */
  @Nullable Expression column(Token name);

  List<String> names();

  String title();

  /** A hint to the list of columns, for a name that resembles none of them. */
  String listing();

  /** The suggestion after "no column …", if other names are possible, too. */
  default String nearestOr(String name, List<String> others) {
    List<String> all = new ArrayList<>(others);
    all.addAll(names());
    String best = NameSuggestions.nearest(name, all);
    return best == null ? listing() : "did you mean '" + best + "'?";
  }

  /** {@code others} could have been named, too. */
  default String unknown(Token name, List<String> others) {
    boolean isQuoted = name.kind() == Token.Kind.QUOTED_NAME;
    String text = isQuoted ? "a text takes single quotes: " + Value.ofText(name.text()) : "";
    String instead =
        isQuoted && !hasTables()
            ? "double quotes hold a name, "
            : nearestOr(name.text(), others) + (isQuoted ? "; " : "");
    return "no column '"
        + name.typed()
        + "' in "
        + title()
        + (others.isEmpty() ? "; " : ", and no item of that name; ")
        + instead
        + text;
  }

  /** The expected expression in place of a forbidden aggregate. */
  String insteadOfAggregate();

  default boolean takesParameters() {
    return true;
  }

  /** Whether names may be qualified by a table, as in {@code a.bytes}. */
  default boolean hasTables() {
    return false;
  }

  default boolean hasStates() {
    return false;
  }

  /** The error if several tables have the name, else null. */
  default @Nullable String several(Token name) {
    return null;
  }

  /** Unquoted names are in lower case. */
  static boolean isNamed(Token token, @Nullable String name) {
    return (token.kind() == Token.Kind.WORD ? token.text().toLowerCase(Locale.ROOT) : token.text())
        .equals(name);
  }

  /** The results of queries. */
  record OfSources(List<Source> sources) implements ColumnSource {
    @Override
    public @Nullable Expression column(Token name) {
      List<Named> found = find(null, name);
      return found.size() == 1 ? found.get(0) : null;
    }

    @Nullable Expression column(Token table, Token name) {
      List<Named> found = find(table, name);
      return found.isEmpty() ? null : found.get(0);
    }

    /** In all tables if {@code table} is null. */
    private List<Named> find(@Nullable Token table, Token name) {
      List<Named> found = new ArrayList<>();
      for (Source source : sources) {
        if (table == null || isNamed(table, source.name())) {
          for (Named column : source.query().columns(source.name())) {
            if (isNamed(name, column.name())) {
              found.add(column); // a new instance for each place in the text
            }
          }
        }
      }
      return found;
    }

    boolean hasTable(Token table) {
      return sources.stream().anyMatch(source -> isNamed(table, source.name()));
    }

    String noTable(Token table) {
      return "no query named '" + table.typed() + "': expected one of " + tables();
    }

    private String tables() {
      return sources.stream()
          .map(source -> source.name() == null ? "(a query without a name)" : source.name())
          .collect(Collectors.joining(", "));
    }

    String noColumn(Token table, Token name) {
      List<String> all = new ArrayList<>();
      for (Source source : sources) {
        if (isNamed(table, source.name())) {
          source.query().select().forEach(item -> all.add(item.name()));
        }
      }
      String nearest = NameSuggestions.nearest(name.text(), all);
      return "no column '"
          + name.typed()
          + "' in "
          + table.typed()
          + "; "
          + (nearest == null
              ? "expected one of " + String.join(", ", all)
              : "did you mean '" + nearest + "'?");
    }

    @Override
    public @Nullable String several(Token name) {
      List<Named> found = find(null, name);
      return found.size() < 2
          ? null
          : "the name '"
              + name.typed()
              + "' is of several columns: expected one of "
              + found.stream().map(Named::toString).collect(Collectors.joining(", "));
    }

    @Override
    public boolean hasTables() {
      return true;
    }

    @Override
    public boolean hasStates() {
      return sources.stream()
          .flatMap(source -> source.query().columns(source.name()).stream())
          .anyMatch(column -> column.states() != null);
    }

    @Override
    public List<String> names() {
      List<String> all = new ArrayList<>();
      sources.forEach(source -> source.query().select().forEach(item -> all.add(item.name())));
      return all;
    }

    @Override
    public String title() {
      return sources.get(0).name() == null ? "the subquery" : tables();
    }

    @Override
    public String listing() {
      return "expected one of " + String.join(", ", names());
    }

    @Override
    public String insteadOfAggregate() {
      return "expected it in SELECT, HAVING or ORDER BY, and in no other aggregate";
    }
  }

  /** Flows. */
  record OfFlows() implements ColumnSource {
    @Override
    public @Nullable Expression column(Token name) {
      FlowColumn column = FlowColumn.byName(name.text());
      if (column != null) {
        return new Column(column);
      }
      Optional<DerivedColumn> derived = DerivedColumn.byName(name.text());
      if (derived.isPresent()) {
        return new Derived(derived.get());
      }
      Optional<EnrichedColumn> joined = EnrichedColumn.byName(name.text());
      return joined.map(Enriched::new).orElse(null);
    }

    @Override
    public List<String> names() {
      List<String> all = new ArrayList<>();
      FlowColumn.all().forEach(column -> all.add(column.sqlName()));
      all.addAll(DerivedColumn.names());
      all.addAll(EnrichedColumn.names());
      return all;
    }

    @Override
    public String title() {
      return "flows";
    }

    @Override
    public String listing() {
      return "docs/format/flow.md lists them";
    }

    @Override
    public String insteadOfAggregate() {
      return "expected it in SELECT, HAVING or ORDER BY, and in no other aggregate";
    }
  }

  /** A result table. */
  record OfTable(List<Named> columns, String title) implements ColumnSource {
    public OfTable {
      columns = List.copyOf(columns);
    }

    @Override
    public @Nullable Expression column(Token name) {
      String wanted =
          name.kind() == Token.Kind.WORD ? name.text().toLowerCase(Locale.ROOT) : name.text();
      for (Named one : columns) {
        if (one.name().equals(wanted)) {
          return new Named(wanted, one.kind()); // a new instance for each place in the text
        }
      }
      return null;
    }

    @Override
    public List<String> names() {
      return columns.stream().map(Named::name).toList();
    }

    @Override
    public boolean takesParameters() {
      return false;
    }

    @Override
    public String listing() {
      return "expected one of " + String.join(", ", names());
    }

    @Override
    public String insteadOfAggregate() {
      return "expected an expression over the columns of " + title;
    }
  }
}
