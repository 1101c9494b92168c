package org.flowmon.ingest.file.reader;

import java.io.IOException;
import java.util.function.Consumer;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.ingest.BiflowSplitter;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.publish.BatchCollectingSink;

/** Reads a file and makes two flows of each with both directions ({@link BiflowSplitter}). */
public class SplittingReader implements FlowFileReader {
  private static final int BATCH_ROWS = 4096;

  private final FlowFileReader reader;
  final ProtectedNetworks networks;

  private SplittingReader(FlowFileReader reader, ProtectedNetworks networks) {
    this.reader = reader;
    this.networks = networks;
  }

  /** The reader itself unless biflows are to be split. */
  public static FlowFileReader of(FlowFileReader reader, FileReadOptions options) {
    if (!options.splitsBiflows()) {
      return reader;
    }
    return reader instanceof ParallelFlowReader parallel
        ? new Parallel(parallel, options.networks())
        : new SplittingReader(reader, options.networks());
  }

  @Override
  public FileSummary read(FlowSink out) throws IOException {
    BiflowSplitter splitter = new BiflowSplitter(networks);
    FileSummary summary = reader.read(splitter.into(out));
    return summary.withSplit(splitter.split());
  }

  /** Of a reader with several threads; rows are split in the calling one. */
  private static final class Parallel extends SplittingReader implements ParallelFlowReader {
    private final ParallelFlowReader parallel;

    Parallel(ParallelFlowReader parallel, ProtectedNetworks networks) {
      super(parallel, networks);
      this.parallel = parallel;
    }

    @Override
    public FileSummary read(int threads, Consumer<FlowBatch> out) throws IOException {
      BiflowSplitter splitter = new BiflowSplitter(networks);
      try (BatchCollectingSink batches = new BatchCollectingSink(BATCH_ROWS, out)) {
        FlowSink sink = splitter.into(batches);
        FileSummary summary = parallel.read(threads, batch -> add(batch, sink, batches));
        return summary.withSplit(splitter.split());
      }
    }

    /** Keeps no row back: before the next batch a live input may wait, and commit. */
    private static void add(FlowBatch batch, FlowSink sink, BatchCollectingSink batches) {
      for (int row = 0; row < batch.rows(); ) {
        FlowBatchBuilder builder = sink.builder();
        int block = Math.min(batch.rows() - row, builder.free());
        for (int end = row + block; row < end; row++) {
          builder.appendRow(batch, row);
        }
        sink.rowsEnded(block);
      }
      batches.flush();
    }
  }
}
