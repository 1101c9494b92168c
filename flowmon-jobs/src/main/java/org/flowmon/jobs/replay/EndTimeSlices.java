package org.flowmon.jobs.replay;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.block.BlockSource;
import org.flowmon.archive.block.FlowBlock;
import org.flowmon.archive.block.TimeMerge;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression;
import org.jspecify.annotations.Nullable;

/**
 * Slices of one slide by the times at which flows ended, in one pass over the archive, which is in
 * the order of {@link FlowBlock#time}: the end of every flow of any window, as none has a flow that
 * ended over an hour after it arrived. So once the pass is at a time, no flow of a window that
 * ended before can follow.
 */
final class EndTimeSlices implements ReplaySlices {
  private final TimeMerge flows;
  private final long slide;
  private final long end;
  private long position;
  private @Nullable FlowBlock block; // null at the end
  private int row;

  EndTimeSlices(ReplaySpec spec, List<ArchiveSnapshot> snapshots, long position)
      throws IOException {
    this.slide = spec.window().slideMicros();
    this.end = spec.readTo();
    this.position = position;
    Expression ended = ReplaySlices.within(FlowColumn.END_TIME, position, spec.readTo());
    Expression arrived =
        new Expression.And(
            List.of(
                new Expression.IsNull(new Expression.Column(FlowColumn.END_TIME)),
                ReplaySlices.within(FlowColumn.ARRIVAL, position, spec.readTo())));
    List<BlockSource> scans = new ArrayList<>();
    boolean opened = false;
    try {
      scans.add(ReplaySlices.scan(spec, snapshots).where(ended).inTimeOrder().open());
      scans.add(ReplaySlices.scan(spec, snapshots).where(arrived).inTimeOrder().open());
      flows = TimeMerge.of(scans);
      block = flows.next();
      opened = true;
    } finally {
      for (BlockSource scan : opened ? List.<BlockSource>of() : scans) {
        scan.close();
      }
    }
  }

  @Override
  public long next(Flows out) throws IOException {
    long next = Math.min(end, position + slide);
    if (block == null) {
      next = end;
    } else if (block.time(row) >= next) {
      // Slices without flows are skipped.
      next = Math.min(end, Math.floorDiv(block.time(row), slide) * slide);
    }
    while (block != null && block.time(row) < next) {
      int to = row + 1;
      while (to < block.rows() && to - row < ArchivedBatches.ROWS && block.time(to) < next) {
        to++;
      }
      out.take(block, row, to - row);
      row = to;
      if (row == block.rows()) {
        block = flows.next();
        row = 0;
      }
    }
    position = next;
    return next;
  }

  @Override
  public void close() throws IOException {
    flows.close();
  }
}
