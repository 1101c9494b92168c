package org.flowmon.ingest;

import org.flowmon.flow.FlowBatchBuilder;

/**
 * Where decoders and readers put flows. They ask for a builder, write a row or a block of rows into
 * it, and say how many:
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
  /** The builder for the next rows: at least one row is free, none is open. */
  FlowBatchBuilder builder();

  /**
   * Rows have been added to the builder that {@link #builder} gave last.
   *
   * @param rows how many; 0 gives the builder back unused, as who asked for it in vain must do
   */
  void rowsEnded(int rows);
}
