package org.flowmon.ingest.publish;

import java.util.function.Consumer;
import org.flowmon.flow.BatchStream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.ingest.FlowSink;

/**
 * Hands batches of flows, numbered as one producer's stream, to a callback without Kafka: for an
 * import straight into an archive. Not thread-safe.
 */
public final class BatchCollectingSink implements FlowSink, AutoCloseable {
  private final FlowBatchBuilder builder;
  private final Consumer<FlowBatch> target;
  private final BatchStream stream = new BatchStream();
  private long flows;

  /** {@code target} gets each full batch, and the last one on {@link #flush} or {@link #close}. */
  public BatchCollectingSink(int batchRows, Consumer<FlowBatch> target) {
    this.builder = new FlowBatchBuilder(batchRows);
    this.target = target;
  }

  @Override
  public FlowBatchBuilder builder() {
    return builder;
  }

  @Override
  public void rowsEnded(int rows) {
    flows += rows;
    if (builder.isFull()) {
      flush();
    }
  }

  public void flush() {
    if (!builder.isEmpty()) {
      target.accept(builder.close(stream, 0));
    }
  }

  /** Including those not handed over yet. */
  public long flows() {
    return flows;
  }

  @Override
  public void close() {
    flush();
  }
}
