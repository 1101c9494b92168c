package org.flowmon.udaf.query;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.query.Expression.InQuery;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.value.Parameters;
import org.jspecify.annotations.Nullable;

/**
 * Over the results of others, each but the first joined with all before it; the clauses are as with
 * flows, but their columns are {@link Named} ones.
 */
public record TableQuery(List<Source> from, FlowQuery clauses) implements Query {
  public TableQuery {
    from = List.copyOf(from);
  }

  /**
   * The result of a query, by a name (null: the only one); {@code on} is empty for the first.
   *
   * @param isLeft whether earlier rows without a match stay, with NULL in its columns
   */
  public record Source(@Nullable String name, Query query, boolean isLeft, List<Equality> on) {
    public Source {
      on = List.copyOf(on);
    }
  }

  /** Not NULL in joined rows; of an earlier and of the joined source. */
  public record Equality(Named before, Named own) {}

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
        clauses.enriched(enrichment));
  }

  @Override
  public boolean isKey(int item) {
    Expression what = select().get(item).what();
    if (isAggregated()) {
      return !ExpressionParts.hasAggregate(what);
    }
    boolean[] isKey = {true};
    Binder.walk(
        what,
        part -> {
          if (part instanceof Named column) {
            isKey[0] &= isKey(column);
          }
        });
    return isKey[0];
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
}
