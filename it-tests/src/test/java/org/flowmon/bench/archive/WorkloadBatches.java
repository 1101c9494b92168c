package org.flowmon.bench.archive;

import java.io.IOException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/**
 * Turns rows of the workload into batches like those from Kafka. A row's {@code ts} is its {@code
 * end_time} and {@code arrival}. Keeps its builder; not thread-safe.
 */
public final class WorkloadBatches {
  static final long MICROS = 1_000_000;
  static final long MICROS_OF_MILLI = 1_000;
  // The workload numbers states from 0, flowmon's codes from 1.
  static final int FIRST_STATE = 1;

  private static final int BATCH_ROWS = 4096;

  private final FlowBatchBuilder builder = new FlowBatchBuilder(BATCH_ROWS);
  private final long[] values = new long[BATCH_ROWS];
  private final long[] zeros = new long[BATCH_ROWS];

  /** Takes a batch. */
  @FunctionalInterface
  public interface Sink {
    /** Takes a batch, which nobody changes any more. */
    void accept(FlowBatch batch) throws IOException;
  }

  /** Gives all rows of a block to a sink in order. */
  public void write(FlowBlock block, Sink sink) throws IOException {
    for (int from = 0; from < block.rows(); from += BATCH_ROWS) {
      sink.accept(batch(block, from, Math.min(BATCH_ROWS, block.rows() - from)));
    }
  }

  private FlowBatch batch(FlowBlock block, int from, int n) {
    builder.beginRows(n);
    times(block, from, n);
    address(block, from, n, WorkloadColumn.SRC_ADDR, FlowColumn.SRC_ADDR);
    address(block, from, n, WorkloadColumn.DST_ADDR, FlowColumn.DST_ADDR);
    number(block, from, n, WorkloadColumn.SRC_PORT, FlowColumn.SRC_PORT);
    number(block, from, n, WorkloadColumn.DST_PORT, FlowColumn.DST_PORT);
    number(block, from, n, WorkloadColumn.PROTOCOL, FlowColumn.PROTOCOL);
    number(block, from, n, WorkloadColumn.BYTES, FlowColumn.BYTES);
    number(block, from, n, WorkloadColumn.REVERSE_BYTES, FlowColumn.REVERSE_BYTES);
    number(block, from, n, WorkloadColumn.OUTGOING, FlowColumn.OUTGOING);
    long[] states = block.column(WorkloadColumn.STATE);
    for (int i = 0; i < n; i++) {
      values[i] = states[from + i] + FIRST_STATE;
    }
    builder.setColumn(FlowColumn.STATE, values, FlowBatchBuilder.ALL_SET);
    builder.endRows();
    FlowBatch batch = FlowBatch.open(builder.build(1, 0, 0, 0));
    builder.clear();
    return batch;
  }

  private void times(FlowBlock block, int from, int n) {
    long[] seconds = block.column(WorkloadColumn.TS);
    long[] millis = block.column(WorkloadColumn.DURATION);
    for (int i = 0; i < n; i++) {
      values[i] = seconds[from + i] * MICROS;
    }
    builder.setColumn(FlowColumn.END_TIME, values, FlowBatchBuilder.ALL_SET);
    builder.setColumn(FlowColumn.ARRIVAL, values, FlowBatchBuilder.ALL_SET);
    for (int i = 0; i < n; i++) {
      values[i] -= millis[from + i] * MICROS_OF_MILLI;
    }
    builder.setColumn(FlowColumn.START_TIME, values, FlowBatchBuilder.ALL_SET);
    for (int i = 0; i < n; i++) {
      values[i] = millis[from + i] * MICROS_OF_MILLI;
    }
    builder.setColumn(FlowColumn.DURATION, values, FlowBatchBuilder.ALL_SET);
  }

  private void number(FlowBlock block, int from, int n, WorkloadColumn column, FlowColumn target) {
    System.arraycopy(block.column(column), from, values, 0, n);
    builder.setColumn(target, values, FlowBatchBuilder.ALL_SET);
  }

  private void address(FlowBlock block, int from, int n, WorkloadColumn column, FlowColumn target) {
    long[] addresses = block.column(column);
    for (int i = 0; i < n; i++) {
      values[i] = IpAddress.ipv4Low((int) addresses[from + i]);
    }
    builder.setAddressColumn(target, zeros, values, FlowBatchBuilder.ALL_SET);
  }
}
