package org.flowmon.archive.block;

import java.io.IOException;

/** Gives flows block by block. Not thread-safe: one thread reads. To be closed. */
public interface BlockSource extends AutoCloseable {
  /**
   * The next block, of at least one row; null at the end. Throws {@link
   * org.flowmon.archive.region.SegmentCorruptException}, naming file and place, if a segment is
   * damaged.
   */
  FlowBlock next() throws IOException;

  @Override
  default void close() throws IOException {}
}
