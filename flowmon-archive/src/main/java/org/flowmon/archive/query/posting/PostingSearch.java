package org.flowmon.archive.query.posting;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.query.filter.DictionaryRows;
import org.flowmon.archive.query.filter.ExactAddresses;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.query.plan.RowRanges;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.set.AddressRanges;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.vector.Vector;

/**
 * Finds the rows of a segment that a query may keep through the sidecar's postings, if that is
 * cheaper than scanning all rows within the query's times. Costs are in units of a scanned row.
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
  private final Runnable check; // runs now and then, and may throw to end it
  private final RowRanges ranges;

  private PostingSearch(SegmentIndex index, RowRanges ranges, Runnable check) {
    this.check = check;
    this.index = index;
    this.ranges = ranges;
  }

  /** Values of one column, as ids {@code from … to − 1} of its dictionary. */
  private record Ids(FlowColumn column, int from, int to) {}

  /**
   * Rows that one condition leaves: the union of some posting lists.
   *
   * @param column of the condition, null if it is on several
   */
  private record Term(List<Ids> ids, long cost, FlowColumn column) {}

  /**
   * Rows that may satisfy some constraints.
   *
   * @param columns whose values are within the constraints in all of the rows
   */
  public record Found(RowSet rows, Set<FlowColumn> columns) {}

  /** Whether postings of these columns can restrict the rows that the filter may keep. */
  public static boolean isIndexable(Filter filter, Set<FlowColumn> indexed) {
    return isIndexable(filter.constraints(), indexed)
        || indexed.stream().anyMatch(c -> c.type() == ColumnType.TEXT && filter.isOn(c));
  }

  /** Whether postings of these columns can restrict the rows that satisfy the constraints. */
  public static boolean isIndexable(Constraints constraints, Set<FlowColumn> indexed) {
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

  /** Whether postings of these columns determine the rows with the addresses. */
  public static boolean isIndexable(List<List<ExactAddresses>> terms, Set<FlowColumn> indexed) {
    return terms.stream()
        .allMatch(members -> members.stream().allMatch(m -> indexed.contains(m.column())));
  }

  /**
   * The rows within the ranges that satisfy some of the constraints.
   *
   * @return null if a scan of the ranges is cheaper
   * @throws org.flowmon.archive.region.SegmentCorruptException if the sidecar is damaged
   */
  public static Found rows(
      SegmentIndex index, SegmentReader segment, Filter filter, RowRanges ranges, Runnable check) {
    return new PostingSearch(index, ranges, check).rows(segment, filter);
  }

  /**
   * Estimates the rows within the ranges that satisfy the constraints, as far as postings tell:
   * rather too many than too few.
   *
   * @param segmentRows rows of the segment
   * @throws org.flowmon.archive.region.SegmentCorruptException if the sidecar is damaged
   */
  public static long estimate(
      SegmentIndex index,
      Constraints constraints,
      RowRanges ranges,
      int segmentRows,
      Runnable check) {
    PostingSearch plan = new PostingSearch(index, ranges, check);
    List<Term> terms = new ArrayList<>(plan.columns(constraints, segmentRows));
    for (List<Constraints> members : constraints.alternatives()) {
      Term term = plan.alternatives(members, segmentRows);
      if (term != null) {
        terms.add(term);
      }
    }
    long least = terms.stream().mapToLong(Term::cost).min().orElse(segmentRows);
    return (long) ((double) Math.min(least, segmentRows) * ranges.total() / segmentRows);
  }

  /**
   * The exact rows within the ranges that have one of the addresses of each term.
   *
   * @return null if a scan of the ranges is cheaper, or a column is not indexed
   * @throws org.flowmon.archive.region.SegmentCorruptException if the sidecar is damaged
   */
  public static RowSet exactRows(
      SegmentIndex index, List<List<ExactAddresses>> terms, RowRanges ranges, Runnable check) {
    return new PostingSearch(index, ranges, check).exactRows(terms);
  }

  private RowSet exactRows(List<List<ExactAddresses>> conditions) {
    long budget = ranges.total() / ADVANTAGE;
    List<Term> terms = new ArrayList<>();
    for (List<ExactAddresses> members : conditions) {
      List<Ids> ids = new ArrayList<>();
      for (ExactAddresses member : members) {
        if (!index.isIndexed(member.column())) {
          return null;
        }
        ids.addAll(addressIds(member.column(), member.ranges()));
      }
      long cost = cost(ids, budget);
      if (cost > budget) {
        return null;
      }
      terms.add(new Term(ids, cost, null));
    }
    terms.sort(Comparator.comparingLong(Term::cost));
    RowSet rows = collect(terms.get(0));
    for (Term term : terms.subList(1, terms.size())) {
      rows = rows.isEmpty() ? rows : rows.and(collect(term));
    }
    return rows;
  }

  private Found rows(SegmentReader segment, Filter filter) {
    Constraints constraints = filter.constraints();
    long budget = ranges.total() / ADVANTAGE;
    List<Term> terms = new ArrayList<>(columns(constraints, budget));
    for (FlowColumn column : FlowColumn.all()) {
      if (column.type() == ColumnType.TEXT && index.isIndexed(column) && filter.isOn(column)) {
        List<Ids> ids = textIds(segment, column, filter.on(column), budget);
        long cost = ids == null ? Long.MAX_VALUE : cost(ids, budget);
        if (cost <= budget) {
          terms.add(new Term(ids, cost, null));
        }
      }
    }
    for (List<Constraints> members : constraints.alternatives()) {
      Term term = alternatives(members, budget);
      if (term != null) {
        terms.add(term);
      }
    }
    if (terms.isEmpty()) {
      return null;
    }
    terms.sort(Comparator.comparingLong(Term::cost));
    RowSet rows = collect(terms.get(0));
    Set<FlowColumn> applied = EnumSet.noneOf(FlowColumn.class);
    note(terms.get(0), applied);
    for (Term term : terms.subList(1, terms.size())) {
      if (term.cost() > (long) REFINEMENT * rows.size()) {
        break;
      }
      rows = rows.and(collect(term));
      note(term, applied);
    }
    return new Found(rows, applied);
  }

  private static void note(Term term, Set<FlowColumn> applied) {
    if (term.column() != null) {
      applied.add(term.column());
    }
  }

  /** A term for each column that is indexed, constrained, and cheap enough. */
  private List<Term> columns(Constraints constraints, long budget) {
    List<Term> terms = new ArrayList<>();
    for (FlowColumn column : FlowColumn.all()) {
      if (!index.isIndexed(column) || column.type() == ColumnType.TEXT) {
        continue;
      }
      List<Ids> ids = ids(constraints, column);
      long cost = ids == null ? Long.MAX_VALUE : cost(ids, budget);
      if (cost <= budget) {
        terms.add(new Term(ids, cost, column));
      }
    }
    return terms;
  }

  /** The union of the cheapest column of each member; null if a member has none. */
  private Term alternatives(List<Constraints> members, long budget) {
    List<Ids> union = new ArrayList<>();
    long cost = 0;
    for (Constraints member : members) {
      if (member.isImpossible()) {
        continue;
      }
      Term cheapest =
          columns(member, budget - cost).stream()
              .min(Comparator.comparingLong(Term::cost))
              .orElse(null);
      if (cheapest == null) {
        return null;
      }
      union.addAll(cheapest.ids());
      cost += cheapest.cost();
    }
    return new Term(union, cost, null);
  }

  /** The ids of a column's values within the constraints, null if it is not constrained. */
  private List<Ids> ids(Constraints constraints, FlowColumn column) {
    if (column.type() == ColumnType.ADDRESS) {
      AddressRanges addresses = constraints.addresses(column);
      return addresses == null ? null : addressIds(column, addresses);
    }
    LongRanges longs = constraints.longs(column);
    return longs == null ? null : longIds(column, longs);
  }

  private List<Ids> addressIds(FlowColumn column, AddressRanges addresses) {
    List<Ids> ids = new ArrayList<>();
    for (AddressIds some : AddressIds.of(index, column, addresses)) {
      ids.add(new Ids(column, some.from(), some.to()));
    }
    return ids;
  }

  /**
   * The ids of the texts that pass all terms on their column, each decided once. Null if there are
   * too many texts for that, or if NULL, which is in no list, passes too.
   */
  private List<Ids> textIds(
      SegmentReader segment, FlowColumn column, CompiledPredicate terms, long budget) {
    int size = index.dictionarySize(column);
    int[] passed = new int[Vector.CAPACITY];
    DictionaryRows none = new DictionaryRows(segment, null, new int[1], 1);
    if (size > budget
        || segment.dictionarySize(column) != size
        || terms.select(none, 0, 1, passed) > 0) {
      return null;
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
    return ids;
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

  /** The cost of reading the posting lists; if it exceeds the budget, any number above it. */
  private long cost(List<Ids> ids, long budget) {
    long cost = 0;
    for (Ids some : ids) {
      for (int id = some.from(); id < some.to() && cost <= budget; id++) {
        checkAt(id);
        cost += LIST_COST + index.count(some.column(), id);
      }
    }
    return cost;
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
