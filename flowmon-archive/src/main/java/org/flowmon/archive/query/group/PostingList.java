package org.flowmon.archive.query.group;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.index.RowCursor;
import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.query.plan.RowRanges;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.flow.FlowColumn;

/** The list of id {@code id}; the query sees rows {@code within}; {@code seen} counts reads. */
record PostingList(
    SegmentLease lease,
    SegmentIndex index,
    FlowColumn column,
    int id,
    RowRanges within,
    LongAdder seen) {
  /**
   * Throws {@link DamagedListException} if the list turns out to be damaged, as reading on may
   * throw, too.
   */
  RowCursor rows() {
    RowCursor cursor =
        unlessDamaged(
            () ->
                within.count() == 1
                    ? index.cursor(column, id, within.from(0), within.to(0))
                    : visible().cursor());
    return block -> {
      int n = unlessDamaged(() -> cursor.next(block));
      seen.add(n);
      return n;
    };
  }

  private RowSet visible() {
    RowSet list = index.rows(column, id);
    RowSet all = RowSet.none();
    for (int r = 0; r < within.count() && !list.isEmpty(); r++) {
      all = all.or(list.and(RowSet.range(within.from(r), within.to(r))));
    }
    return all;
  }

  private <T> T unlessDamaged(Supplier<T> read) {
    try {
      return read.get();
    } catch (SegmentCorruptException e) {
      lease.indexFailed(String.valueOf(e.getMessage()));
      throw new DamagedListException(e);
    }
  }
}
