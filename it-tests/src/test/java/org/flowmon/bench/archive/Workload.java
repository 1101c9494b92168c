package org.flowmon.bench.archive;

import java.io.IOException;

/** Rows that can be read repeatedly, always the same, and the parameters of their queries. */
public interface Workload {
  /** Takes the rows, block by block. */
  @FunctionalInterface
  interface Sink {
    /**
     * Takes some rows.
     *
     * @param block the reader's own, reused for the next rows
     */
    void accept(FlowBlock block) throws IOException;
  }

  /** Hosts and times of the queries. */
  WorkloadParameters parameters();

  /** The origin of the rows, for people. */
  String description();

  /** Gives all rows to the sink, by time. */
  void read(Sink sink) throws IOException;
}
