package org.flowmon.deploy.generate;

import java.io.IOException;
import org.flowmon.flow.FlowBatch;

/** Takes flows as rows; {@link #close} without {@link #finish} leaves nothing. */
interface BatchTarget extends AutoCloseable {
  void add(FlowBatch batch) throws IOException;

  void finish() throws IOException;

  @Override
  void close() throws IOException;
}
