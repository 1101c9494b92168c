package org.flowmon.deploy.generate;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.BatchStream;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.exporter.SimulatedRouter;

/** The flows as rows, as if their routers' exports had been collected without any loss. */
final class RowOutput implements FlowOutput {
  /** In a row. */
  static final List<FlowColumn> COLUMNS = columns();

  private static final int BATCH_ROWS = 4_096;
  private static final int DETERMINISTIC = 1;

  private final List<SimulatedRouter> routers;
  private final BatchTarget target;
  private final FlowBatchBuilder builder = new FlowBatchBuilder(BATCH_ROWS);
  private final BatchStream stream = new BatchStream();

  RowOutput(List<SimulatedRouter> routers, BatchTarget target) {
    this.routers = routers;
    this.target = target;
  }

  private static List<FlowColumn> columns() {
    List<FlowColumn> columns = new ArrayList<>(SyntheticFlow.COLUMNS);
    columns.add(FlowColumn.SAMPLING_RATE);
    columns.add(FlowColumn.SAMPLING_MODE);
    columns.sort(null);
    return List.copyOf(columns);
  }

  @Override
  public void add(int router, SyntheticFlow flow, long nowMillis) throws IOException {
    SimulatedRouter exporter = routers.get(router);
    builder.beginRow();
    flow.setColumns(builder, nowMillis * 1000, exporter.address(), exporter.observationDomain());
    if (exporter.samplingRate() > 1) {
      builder.set(FlowColumn.SAMPLING_RATE, exporter.samplingRate());
      builder.set(FlowColumn.SAMPLING_MODE, DETERMINISTIC);
    }
    builder.endRow();
    if (builder.isFull()) {
      target.add(builder.close(stream, 0));
    }
  }

  @Override
  public boolean isLive() {
    return false;
  }

  @Override
  public void finish(long nowMillis) throws IOException {
    if (!builder.isEmpty()) {
      target.add(builder.close(stream, 0));
    }
    target.finish();
  }

  @Override
  public List<String> told() {
    return List.of();
  }

  @Override
  public void close() throws IOException {
    target.close();
  }
}
