package org.flowmon.archive.query.scan;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.query.filter.AdmittedRows;
import org.flowmon.archive.query.filter.DictionaryFilter;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.plan.DayRemainder;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.archive.query.plan.RowRanges;
import org.flowmon.archive.query.posting.PostingSearch;
import org.flowmon.archive.query.rollup.CellCollector;
import org.flowmon.archive.query.rollup.CellGrouping;
import org.flowmon.archive.query.rollup.SegmentCells;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.SelectedRows;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.vector.Vector;

/**
 * Runs one query over segments, one after the other: finds the rows that it may keep by time, then
 * by postings or dictionaries, evaluates the filter on them and collects the kept ones. Not
 * thread-safe.
 */
public final class SegmentScan {
  // With fewer rows within its times, neither the sidecar nor a dictionary is worth reading.
  private static final int FEW_ROWS = 2048;
  // If a filter keeps less than one row of so many, the kept ones are read one by one.
  private static final int SPARSE = 4;
  // Maximum number of open segments whose rollups are read together: a process maps only so many
  // files.
  public static final int MAX_WAITING = 256;

  private final Filter filter;
  private final Filter filterAsOf;
  private final long asOf;
  private final RollupRule rollups;
  private final IdentityHashMap<DayRemainder, Filter> ofRests = new IdentityHashMap<>();
  private final RowCollector collector;
  private final Deadline deadline;
  private final int[] rows = new int[Vector.CAPACITY];
  private final int[] selection = new int[Vector.CAPACITY];
  private final int[] identity = new int[Vector.CAPACITY];

  private int segmentsRead;
  private int segmentsByIndex;
  private int segmentsByRollup;
  private CellCollector atOnce;
  private final List<SegmentCells> cells = new ArrayList<>();
  private long rowsExamined;
  private long rowsMatched;
  private long valuesDecided;
  private final Set<String> warnings = new LinkedHashSet<>();

  /**
   * An empty scan.
   *
   * @param filter for a segment all of whose rows had arrived by {@code asOf}
   * @param filterAsOf for any other, which also keeps out later arrivals
   * @param rollups how rollups may answer, null if only rows do
   */
  public SegmentScan(
      Filter filter,
      Filter filterAsOf,
      long asOf,
      RollupRule rollups,
      RowCollector collector,
      Deadline deadline) {
    this.filter = filter;
    this.filterAsOf = filterAsOf;
    this.asOf = asOf;
    this.rollups = rollups;
    this.collector = collector;
    this.deadline = deadline;
    for (int i = 0; i < identity.length; i++) {
      identity[i] = i;
    }
  }

  public int segmentsRead() {
    return segmentsRead;
  }

  public int segmentsByIndex() {
    return segmentsByIndex;
  }

  public long rowsExamined() {
    return rowsExamined;
  }

  public long rowsMatched() {
    return rowsMatched;
  }

  /** Number of dictionary values on which terms of the filter were evaluated. */
  long valuesDecided() {
    return valuesDecided;
  }

  public Set<String> warnings() {
    return warnings;
  }

  public RowCollector collector() {
    return collector;
  }

  public int segmentsByRollup() {
    return segmentsByRollup;
  }

  /** Number of cells that are in groups already. */
  public long cellsRead() {
    return atOnce == null ? 0 : atOnce.cells();
  }

  /** Cells that are still to be added to the groups. */
  public List<SegmentCells> cells() {
    return cells;
  }

  /**
   * Runs the query over a piece of a segment.
   *
   * @param rest the segment's remainder of the query, if all of its rows had arrived by {@code
   *     asOf}; null for the whole query
   * @return whether it took the lease over, because rollups of the segment are still to be read
   */
  public boolean run(SegmentLease lease, SegmentPiece piece, DayRemainder rest) {
    SegmentReader segment = lease.rows();
    boolean arrived = segment.sealed().arrival().max() <= asOf;
    Filter applied = rest != null ? filterOf(rest) : arrived ? filter : filterAsOf;
    Constraints constraints = applied.constraints();
    RowRanges ranges = RowRanges.asked(lease, constraints);
    if (ranges.total() == 0) {
      return false;
    }
    segmentsRead += piece.isFirst() ? 1 : 0;
    RollupRule rule = rest != null ? rest.rule() : rollups;
    SegmentCells sums = arrived ? sums(rule, lease, constraints, ranges) : null;
    if (sums == null) {
      boolean byIndex = readRows(lease, applied, ranges, piece);
      segmentsByIndex += byIndex && piece.isFirst() ? 1 : 0;
      return false;
    }
    segmentsByRollup++;
    if (sums.rest().total() > 0) {
      segmentsByIndex += readRows(lease, applied, sums.rest(), piece) ? 1 : 0;
    }
    if (cells.size() < MAX_WAITING) {
      cells.add(sums);
      return true;
    }
    if (atOnce == null) {
      atOnce = new CellCollector(rollups, deadline);
    }
    CellGrouping.addAll(atOnce, sums, collector.groups(0));
    return false;
  }

