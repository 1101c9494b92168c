package org.flowmon.archive.query.rollup;

import org.flowmon.archive.SegmentLease;

/**
 * Sums turned out to be damaged when some of them were in groups already: others have to answer.
 */
public final class DamagedCellsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DamagedCellsException(SegmentLease lease, String problem) {
    super(lease.readInstead(problem));
    lease.rollupFailed(problem);
  }

  /** What is damaged, which was noted, and what answers instead. */
  DamagedCellsException(String warning) {
    super(warning);
  }
}
