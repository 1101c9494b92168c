package org.flowmon.archive.query.rollup;

import org.flowmon.archive.SegmentLease;

/** Cells turned out to be damaged when some were in groups already: other data has to answer. */
public final class DamagedCellsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DamagedCellsException(SegmentLease lease, String problem) {
    super(lease.readInstead(problem));
    lease.rollupFailed(problem);
  }

  /** An exception with a warning: the damage, which was recorded, and the substitute. */
  DamagedCellsException(String warning) {
    super(warning);
  }
}