  private Filter filterOf(DayRemainder rest) {
    return ofRests.computeIfAbsent(rest, r -> Filter.of(r.where()));
  }

  /** The cells that answer for the segment's rows; null if there are none, or rows are cheaper. */
  private SegmentCells sums(
      RollupRule rule, SegmentLease lease, Constraints constraints, RowRanges ranges) {
    if (rule == null || ranges.total() < FEW_ROWS) {
      return null;
    }
    SegmentIndex index = lease.index();
    if (index == null) {
      warnings.add(lease.readInstead(lease.indexProblem()));
      return null;
    }
    if (lease.rollupProblem() == null) {
      try {
        return SegmentCells.plan(rule, lease, index, constraints, ranges);
      } catch (SegmentCorruptException e) {
        lease.rollupFailed(String.valueOf(e.getMessage()));
      }
    }
    warnings.add(lease.readInstead(lease.rollupProblem()));
    return null;
  }

  /**
   * Reads a piece of the rows.
   *
   * @return whether postings found them
   */
  private boolean readRows(
      SegmentLease lease, Filter applied, RowRanges ranges, SegmentPiece piece) {
    SegmentReader segment = lease.rows();
    collector.begin(segment);
    boolean few = ranges.total() < FEW_ROWS;
    RowSet exact = few ? null : piece.findings().exact(() -> exactPostings(lease, applied, ranges));
    if (exact != null) {
      gather(segment, null, null, piece.share(exact));
      return true;
    }
    PostingSearch.Found found =
        few ? null : piece.findings().found(() -> postings(lease, applied, ranges));
    long rowsLeft = found == null ? ranges.total() : found.rows().size();
    DictionaryFilter decided =
        few || rowsLeft < FEW_ROWS
            ? null
            : piece.findings().dictionary(() -> decide(segment, applied, found, rowsLeft));
    if (decided != null && decided.isEmpty()) {
      return found != null;
    }
    AdmittedRows admitted = decided == null ? null : new AdmittedRows(segment, decided, applied);
    if (found != null) {
      CompiledPredicate left = admitted == null ? applied.predicate() : admitted.rest();
      gather(segment, left, admitted, piece.share(found.rows()));
      return true;
    }
    AdmittedRows narrowing = admitted != null && admitted.narrows() ? admitted : null;
    RowRanges mine = piece.share(ranges);
    for (int i = 0; i < mine.count() && !collector.isComplete(); i++) {
      scan(segment, applied, narrowing, mine.from(i), mine.to(i));
    }
    return false;
  }

  /** The dictionaries' decisions on the remaining rows. */
  private DictionaryFilter decide(
      SegmentReader segment, Filter applied, PostingSearch.Found found, long rowsLeft) {
    DictionaryFilter decided =
        DictionaryFilter.of(
            segment,
            applied,
            applied.decidesTimes(segment),
            found == null ? Set.of() : found.columns(),
            rowsLeft,
            deadline::check);
    valuesDecided += decided.valuesDecided();
    return decided;
  }

  /** The rows that pass the filter, if the sidecar alone can tell; else null. */
  private RowSet exactPostings(SegmentLease lease, Filter applied, RowRanges ranges) {
    if (applied.addresses() == null
        || !PostingSearch.isIndexable(applied.addresses(), lease.rows().indexed())
        || (applied.hasTimes() && !applied.decidesTimes(lease.rows()))) {
      return null;
    }
    SegmentIndex index = lease.index();
    try {
      return index == null
          ? null
          : PostingSearch.exactRows(index, applied.addresses(), ranges, deadline::check);
    } catch (SegmentCorruptException e) {
      lease.indexFailed(String.valueOf(e.getMessage()));
      return null;
    }
  }

