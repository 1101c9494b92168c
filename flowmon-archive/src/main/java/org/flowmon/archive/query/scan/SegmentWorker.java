package org.flowmon.archive.query.scan;

import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.query.filter.AdmittedRows;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.query.group.RowCollector;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.plan.DayRemainder;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.archive.query.plan.SegmentAccess;
import org.flowmon.archive.query.plan.SegmentAccesses;
import org.flowmon.archive.query.rollup.WaitingCells;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression;
import org.jspecify.annotations.Nullable;

/** Reads a query's pieces of segments: plans the path, runs its operator. For one thread. */
public final class SegmentWorker {
  private final Filter filter;
  private final Filter filterAsOf;
  private final long asOf;
  private final Optional<WaitingCells> cells;
  private final IdentityHashMap<DayRemainder, Filter> ofRests = new IdentityHashMap<>();
  private final RowCollector collector;
  private final RowFilter rows;
  private final ColumnBytes columns;
  private final AccessPlanner planner;
  private final SegmentAccesses accesses = new SegmentAccesses();
  private final Set<String> warnings = new LinkedHashSet<>();
  private boolean areTimesKnown = true;

  /**
   * {@code where} is null for none, {@code cells} is empty if only rows answer; {@code whereAsOf}
   * also keeps out rows that arrived after {@code asOf}.
   */
  public SegmentWorker(
      ColumnBytes columns,
      @Nullable Expression where,
      @Nullable Expression whereAsOf,
      long asOf,
      Optional<WaitingCells> cells,
      RowCollector collector,
      Deadline deadline) {
    this.filter = Filter.of(where);
    this.filterAsOf = where == whereAsOf ? filter : Filter.of(whereAsOf);
    this.asOf = asOf;
    this.cells = cells;
    this.collector = collector;
    this.rows = new RowFilter(collector, deadline);
    this.columns = columns;
    this.planner = new AccessPlanner(deadline, warnings);
  }

  public SegmentAccesses accesses() {
    return accesses;
  }

  /** The problems of sidecars, in whose place rows were read. */
  public Set<String> warnings() {
    return warnings;
  }

  public long rowsMatched() {
    return rows.matched();
  }

  public boolean areTimesKnown() {
    return areTimesKnown;
  }

  /**
   * Reads a piece, closes the lease unless cells wait, and returns the bytes read. {@code rest} is
   * present if day sums answer for a part, and all rows of the segment had arrived by {@code asOf}.
   */
  public long run(SegmentLease lease, SegmentPiece piece, Optional<DayRemainder> rest) {
    try {
      areTimesKnown &= lease.rows().nullCount(FlowColumn.END_TIME) == 0;
      boolean arrived = lease.rows().sealed().arrival().max() <= asOf;
      Filter applied = rest.map(this::filterOf).orElse(arrived ? filter : filterAsOf);
      Optional<RollupRule> rule =
          arrived
              ? rest.map(DayRemainder::rule).or(() -> cells.map(WaitingCells::rule))
              : Optional.empty();
      SegmentPath path = planner.plan(lease, applied, rule, piece.access());
      long bytes = read(lease, piece, applied, path);
      if (path instanceof SegmentPath.Cells some) {
        cells.orElseThrow().take(some.cells());
      } else {
        lease.close();
      }
      return bytes;
    } catch (RuntimeException | Error e) {
      close(lease, e);
      throw e;
    } finally {
      piece.access().pieceDone();
    }
  }

  /** Closes a lease that may be closed: if its file was cut, that explains the failure. */
  private static void close(SegmentLease lease, Throwable failure) {
    try {
      lease.close();
    } catch (RuntimeException e) {
      e.addSuppressed(failure);
      throw e;
    }
  }

  private Filter filterOf(DayRemainder rest) {
    return ofRests.computeIfAbsent(rest, r -> Filter.of(r.where()));
  }

  private long read(SegmentLease lease, SegmentPiece piece, Filter applied, SegmentPath path) {
    long examined = rows.examined();
    long matched = rows.matched();
    long planned = 0;
    long values = 0;
    long replaced = 0;
    if (path instanceof SegmentPath.Rows of) {
      read(lease.rows(), applied, piece, of.access());
      planned = piece.isFirst() ? of.access().rows() : 0;
      values = piece.isFirst() ? of.access().dictionary().valuesDecided() : 0;
    } else if (path instanceof SegmentPath.Cells of) {
      read(lease.rows(), applied, piece, of.edge());
      planned = of.edge().rows();
      values = of.edge().dictionary().valuesDecided();
      replaced = of.cells().cells();
    }
    long bytes = columns.of(lease.rows(), rows.examined() - examined, rows.matched() - matched);
    accesses.add(
        new SegmentAccess(
            lease.rows().sealed().id(),
            lease.rows().rows() - lease.firstRow(),
            path.way(),
            1,
            planned,
            columns.of(lease.rows(), planned, 0),
            rows.examined() - examined,
            rows.matched() - matched,
            values,
            replaced,
            bytes));
    return bytes;
  }

  private void read(SegmentReader segment, Filter applied, SegmentPiece piece, RowAccess access) {
    if (access.rows() == 0) {
      return;
    }
    collector.begin(segment);
    if (access instanceof RowAccess.Postings postings && postings.exact()) {
      new PostingRead(rows).run(segment, piece.share(postings.found()));
      return;
    }
    AdmittedRows admitted = new AdmittedRows(segment, access.dictionary(), applied);
    if (access instanceof RowAccess.Postings postings) {
      new PostingRead(rows).run(segment, admitted, piece.share(postings.found()));
    } else if (access instanceof RowAccess.Scan scan) {
      new RangeScan(rows).run(segment, applied, admitted, piece.share(scan.ranges()));
    }
  }
}
