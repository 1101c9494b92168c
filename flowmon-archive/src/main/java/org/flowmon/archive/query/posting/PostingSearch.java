package org.flowmon.archive.query.posting;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.query.filter.DictionaryRows;
import org.flowmon.archive.query.filter.ExactAddresses;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.query.plan.RowRanges;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.set.AddressRanges;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.vector.Vector;

/**
 * Finds rows that a query may keep by a sidecar's postings, if that is cheaper than scanning all
 * rows within the query's times; costs are in scanned rows. Every search throws {@link
 * org.flowmon.archive.region.SegmentCorruptException} if the sidecar is damaged.
 */
public final class PostingSearch {
  // Lists between two calls of the check.
  private static final int CHECKED = 1 << 9;

  // Finding and opening one posting list costs about as much as scanning so many rows.
  public static final int LIST_COST = 32;
  // A row from a posting list costs about twice as much as a scanned row.
  private static final int ADVANTAGE = 2;
  // The filter on a remaining row costs so many times as much as a row from a posting list.
  private static final int REFINEMENT = 4;

  private final SegmentIndex index;
  private final RowRanges ranges;
  private final Runnable check;

  /** {@code check} runs now and then, and may throw to end the search. */
  public PostingSearch(SegmentIndex index, RowRanges ranges, Runnable check) {
    this.index = index;
    this.ranges = ranges;
    this.check = check;
  }

  /** Values of one column, as ids {@code from … to − 1} of its dictionary. */
  private record Ids(FlowColumn column, int from, int to) {}

  /** Rows that the posting lists of one condition leave; {@code column} is empty if on several. */
  private record Term(List<Ids> ids, long cost, Optional<FlowColumn> column) {}

  /**
   * Rows that may pass the filter.
   *
   * @param exact whether all of them pass it
   * @param columns whose values are within the filter's constraints in all of the rows
   */
  public record Found(RowSet rows, boolean exact, Set<FlowColumn> columns) {}

  /** Whether postings of these columns can restrict the rows that the filter may keep. */
  public static boolean isIndexable(Filter filter, Set<FlowColumn> indexed) {
    return isIndexable(filter.constraints(), indexed)
        || isExact(filter, indexed)
        || indexed.stream().anyMatch(c -> c.type() == ColumnType.TEXT && filter.isOn(c));
  }

  private static boolean isIndexable(Constraints constraints, Set<FlowColumn> indexed) {
    return isOnAny(constraints, indexed)
        || constraints.alternatives().stream()
            .anyMatch(
                members ->
                    members.stream()
                        .allMatch(member -> member.isImpossible() || isOnAny(member, indexed)));
  }

  private static boolean isOnAny(Constraints constraints, Set<FlowColumn> columns) {
    return columns.stream()
        .anyMatch(c -> constraints.longs(c) != null || constraints.addresses(c) != null);
  }

  /** Whether postings of these columns decide all terms of the filter but those on times. */
  private static boolean isExact(Filter filter, Set<FlowColumn> indexed) {
    return !filter.addresses().isEmpty()
        && filter.addresses().stream()
            .allMatch(members -> members.stream().allMatch(m -> indexed.contains(m.column())));
  }

  /** Rather too many rows than too few of {@code within}, those within the query's times. */
  public static long estimate(
      SegmentLease lease, Constraints constraints, RowRanges within, Runnable check) {
    SegmentReader segment = lease.rows();
    boolean useful = within.total() > 0 && isIndexable(constraints, segment.indexed());
    SegmentIndex index = useful ? lease.index() : null;
    if (index == null) {
      return within.total();
    }
    try {
      return new PostingSearch(index, within, check).estimate(constraints, segment.rows());
    } catch (SegmentCorruptException e) {
      return within.total(); // reading rows finds the damage again, and reports it
    }
  }

  private long estimate(Constraints constraints, int rows) {
    long least =
        terms(constraints, rows).stream().mapToLong(Term::cost).min().orElse(Long.MAX_VALUE);
    return (long) ((double) Math.min(least, rows) * ranges.total() / rows);
  }

  /** Empty if a scan of the ranges is cheaper. */
  public Optional<Found> find(SegmentReader segment, Filter filter) {
    long budget = ranges.total() / ADVANTAGE;
    if (isExact(filter, segment.indexed())
        && (!filter.hasTimes() || filter.decidesTimes(segment))) {
      Optional<List<Term>> terms = exactTerms(filter, budget);
      if (terms.isPresent()) {
        return Optional.of(new Found(collectAll(terms.get()), true, Set.of()));
      }
    }
    List<Term> terms = terms(filter.constraints(), budget);
    for (FlowColumn column : FlowColumn.all()) {
      if (column.type() == ColumnType.TEXT && index.isIndexed(column) && filter.isOn(column)) {
        textIds(segment, column, filter.on(column), budget)
            .flatMap(ids -> term(ids, budget, Optional.empty()))
            .ifPresent(terms::add);
      }
    }
    return terms.isEmpty() ? Optional.empty() : Optional.of(collect(terms));
  }

  /** Empty if a term's lists are missing or cost too much. */
  private Optional<List<Term>> exactTerms(Filter filter, long budget) {
    List<Term> terms = new ArrayList<>();
    for (List<ExactAddresses> members : filter.addresses()) {
      List<Ids> ids = new ArrayList<>();
      for (ExactAddresses member : members) {
        if (!index.isIndexed(member.column())) {
          return Optional.empty();
        }
        ids.addAll(addressIds(member.column(), member.ranges()));
      }
      Optional<Term> term = term(ids, budget, Optional.empty());
      if (term.isEmpty()) {
        return Optional.empty();
      }
      terms.add(term.get());
    }
    return Optional.of(terms);
  }

