package org.flowmon.archive.query.scan;

import org.flowmon.archive.query.plan.SegmentAccess;
import org.flowmon.archive.query.rollup.SegmentCells;

/** What a query reads of an open segment, as {@link AccessPlanner} plans it. */
sealed interface SegmentPath {
  SegmentAccess.Way way();

  /** No row can be in the answer. */
  record Nothing() implements SegmentPath {
    @Override
    public SegmentAccess.Way way() {
      return SegmentAccess.Way.NONE;
    }
  }

  /** Rows. */
  record Rows(RowAccess access) implements SegmentPath {
    @Override
    public SegmentAccess.Way way() {
      return access instanceof RowAccess.Postings
          ? SegmentAccess.Way.INDEX
          : SegmentAccess.Way.SCAN;
    }
  }

  /** Cells of a rollup; {@code edge} has the rows of hours that the query's times cut. */
  record Cells(SegmentCells cells, RowAccess edge) implements SegmentPath {
    @Override
    public SegmentAccess.Way way() {
      return SegmentAccess.Way.SUMS;
    }
  }
}
