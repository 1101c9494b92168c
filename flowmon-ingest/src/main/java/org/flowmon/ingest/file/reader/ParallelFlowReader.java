package org.flowmon.ingest.file.reader;

import java.io.IOException;
import java.util.function.Consumer;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.ingest.FlowSink;

/** Reads the flows of one file with several threads. */
public interface ParallelFlowReader extends FlowFileReader {
  /**
   * The batches, in the file's order, do not depend on the number of threads (at least 1).
   *
   * @param out called in the calling thread. Its exceptions end the reading
   */
  FileSummary read(int threads, Consumer<FlowBatch> out) throws IOException;

  @Override
  default FileSummary read(FlowSink out) throws IOException {
    return read(
        1,
        batch -> {
          for (int row = 0; row < batch.rows(); row++) {
            FlowBatchBuilder builder = out.builder();
            builder.appendRow(batch, row);
            out.rowsEnded(1);
          }
        });
  }
}
