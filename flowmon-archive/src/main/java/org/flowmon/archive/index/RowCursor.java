package org.flowmon.archive.index;

/** Iterates over rows in blocks, ascending. Not thread-safe. */
@FunctionalInterface
public interface RowCursor {
  /** Fills {@code block} with the next rows; returns their number, 0 at the end. */
  int next(int[] block);
}