  private RowSet collectAll(List<Term> terms) {
    terms.sort(Comparator.comparingLong(Term::cost));
    RowSet rows = collect(terms.get(0));
    for (Term term : terms.subList(1, terms.size())) {
      rows = rows.isEmpty() ? rows : rows.and(collect(term));
    }
    return rows;
  }

  private Found collect(List<Term> terms) {
    terms.sort(Comparator.comparingLong(Term::cost));
    RowSet rows = collect(terms.get(0));
    Set<FlowColumn> applied = new TreeSet<>();
    terms.get(0).column().ifPresent(applied::add);
    for (Term term : terms.subList(1, terms.size())) {
      if (term.cost() > (long) REFINEMENT * rows.size()) {
        break;
      }
      rows = rows.and(collect(term));
      term.column().ifPresent(applied::add);
    }
    return new Found(rows, false, applied);
  }

  private List<Term> terms(Constraints constraints, long budget) {
    List<Term> terms = columns(constraints, budget);
    for (List<Constraints> members : constraints.alternatives()) {
      alternatives(members, budget).ifPresent(terms::add);
    }
    return terms;
  }

  private List<Term> columns(Constraints constraints, long budget) {
    List<Term> terms = new ArrayList<>();
    for (FlowColumn column : FlowColumn.all()) {
      if (index.isIndexed(column) && column.type() != ColumnType.TEXT) {
        ids(constraints, column)
            .flatMap(ids -> term(ids, budget, Optional.of(column)))
            .ifPresent(terms::add);
      }
    }
    return terms;
  }

  /** The union of the cheapest column of each member; empty if a member has none. */
  private Optional<Term> alternatives(List<Constraints> members, long budget) {
    List<Ids> union = new ArrayList<>();
    long cost = 0;
    for (Constraints member : members) {
      if (member.isImpossible()) {
        continue;
      }
      Optional<Term> cheapest =
          columns(member, budget - cost).stream().min(Comparator.comparingLong(Term::cost));
      if (cheapest.isEmpty()) {
        return Optional.empty();
      }
      union.addAll(cheapest.get().ids());
      cost += cheapest.get().cost();
    }
    return Optional.of(new Term(union, cost, Optional.empty()));
  }

  /** Empty if the column is not constrained. */
  private Optional<List<Ids>> ids(Constraints constraints, FlowColumn column) {
    if (column.type() == ColumnType.ADDRESS) {
      return Optional.ofNullable(constraints.addresses(column))
          .map(addresses -> addressIds(column, addresses));
    }
    return Optional.ofNullable(constraints.longs(column)).map(longs -> longIds(column, longs));
  }

  private List<Ids> addressIds(FlowColumn column, AddressRanges addresses) {
    List<Ids> ids = new ArrayList<>();
    for (AddressIds some : AddressIds.of(index, column, addresses)) {
      ids.add(new Ids(column, some.from(), some.to()));
    }
    return ids;
  }

  /**
   * The ids of texts that pass all terms on their column, each decided once. Empty if texts are too
   * many, or if NULL, which is in no list, passes too.
   */
  private Optional<List<Ids>> textIds(
      SegmentReader segment, FlowColumn column, CompiledPredicate terms, long budget) {
    int size = index.dictionarySize(column);
    int[] passed = new int[Vector.CAPACITY];
    if (size > budget
        || segment.dictionarySize(column) != size
        || terms.select(DictionaryRows.NULL, 0, 1, passed) > 0) {
      return Optional.empty();
    }
    int[] all = new int[size];
    Arrays.setAll(all, id -> id);
    DictionaryRows texts = new DictionaryRows(segment, column, all, size);
    List<Ids> ids = new ArrayList<>();
    for (int from = 0; from < size; from += Vector.CAPACITY) {
      check.run();
      int kept = terms.select(texts, from, Math.min(Vector.CAPACITY, size - from), passed);
      for (int i = 0; i < kept; i++) {
        ids.add(new Ids(column, from + passed[i], from + passed[i] + 1));
      }
    }
    return Optional.of(ids);
  }

  private List<Ids> longIds(FlowColumn column, LongRanges longs) {
    List<Ids> ids = new ArrayList<>();
    for (int i = 0; i < longs.count(); i++) {
      int from = index.lowerBound(column, longs.first(i));
      int to =
          longs.last(i) == Long.MAX_VALUE
              ? index.dictionarySize(column)
              : index.lowerBound(column, longs.last(i) + 1);
      if (from < to) {
        ids.add(new Ids(column, from, to));
      }
    }
    return ids;
  }

  /** Empty if reading the lists costs more than the budget. */
  private Optional<Term> term(List<Ids> ids, long budget, Optional<FlowColumn> column) {
    long cost = 0;
    for (Ids some : ids) {
      for (int id = some.from(); id < some.to() && cost <= budget; id++) {
        checkAt(id);
        cost += LIST_COST + index.count(some.column(), id);
      }
    }
    return cost > budget ? Optional.empty() : Optional.of(new Term(ids, cost, column));
  }

  private void checkAt(int id) {
    if (id % CHECKED == 0) {
      check.run();
    }
  }

  private RowSet collect(Term term) {
    check.run();
    PostingUnion rows = new PostingUnion(ranges);
    for (Ids ids : term.ids()) {
      for (int id = ids.from(); id < ids.to(); id++) {
        checkAt(id);
        rows.add(index.rows(ids.column(), id));
      }
    }
    return rows.toRowSet();
  }
}
