package org.flowmon.archive.query.scan;

import java.util.Optional;
import java.util.Set;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.query.filter.DictionaryFilter;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.archive.query.plan.RowRanges;
import org.flowmon.archive.query.posting.PostingSearch;
import org.flowmon.archive.query.rollup.SegmentCells;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.jspecify.annotations.Nullable;

/**
 * Plans how a query reads an open segment. If its sidecar is missing or damaged the plan is one of
 * rows, and the problem is a warning. For one thread.
 */
final class AccessPlanner {
  // With fewer rows within the query's times the sidecar is not worth reading.
  private static final int FEW_ROWS = 2048;

  private final Deadline deadline;
  private final Set<String> warnings;

  AccessPlanner(Deadline deadline, Set<String> warnings) {
    this.deadline = deadline;
    this.warnings = warnings;
  }

  /** {@code rule} is empty if only rows answer; {@code shared} is the path of all pieces. */
  SegmentPath plan(
      SegmentLease lease,
      Filter filter,
      Optional<RollupRule> rule,
      SegmentPiece.SharedAccess shared) {
    RowRanges ranges = RowRanges.asked(lease, filter.constraints());
    if (ranges.total() == 0) {
      return new SegmentPath.Nothing();
    }
    Optional<SegmentCells> cells = rule.flatMap(some -> cells(some, lease, filter, ranges));
    return cells.isPresent()
        ? new SegmentPath.Cells(cells.get(), rows(lease, filter, cells.get().rest()))
        : new SegmentPath.Rows(shared.planned(() -> rows(lease, filter, ranges)));
  }

  /** Empty if there are no cells, or rows are cheaper. */
  private Optional<SegmentCells> cells(
      RollupRule rule, SegmentLease lease, Filter filter, RowRanges ranges) {
    if (ranges.total() < FEW_ROWS) {
      return Optional.empty();
    }
    SegmentIndex index = lease.index();
    if (index == null) {
      warn(lease, lease.indexProblem());
      return Optional.empty();
    }
    if (lease.rollupProblem() == null) {
      try {
        return SegmentCells.plan(rule, lease, index, filter.constraints(), ranges);
      } catch (SegmentCorruptException e) {
        lease.rollupFailed(String.valueOf(e.getMessage()));
      }
    }
    warn(lease, lease.rollupProblem());
    return Optional.empty();
  }

  private void warn(SegmentLease lease, @Nullable String problem) {
    warnings.add(lease.readInstead(String.valueOf(problem)));
  }

  private RowAccess rows(SegmentLease lease, Filter filter, RowRanges ranges) {
    if (ranges.total() < FEW_ROWS) {
      return new RowAccess.Scan(ranges, DictionaryFilter.NONE);
    }
    Optional<PostingSearch.Found> found = postings(lease, filter, ranges);
    if (found.isEmpty()) {
      return new RowAccess.Scan(ranges, decide(lease, filter, Set.of(), ranges.total()));
    }
    RowSet rows = found.get().rows();
    boolean isDone = found.get().exact() || rows.size() < FEW_ROWS;
    return new RowAccess.Postings(
        rows,
        found.get().exact(),
        isDone ? DictionaryFilter.NONE : decide(lease, filter, found.get().columns(), rows.size()));
  }

  private Optional<PostingSearch.Found> postings(
      SegmentLease lease, Filter filter, RowRanges ranges) {
    // A sidecar may be remote: its indexed columns are known without it.
    if (!PostingSearch.isIndexable(filter, lease.rows().indexed())) {
      return Optional.empty();
    }
    SegmentIndex index = lease.index();
    if (index != null) {
      try {
        return new PostingSearch(index, ranges, deadline::check).find(lease.rows(), filter);
      } catch (SegmentCorruptException e) {
        lease.indexFailed(String.valueOf(e.getMessage()));
      }
    }
    warn(lease, lease.indexProblem());
    return Optional.empty();
  }

  /** Values of {@code within} are within the filter's constraints in all of the rows. */
  private DictionaryFilter decide(
      SegmentLease lease, Filter filter, Set<FlowColumn> within, long rows) {
    SegmentReader segment = lease.rows();
    return DictionaryFilter.of(
        segment, filter, filter.decidesTimes(segment), within, rows, deadline::check);
  }
}
