package org.flowmon.archive.query.scan;

import java.util.Optional;
import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.query.filter.AdmittedRows;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.SelectedRows;
import org.flowmon.udaf.expression.CompiledPredicate;

/** The operator that reads the rows of posting lists. */
record PostingRead(RowFilter rows) {
  /** Reads rows, all of which pass the filter. */
  void run(SegmentReader segment, RowSet found) {
    rows.collector().expect(found.size());
    SelectedRows selected = new SelectedRows(segment);
    RowSet.Cursor cursor = found.cursor();
    for (int n = next(cursor); n > 0; n = next(cursor)) {
      rows.check();
      rows.keep(selected, n);
    }
  }

  /** Reads rows that may pass the filter. */
  void run(SegmentReader segment, AdmittedRows admitted, RowSet found) {
    Optional<CompiledPredicate> rest = admitted.rest();
    SelectedRows selected = new SelectedRows(segment);
    RowSet.Cursor cursor = found.cursor();
    for (int n = next(cursor); n > 0; n = next(cursor)) {
      rows.check();
      int left = admitted.narrow(rows.rows(), n);
      rows.leaveOut(n - left);
      if (rest.isEmpty()) {
        rows.keep(selected, left);
      } else if (left > 0) {
        rows.filter(selected, rest.get(), left);
      }
    }
  }

  /** The next candidates, 0 if there are none, or none is wanted. */
  private int next(RowSet.Cursor cursor) {
    return rows.collector().isComplete() ? 0 : cursor.next(rows.rows());
  }
}
