package org.flowmon.jobs.replay;

import java.io.IOException;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.scan.FlowBlock;
import org.flowmon.archive.scan.FlowScan;
import org.flowmon.flow.FlowColumn;

/**
 * Slices by arrival. The archive has no order of arrivals, so that each slice is a scan of its own:
 * they are at most a hundred, of whole slides.
 */
final class ArrivalSlices implements ReplaySlices {
  private static final long SLICES = 100;

  private final ReplaySpec spec;
  private final ArchiveSnapshot snapshot;
  private final long length;
  private long position;

  ArrivalSlices(ReplaySpec spec, ArchiveSnapshot snapshot, long position) {
    this.spec = spec;
    this.snapshot = snapshot;
    long slide = spec.window().slideMicros();
    this.length = -Math.floorDiv(spec.from() - spec.to(), SLICES * slide) * slide;
    this.position = position;
  }

  @Override
  public long next(Flows out) throws IOException {
    long next = Math.min(spec.to(), position + length);
    try (FlowScan scan =
        ReplaySlices.scan(spec, snapshot)
            .where(ReplaySlices.within(FlowColumn.ARRIVAL, position, next))
            .open()) {
      for (FlowBlock block = scan.next(); block != null; block = scan.next()) {
        for (int row = 0; row < block.rows(); row += ArchivedBatches.ROWS) {
          out.take(block, row, Math.min(ArchivedBatches.ROWS, block.rows() - row));
        }
      }
    }
    position = next;
    return next;
  }

  @Override
  public void close() {}
}
