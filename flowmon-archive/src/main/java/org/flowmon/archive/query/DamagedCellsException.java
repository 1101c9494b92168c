package org.flowmon.archive.query;

import org.flowmon.archive.SegmentLease;

/** Sums turned out to be damaged when some of them were in groups already: rows have to answer. */
final class DamagedCellsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DamagedCellsException(SegmentLease lease, String problem) {
    super(SegmentScan.warning(lease, problem));
    lease.rollupFailed(problem);
  }
}
