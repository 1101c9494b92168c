package org.flowmon.ingest.file.reader;

import java.util.Objects;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.FlowSink;
import org.jspecify.annotations.Nullable;

/** A sink that counts flows and finds the range of their times, and passes them to another sink. */
public final class SummarySink implements FlowSink {
  private final FlowSink out;
  private final BatchSummary summary = new BatchSummary();
  private @Nullable FlowBatchBuilder builder;

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
    FlowBatchBuilder flows = Objects.requireNonNull(builder, "rows are of the builder asked for");
    int end = flows.rows();
    for (int row = end - count; row < end; row++) {
      if (!flows.isNull(FlowColumn.END_TIME, row)) {
        long time = flows.getLong(FlowColumn.END_TIME, row);
        summary.addEnds(time, time);
      }
      long arrival = flows.getLong(FlowColumn.ARRIVAL, row);
      summary.addArrivals(arrival, arrival);
    }
    summary.addRows(count);
    out.rowsEnded(count);
  }

  public BatchSummary summary() {
    return summary;
  }
}
