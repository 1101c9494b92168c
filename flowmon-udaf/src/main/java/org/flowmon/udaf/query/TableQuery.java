package org.flowmon.udaf.query;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.flowmon.flow.code.CodeNames;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.query.Expression.InQuery;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * Over the results of others, each but the first joined with all before it; the clauses are as with
 * flows, but their columns are {@link Named} ones.
 *
 * @param offset of OFFSET: so many rows are left out before LIMIT counts
 */
public record TableQuery(List<Source> from, FlowQuery clauses, long offset) implements Query {
  public TableQuery {
    from = List.copyOf(from);
  }

  /** Without OFFSET. */
  public TableQuery(List<Source> from, FlowQuery clauses) {
    this(from, clauses, 0);
  }

  /** The rows of {@code query} after the first {@code offset}, at most its LIMIT. */
  public static TableQuery after(long offset, FlowQuery query) {
    long read = query.limit() < 0 ? query.limit() : query.limit() + offset;
    Source source = new Source(null, query.withLimit(read), false, List.of());
    List<SelectItem> all =
        query.columns(null).stream().map(column -> new SelectItem(column.name(), column)).toList();
    FlowQuery rows = new FlowQuery(all, null, List.of(), List.of(), query.limit());
    return new TableQuery(List.of(source), rows, offset);
  }

  /** What {@link #after} hands on is shown as its query's own. */
  @Override
  public List<SelectItem> shown() {
    Query first = from.get(0).query();
    boolean isHandedOn =
        offset > 0
            && first instanceof FlowQuery flows
            && equals(after(offset, flows.withLimit(clauses.limit())));
    return isHandedOn ? first.shown() : select();
  }

  /**
   * The result of a query, by a name (null: the only one); {@code on} is empty for the first, and
   * if each of its rows is joined with each earlier one.
   *
   * @param isLeft whether earlier rows without a match stay, with NULL in its columns
   */
  public record Source(@Nullable String name, Query query, boolean isLeft, List<Equality> on) {
    public Source {
      on = List.copyOf(on);
    }

    boolean hasNameOfRelation() {
      return query instanceof Relation relation && relation.name().equals(name);
    }
  }

  /**
   * Of an earlier and of the joined source.
   *
   * @param matchesNulls whether NULL is the same as NULL; else it is in no joined row
   */
  public record Equality(Named before, Named own, boolean matchesNulls) {}

