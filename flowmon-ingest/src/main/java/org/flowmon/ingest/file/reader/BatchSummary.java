package org.flowmon.ingest.file.reader;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.flowmon.flow.FlowBatch;
import org.flowmon.ingest.file.format.InputFormat;
import org.jspecify.annotations.Nullable;

/** Counts flows and finds the range of their times. */
public final class BatchSummary {
  private long rows;
  private long firstEnd = Long.MAX_VALUE;
  private long lastEnd = Long.MIN_VALUE;
  private long firstArrival = Long.MAX_VALUE;
  private long lastArrival = Long.MIN_VALUE;

  public void add(FlowBatch batch) {
    rows += batch.rows();
    addEnds(batch.minEndTime(), batch.maxEndTime());
    addArrivals(batch.minArrival(), batch.maxArrival());
  }

  void addRows(int count) {
    rows += count;
  }

  void addEnds(long first, long last) {
    firstEnd = Math.min(firstEnd, first);
    lastEnd = Math.max(lastEnd, last);
  }

  void addArrivals(long first, long last) {
    firstArrival = Math.min(firstArrival, first);
    lastArrival = Math.max(lastArrival, last);
  }

  public FileSummary of(
      Path file, InputFormat format, Map<String, Long> rejected, @Nullable String damage) {
    return of(file, format, format.label(), Set.of(), rejected, damage);
  }

  public FileSummary of(
      Path file,
      InputFormat format,
      String label,
      Set<String> unknown,
      Map<String, Long> rejected,
      @Nullable String damage) {
    return new FileSummary(
        file,
        format,
        label,
        rows,
        0,
        rejected,
        unknown,
        firstEnd,
        lastEnd,
        firstArrival,
        lastArrival,
        damage);
  }
}
