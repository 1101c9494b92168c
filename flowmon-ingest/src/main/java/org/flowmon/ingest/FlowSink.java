package org.flowmon.ingest;

import org.flowmon.flow.FlowBatchBuilder;

/**
 * The target of decoders and readers. They ask for a builder, write a row or a block of rows into
 * it and report the number of rows:
 *
 * <pre>{@code
 * FlowBatchBuilder builder = sink.builder();
 * int rows = Math.min(left, builder.free());
 * builder.beginRows(rows);
 * ...
 * builder.endRows();
 * sink.rowsEnded(rows);
 * }</pre>
 *
 * <p>The sink owns the builders. It may close, replace or clear one within {@link #rowsEnded},
 * never between {@link #builder} and {@link #rowsEnded}. Used by one thread at a time.
 */
public interface FlowSink {
  /** Returns the builder for the next rows, with room for at least one and no open row. */
  FlowBatchBuilder builder();

  /**
   * Reports rows added to the builder that {@link #builder} returned last.
   *
   * @param rows how many; a caller that added none must report 0 to give the builder back
   */
  void rowsEnded(int rows);
}
