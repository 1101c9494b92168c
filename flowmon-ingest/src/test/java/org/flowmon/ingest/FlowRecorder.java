package org.flowmon.ingest;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;

/** A sink that keeps every row as a map of column → value, read from real batches. */
public final class FlowRecorder implements FlowSink {
  private final FlowBatchBuilder builder;
  private final List<Map<FlowColumn, Object>> rows = new ArrayList<>();
  private long told;
  private boolean handedOut;

  /**
   * @param capacity rows of a batch; small ones reveal errors at their borders
   */
  public FlowRecorder(int capacity) {
    builder = new FlowBatchBuilder(capacity);
  }

  @Override
  public FlowBatchBuilder builder() {
    handedOut = true;
    return builder;
  }

  @Override
  public void rowsEnded(int count) {
    handedOut = false;
    told += count;
    if (builder.isFull()) {
      flush();
    }
  }

  /** Whether the builder was requested and not given back. */
  public boolean isHandedOut() {
    return handedOut;
  }

  private void flush() {
    if (builder.isEmpty()) {
      return;
    }
    FlowBatch batch = FlowBatch.open(builder.build(1, 0, 0, 0));
    builder.clear();
    for (int i = 0; i < batch.rows(); i++) {
      Map<FlowColumn, Object> row = new TreeMap<>();
      for (FlowColumn column : FlowColumn.all()) {
        if (!batch.isNull(column, i)) {
          row.put(
              column,
              switch (column.type()) {
                case ADDRESS -> batch.getAddress(column, i);
                case TEXT -> batch.text(column, i);
                default -> batch.getLong(column, i);
              });
        }
      }
      rows.add(row);
    }
  }

  /** All rows so far, a missing key is null. */
  public List<Map<FlowColumn, Object>> rows() {
    flush();
    if (told != rows.size()) {
      throw new AssertionError(told + " rows were told of, " + rows.size() + " are there");
    }
    return rows;
  }

  /** Forgets all rows. */
  public void clear() {
    rows();
    rows.clear();
    told = 0;
  }
}
