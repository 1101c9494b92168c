package org.flowmon.archive.block;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Gives flows block by block. Not thread-safe: one thread reads. To be closed. */
public interface BlockSource extends AutoCloseable {
  /**
   * The next block, not empty; null at the end. {@link
   * org.flowmon.archive.region.SegmentCorruptException} names file and place of damage.
   */
  @Nullable FlowBlock next() throws IOException;

  @Override
  default void close() throws IOException {}
}
