package org.flowmon.ingest.file.reader;

import java.nio.file.Path;
import java.util.Map;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.file.format.InputFormat;

/** A sink that counts flows and finds the range of their times, and passes them to another sink. */
public final class SummarySink implements FlowSink {
  private final FlowSink out;
  private FlowBatchBuilder builder;
  private long rows;
  private long firstEnd = Long.MAX_VALUE;
  private long lastEnd = Long.MIN_VALUE;
  private long firstArrival = Long.MAX_VALUE;
  private long lastArrival = Long.MIN_VALUE;

  public SummarySink(FlowSink out) {
    this.out = out;
  }

  @Override
  public FlowBatchBuilder builder() {
    builder = out.builder();
    return builder;
  }

  @Override
  public void rowsEnded(int count) {
    int end = builder.rows();
    for (int row = end - count; row < end; row++) {
      if (!builder.isNull(FlowColumn.END_TIME, row)) {
        long time = builder.getLong(FlowColumn.END_TIME, row);
        firstEnd = Math.min(firstEnd, time);
        lastEnd = Math.max(lastEnd, time);
      }
      long arrival = builder.getLong(FlowColumn.ARRIVAL, row);
      firstArrival = Math.min(firstArrival, arrival);
      lastArrival = Math.max(lastArrival, arrival);
    }
    rows += count;
    out.rowsEnded(count);
  }

  public FileSummary summary(
      Path file, InputFormat format, Map<String, Long> rejected, String damage) {
    return new FileSummary(
        file, format, rows, rejected, firstEnd, lastEnd, firstArrival, lastArrival, damage);
  }
}
