package org.flowmon.ingest.publish;

import java.util.function.Consumer;
import org.flowmon.flow.BatchStream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.ingest.FlowSink;

/**
 * A sink that makes batches of flows and hands each to a callback, without Kafka: for an import
 * straight into an archive. The batches are numbered as one producer's stream.
 *
 * <pre>{@code
 * try (BatchCollectingSink sink = new BatchCollectingSink(4096, batches::add)) {
 *   FlowFiles.open(file).read(sink);
 * }
 * }</pre>
 *
 * <p>Not thread-safe.
 */
public final class BatchCollectingSink implements FlowSink, AutoCloseable {
  private final FlowBatchBuilder builder;
  private final Consumer<FlowBatch> target;
  private final BatchStream stream = new BatchStream();
  private long flows;

  /**
   * @param batchRows rows of a batch, 1 … {@link FlowBatch#MAX_ROWS}
   * @param target gets each full batch, and the last one on {@link #flush} or {@link #close}
   */
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

  /** Hands over the rows so far, if any. */
  public void flush() {
    if (!builder.isEmpty()) {
      target.accept(builder.close(stream, 0));
    }
  }

  /** Flows taken so far, including those not handed over yet. */
  public long flows() {
    return flows;
  }

  @Override
  public void close() {
    flush();
  }
}
