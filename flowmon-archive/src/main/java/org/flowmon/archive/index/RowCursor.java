package org.flowmon.archive.index;

/** Goes over rows in blocks, ascending. Not thread-safe. */
@FunctionalInterface
public interface RowCursor {
  /**
   * Fills {@code block} with the next rows.
   *
   * @return how many, 0 at the end
   */
  int next(int[] block);
}
