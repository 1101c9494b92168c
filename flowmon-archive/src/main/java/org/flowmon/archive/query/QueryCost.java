package org.flowmon.archive.query;

import java.io.IOException;
import java.util.List;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.plan.Groupings;
import org.flowmon.archive.query.plan.QueriedArchives;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.set.AddressRanges;
import org.jspecify.annotations.Nullable;

/** What a query is expected to read, before it runs: to tell small queries from large ones. */
public final class QueryCost {
  /** An address has at most about so many of a segment's rows; a busier one is rare. */
  private static final long ROWS_OF_ADDRESS = 1 << 14;

  /** Addresses that posting lists are read for. */
  private static final long FEW_ADDRESSES = 1 << 12;

  /** Rows that a cell of a rollup stands for. */
  private static final long ROWS_OF_CELL = 16;

  private QueryCost() {}

  /**
   * The rows that a bound query will about examine, by the manifest and the host directory: no
   * segment is opened.
   */
  public static long rows(List<ArchiveSnapshot> snapshots, Query query) throws IOException {
    QueriedArchives archives = new QueriedArchives(snapshots, false);
    long all = 0;
    for (FlowQuery flows : query.overFlows()) {
      all += rows(archives, flows);
    }
    return all;
  }

  private static long rows(QueriedArchives archives, FlowQuery query) throws IOException {
    Constraints constraints = Constraints.of(query.where());
    boolean isOfFew = isOfFewAddresses(constraints);
    long rows = 0;
    for (SealedSegment segment : archives.choose(constraints).segments()) {
      rows += isOfFew ? Math.min(ROWS_OF_ADDRESS, segment.rows()) : segment.rows();
    }
    if (query.isAggregated()) {
      return new Groupings(query).rollups().isPresent() ? rows / ROWS_OF_CELL : rows;
    }
    boolean endsEarly = query.where() == null && query.orderBy().isEmpty() && query.limit() >= 0;
    return endsEarly ? Math.min(rows, query.limit()) : rows;
  }

  private static boolean isOfFewAddresses(Constraints constraints) {
    return constraints.isImpossible()
        || isFew(constraints.addresses(FlowColumn.SRC_ADDR))
        || isFew(constraints.addresses(FlowColumn.DST_ADDR))
        || constraints.alternatives().stream()
            .anyMatch(any -> any.stream().allMatch(QueryCost::isOfFewAddresses));
  }

  private static boolean isFew(@Nullable AddressRanges ranges) {
    if (ranges == null) {
      return false;
    }
    long addresses = 0;
    for (AddressRanges.Range range : ranges.ranges()) {
      long width = range.last().lo() - range.first().lo();
      if (range.last().hi() != range.first().hi() || width < 0 || width >= FEW_ADDRESSES) {
        return false;
      }
      addresses += width + 1;
    }
    return addresses <= FEW_ADDRESSES;
  }
}
