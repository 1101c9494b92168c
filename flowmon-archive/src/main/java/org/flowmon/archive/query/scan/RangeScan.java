package org.flowmon.archive.query.scan;

import org.flowmon.archive.query.filter.AdmittedRows;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.query.plan.RowRanges;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.SelectedRows;
import org.flowmon.udaf.vector.Vector;

/** The operator that reads successive rows of a segment, a vector at a time. */
record RangeScan(RowFilter rows) {
  void run(SegmentReader segment, Filter filter, AdmittedRows admitted, RowRanges ranges) {
    SelectedRows selected = new SelectedRows(segment);
    for (int r = 0; r < ranges.count(); r++) {
      int to = ranges.to(r);
      for (int at = ranges.from(r); at < to; at += Vector.CAPACITY) {
        if (rows.collector().isComplete()) {
          return;
        }
        rows.check();
        int count = Math.min(Vector.CAPACITY, to - at);
        if (admitted.narrows()) {
          runNarrowed(segment, selected, filter, admitted, at, count);
        } else {
          rows.filter(segment, selected, filter.predicate(), at, count);
        }
      }
    }
  }

  private void runNarrowed(
      SegmentReader segment,
      SelectedRows selected,
      Filter filter,
      AdmittedRows admitted,
      int at,
      int count) {
    int n = admitted.select(at, count, rows.rows());
    if (admitted.rest().isEmpty()) {
      rows.keep(segment, selected, at, count, n);
    } else if (RowFilter.isSparse(n, count)) {
      rows.leaveOut(count - n);
      rows.filter(selected, admitted.rest().get(), n);
    } else {
      rows.filter(segment, selected, filter.predicate(), at, count);
    }
  }
}