  /**
   * A table that is there without a query, by its name.
   *
   * @param columns without the name of a table
   * @param keys the columns that tell its rows apart
   * @param of the query whose result it has, maybe with other columns, if its approximate values
   *     count as those of this query
   */
  public record Relation(String name, List<Named> columns, Set<String> keys, Optional<Query> of)
      implements Clauseless {
    public Relation {
      columns = List.copyOf(columns);
      keys = Set.copyOf(keys);
    }

    @Override
    public List<SelectItem> select() {
      return columns.stream().map(column -> new SelectItem(column.name(), column)).toList();
    }

    @Override
    public List<Query> parts() {
      return List.of();
    }

    @Override
    public Clauseless with(List<Query> others) {
      return this;
    }

    @Override
    public boolean isKey(int item) {
      return keys.contains(columns.get(item).name());
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** The rows of several queries one after the other: {@code UNION ALL}. */
  public record Union(List<Query> parts) implements Clauseless {
    public Union {
      parts = List.copyOf(parts);
    }

    @Override
    public List<SelectItem> select() {
      return Unions.columns(parts);
    }

    @Override
    public Clauseless with(List<Query> others) {
      return new Union(others);
    }

    @Override
    public boolean isKey(int item) {
      return Unions.isKey(parts, item);
    }

    @Override
    public String toString() {
      return parts.stream().map(Query::toString).collect(Collectors.joining(" UNION ALL "));
    }
  }

  /** What may stand after FROM beside a SELECT. */
  public sealed interface Clauseless extends Query permits Relation, Union {
    List<Query> parts();

    Clauseless with(List<Query> others);

    @Override
    default @Nullable Expression having() {
      return null;
    }

    @Override
    default @Nullable LimitBy limitBy() {
      return null;
    }

    @Override
    default long limit() {
      return -1;
    }

    @Override
    default boolean isAggregated() {
      return false;
    }

    @Override
    default Set<String> parameters() {
      Set<String> names = new TreeSet<>();
      parts().forEach(part -> names.addAll(part.parameters()));
      return names;
    }

    @Override
    default Query bind(Parameters parameters) {
      return with(parts().stream().map(part -> part.bind(parameters)).toList());
    }

    @Override
    default Query enriched(Enrichment enrichment) {
      return with(parts().stream().map(part -> part.enriched(enrichment)).toList());
    }

    @Override
    default void addLeaves(Set<FlowQuery> leaves) {
      parts().forEach(part -> part.addLeaves(leaves));
    }
  }

  @Override
  public List<SelectItem> select() {
    return clauses.select();
  }

  @Override
  public @Nullable Expression having() {
    return clauses.having();
  }

  @Override
  public @Nullable LimitBy limitBy() {
    return clauses.limitBy();
  }

  @Override
  public long limit() {
    return clauses.limit();
  }

  @Override
  public boolean isAggregated() {
    return clauses.isAggregated();
  }

  @Override
  public Set<String> parameters() {
    Set<String> names = new TreeSet<>(clauses.parameters());
    from.forEach(source -> names.addAll(source.query().parameters()));
    return names;
  }

  @Override
  public TableQuery bind(Parameters parameters) {
    return Binder.bind(this, parameters);
  }

  @Override
  public TableQuery enriched(Enrichment enrichment) {
    return new TableQuery(
        from.stream()
            .map(
                source ->
                    new Source(
                        source.name(),
                        source.query().enriched(enrichment),
                        source.isLeft(),
                        source.on()))
            .toList(),
        clauses.enriched(enrichment),
        offset);
  }

  @Override
  public boolean isKey(int item) {
    Expression what = select().get(item).what();
    boolean[] isKey = {true};
    boolean[] hasColumn = {false};
    Binder.walk(
        what,
        part -> {
          if (part instanceof Named column) {
            hasColumn[0] = true;
            isKey[0] &= isAggregated() || isKey(column);
          }
        });
    return hasColumn[0] && isKey[0] && !ExpressionParts.hasAggregate(what);
  }

  private boolean isKey(Named column) {
    for (Source source : from) {
      List<Named> columns = source.query().columns(source.name());
      int place = columns.indexOf(column);
      if (place >= 0) {
        return source.query().isKey(place);
      }
    }
    throw new IllegalStateException("no source has " + column);
  }

  @Override
  public void addLeaves(Set<FlowQuery> leaves) {
    from.forEach(source -> source.query().addLeaves(leaves));
    for (InQuery in : clauses.inQueries()) {
      in.query().addLeaves(leaves);
    }
  }

  public Set<Named> columnsRead() {
    Set<Named> read = new HashSet<>();
    Binder.walk(
        clauses,
        part -> {
          if (part instanceof Named column) {
            read.add(column);
          }
        });
    return read;
  }

  @Override
  public String toString() {
    return SqlText.of(this);
  }

  /** The columns of {@code UNION ALL}: names of the first query, kinds of all. */
  public static final class Unions {
    private Unions() {}

    /** With the names of the first; {@link TypeException} if their kinds differ. */
    static List<SelectItem> columns(List<Query> parts) {
      List<SelectItem> columns = new ArrayList<>();
      for (int c = 0; c < parts.get(0).select().size(); c++) {
        columns.add(new SelectItem(parts.get(0).select().get(c).name(), column(parts, c)));
      }
      return List.copyOf(columns);
    }

    private static Named column(List<Query> parts, int place) {
      String name = parts.get(0).select().get(place).name();
      ValueKind kind = null;
      boolean isWide = false;
      CodeNames codes = null;
      StateType states = null;
      boolean isList = true;
      boolean isFirst = true;
      for (Query part : parts) {
        SelectItem item = part.select().get(place);
        if (isNull(item)) {
          continue;
        }
        Named own = part.columns(null).get(place);
        kind = kind(name, kind, own.kind(), item.what());
        isWide |= own.isWide();
        isList &= own.isList();
        codes = isFirst || own.codeNames() == codes ? own.codeNames() : null;
        StateType type = own.states();
        boolean isSame = isFirst || (type != null && states != null && type.mergesWith(states));
        states = isSame ? type : null;
        isFirst = false;
      }
      ValueKind known = isFirst ? ValueKind.TEXT : kind;
      return new Named(
          null,
          name,
          known,
          isWide && known != ValueKind.DOUBLE,
          codes,
          states,
          isList && !isFirst);
    }

    private static @Nullable ValueKind kind(
        String name, @Nullable ValueKind before, @Nullable ValueKind next, Expression what) {
      if (before == null || next == null || before == next) {
        return before == null ? next : before;
      } else if (before.isNumber() && next.isNumber()) {
        return ValueKind.DOUBLE;
      }
      throw new TypeException(
          "UNION ALL puts columns below one another: expected "
              + Typing.a(before)
              + " as "
              + name
              + ", found "
              + Typing.a(next),
          what);
    }

    private static boolean isNull(SelectItem item) {
      return item.what() instanceof Expression.Literal literal && literal.value().isNull();
    }

    /**
     * Whether it tells rows apart: a key or a constant in each query, and not the same constant in
     * all.
     */
    static boolean isKey(List<Query> parts, int item) {
      Set<Expression> constants = new HashSet<>();
      boolean hasKey = false;
      for (Query part : parts) {
        Expression what = part.select().get(item).what();
        if (what instanceof Expression.Literal) {
          constants.add(what);
        } else if (part.isKey(item)) {
          hasKey = true;
        } else {
          return false;
        }
      }
      return hasKey || constants.size() > 1;
    }

    /** The error if queries cannot be put below one another, else null. */
    public static @Nullable String fault(List<Query> parts) {
      int expected = parts.get(0).select().size();
      int found = parts.get(parts.size() - 1).select().size();
      if (expected != found) {
        return String.format(
            "UNION ALL puts columns below one another: expected %s columns, found %s",
            expected, found);
      }
      try {
        var unused = columns(parts);
        return null;
      } catch (TypeException e) {
        return e.getMessage();
      }
    }
  }
}
