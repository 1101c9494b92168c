package org.flowmon.archive.query;

import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.region.SegmentCorruptException;

/** Sums turned out to be damaged when some of them were in groups already: rows have to answer. */
final class DamagedCellsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DamagedCellsException(SegmentLease lease, SegmentCorruptException cause) {
    super(SegmentScan.warning(lease, String.valueOf(cause.getMessage())), cause);
    lease.rollupFailed(String.valueOf(cause.getMessage()));
  }
}
