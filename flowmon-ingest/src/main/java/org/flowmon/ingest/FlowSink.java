package org.flowmon.ingest;

import org.flowmon.flow.FlowBatchBuilder;

/**
 * The target of decoders and readers, of one thread at a time: they write rows into its builder and
 * report them. It owns the builders and may close, replace or clear one within {@link #rowsEnded},
 * never between {@link #builder} and {@link #rowsEnded}.
 */
public interface FlowSink {
  /** Returns the builder for the next rows, with room for at least one and no open row. */
  FlowBatchBuilder builder();

  /** Rows added to {@link #builder}'s last; a caller that added none reports 0 to give it back. */
  void rowsEnded(int rows);
}