  /** The rows by the sidecar; null if a scan is cheaper, or only a scan is possible. */
  private PostingSearch.Found postings(SegmentLease lease, Filter applied, RowRanges ranges) {
    // A sidecar may be remote: its indexed columns are known without it.
    if (!PostingSearch.isIndexable(applied, lease.rows().indexed())) {
      return null;
    }
    SegmentIndex index = lease.index();
    if (index != null) {
      try {
        return PostingSearch.rows(index, lease.rows(), applied, ranges, deadline::check);
      } catch (SegmentCorruptException e) {
        lease.indexFailed(String.valueOf(e.getMessage()));
      }
    }
    warnings.add(lease.readInstead(lease.indexProblem()));
    return null;
  }

  /**
   * Collects rows.
   *
   * @param left the condition that they still have to pass, null for none
   * @param dictionary leaves out rows first, null for none
   */
  private void gather(
      SegmentReader segment, CompiledPredicate left, AdmittedRows dictionary, RowSet found) {
    if (left == null && dictionary == null) {
      collector.expect(found.size());
    }
    SelectedRows selected = new SelectedRows(segment);
    RowSet.Cursor cursor = found.cursor();
    for (int n = cursor.next(rows); n > 0 && !collector.isComplete(); n = cursor.next(rows)) {
      deadline.check();
      int admitted = dictionary == null ? n : dictionary.narrow(rows, n);
      deadline.read(n - admitted);
      rowsExamined += n - admitted;
      if (left != null) {
        filterSelected(selected, left, admitted);
        continue;
      }
      deadline.read(admitted);
      rowsExamined += admitted;
      rowsMatched += admitted;
      if (admitted > 0) {
        collector.add(selected.select(rows, admitted), 0, identity, admitted);
      }
    }
  }

  /** Filters and collects the first n of {@link #rows}. */
  private void filterSelected(SelectedRows selected, CompiledPredicate predicate, int n) {
    deadline.read(n);
    selected.select(rows, n);
    int kept = predicate.select(selected, 0, n, selection);
    rowsExamined += n;
    rowsMatched += kept;
    if (kept * SPARSE >= n) {
      collector.add(selected, 0, selection, kept);
    } else if (kept > 0) {
      for (int i = 0; i < kept; i++) {
        rows[i] = rows[selection[i]];
      }
      collector.add(selected.select(rows, kept), 0, identity, kept);
    }
  }

  /** Collects the first n of {@link #rows}, which pass the filter, out of those from {@code at}. */
  private void take(SegmentReader segment, SelectedRows selected, int at, int count, int n) {
    deadline.read(count);
    rowsExamined += count;
    rowsMatched += n;
    if (n * SPARSE < count) {
      if (n > 0) {
        collector.add(selected.select(rows, n), 0, identity, n);
      }
      return;
    }
    for (int i = 0; i < n; i++) {
      selection[i] = rows[i] - at;
    }
    collector.add(segment, at, selection, n);
  }

  private void scan(
      SegmentReader segment, Filter applied, AdmittedRows dictionary, int from, int to) {
    SelectedRows selected = new SelectedRows(segment);
    for (int at = from; at < to && !collector.isComplete(); at += Vector.CAPACITY) {
      deadline.check();
      int count = Math.min(Vector.CAPACITY, to - at);
      int n = dictionary == null ? count : dictionary.select(at, count, rows);
      if (dictionary != null && dictionary.rest() == null) {
        take(segment, selected, at, count, n);
        continue;
      }
      if (n * SPARSE < count) {
        deadline.read(count - n);
        rowsExamined += count - n;
        if (n > 0) {
          filterSelected(selected, dictionary.rest(), n);
        }
        continue;
      }
      deadline.read(count);
      int kept = applied.predicate().select(segment, at, count, selection);
      rowsExamined += count;
      rowsMatched += kept;
      if (kept * SPARSE >= count) {
        collector.add(segment, at, selection, kept);
      } else if (kept > 0) {
        for (int i = 0; i < kept; i++) {
          rows[i] = at + selection[i];
        }
        collector.add(selected.select(rows, kept), 0, identity, kept);
      }
    }
  }
}
