package org.flowmon.ingest.file.reader;

import java.nio.file.Path;
import java.util.Map;
import org.flowmon.flow.FlowBatch;
import org.flowmon.ingest.file.format.InputFormat;

/** Counts the flows of batches and finds the range of their times. */
public final class BatchSummary {
  private long rows;
  private long firstEnd = Long.MAX_VALUE;
  private long lastEnd = Long.MIN_VALUE;
  private long firstArrival = Long.MAX_VALUE;
  private long lastArrival = Long.MIN_VALUE;

  public void add(FlowBatch batch) {
    rows += batch.rows();
    firstEnd = Math.min(firstEnd, batch.minEndTime());
    lastEnd = Math.max(lastEnd, batch.maxEndTime());
    firstArrival = Math.min(firstArrival, batch.minArrival());
    lastArrival = Math.max(lastArrival, batch.maxArrival());
  }

  public FileSummary of(Path file, InputFormat format, Map<String, Long> rejected, String damage) {
    return new FileSummary(
        file, format, rows, rejected, firstEnd, lastEnd, firstArrival, lastArrival, damage);
  }
}
