package org.flowmon.deploy.generate;

import java.io.IOException;
import java.util.List;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/** Where generated flows go: {@link #finish} shows them, {@link #close} alone leaves nothing. */
interface FlowOutput extends AutoCloseable {
  /** Takes what a router, by number, saw of a flow. */
  void add(int router, SyntheticFlow flow, long nowMillis) throws IOException;

  /** No flow comes before that time: what waits for more need not wait longer. */
  default void advance(long nowMillis) throws IOException {
    // Rows do not wait.
  }

  /** Whether what was taken counts also if the run is stopped early. */
  boolean isLive();

  void finish(long nowMillis) throws IOException;

  /** Lines about what was written, after {@link #finish}. */
  List<String> told();

  @Override
  void close() throws IOException;
}
